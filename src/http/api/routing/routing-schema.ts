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
      description: 'The kind of media it would carry.',
    }),
  ),
});

export const ModelRecord = Type.Object({
  by: Type.String({ description: 'model or offline.', examples: ['offline'] }),
  model: Type.String({ description: 'Which model chose.', examples: ['bm25'] }),
  prompt_version: Type.String({ description: 'Which prompt it was asked with.' }),
  candidates: Type.Array(Type.Integer(), {
    description: 'The bots it could choose from, as far as the key may see them.',
  }),
  target_bot_id: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: 'Its choice; null for none, 0 for a bot the key may not see.',
  }),
  confidence: Type.Number({ description: 'From 0 to 1.', examples: [0.8] }),
  reason: Type.String({ description: 'Why, in words.' }),
  reason_detail: Type.Optional(Detail('reason')),
  latency_ms: Type.Number({ description: 'How long the model took.' }),
  input_tokens: Type.Integer({ description: 'Tokens of the question.' }),
  output_tokens: Type.Integer({ description: 'Tokens of the answer.' }),
  failure: Type.String({ description: "Why the model's choice was not taken; usually empty." }),
  failure_detail: Type.Optional(Detail('failure')),
});

export const Simulation = Type.Object({
  outcome: Type.String({ description: 'routed, dropped or none.', examples: ['routed'] }),
  target_bot_id: Type.Integer({
    description:
      'The first bot that would get the message; 0 for none, or for one the model chose and the key may not see.',
    examples: [2],
  }),
  reason: Type.String({ description: 'Why, in words.', examples: ['route 3: it says "refund"'] }),
  reason_detail: Detail('reason'),
  warning: Type.String({
    description: 'What will or may keep the message from arriving; empty for nothing known.',
    examples: [''],
  }),
  warning_detail: Detail('warning'),
  rules: Type.Array(
    Type.Object({
      route_id: Type.Integer({ description: 'The route that was asked.' }),
      matched: Type.Boolean({ description: 'Whether its condition holds.' }),
      acts: Type.Boolean({ description: 'Whether it would act; not behind a drop.' }),
      action: Type.String({ description: 'What it would do.' }),
      target_bot_id: Type.Integer({ description: 'Through which bot.' }),
      target_chat_id: Type.Integer({ description: 'Into which chat.' }),
      reason: Type.String({ description: 'Why or why not, in words.' }),
      reason_detail: Detail('reason'),
      warning: Type.String({
        description: 'What will or may keep the message from arriving; usually empty.',
      }),
      warning_detail: Detail('warning'),
    }),
    { description: 'Every enabled rule of the bot, in order.' },
  ),
  model: Type.Union([ModelRecord, Type.Null()], {
    description: 'What the model chose; null when it was not asked.',
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
      { description: 'Only decisions that came to this.' },
    ),
  ),
  failed: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Only decisions that failed: in deciding, or because something was not sent, was refused or may not have arrived.',
    }),
  ),
  before_id: Type.Optional(Id('Only older ones than this decision, for paging.')),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 200, default: 50, description: 'At most this many.' }),
  ),
});

