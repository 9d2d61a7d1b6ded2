import { Type } from 'typebox';
import { Choice, largestId } from '../../schemas.ts';
import { Bot, Name, type SandboxAction } from './fields.ts';

/* Simulated faults of the sandbox. */

const faultKinds = [
  'too_many_requests',
  'unauthorized',
  'conflict',
  'server_error',
  'truncated',
  'not_json',
  'slow',
  'reset_before',
  'reset_after',
  'duplicate_batch',
] as const;

const alias = { 'x-alias': true };
const delay = (description: string, more = {}) =>
  Type.Integer({ minimum: 0, maximum: 600_000, description, ...more });
const wait = (description: string, more = {}) =>
  Type.Integer({ minimum: 1, maximum: 86_400, description, ...more });

export const faultActions: Readonly<Record<string, SandboxAction>> = {
  'faults/list': { reads: true, summary: 'List faults' },
  'faults/add': {
    summary: 'Add a fault',
    fields: {
      kind: Choice(faultKinds, { description: 'What goes wrong.', examples: ['server_error'] }),
      bot: Type.Optional(Bot('Only this bot. Default: all bots.')),
      method: Type.Optional(Name('Only this method.')),
      times: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 1_000_000,
          description: 'How often it happens. Default: always.',
        }),
      ),
      probability: Type.Optional(
        Type.Number({ minimum: 0, maximum: 1, description: 'Probability from 0 to 1.' }),
      ),
      status: Type.Optional(
        Type.Integer({ minimum: 400, maximum: 599, description: 'HTTP status.' }),
      ),
      delayMs: Type.Optional(delay('Delay; also as `delay_ms`.')),
      delay_ms: Type.Optional(delay('The same as `delayMs`.', alias)),
      retryAfterSeconds: Type.Optional(wait('For 429; also as `retry_after_seconds`.')),
      retry_after_seconds: Type.Optional(wait('The same as `retryAfterSeconds`.', alias)),
    },
  },
  'faults/remove': {
    summary: 'Remove a fault',
    fields: {
      id: Type.Integer({ minimum: 1, maximum: largestId, description: 'ID from adding it.' }),
    },
  },
  'faults/clear': {
    summary: 'Remove all faults',
    fields: {
      bot: Type.Optional(Bot('Only this bot. Default: all bots.')),
    },
  },
  'flood-limits': {
    summary: "Turn Telegram's rate limits on or off",
    description:
      'The limits: 30 messages a second, one a second in a chat, 20 a minute in a group.',
    fields: { on: Type.Optional(Type.Boolean({ description: 'Default: true.' })) },
  },
};
