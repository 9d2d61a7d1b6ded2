/* Shows deliveries to users and lets them act: attempts, queues, dead letters, replays. */
import { reason } from '../../core/reasons/reason.ts';
import { type Caller, callersBot } from '../../core/access/access.ts';
import { defaultApp } from '../../core/apps/app.ts';
import { invalidField, RelayError } from '../../errors.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import type { DeadLetter } from '../../store/delivery/dead-letters.ts';
import type { StoredAttempt } from '../../store/delivery/deliveries.ts';
import type { StoredUpdate } from '../../store/log/log-entry.ts';
import type { LogFilter } from '../../store/delivery/push-overview.ts';
import { readerOf } from '../../core/log/reader-kinds.ts';
import { type BackendView, createBackendList } from './backends.ts';
import { type BackendCheckDeps, checkStoredBackend } from './backend-checks.ts';
import type { BackendCheck } from './check-backend.ts';
import { createDeliveryStatuses } from './delivery-status.ts';
import {
  createDeliveredUpdates,
  type UpdateMatches,
  type WholeUpdate,
} from './delivered-updates.ts';
import type { DeliveredUpdate } from './find-updates.ts';
import { pushBotFor } from './push-reader.ts';
import { queuesOf, type QueuesView } from './queues-view.ts';
import {
  createReplays,
  deliveryReaderOf,
  filterOfUpdates,
  type GivenFilter,
  type ReplayRequest,
} from './replays.ts';

export interface UpdatesRequest extends GivenFilter {
  bot_id: number;
  app?: string;
  order?: 'newest' | 'oldest';
  cursor?: number;
  limit?: number;
}

interface ListOptions {
  bot_id?: number;
  app?: string;
  before_id?: number;
  limit: number;
}

/** If no app is named, the bot's own backend is meant. */
export interface DeliveryService {
  attempts(
    caller: Caller,
    options: ListOptions & { status?: 'delivered' | 'failed' },
  ): Promise<StoredAttempt[]>;
  deadLetters(caller: Caller, options: ListOptions): Promise<DeadLetter[]>;
  queues(caller: Caller, botId: number, app?: string): Promise<QueuesView>;
  /** Lists updates as the backend got them. */
  updates(caller: Caller, request: UpdatesRequest): Promise<UpdateMatches<DeliveredUpdate>>;
  /** Returns one update with its attempts. */
  update(
    caller: Caller,
    at: { bot_id: number; app?: string; position: number },
  ): Promise<WholeUpdate>;
  /**
   * Queues updates for another delivery. A replay of what matches may have to be continued at
   * `next`; 0 if all were looked at.
   */
  replay(caller: Caller, request: ReplayRequest): Promise<{ queued: number; next: number }>;
  discard(
    caller: Caller,
    request: Pick<ReplayRequest, 'bot_id' | 'app' | 'ids' | 'all_dead'>,
  ): Promise<number>;
  retryNow(caller: Caller, botId: number, queue: string | undefined, app?: string): Promise<number>;
  browse(caller: Caller, botId: number, filter: LogFilter): Promise<StoredUpdate[]>;
  check(caller: Caller, botId: number, deliver: boolean, app?: string): Promise<BackendCheck>;
  /** Lists the backends of one bot, or of all bots that the caller may see. */
  backends(caller: Caller, botId: number | undefined): Promise<BackendView[]>;
}

export function createDeliveryService(deps: BackendCheckDeps): DeliveryService {
  const { store, pushers, clock } = deps;
  const { bots, deliveries } = store;
  const { deadLetters: dead, pushOverview: overview, retryQueues } = store;
  const statuses = createDeliveryStatuses({
    overview,
    retryQueues,
    unread: store.unread.of,
  });
  const backends = createBackendList({ bots, apps: store.apps, statuses });

  const readerFor = (bot: BotRecord, app: string | undefined) =>
    deliveryReaderOf(deps.apps, bot, app);
  const botOf = (caller: Caller, botId: number) => callersBot(bots, caller, botId);

  async function visible(caller: Caller, botId: number | undefined) {
    if (botId === undefined) return caller.botIds;
    await botOf(caller, botId);
    return [botId];
  }

  async function filterOf(caller: Caller, { app, bot_id, before_id, limit }: ListOptions) {
    const bot = bot_id === undefined ? undefined : await botOf(caller, bot_id);
    const { reader } = bot
      ? await readerFor(bot, app)
      : { reader: readerOf('push', app === undefined || app === defaultApp ? '' : app) };
    return {
      botIds: bot ? [bot.id] : caller.botIds,
      reader,
      limit,
      ...(before_id === undefined ? {} : { beforeId: before_id }),
    };
  }

  const shown = createDeliveredUpdates({ store, clock });
  const replays = createReplays({ store, shown, clock });

  return {
    async attempts(caller, options) {
      const filter = await filterOf(caller, options);
      const { status } = options;
      return deliveries.attempts({ ...filter, ...(status ? { outcome: status } : {}) });
    },
    deadLetters: async (caller, options) => dead.list(await filterOf(caller, options)),
    async updates(caller, { bot_id, app, order, cursor, limit = 50, ...filter }) {
      const bot = await botOf(caller, bot_id);
      return shown.list(bot, await readerFor(bot, app), {
        ...filterOfUpdates(filter),
        newestFirst: order !== 'oldest',
        limit,
        ...(cursor === undefined ? {} : { cursor }),
      });
    },
    async update(caller, { bot_id, app, position }) {
      const bot = await botOf(caller, bot_id);
      const found = await readerFor(bot, app);
      const pushBot = await pushBotFor(deps.apps, bot, found.reader);
      return shown.one(caller, bot, { ...found, pushBot }, position);
    },
    async queues(caller, botId, app) {
      const { reader } = await readerFor(await botOf(caller, botId), app);
      return queuesOf({ store, statuses, clock }, botId, reader);
    },
    async replay(caller, request) {
      const bot = await botOf(caller, request.bot_id);
      const replayed = await replays.replay(bot, await readerFor(bot, request.app), request);
      await pushers.wake(bot.id);
      return replayed;
    },
    async discard(caller, { bot_id: botId, app, ids, all_dead }) {
      const bot = await botOf(caller, botId);
      if ((ids !== undefined) === (all_dead === true)) {
        throw invalidField('ids', reason('discard_choice_needed'));
      }
      const { reader } = await readerFor(bot, app);
      await replays.requireLetters(botId, reader, ids);
      return dead.discard(botId, reader, ids);
    },
    async retryNow(caller, botId, queue, app) {
      const { reader } = await readerFor(await botOf(caller, botId), app);
      const queues = await retryQueues.retryNow(botId, reader, queue, clock.now());
      if (queue !== undefined && queues === 0) {
        throw new RelayError(
          'delivery_not_found',
          reason('no_waiting_queue', { bot_id: botId, queue }),
        );
      }
      await pushers.wake(botId);
      return queues;
    },
    async browse(caller, botId, filter) {
      await botOf(caller, botId);
      return overview.browse(botId, filter);
    },
    backends: async (caller, botId) => backends(await visible(caller, botId)),
    async check(caller, botId, deliver, app) {
      const record = await botOf(caller, botId);
      const { reader } = await readerFor(record, app);
      return checkStoredBackend(deps, record, { reader, deliver });
    },
  };
}
