import { Type } from 'typebox';
import { ControlError } from '../api-error.ts';
import { type Fault, faultKinds } from '../faults/faults.ts';
import { floodCountings, telegramLimits } from '../faults/flood.ts';
import { defined } from '../world/defined.ts';
import type { World } from '../world/world.ts';
import { action } from './action.ts';
import { Bot, Choice, Flag, largestId, Name, Whole } from './fields.ts';
import { botRef, type Ref } from './refs.ts';

const delay = (description: string, more = {}) =>
  Type.Optional({ ...Whole(description, 0, 600_000), ...more });
const wait = (description: string, more = {}) =>
  Type.Optional({ ...Whole(description, 1, 86_400), ...more });
const alias = { 'x-alias': true };
const onlyBot = Type.Optional(Bot('Only this bot. Default: all bots.'));

const botId = (world: World, bot: Ref | undefined): number | undefined =>
  bot === undefined ? undefined : botRef(world, bot).id;

export const faultActions = {
  'faults/list': action({
    reads: true,
    summary: 'List faults',
    // Each field has the name used in the rest of the interface and its older name.
    run: ({ faults }) =>
      faults.list().map((fault) => ({
        ...fault,
        ...defined<{ bot_id?: number; delay_ms?: number; retry_after_seconds?: number }>({
          bot_id: fault.botId,
          delay_ms: fault.delayMs,
          retry_after_seconds: fault.retryAfterSeconds,
        }),
      })),
  }),
  'faults/add': action({
    summary: 'Add a fault',
    fields: {
      kind: Choice(faultKinds, { description: 'What goes wrong.', examples: ['server_error'] }),
      bot: onlyBot,
      method: Type.Optional(Name('Only this method.')),
      times: Type.Optional(Whole('How often it happens. Default: always.', 1, 1_000_000)),
      probability: Type.Optional(
        Type.Number({ minimum: 0, maximum: 1, description: 'Probability from 0 to 1.' }),
      ),
      status: Type.Optional(Whole('HTTP status.', 400, 599)),
      delayMs: delay('Delay; also as `delay_ms`.'),
      delay_ms: delay('The same as `delayMs`.', alias),
      retryAfterSeconds: wait('For 429; also as `retry_after_seconds`.'),
      retry_after_seconds: wait('The same as `retryAfterSeconds`.', alias),
    },
    run: ({ world, faults }, { bot, delay_ms, retry_after_seconds, ...fault }) => {
      const older = { delayMs: delay_ms, retryAfterSeconds: retry_after_seconds };
      const { id } = faults.add(defined<Fault>({ ...older, ...fault, botId: botId(world, bot) }));
      return { id };
    },
  }),
  'faults/remove': action({
    summary: 'Remove a fault',
    fields: { id: Whole('ID from adding it.', 1, largestId) },
    run: ({ faults }, { id }) => {
      if (!faults.remove(id)) throw new ControlError('no_fault');
    },
  }),
  'faults/clear': action({
    summary: 'Remove all faults',
    fields: { bot: onlyBot },
    run: ({ world, faults }, { bot }) => faults.clear(botId(world, bot)),
  }),
  'flood-limits': action({
    summary: "Turn Telegram's rate limits on or off",
    description:
      'The limits: 30 messages a second, one a second in a private chat, 20 a minute in a group. `send…` but `sendChatAction`, `copy…`, `forward…` and `createForumTopic` count as messages, `editMessage…` as edits, `send…Draft` as drafts; no other method is limited.',
    fields: {
      on: Flag('Default: true.'),
      counting: Type.Optional(
        Choice(floodCountings, {
          description:
            'How edits and drafts count: apart from messages, with 3 drafts a second in a chat, or together with them. Bots report both of Telegram. Default: apart.',
          examples: ['together'],
        }),
      ),
      group_seconds: Type.Optional(
        Whole('How many seconds the minute of a group lasts. Default: 60.', 1, 60),
      ),
    },
    run: ({ flood }, { on = true, counting = 'apart', group_seconds: groupSeconds = 60 }) =>
      flood.set(on ? { ...telegramLimits, counting, groupSeconds } : undefined),
  }),
};
