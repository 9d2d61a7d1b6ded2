import { Type } from 'typebox';
import { routableMedia } from '../../../core/routing/conditions.ts';
import { limits } from '../../../core/limits.ts';
import {
  Detail,
  addressPattern,
  Body,
  ChatId,
  Choice,
  Id,
  largestId,
  Moment,
  Query,
  stated,
  UserId,
} from '../../schemas.ts';

const anyInteger = (description: string) =>
  Type.Integer({ minimum: -largestId, maximum: largestId, description, examples: [0] });

export const SimulateBody = Body({
  bot_id: Id('The bot that would receive the message.'),
  text: Type.String({ maxLength: limits.messageLength, description: 'What the message says.' }),
  chat_id: Type.Optional(ChatId('The chat it would come from.')),
  user_id: Type.Optional(UserId('Who would send it.')),
  media_type: Type.Optional(
    Choice([...routableMedia, ''], {
      default: '',
      description: 'The kind of media it would have.',
    }),
  ),
});

export const ModelRecord = Type.Object({
  by: Type.String({ description: 'model or offline.', examples: ['offline'] }),
  model: Type.String({ description: 'Which model chose.', examples: ['bm25'] }),
  prompt_version: Type.String({ description: 'Version of the prompt.' }),
  candidates: Type.Array(Type.Integer(), {
    description: 'The bots it could choose from, as far as the key may see them.',
  }),
  target_bot_id: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: 'Its choice; null if none, 0 for a bot the key may not see.',
  }),
  confidence: Type.Number({ description: 'From 0 to 1.', examples: [0.8] }),
  reason: Type.String({ description: 'Why it chose that bot.' }),
  reason_detail: Type.Optional(Detail('reason')),
  latency_ms: Type.Number({ description: 'How long the model took.' }),
  input_tokens: Type.Integer({ description: 'Tokens of the question.' }),
  output_tokens: Type.Integer({ description: 'Tokens of the answer.' }),
  failure: Type.String({ description: 'Why the choice of the model was not used; usually empty.' }),
  failure_detail: Type.Optional(Detail('failure')),
});

export const Simulation = Type.Object({
  outcome: Type.String({ description: 'routed, dropped or none.', examples: ['routed'] }),
  target_bot_id: Type.Integer({
    description:
      'The first bot that would get the message; 0 if none, or if the key may not see it.',
    examples: [2],
  }),
  reason: Type.String({
    description: 'Reason for the result.',
    examples: ['route 3: it says “refund”'],
  }),
  reason_detail: Detail('reason'),
  warning: Type.String({
    description: 'What could keep the message from arriving; empty if nothing is known.',
    examples: [''],
  }),
  warning_detail: Detail('warning'),
  rules: Type.Array(
    Type.Object({
      route_id: Type.Integer({ description: 'The route.' }),
      matched: Type.Boolean({
        description: 'Whether its condition matches, or it is chosen by meaning.',
      }),
      acts: Type.Boolean({ description: 'Whether it would act; false after a drop.' }),
      action: Type.String({ description: 'What it would do.' }),
      target_bot_id: Type.Integer({ description: 'Target bot.' }),
      target_chat_id: Type.Integer({ description: 'Target chat.' }),
      reason: Type.String({
        description: 'Why it matched or not, for example because it is disabled.',
      }),
      reason_detail: Detail('reason'),
      warning: Type.String({
        description: 'What could keep the message from arriving; usually empty.',
      }),
      warning_detail: Detail('warning'),
    }),
    { description: 'Every route of the bot, in order, also disabled ones.' },
  ),
  model: Type.Union([ModelRecord, Type.Null()], {
    description: 'What the model chose; null if it was not used.',
  }),
});

export const DecisionsQuery = Query({
  bot_id: Type.Optional(Id('Only decisions about what this bot received.')),
  chat_id: Type.Optional(ChatId('Only decisions about messages of this chat.')),
  outcome: Type.Optional(
    Choice(
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
        'failed',
      ],
      { description: 'Only decisions with this result.' },
    ),
  ),
  failed: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Only failed decisions: the decision itself failed, or a send failed or may not have arrived.',
    }),
  ),
  before_id: Type.Optional(Id('Only decisions older than this one, for paging.')),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 200, default: 50, description: 'At most this many.' }),
  ),
});

