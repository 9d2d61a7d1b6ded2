/* Queues updates for another delivery: dead letters, a range of the log, or what a filter matches. */
import type { Clock } from '../../clock.ts';
import { defaultApp } from '../../core/apps/app.ts';
import { pushReader, readerOf } from '../../core/log/reader-kinds.ts';
import { readerQueues } from '../../core/log/reader-queues.ts';
import { reason } from '../../core/reasons/reason.ts';
import { invalidField, RelayError } from '../../errors.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import type { Replayable } from '../../store/delivery/replays.ts';
import type { Store } from '../../store/store.ts';
import { type AppReaders, ownView } from '../apps/app-readers.ts';
import { wantsNow } from './allowed-updates-history.ts';
import type { createDeliveredUpdates } from './delivered-updates.ts';
import type { DeliveryState, UpdateFilter } from './find-updates.ts';

export interface ReplayRequest {
  bot_id: number;
  /** The app whose backend is meant; the bot's own if left out. */
  app?: string;
  ids?: readonly number[];
  all_dead?: boolean;
  from_position?: number;
  to_position?: number;
  matching?: ReplayFilter;
}

export interface ReplayFilter extends GivenFilter {
  /** Continues a replay. */
  cursor?: number;
}

export interface GivenFilter {
  q?: string;
  state?: DeliveryState;
  since?: string;
  until?: string;
}

export type PushReader = Awaited<ReturnType<typeof deliveryReaderOf>>;

interface ReplayDeps {
  store: Pick<Store, 'deadLetters' | 'deliveries' | 'webhooks'>;
  shown: ReturnType<typeof createDeliveredUpdates>;
  clock: Clock;
}

/** Finds the reader that delivers for an app of the bot, and what it sees of the log. */
export async function deliveryReaderOf(apps: AppReaders, bot: BotRecord, app: string | undefined) {
  if (app === undefined || app === defaultApp) {
    return { reader: pushReader, ...ownView, queueOf: readerQueues(bot) };
  }
  const reading = await apps.find(bot.id, app);
  if (reading) {
    const queues = { ...reading.app, username: bot.username };
    return { reader: readerOf('push', app), ...reading, queueOf: readerQueues(queues) };
  }
  throw new RelayError('app_not_found', reason('no_app_of_that_name', { bot_id: bot.id, app }));
}

export function filterOfUpdates({ q, state, since, until }: GivenFilter): UpdateFilter {
  return {
    ...(q === undefined ? {} : { q }),
    ...(state === undefined ? {} : { state }),
    ...(since === undefined ? {} : { since: Date.parse(since) }),
    ...(until === undefined ? {} : { until: Date.parse(until) }),
  };
}

export function createReplays({ store, shown, clock }: ReplayDeps) {
  const { deadLetters: dead, deliveries, webhooks } = store;

  /** Selects the updates that the backend gets of those that are queued at present. */
  async function queueing(botId: number, { reader, sees, kinds, queueOf }: PushReader) {
    const webhook = await webhooks.get(botId, reader);
    const allows = webhook ? wantsNow(webhook.allowedUpdatesHistory, kinds) : () => true;
    return async (update: Replayable) => {
      if (!allows(update.kind)) return undefined;
      await sees.ready?.(update);
      if (!sees(update)) return undefined;
      return queueOf ? queueOf(update) : update.queue;
    };
  }

  async function requireLetters(botId: number, reader: string, ids: readonly number[] | undefined) {
    if (!ids || (await dead.count(botId, reader, ids)) > 0) return;
    throw new RelayError('delivery_not_found', reason('no_dead_letters', { bot_id: botId }));
  }

  async function replayMatching(
    bot: BotRecord,
    found: PushReader,
    { cursor, ...filter }: ReplayFilter,
  ) {
    const { matches, next } = await shown.positions(
      bot,
      found,
      { ...filterOfUpdates(filter), ...(cursor === undefined ? {} : { cursor }) },
      await queueing(bot.id, found),
    );
    const { reader } = found;
    const queued = await deliveries.replayPositions(bot.id, reader, matches, clock.now());
    return { queued, next };
  }

  return {
    requireLetters,
    /** Returns how many updates it queued, and the position to continue with; 0 if there is none. */
    async replay(bot: BotRecord, found: PushReader, request: ReplayRequest) {
      const { ids, all_dead, from_position: from, to_position: to, matching } = request;
      const botId = bot.id;
      const ways = [ids, all_dead || undefined, from, matching].filter((way) => way !== undefined);
      if (ways.length !== 1) {
        throw invalidField('ids', reason('replay_choice_needed'));
      }
      if (from !== undefined && to !== undefined && to < from) {
        throw invalidField('to_position', reason('range_reversed'));
      }
      const { reader } = found;
      await requireLetters(botId, reader, ids);
      if (matching) return replayMatching(bot, found, matching);
      const queued =
        from === undefined
          ? await dead.replay(botId, reader, ids, clock.now())
          : await deliveries.replayRange(
              botId,
              reader,
              {
                from,
                to: to ?? Number.MAX_SAFE_INTEGER,
                queueOf: await queueing(botId, found),
              },
              clock.now(),
            );
      return { queued, next: 0 };
    },
  };
}