export const Decision = Type.Object({
  id: Type.Integer({ description: 'Decision ID, for paging.' }),
  bot_id: Type.Integer({ description: 'The bot that received the message.' }),
  position: Type.Integer({ description: "Its position in the bot's log." }),
  update_id: Type.Integer({ description: "The platform's id of the update." }),
  business_connection_id: Type.String({
    description:
      "The business account through which it came; empty in the bot's own chats. The chat and message ids are those of the account then.",
  }),
  chat_id: Type.Integer({ description: 'The chat it came from.' }),
  user_id: Type.Integer({ description: 'Who sent it; 0 when nobody did.' }),
  message_id: Type.Integer({ description: 'The message.' }),
  outcome: Type.String({ description: 'What it came to.', examples: ['routed'] }),
  delivery: Choice(['', 'pending', 'sent', 'failed', 'unknown'], {
    description:
      'What became of everything it sent, the worst of it: failed also where something could not be sent at all. "": there was nothing to send, or its sends are no longer kept.',
  }),
  reason: Type.String({ description: 'Why, in words.' }),
  reason_detail: Detail('reason'),
  asked: Type.String({ description: 'The routes that were asked, as ranges.', examples: ['1-4'] }),
  matched: Type.Array(
    Type.Object({
      route_id: Type.Integer({ description: 'The route; 0 when no rule chose.' }),
      action: Type.String({ description: 'What it did.' }),
      reason: Type.String({ description: 'Why it matched.' }),
      reason_detail: Type.Optional(Detail('reason')),
      target_bot_id: Type.Integer({ description: 'Through which bot.' }),
      target_chat_id: Type.Integer({ description: 'Into which chat.' }),
      result: Type.String({ description: 'queued, dropped, or why nothing was sent.' }),
      result_detail: Detail('result'),
      sends: Type.Array(
        Type.Object({
          state: Type.String({ description: 'queued, sending, sent, failed or unknown.' }),
          method: Type.String({ description: 'The Bot API method.' }),
          message_id: Type.Integer({ description: 'The message it became; 0 before it was sent.' }),
          error: Type.String({
            description: 'Why it failed, or what could not be carried; usually empty.',
          }),
          error_detail: Detail('error'),
        }),
        { description: 'What became of what it sent.' },
      ),
    }),
    { description: 'The routes that took the message.' },
  ),
  model: Type.Union([ModelRecord, Type.Null()], {
    description: 'What the model chose; null when it was not asked.',
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
      has_description: Type.Boolean({ description: 'Whether the model could choose it.' }),
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
        description: 'Messages that arrived through it, or that it dropped, in the last 24 hours.',
      }),
    }),
  ),
  problems: Type.Array(
    Type.Object({
      kind: Type.String({ description: 'loop or unreachable.' }),
      bot_ids: Type.Array(Type.Integer(), { description: 'The bots of a loop.' }),
      route_ids: Type.Array(Type.Integer(), { description: 'The routes concerned.' }),
      explanation: Type.String({ description: 'In words.' }),
      explanation_detail: Detail('explanation'),
    }),
  ),
});

const llmFields = {
  api_url: Type.Optional(
    Type.String({
      maxLength: limits.backendUrlLength,
      description:
        'An OpenAI-compatible address, http or https, up to but without /chat/completions; where RELAY_BACKENDS allows. "" means none.',
      examples: ['http://127.0.0.1:11434/v1'],
      ...stated({ pattern: addressPattern }),
    }),
  ),
  model: Type.Optional(
    Type.String({ maxLength: 256, description: 'The name of the model.', examples: ['small'] }),
  ),
  system_prompt: Type.Optional(
    Type.String({ maxLength: 16_384, description: 'Replaces the built-in prompt; empty uses it.' }),
  ),
  enabled: Type.Optional(
    Type.Boolean({ description: 'Whether the model is asked; the offline ranking works always.' }),
  ),
  temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2, description: 'Usually 0.' })),
  timeout_ms: Type.Optional(
    Type.Integer({
      minimum: 100,
      maximum: 120_000,
      description: 'How long to wait for an answer.',
    }),
  ),
  monthly_call_limit: Type.Optional(
    Type.Integer({ minimum: 0, maximum: largestId, description: 'Calls a month; 0 is no limit.' }),
  ),
  monthly_token_limit: Type.Optional(
    Type.Integer({ minimum: 0, maximum: largestId, description: 'Tokens a month; 0 is no limit.' }),
  ),
  offline_threshold: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description: "How far ahead the offline ranking's best must be.",
    }),
  ),
};

export const UpdateLlmConfigBody = Body(
  {
    ...llmFields,
    api_key: Type.Optional(
      Type.String({
        maxLength: 1024,
        // It travels in a header: a line end pasted along would only be found when it is used.
        pattern: '^[!-~]*$',
        description:
          'Never returned; empty takes it away. Left out it stays, unless `api_url` leads to another host: then it has to be given again. Visible ASCII characters only.',
      }),
    ),
  },
  ['api_key_set', 'usage'],
);

export const LlmConfig = Type.Object({
  api_url: Type.String({ description: 'The address.' }),
  model: Type.String({ description: 'The model.' }),
  system_prompt: Type.String({ description: 'Empty for the built-in one.' }),
  enabled: Type.Boolean({ description: 'Whether the model is asked.' }),
  temperature: Type.Number({ description: 'Usually 0.' }),
  timeout_ms: Type.Integer({ description: 'How long to wait for an answer.' }),
  monthly_call_limit: Type.Integer({ description: '0 is no limit.' }),
  monthly_token_limit: Type.Integer({ description: '0 is no limit.' }),
  offline_threshold: Type.Number({ description: 'From 0 to 1.' }),
  api_key_set: Type.Boolean({ description: 'Whether there is a key.' }),
  usage: Type.Object({
    month: Type.String({ description: 'The month that is counted.', examples: ['2026-01'] }),
    calls: anyInteger('Calls so far.'),
    input_tokens: anyInteger('Tokens asked.'),
    output_tokens: anyInteger('Tokens answered.'),
  }),
});