export const Decision = Type.Object({
  id: Type.Integer({ description: 'Decision ID, for paging.' }),
  bot_id: Type.Integer({ description: 'The bot that received the message.' }),
  position: Type.Integer({ description: "Its position in the bot's log." }),
  update_id: Type.Integer({ description: 'update_id of Telegram.' }),
  business_connection_id: Type.String({
    description:
      'The business account it came through; empty in chats of the bot itself. Chat and message IDs are then those of the account.',
  }),
  chat_id: Type.Integer({ description: 'The chat it came from.' }),
  user_id: Type.Integer({ description: 'Sender; 0 if there is none.' }),
  message_id: Type.Integer({ description: 'The message.' }),
  outcome: Type.String({ description: 'Result of the decision.', examples: ['routed'] }),
  delivery: Choice(['', 'pending', 'sent', 'failed', 'unknown'], {
    description:
      'Worst state of its sends; failed also if something could not be sent at all. "" if there was nothing to send, or the sends were removed by retention.',
  }),
  reason: Type.String({ description: 'Reason for the result.' }),
  reason_detail: Detail('reason'),
  asked: Type.String({ description: 'IDs of the evaluated routes, as ranges.', examples: ['1-4'] }),
  matched: Type.Array(
    Type.Object({
      route_id: Type.Integer({ description: 'The route; 0 if the model chose.' }),
      action: Type.String({ description: 'What it did.' }),
      reason: Type.String({ description: 'Why it matched.' }),
      reason_detail: Type.Optional(Detail('reason')),
      target_bot_id: Type.Integer({ description: 'Target bot.' }),
      target_chat_id: Type.Integer({ description: 'Target chat.' }),
      result: Type.String({ description: 'queued, dropped, or why nothing was sent.' }),
      result_detail: Detail('result'),
      sends: Type.Array(
        Type.Object({
          state: Type.String({ description: 'queued, sending, sent, failed or unknown.' }),
          method: Type.String({ description: 'The Bot API method.' }),
          message_id: Type.Integer({ description: 'ID of the sent message; 0 before it is sent.' }),
          error: Type.String({
            description: 'Why it failed, or what could not be sent; usually empty.',
          }),
          error_detail: Detail('error'),
        }),
        { description: 'Its sends.' },
      ),
    }),
    { description: 'The matching routes.' },
  ),
  model: Type.Union([ModelRecord, Type.Null()], {
    description: 'What the model chose; null if it was not used.',
  }),
  created_at: Moment('When it was decided.'),
});

export const RouteGraph = Type.Object({
  bots: Type.Array(
    Type.Object({
      id: Type.Integer({ description: 'Bot ID.' }),
      name: Type.String({ description: 'Its name.' }),
      disabled: Type.Boolean({ description: 'Whether it is disabled.' }),
      llm_routing_enabled: Type.Boolean({ description: 'Whether the model routes for it.' }),
      has_description: Type.Boolean({ description: 'Whether the model can choose it.' }),
    }),
  ),
  routes: Type.Array(
    Type.Object({
      id: Type.Integer({ description: 'Route ID.' }),
      source_bot_id: Type.Integer({ description: 'Source bot.' }),
      target_bot_id: Type.Integer({ description: 'Target bot.' }),
      condition_type: Type.String({ description: 'Condition.' }),
      action: Type.String({ description: 'Action.' }),
      enabled: Type.Boolean({ description: 'Whether it is active.' }),
      messages_last_day: Type.Integer({
        description: 'Messages it routed or dropped in the last 24 hours.',
      }),
    }),
  ),
  problems: Type.Array(
    Type.Object({
      kind: Type.String({ description: 'loop or unreachable.' }),
      bot_ids: Type.Array(Type.Integer(), { description: 'The bots of a loop.' }),
      route_ids: Type.Array(Type.Integer(), { description: 'The routes concerned.' }),
      explanation: Type.String({ description: 'Explanation.' }),
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
  model: Type.Optional(
    Type.String({ maxLength: 256, description: 'The name of the model.', examples: ['small'] }),
  ),
  system_prompt: Type.Optional(
    Type.String({
      maxLength: 16_384,
      description: 'Replaces the built-in prompt; empty uses the built-in one.',
    }),
  ),
  enabled: Type.Optional(
    Type.Boolean({ description: 'Whether the model is used. The offline ranking always works.' }),
  ),
  temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2, description: 'Usually 0.' })),
  timeout_ms: Type.Optional(
    Type.Integer({
      minimum: 100,
      maximum: 120_000,
      description: 'How long to wait for a response.',
    }),
  ),
  monthly_call_limit: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: largestId,
      description: 'Calls per month; 0 means no limit.',
    }),
  ),
  monthly_token_limit: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: largestId,
      description: 'Tokens per month; 0 means no limit.',
    }),
  ),
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
    api_key: Type.Optional(
      Type.String({
        maxLength: 1024,
        // The key is sent in a header: without this pattern, a pasted line break would fail only on
        // use.
        pattern: '^[!-~]*$',
        description:
          'Never returned. "" removes it. If omitted, it stays, unless `api_url` changes to another host. Visible ASCII characters only.',
      }),
    ),
  },
  ['api_key_set', 'usage'],
);

export const LlmConfig = Type.Object({
  api_url: Type.String({ description: 'The address.' }),
  model: Type.String({ description: 'The model.' }),
  system_prompt: Type.String({ description: 'Empty for the built-in one.' }),
  enabled: Type.Boolean({ description: 'Whether the model is used.' }),
  temperature: Type.Number({ description: 'Usually 0.' }),
  timeout_ms: Type.Integer({ description: 'How long to wait for a response.' }),
  monthly_call_limit: Type.Integer({ description: '0 means no limit.' }),
  monthly_token_limit: Type.Integer({ description: '0 means no limit.' }),
  offline_threshold: Type.Number({ description: 'From 0 to 1.' }),
  api_key_set: Type.Boolean({ description: 'Whether a key is set.' }),
  usage: Type.Object({
    month: Type.String({ description: 'The current month.', examples: ['2026-01'] }),
    calls: anyInteger('Calls so far.'),
    input_tokens: anyInteger('Input tokens.'),
    output_tokens: anyInteger('Output tokens.'),
  }),
});
