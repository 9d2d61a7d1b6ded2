/* Shows deliveries to users and lets them act: attempts, queues, dead letters, replays. */
import { reason } from '../../core/reasons/reason.ts';
import { type Caller, callersBot } from '../../core/access/access.ts';
import { defaultApp } from '../../core/apps/app.ts';
import type { Sees } from '../../core/apps/claims.ts';
import { invalidField, RelayError } from '../../errors.ts';
import type { DeadLetter } from '../../store/delivery/dead-letters.ts';
import type { StoredAttempt, Replayable } from '../../store/delivery/deliveries.ts';
import type { StoredUpdate } from '../../store/log/log-entry.ts';
import type { LogFilter } from '../../store/delivery/push-overview.ts';
import { pushReader, readerOf } from '../../core/log/reader-kinds.ts';
import { type AppReaders, ownView } from '../apps/app-readers.ts';
import { type BackendView, createBackendList } from './backends.ts';
import { type BackendCheckDeps, checkStoredBackend } from './backend-checks.ts';
import type { BackendCheck } from './check-backend.ts';
import { createDeliveryStatuses } from './delivery-status.ts';
import { queuesOf, type QueuesView } from './queues-view.ts';
import { wantsNow } from './allowed-updates-history.ts';

export interface ReplayRequest {
  bot_id: number;
  /** The app whose backend is meant; the bot's own if left out. */
  app?: string;
  ids?: readonly number[];
  all_dead?: boolean;
  from_position?: number;
  to_position?: number;
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
  /** Returns the number of updates queued for another delivery. */
  replay(caller: Caller, request: ReplayRequest): Promise<number>;
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

/** Finds the reader that delivers for an app of the bot, and what it sees of the log. */
async function deliveryReaderOf(apps: AppReaders, botId: number, app: string | undefined) {
  if (app === undefined || app === defaultApp) return { reader: pushReader, ...ownView };
  const reading = await apps.find(botId, app);
  if (reading) return { reader: readerOf('push', app), ...reading };
  throw new RelayError('app_not_found', reason('no_app_of_that_name', { bot_id: botId, app }));
}

export function createDeliveryService(deps: BackendCheckDeps): DeliveryService {
  const { store, pushers, clock } = deps;
  const { bots, deliveries, webhooks } = store;
  const { deadLetters: dead, pushOverview: overview, retryQueues } = store;
  const statuses = createDeliveryStatuses({
    overview,
    retryQueues,
    unread: store.unread.of,
  });
  const backends = createBackendList({ bots, apps: store.apps, statuses });

  const readerFor = (botId: number, app: string | undefined) =>
    deliveryReaderOf(deps.apps, botId, app);
  const botOf = (caller: Caller, botId: number) => callersBot(bots, caller, botId);

  async function visible(caller: Caller, botId: number | undefined) {
    if (botId === undefined) return caller.botIds;
    await botOf(caller, botId);
    return [botId];
  }

  async function filterOf(caller: Caller, { app, bot_id, before_id, limit }: ListOptions) {
    const botIds = await visible(caller, bot_id);
    const { reader } =
      bot_id === undefined
        ? { reader: readerOf('push', app === undefined || app === defaultApp ? '' : app) }
        : await readerFor(bot_id, app);
    return {
      botIds,
      reader,
      limit,
      ...(before_id === undefined ? {} : { beforeId: before_id }),
    };
  }

  async function requireLetters(botId: number, reader: string, ids: readonly number[] | undefined) {
    if (!ids || (await dead.count(botId, reader, ids)) > 0) return;
    throw new RelayError('delivery_not_found', reason('no_dead_letters', { bot_id: botId }));
  }

  /**
   * Replayed updates are queued at present, so the backend gets the kinds it asks for at present.
   */
  async function replayRange(
    botId: number,
    { reader, sees, kinds }: { reader: string; sees: Sees; kinds: readonly string[] },
    { from, to }: { from: number; to: number },
  ) {
    const webhook = await webhooks.get(botId, reader);
    const allows = webhook ? wantsNow(webhook.allowedUpdatesHistory, kinds) : () => true;
    const wants = async (update: Replayable) => {
      if (!allows(update.kind)) return false;
      await sees.ready?.(update);
      return sees(update);
    };
    return await deliveries.replayRange(botId, reader, { from, to, wants }, clock.now());
  }

  return {
    async attempts(caller, options) {
      const filter = await filterOf(caller, options);
      const { status } = options;
      return deliveries.attempts({ ...filter, ...(status ? { outcome: status } : {}) });
    },
    deadLetters: async (caller, options) => dead.list(await filterOf(caller, options)),
    async queues(caller, botId, app) {
      await botOf(caller, botId);
      const { reader } = await readerFor(botId, app);
      return queuesOf({ store, statuses, clock }, botId, reader);
    },
    async replay(caller, request) {
      const { bot_id: botId, ids, all_dead, from_position: from, to_position: to } = request;
      await botOf(caller, botId);
      const ways = [ids !== undefined, all_dead === true, from !== undefined].filter(Boolean);
      if (ways.length !== 1) {
        throw invalidField('ids', reason('replay_choice_needed'));
      }
      if (from !== undefined && to !== undefined && to < from) {
        throw invalidField('to_position', reason('range_reversed'));
      }
      const { reader, sees, kinds } = await readerFor(botId, request.app);
      await requireLetters(botId, reader, ids);
      const queued =
        from === undefined
          ? await dead.replay(botId, reader, ids, clock.now())
          : await replayRange(
              botId,
              { reader, sees, kinds },
              { from, to: to ?? Number.MAX_SAFE_INTEGER },
            );
      await pushers.wake(botId);
      return queued;
    },
    async discard(caller, { bot_id: botId, app, ids, all_dead }) {
      await botOf(caller, botId);
      if ((ids !== undefined) === (all_dead === true)) {
        throw invalidField('ids', reason('discard_choice_needed'));
      }
      const { reader } = await readerFor(botId, app);
      await requireLetters(botId, reader, ids);
      return dead.discard(botId, reader, ids);
    },
    async retryNow(caller, botId, queue, app) {
      await botOf(caller, botId);
      const { reader } = await readerFor(botId, app);
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
      const { reader } = await readerFor(botId, app);
      return checkStoredBackend(deps, record, { reader, deliver });
    },
  };
}
