import { Type } from 'typebox';
import { routableMedia } from '../../../core/routing/conditions.ts';
import { limits } from '../../../core/limits.ts';
import {
  addressPattern,
  Body,
  Choice,
  Detail,
  Flag,
  Id,
  Integer,
  largestId,
  List,
  Moment,
  Optional,
  Query,
  stated,
  Text,
} from '../../schemas.ts';

const anyInteger = (description: string) =>
  Integer(description, 0, { minimum: -largestId, maximum: largestId });

export const SimulateBody = Body({
  bot_id: Id('The bot that would receive the message.'),
  text: Type.String({ maxLength: limits.messageLength, description: 'What the message says.' }),
  chat_id: Optional.ChatId('The chat it would come from.'),
  message_thread_id: Optional.TopicId('The topic it would be in; 1 is General.'),
  user_id: Optional.UserId('Who would send it.'),
  media_type: Optional.Choice([...routableMedia, ''], {
    default: '',
    description: 'The kind of media it would have.',
  }),
});

export const ModelRecord = Type.Object({
  by: Text('model or offline.', 'offline'),
  model: Text('Which model chose.', 'bm25'),
  prompt_version: Text('Version of the prompt.'),
  candidates: List(
    Type.Integer(),
    'The bots it could choose from, as far as the key may see them.',
  ),
  target_bot_id: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: 'Its choice; null if none, 0 for a bot the key may not see.',
  }),
  confidence: Type.Number({ description: 'From 0 to 1.', examples: [0.8] }),
  reason: Text('Why it chose that bot.'),
  reason_detail: Type.Optional(Detail('reason')),
  latency_ms: Type.Number({ description: 'How long the model took.' }),
  input_tokens: Integer('Tokens of the question.'),
  output_tokens: Integer('Tokens of the answer.'),
  failure: Text('Why the choice of the model was not used; usually empty.'),
  failure_detail: Type.Optional(Detail('failure')),
});

export const Simulation = Type.Object({
  outcome: Text('routed, dropped or none.', 'routed'),
  target_bot_id: Integer(
    'The first bot that would get the message; 0 if none, or if the key may not see it.',
    2,
  ),
  reason: Text('Reason for the result.', 'route 3: it says “refund”'),
  reason_detail: Detail('reason'),
  warning: Text('What could keep the message from arriving; empty if nothing is known.', ''),
  warning_detail: Detail('warning'),
  rules: List(
    Type.Object({
      route_id: Integer('The route.'),
      matched: Flag('Whether its condition matches, or it is chosen by meaning.'),
      acts: Flag('Whether it would act; false after a drop.'),
      action: Text('What it would do.'),
      target_bot_id: Integer('Target bot.'),
      target_chat_id: Integer('Target chat.'),
      target_thread_id: Optional.Integer('Topic of the target chat, if any.', 4),
      reason: Text('Why it matched or not, for example because it is disabled.'),
      reason_detail: Detail('reason'),
      warning: Text('What could keep the message from arriving; usually empty.'),
      warning_detail: Detail('warning'),
    }),
    'Every route of the bot, in order, also disabled ones.',
  ),
  model: Type.Union([ModelRecord, Type.Null()], {
    description: 'What the model chose; null if it was not used.',
  }),
});

export const DecisionsQuery = Query({
  bot_id: Optional.Id('Only decisions about what this bot received.'),
  chat_id: Optional.ChatId('Only decisions about messages of this chat.'),
  outcome: Optional.Choice(
    [
      'routed',
      'dropped',
      'returned',
      'edited',
      'deleted',
      'none',
      'own',
      'album',
      'asking',
      'desk',
      'failed',
    ],
    { description: 'Only decisions with this result.' },
  ),
  failed: Optional.Flag(
    'Only failed decisions: the decision itself failed, or a send failed or may not have arrived.',
    undefined,
    { default: false },
  ),
  q: Optional.Text(
    'Words that must all be in the name of the person, the title of the chat or the text; or an ID. Looks at up to 5,000 decisions, and at updates that the log still has.',
    'refund',
    { minLength: 1, maxLength: 256 },
  ),
  before_id: Optional.Id('Only decisions older than this one, for paging.'),
  limit: Optional.Integer('At most this many.', undefined, {
    minimum: 1,
    maximum: 200,
    default: 50,
  }),
});

