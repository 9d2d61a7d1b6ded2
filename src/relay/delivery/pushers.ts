/*
 * Runs the deliveries of all bots that this node runs and that forward to a backend.
 *
 * Invariants: operations on a bot run one at a time; each reader of a bot has one delivery;
 * stopping a bot loses nothing, as its reader keeps its position.
 */
import type { Clock } from '../../clock.ts';
import { pushReader } from '../../core/log/reader-kinds.ts';
import type { EventBus } from '../../core/ports.ts';
import type { Logger } from '../../logger.ts';
import type { Store } from '../../store/store.ts';
import { createCommitWriter, type OnMethodCall } from './commit-writer.ts';
import type { ConnectionPool } from './connection-pool.ts';
import type { DeliveryDeps, DeliverySettings } from './delivery-executor.ts';
import type { BackendStatus } from './plan/plan-types.ts';
import { forwards, type PushBot, type PushTarget } from './push-target.ts';
import { defaultDrainMs, newest, PushRuns } from './push-run.ts';
import { RequestWatch } from './watch-requests.ts';
import { withTimeout } from '../async/with-timeout.ts';

export interface PushersOptions {
  store: Omit<Store['reserved'], 'runtime'>;
  /** Returns the bot as the named reader delivers it. */
  bots: { get(id: number, reader: string): Promise<PushBot | undefined> };
  log: DeliveryDeps['log'];
  readers: DeliveryDeps['readers'];
  clock: Clock;
  logger: Logger;
  /** Gives 0 to 1. */
  random: () => number;
  settings: Pick<DeliverySettings, 'maxConnections' | 'giveUpAfterMs'> & Partial<DeliverySettings>;
  connections: ConnectionPool;
  onMethodCall: OnMethodCall;
  /** Calls of these bots are committed and may be sent. */
  onCallsCommitted?: (botIds: readonly number[]) => void;
  events?: Pick<EventBus, 'publish'>;
  liveMetrics?: DeliveryDeps['liveMetrics'];
  metrics?: DeliveryDeps['metrics'];
  onTaken?: DeliveryDeps['onTaken'];
  /** Tells the other nodes that this node changed what waits for a bot's backend. */
  notifyOthers?: (botId: number) => void;
}

/** If no reader is named, the bot's own reader, `push`, is meant. */
export interface Pushers {
  /**
   * Creates the reader of a bot that forwards, so that no update received from now on is missed.
   */
  prepare(bot: PushBot, reader?: string): Promise<void>;
  /** Starts, changes or stops push for a bot of this node. */
  apply(bot: PushBot, epoch?: number, reader?: string): Promise<void>;
  /** Does the same for all readers that the bot should have, and stops the others. */
  applyAll(botId: number, targets: readonly PushTarget[], epoch?: number): Promise<void>;
  /**
   * Ends what is in flight within `drainMs`, for one reader or all; finished work is then on disk.
   */
  stop(botId: number, drainMs?: number, reader?: string): Promise<void>;
  stopAll(drainMs?: number): Promise<void>;
  /**
   * Ends what is in flight for these readers and starts nothing until `resume`, or until the caller
   * must have failed.
   */
  drain(drain: { id: string; botId: number; readers: readonly string[] }): Promise<void>;
  resume(id: string): Promise<void>;
  /** Someone changed the queues of this bot in the store. */
  wake(botId: number): Promise<void>;
  /**
   * Resolves when everything that the bot's backend has taken from this node is on disk, or soon
   * after.
   */
  settle(botId: number): Promise<void>;
  /** Drops everything that waits to be delivered, whichever node delivers it. */
  dropPending(botId: number, reader?: string): Promise<void>;
  /** Another node changed what waits for this bot's backend. */
  onRemoteChange(botId: number): Promise<void>;
  /** The bots that this node pushes. */
  botIds(): number[];
  /** The status on this node; undefined for bots that it does not push. */
  statusHere(botId: number, reader?: string): BackendStatus | undefined;
}

// The time a backend has to finish what is in flight before the queue is handed over.
const lastDeliveriesMs = 2_000;
const longestDrainMs = 15_000;
const settleMs = 1_000;

