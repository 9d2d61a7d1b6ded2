/* Broadcasts as people and clients see them. */
import type { Clock } from '../../clock.ts';
import { type Caller, callersBot, requireBot } from '../../core/access/access.ts';
import { authorOf } from '../../core/messages/author.ts';
import {
  type Audience,
  broadcastCall,
  type BroadcastOptions,
  type BroadcastState,
  type BroadcastTask,
  type RecipientState,
  starsAtMost,
} from '../../core/messages/broadcast.ts';
import { object } from '../../core/log/wire.ts';
import type { EventBus, Sender } from '../../core/ports.ts';
import { reason } from '../../core/reasons/reason.ts';
import { conflictingField, RelayError } from '../../errors.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import type { BroadcastRecord } from '../../store/outbox/broadcast-rows.ts';
import type { Store } from '../../store/store.ts';
import { captionParams, type MessageWords, oneMessage } from '../messages/message-words.ts';

import { checkStars } from './broadcast-cost.ts';
import { type BroadcastMessage, draftOf } from './broadcast-message.ts';
import { type BroadcastResult, type BroadcastView, resultOf, viewOf } from './broadcast-view.ts';

export interface NewBroadcast extends BroadcastMessage, Partial<BroadcastOptions> {
  bot_id: number;
  name: string;
  audience: Audience;
}

export interface BroadcastService {
  list(
    caller: Caller,
    query: { bot_id?: number; before_id?: number; limit: number },
  ): Promise<BroadcastView[]>;
  count(
    caller: Caller,
    audience: { bot_id: number; audience: Audience },
  ): Promise<{ recipients: number; left_out: number; stars: number }>;
  add(caller: Caller, broadcast: NewBroadcast): Promise<BroadcastView>;
  test(caller: Caller, request: { id: number; chat_id: number }): Promise<{ message_id: number }>;
  /** `recipients` is the number that the caller saw, `stars` the cost to which they agree. */
  start(
    caller: Caller,
    request: { id: number; recipients: number; stars?: number },
  ): Promise<BroadcastView>;
  pause(caller: Caller, id: number): Promise<BroadcastView>;
  resume(caller: Caller, id: number): Promise<BroadcastView>;
  cancel(caller: Caller, id: number): Promise<BroadcastView>;
  results(
    caller: Caller,
    query: { id: number; state?: RecipientState; after_chat_id?: number; limit: number },
  ): Promise<BroadcastResult[]>;
  edit(caller: Caller, request: MessageWords & { id: number }): Promise<BroadcastView>;
  delete(caller: Caller, id: number): Promise<BroadcastView>;
}

/** An audience may grow by so much between looking and starting. */
const mostGrowth = 1.1;
const testWaitMs = 10_000;

