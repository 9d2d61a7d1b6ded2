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
import type { DeliveryDeps, DeliveryExecutor, DeliverySettings } from './delivery-executor.ts';
import type { BackendStatus } from './plan/plan-types.ts';
import { forwards, type PushBot, type PushTarget } from './push-target.ts';
import { startDelivery } from './start-delivery.ts';
import { createKeyedMutex } from '../async/mutex.ts';
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

/** A reader that should deliver on this node. */
interface Run {
  bot: PushBot;
  reader: string;
  epoch: number | undefined;
  /** Undefined until the reader is open. */
  delivery: DeliveryExecutor | undefined;
}

interface Drain {
  botId: number;
  readers: readonly string[];
  cancelEnd(): void;
}

const defaultDrainMs = 600;
// The time a backend has to finish what is in flight before the queue is handed over.
const lastDeliveriesMs = 2_000;
const longestDrainMs = 15_000;
const startAgainMs = 1_000;
const settleMs = 1_000;
// A replay requested on another node begins within this time.
const requestsEveryMs = 2_000;

export function createPushers(options: PushersOptions): Pushers {
  const { clock, logger } = options;
  const { engine, deliveries, retryQueues, webhooks } = options.store;
  /** The key is the bot, then the name of the reader. */
  const runs = new Map<number, Map<string, Run>>();
  /** The key is the ID of the drain. */
  const drains = new Map<string, Drain>();
  const oneAtATime = createKeyedMutex();
  let cancelLook: (() => void) | undefined;
  let requestedAt = 0;

  const deps: DeliveryDeps = {
    clock,
    logger,
    random: options.random,
    log: options.log,
    readers: options.readers,
    webhooks,
    retryQueues,
    writer: createCommitWriter({
      engine,
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
    connections: options.connections,
    liveMetrics: options.liveMetrics,
    metrics: options.metrics,
    onTaken: options.onTaken,
    memory: { characters: 0, most: 64_000_000 },
    onStatus(botId, reader, status) {
      // Only the backend of the bot's own reader determines the status of the bot.
      if (reader !== pushReader) return;
      options.events?.publish({ type: 'delivery', botId, data: { backend_status: status } });
    },
  };

  const runsOf = (botId: number): Run[] => [...(runs.get(botId)?.values() ?? [])];
  const isDrained = ({ bot, reader }: Run) =>
    [...drains.values()].some(({ botId, readers }) => botId === bot.id && readers.includes(reader));
  const isCurrent = (run: Run) => runs.get(run.bot.id)?.get(run.reader) === run;

  function add(run: Run): void {
    const ofBot = runs.get(run.bot.id) ?? new Map<string, Run>();
    runs.set(run.bot.id, ofBot.set(run.reader, run));
  }

  function remove(run: Run): void {
    if (!isCurrent(run)) return;
    const ofBot = runs.get(run.bot.id);
    ofBot?.delete(run.reader);
    if (ofBot?.size === 0) runs.delete(run.bot.id);
  }

  /**
   * Looks for requests made on other nodes. With the embedded database there is one node, which
   * learns of every request at once.
   */
  function lookForRequests(): void {
    if (!engine.isShared || cancelLook || runs.size === 0) return;
    cancelLook = clock.after(requestsEveryMs, () => void readRequests());
  }

  async function readRequests(): Promise<void> {
    try {
      // Clocks of nodes differ, so a slightly older request may still be news.
      const since = Math.min(requestedAt, clock.now()) - 60_000;
      const rows = await retryQueues.readersRequestedSince(Math.max(0, since));
      requestedAt = Math.max(requestedAt, rows[0]?.requestedAt ?? 0);
      for (const { botId, reader } of rows) {
        await runs.get(botId)?.get(reader)?.delivery?.readRequests();
      }
    } catch (error) {
      logger.debug({ err: error }, 'retry requests not read');
    }
    cancelLook = undefined;
    lookForRequests();
  }

  /** Starts at the stored position, and retries until the database answers. */
  async function start(run: Run): Promise<void> {
    const { bot, epoch, reader } = run;
    if (isDrained(run)) return;
    try {
      const delivery = await startDelivery({ ...bot, reader, epoch }, deps);
      if (!delivery) {
        remove(run);
        return;
      }
      run.delivery = delivery;
      delivery.ended.then(
        (end) => ended(run, delivery, end),
        (error: unknown) => {
          logger.error({ err: error, bot_id: bot.id }, 'delivery stopped with an error');
          startLater(run);
        },
      );
    } catch (error) {
      if (!isCurrent(run)) return;
      logger.warn({ err: error, bot_id: bot.id }, 'delivery cannot start yet');
      startLater(run);
    }
  }

  function startLater(run: Run): void {
    const { delivery } = run;
    clock.after(startAgainMs, () => void restartAfter(run, delivery));
  }

  /** Restarts a run, unless someone else did so meanwhile. */
  function restartAfter(run: Run, delivery: DeliveryExecutor | undefined): Promise<void> {
    return oneAtATime(run.bot.id, async () => {
      if (run.delivery === delivery) await restart(run);
    });
  }

  function ended(run: Run, delivery: DeliveryExecutor, end: string): void {
    if (end === 'stopped' || !isCurrent(run) || run.delivery !== delivery) return;
    if (end === 'outdated') {
      void restartAfter(run, delivery);
      return;
    }
    // Another node that delivers is worth a warning; a deleted bot or app is not.
    logger[end === 'gone' ? 'debug' : 'warn'](
      { bot_id: run.bot.id, reader: run.reader, end },
      'this node no longer delivers for this bot',
    );
    remove(run);
  }

  /** Starts again with the present settings of the bot, unless it is no longer pushed. */
  async function restart(run: Run): Promise<void> {
    if (!isCurrent(run)) return;
    run.delivery = undefined;
    try {
      const bot = await options.bots.get(run.bot.id, run.reader);
      if (!bot || !forwards(bot)) {
        remove(run);
        return;
      }
      run.bot = bot;
    } catch (error) {
      logger.warn({ err: error, bot_id: run.bot.id }, 'delivery cannot start yet');
      startLater(run);
      return;
    }
    await start(run);
  }

  async function stopRun(run: Run, drainMs: number): Promise<void> {
    remove(run);
    await run.delivery?.stop(drainMs);
  }

  async function stopBot(botId: number, drainMs: number, reader?: string): Promise<void> {
    const stopped = runsOf(botId).filter((run) => reader === undefined || run.reader === reader);
    await Promise.all(stopped.map((run) => stopRun(run, drainMs)));
  }

  async function apply(bot: PushBot, epoch: number | undefined, reader: string): Promise<void> {
    const run = runs.get(bot.id)?.get(reader);
    if (run && !forwards(bot)) await stopRun(run, defaultDrainMs);
    if (!forwards(bot)) return;
    if (run && (await isOutdated(run, bot, epoch))) await stopRun(run, defaultDrainMs);
    else if (run?.delivery) {
      run.delivery.change(bot, await deps.webhooks.get(bot.id, reader));
      run.bot = bot;
      return;
    }
    const begun: Run = { bot, reader, epoch: newest(epoch, run?.epoch), delivery: undefined };
    add(begun);
    await start(begun);
    lookForRequests();
  }

  /** True if the run has to start again from the stored position. */
  async function isOutdated(run: Run, bot: PushBot, epoch: number | undefined): Promise<boolean> {
    // The lease was lost and taken again, so another node may have delivered meanwhile.
    if (newest(epoch, run.epoch) !== run.epoch) return true;
    if (run.bot.app?.id !== bot.app?.id) return true;
    // The reader may have been moved together with the change that is being applied.
    return (await deliveries.generation(bot.id, run.reader)) !== run.delivery?.generation;
  }

  async function resume(id: string): Promise<void> {
    const drain = drains.get(id);
    if (!drain) return;
    drain.cancelEnd();
    drains.delete(id);
    await oneAtATime(drain.botId, async () => {
      const drained = runsOf(drain.botId).filter((run) => drain.readers.includes(run.reader));
      for (const run of drained) if (!run.delivery) await restart(run);
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
        const unwanted = runsOf(botId).filter(({ reader }) => !wanted.has(reader));
        // The bot's turn ends only after all of them have ended, even if one failed.
        const ends = await Promise.allSettled([
          ...unwanted.map((run) => stopRun(run, defaultDrainMs)),
          ...targets.map(({ bot, reader }) => apply(bot, epoch, reader)),
        ]);
        for (const end of ends) if (end.status === 'rejected') throw end.reason;
      }),
    stop: (botId, drainMs = defaultDrainMs, reader) =>
      oneAtATime(botId, () => stopBot(botId, drainMs, reader)),
    async stopAll(drainMs = defaultDrainMs) {
      cancelLook?.();
      for (const { cancelEnd } of drains.values()) cancelEnd();
      const botIds = [...runs.keys()];
      await Promise.all(botIds.map((id) => oneAtATime(id, () => stopBot(id, drainMs))));
      options.connections.closeIdle();
    },
    drain({ id, botId, readers }) {
      if (!drains.has(id)) {
        const cancelEnd = clock.after(longestDrainMs, () => void resume(id));
        drains.set(id, { botId, readers, cancelEnd });
      }
      return oneAtATime(botId, async () => {
        const drained = runsOf(botId).filter(({ reader }) => readers.includes(reader));
        await Promise.all(
          drained.map(async (run) => {
            await run.delivery?.stop(lastDeliveriesMs);
            run.delivery = undefined;
          }),
        );
      });
    },
    resume,
    async wake(botId) {
      const here = runsOf(botId);
      if (here.length === 0) options.notifyOthers?.(botId);
      for (const { delivery } of here) await delivery?.readRequests();
    },
    async settle(botId) {
      // If the database is unavailable, there is nothing to wait for.
      const flushes = runsOf(botId).flatMap(({ delivery }) => (delivery ? [delivery.flush()] : []));
      if (flushes.length > 0) await withTimeout(clock, settleMs, Promise.all(flushes));
    },
    dropPending: (botId, reader = pushReader) =>
      oneAtATime(botId, async () => {
        const run = runs.get(botId)?.get(reader);
        // Attempts in flight finish first, as their answers may hold calls.
        await run?.delivery?.stop(defaultDrainMs);
        try {
          await deliveries.dropPending(botId, reader, clock.now());
          options.notifyOthers?.(botId);
        } finally {
          if (run) await restart(run);
        }
      }),
    onRemoteChange: (botId) =>
      oneAtATime(botId, async () => {
        for (const run of runsOf(botId)) {
          if ((await deliveries.generation(botId, run.reader)) === run.delivery?.generation) {
            await run.delivery.readRequests();
          } else {
            await run.delivery?.stop(defaultDrainMs);
            await restart(run);
          }
        }
      }),
    botIds: () => [...runs.keys()],
    statusHere(botId, reader = pushReader) {
      const run = runs.get(botId)?.get(reader);
      return run && (run.delivery?.status ?? 'ok');
    },
  };
}

/** Keeps the newer epoch, as an older lease may just arrive late. */
function newest(epoch: number | undefined, other: number | undefined): number | undefined {
  return epoch === undefined || other === undefined ? (epoch ?? other) : Math.max(epoch, other);
}