export function createPushers(options: PushersOptions): Pushers {
  const { clock, logger } = options;
  const { engine, deliveries, retryQueues, webhooks } = options.store;
  const runs = new PushRuns({
    delivery: deliveryDepsOf(options),
    bots: options.bots,
    generationOf: deliveries.generation,
  });
  const { drains, oneAtATime } = runs;
  // With the embedded database there is one node, which learns of every request at once.
  const requests = engine.isShared
    ? new RequestWatch(runs, { retryQueues, clock, logger })
    : undefined;

  async function apply(bot: PushBot, epoch: number | undefined, reader: string): Promise<void> {
    const run = runs.get(bot.id, reader);
    if (run && !forwards(bot)) await run.stop(defaultDrainMs);
    if (!forwards(bot)) return;
    if (run && (await run.isOutdated(bot, epoch))) await run.stop(defaultDrainMs);
    else if (run?.delivery) {
      run.delivery.change(bot, await webhooks.get(bot.id, reader));
      run.bot = bot;
      return;
    }
    await runs.begin(bot, reader, newest(epoch, run?.epoch));
    requests?.look();
  }

  async function stopBot(botId: number, drainMs: number, reader?: string): Promise<void> {
    const stopped = runs.of(botId, reader === undefined ? undefined : [reader]);
    await Promise.all(stopped.map((run) => run.stop(drainMs)));
  }

  async function resume(id: string): Promise<void> {
    const drain = drains.get(id);
    if (!drain) return;
    drain.cancelEnd();
    drains.delete(id);
    const { botId, readers } = drain;
    await oneAtATime(botId, async () => {
      for (const run of runs.of(botId, readers)) if (!run.delivery) await run.restart();
    });
  }

  return {
    async prepare(bot, reader = pushReader) {
      if (forwards(bot)) await options.readers.openReader(bot.id, reader, clock.now());
    },
    apply: (bot, epoch, reader = pushReader) => oneAtATime(bot.id, () => apply(bot, epoch, reader)),
    applyAll: (botId, targets, epoch) =>
      oneAtATime(botId, async () => {
        const wanted = new Set(targets.map(({ reader }) => reader));
        const unwanted = runs.of(botId).filter(({ reader }) => !wanted.has(reader));
        // The bot's turn ends only after all of them have ended, even if one failed.
        const ends = await Promise.allSettled([
          ...unwanted.map((run) => run.stop(defaultDrainMs)),
          ...targets.map(({ bot, reader }) => apply(bot, epoch, reader)),
        ]);
        for (const end of ends) if (end.status === 'rejected') throw end.reason;
      }),
    stop: (botId, drainMs = defaultDrainMs, reader) =>
      oneAtATime(botId, () => stopBot(botId, drainMs, reader)),
    async stopAll(drainMs = defaultDrainMs) {
      requests?.stop();
      for (const { cancelEnd } of drains.values()) cancelEnd();
      const botIds = runs.botIds();
      await Promise.all(botIds.map((id) => oneAtATime(id, () => stopBot(id, drainMs))));
      options.connections.closeIdle();
    },
    drain({ id, botId, readers }) {
      if (!drains.has(id)) {
        const cancelEnd = clock.after(longestDrainMs, () => void resume(id));
        drains.set(id, { botId, readers, cancelEnd });
      }
      return oneAtATime(botId, async () => {
        await Promise.all(
          runs.of(botId, readers).map(async (run) => {
            await run.delivery?.stop(lastDeliveriesMs);
            run.delivery = undefined;
          }),
        );
      });
    },
    resume,
    async wake(botId) {
      const here = runs.of(botId);
      if (here.length === 0) options.notifyOthers?.(botId);
      for (const { delivery } of here) await delivery?.readRequests();
    },
    async settle(botId) {
      // If the database is unavailable, there is nothing to wait for.
      const flushes = runs
        .of(botId)
        .flatMap(({ delivery }) => (delivery ? [delivery.flush()] : []));
      if (flushes.length > 0) await withTimeout(clock, settleMs, Promise.all(flushes));
    },
    dropPending: (botId, reader = pushReader) =>
      oneAtATime(botId, async () => {
        const run = runs.get(botId, reader);
        // Attempts in flight finish first, as their answers may hold calls.
        await run?.delivery?.stop(defaultDrainMs);
        try {
          await deliveries.dropPending(botId, reader, clock.now());
          options.notifyOthers?.(botId);
        } finally {
          await run?.restart();
        }
      }),
    onRemoteChange: (botId) =>
      oneAtATime(botId, async () => {
        for (const run of runs.of(botId)) {
          if ((await run.storedGeneration()) === run.delivery?.generation) {
            await run.delivery.readRequests();
          } else {
            await run.delivery?.stop(defaultDrainMs);
            await run.restart();
          }
        }
      }),
    botIds: () => runs.botIds(),
    statusHere(botId, reader = pushReader) {
      const run = runs.get(botId, reader);
      return run && (run.delivery?.status ?? 'ok');
    },
  };
}

function deliveryDepsOf(options: PushersOptions): DeliveryDeps {
  const { clock, logger, store } = options;
  return {
    clock,
    logger,
    random: options.random,
    log: options.log,
    readers: options.readers,
    connections: options.connections,
    liveMetrics: options.liveMetrics,
    metrics: options.metrics,
    onTaken: options.onTaken,
    webhooks: store.webhooks,
    retryQueues: store.retryQueues,
    writer: createCommitWriter({
      engine: store.engine,
      clock,
      logger,
      onMethodCall: options.onMethodCall,
      onCallsCommitted: options.onCallsCommitted ?? (() => {}),
    }),
    settings: {
      timeoutMs: 60_000,
      mostUncommitted: options.settings.maxConnections,
      mostUnfinished: 1_000,
      mostRetryQueues: 500,
      ...options.settings,
    },
    memory: { characters: 0, most: 64_000_000 },
    onStatus(botId, reader, status) {
      // Only the backend of the bot's own reader determines the status of the bot.
      if (reader !== pushReader) return;
      options.events?.publish('delivery', botId, { backend_status: status });
    },
  };
}