export const Decision = Type.Object({
  id: Integer('Decision ID, for paging.'),
  bot_id: Integer('The bot that received the message.'),
  position: Integer("Its position in the bot's log."),
  update_id: Integer('update_id of Telegram.'),
  business_connection_id: Text(
    'The business account it came through; empty in chats of the bot itself. Chat and message IDs are then those of the account.',
  ),
  chat_id: Integer('The chat it came from.'),
  user_id: Integer('Sender; 0 if there is none.'),
  message_id: Integer('The message.'),
  person: Text(
    'The name of the person, or the title of the chat that wrote; empty if the log no longer has it.',
    'Anna Lind',
  ),
  text: Text('Its first words; empty if the log no longer has it.', 'Where is my order?'),
  outcome: Text('Result of the decision.', 'routed'),
  delivery: Choice(['', 'pending', 'sent', 'failed', 'unknown'], {
    description:
      'Worst state of its sends; failed also if something could not be sent at all. "" if there was nothing to send, or the sends were removed by retention.',
  }),
  reason: Text('Reason for the result.'),
  reason_detail: Detail('reason'),
  asked: Text('IDs of the evaluated routes, as ranges.', '1-4'),
  matched: List(
    Type.Object({
      route_id: Integer('The route; 0 if the model chose.'),
      action: Text('What it did.'),
      reason: Text('Why it matched.'),
      reason_detail: Type.Optional(Detail('reason')),
      target_bot_id: Integer('Target bot.'),
      target_chat_id: Integer('Target chat.'),
      target_thread_id: Optional.Integer('Topic of the target chat, if any.', 4),
      result: Text('queued, dropped, or why nothing was sent.'),
      result_detail: Detail('result'),
      sends: List(
        Type.Object({
          id: Integer('Send ID: see `POST /api/outbox/send-again`.', 7),
          state: Text('queued, sending, sent, failed or unknown.'),
          method: Text('The Bot API method.'),
          message_id: Integer('ID of the sent message; 0 before it is sent.'),
          error: Text('Why it failed, or what could not be sent; usually empty.'),
          error_detail: Detail('error'),
          updated_at: Moment('When its state last changed.'),
        }),
        'Its sends.',
      ),
    }),
    'The matching routes.',
  ),
  model: Type.Union([ModelRecord, Type.Null()], {
    description: 'What the model chose; null if it was not used.',
  }),
  created_at: Moment('When it was decided.'),
});

export const RouteGraph = Type.Object({
  bots: Type.Array(
    Type.Object({
      id: Integer('Bot ID.'),
      name: Text('Its name.'),
      disabled: Flag('Whether it is disabled.'),
      llm_routing_enabled: Flag('Whether the model routes for it.'),
      has_description: Flag('Whether the model can choose it.'),
    }),
  ),
  routes: Type.Array(
    Type.Object({
      id: Integer('Route ID.'),
      source_bot_id: Integer('Source bot.'),
      target_bot_id: Integer('Target bot.'),
      condition_type: Text('Condition.'),
      action: Text('Action.'),
      enabled: Flag('Whether it is active.'),
      messages_last_day: Integer('Messages it routed or dropped in the last 24 hours.'),
    }),
  ),
  problems: Type.Array(
    Type.Object({
      kind: Text('loop or unreachable.'),
      bot_ids: List(Type.Integer(), 'The bots of a loop.'),
      route_ids: List(Type.Integer(), 'The routes concerned.'),
      explanation: Text('Explanation.'),
      explanation_detail: Detail('explanation'),
    }),
  ),
});

export const llmFields = {
  api_url: Type.Optional(
    Type.String({
      maxLength: limits.backendUrlLength,
      description:
        'OpenAI-compatible base URL without /chat/completions, as far as RELAY_BACKENDS allows it. "" means none.',
      examples: ['http://127.0.0.1:11434/v1'],
      ...stated({ pattern: addressPattern }),
    }),
  ),
  model: Optional.Text('The name of the model.', 'small', { maxLength: 256 }),
  system_prompt: Optional.Text(
    'Replaces the built-in prompt; empty uses the built-in one.',
    undefined,
    { maxLength: 16_384 },
  ),
  enabled: Optional.Flag('Whether the model is used. The offline ranking always works.'),
  temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2, description: 'Usually 0.' })),
  timeout_ms: Optional.Integer('How long to wait for a response.', undefined, {
    minimum: 100,
    maximum: 120_000,
  }),
  monthly_call_limit: Optional.Integer('Calls per month; 0 means no limit.', undefined, {
    minimum: 0,
    maximum: largestId,
  }),
  monthly_token_limit: Optional.Integer('Tokens per month; 0 means no limit.', undefined, {
    minimum: 0,
    maximum: largestId,
  }),
  offline_threshold: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'How clear the best match of the offline ranking must be.',
    }),
  ),
};

export const UpdateLlmConfigBody = Body(
  {
    ...llmFields,
    api_key: Optional.Text(
      'Never returned. "" removes it. If omitted, it stays, unless `api_url` changes to another host. Visible ASCII characters only.',
      undefined,
      {
        maxLength: 1024, // The key is sent in a header: without this pattern, a pasted line break would fail only on
        // use.
        pattern: '^[!-~]*$',
      },
    ),
  },
  ['api_key_set', 'usage'],
);

export const LlmConfig = Type.Object({
  api_url: Text('The address.'),
  model: Text('The model.'),
  system_prompt: Text('Empty for the built-in one.'),
  enabled: Flag('Whether the model is used.'),
  temperature: Type.Number({ description: 'Usually 0.' }),
  timeout_ms: Integer('How long to wait for a response.'),
  monthly_call_limit: Integer('0 means no limit.'),
  monthly_token_limit: Integer('0 means no limit.'),
  offline_threshold: Type.Number({ description: 'From 0 to 1.' }),
  api_key_set: Flag('Whether a key is set.'),
  usage: Type.Object({
    month: Text('The current month.', '2026-01'),
    calls: anyInteger('Calls so far.'),
    input_tokens: anyInteger('Input tokens.'),
    output_tokens: anyInteger('Output tokens.'),
  }),
});