export function createBroadcastService(options: {
  store: Pick<Store, 'bots' | 'broadcasts'>;
  sender: Sender;
  clock: Clock;
  events: EventBus;
  /** Something was started or stopped. */
  onChanged(botId: number): void;
}): BroadcastService {
  const { store, sender, clock, events, onChanged } = options;
  const { broadcasts } = store;

  async function existing(caller: Caller, id: number): Promise<BroadcastRecord> {
    const broadcast = await broadcasts.get(id);
    if (!broadcast) throw new RelayError('not_found', reason('no_such_broadcast', { id }));
    requireBot(caller, broadcast.botId);
    return broadcast;
  }

  async function enabledBot(botId: number): Promise<BotRecord> {
    const bot = await store.bots.get(botId);
    if (!bot) throw new RelayError('bot_not_found', reason('unknown_bot', { bot_id: botId }));
    if (!bot.disabled) return bot;
    throw new RelayError('bot_disabled', reason('bot_disabled', { bot_id: botId }));
  }

  async function changed({ botId, id }: BroadcastRecord): Promise<BroadcastView> {
    events.publish('bot', botId, { change: 'broadcast' });
    onChanged(botId);
    return viewOf((await broadcasts.get(id)) as BroadcastRecord);
  }

  async function run(
    broadcast: BroadcastRecord,
    from: readonly BroadcastState[],
    task?: { task: BroadcastTask; params: Record<string, unknown> },
  ): Promise<BroadcastView> {
    await enabledBot(broadcast.botId);
    const done = await broadcasts.run(broadcast.id, from, clock.now(), task);
    if (done === 'busy') {
      const { botId: bot_id } = broadcast;
      throw new RelayError('conflict', reason('broadcast_running', { bot_id }));
    }
    if (done === 'forgotten') {
      throw new RelayError('conflict', reason('broadcast_forgotten', { id: broadcast.id }));
    }
    if (!done) throw wrongState(broadcast);
    return changed(broadcast);
  }

  async function halt(caller: Caller, id: number, to: 'paused' | 'canceled') {
    const broadcast = await existing(caller, id);
    if (!(await broadcasts.halt(id, to, clock.now()))) throw wrongState(broadcast);
    return changed(broadcast);
  }

  return {
    async list(caller, { bot_id, before_id, limit }) {
      if (bot_id !== undefined) await callersBot(store.bots, caller, bot_id);
      const botIds = bot_id === undefined ? caller.botIds : [bot_id];
      return (await broadcasts.list({ botIds, beforeId: before_id, limit })).map(viewOf);
    },

    async count(caller, { bot_id, audience }) {
      await callersBot(store.bots, caller, bot_id);
      const asked = { botId: bot_id, audience, nowMs: clock.now() };
      const counted = await broadcasts.countAudience(asked);
      return { ...counted, stars: starsAtMost(counted.recipients) };
    },

    async add(caller, { bot_id, name, audience, ...rest }) {
      await callersBot(store.bots, caller, bot_id);
      const said = await draftOf(rest);
      const asked = { botId: bot_id, audience, nowMs: clock.now() };
      const { recipients } = await broadcasts.countAudience(asked);
      const id = await broadcasts.add(
        {
          botId: bot_id,
          name,
          audience,
          ...said,
          author: authorOf(caller),
          recipients,
        },
        clock.now(),
      );
      return changed(await existing(caller, id));
    },

    async test(caller, { id, chat_id }) {
      const broadcast = await existing(caller, id);
      await enabledBot(broadcast.botId);
      const call = broadcastCall({ ...broadcast, task: 'send' }, chat_id, 0);
      const result = await sender.send({
        botId: broadcast.botId,
        chatId: chat_id,
        ...call,
        priority: 'interactive',
        origin: 'sent',
        author: { kind: 'broadcast', id, name: caller.name },
        maxWaitMs: testWaitMs,
      });
      return { message_id: Number(object(result)?.message_id ?? 0) };
    },

    async start(caller, { id, recipients: shown, stars: agreed = 0 }) {
      const broadcast = await existing(caller, id);
      const asked = { ...broadcast, nowMs: clock.now() };
      const { recipients } = await broadcasts.countAudience(asked);
      if (recipients > shown * mostGrowth) {
        throw conflictingField('recipients', reason('audience_grew', { shown, recipients }));
      }
      if (broadcast.options.allow_paid_broadcast)
        await checkStars(sender, broadcast, recipients, agreed);
      return run(broadcast, ['draft']);
    },

    pause: (caller, id) => halt(caller, id, 'paused'),
    resume: async (caller, id) => run(await existing(caller, id), ['paused']),
    cancel: (caller, id) => halt(caller, id, 'canceled'),

    async results(caller, { id, state, after_chat_id, limit }) {
      await existing(caller, id);
      const rows = await broadcasts.results({ id, state, afterChat: after_chat_id, limit });
      return rows.map(resultOf);
    },

    async edit(caller, { id, ...words }) {
      const broadcast = await existing(caller, id);
      const { text: caption, entities: caption_entities, format, parse_mode } = words;
      const isCaption = 'type' in broadcast.message.request;
      const params = isCaption
        ? await captionParams({ caption, caption_entities, format, parse_mode })
        : await oneMessage(words);
      return run(broadcast, ['done', 'canceled'], { task: 'edit', params });
    },

    delete: async (caller, id) =>
      run(await existing(caller, id), ['done', 'canceled'], { task: 'delete', params: {} }),
  };
}

function wrongState({ id, state }: BroadcastRecord): RelayError {
  return new RelayError('conflict', reason('broadcast_in_state', { id, state }));
}
