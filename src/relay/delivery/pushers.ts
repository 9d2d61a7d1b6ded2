/*
 * The pushers of all bots that this node runs and that forward to a backend.
 *
 * Invariants: what is done to one bot is done in turn; one pusher per bot; stopping a bot loses
 * nothing, as its reader keeps its place.
 */
import type { Clock } from '../../clock.ts';
import type { EventBus } from '../../core/ports.ts';
import type { Logger } from '../../logger.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import { createDeliveryRepository } from '../../store/delivery/deliveries.ts';
import type { Engine } from '../../store/engine.ts';
import type { LogRepository } from '../../store/log/log.ts';
import { createParkedQueueRepository } from '../../store/delivery/retry-queues.ts';
import { createWebhookRepository } from '../../store/delivery/webhooks.ts';
import { createKeyedMutex } from '../async/mutex.ts';
import { InFlightList } from '../async/in-flight.ts';
import type { UpdateLog } from '../log/update-log.ts';
import { withTimeout } from '../async/with-timeout.ts';
import { createAckWriter, type OnMethodCall, type Refusal } from './ack-writer.ts';
import type { OpenConnections, PushSettings, PushTools } from './push-state.ts';
import { type BackendStatus, Pusher } from './pusher.ts';
import { pushReader } from '../../core/log/reader-kinds.ts';

/** What push needs to know about a bot. */
export type PushBot = Pick<
  BotRecord,
  'id' | 'backend_url' | 'secret_token' | 'proxy_enabled' | 'disabled'
>;

export interface PushersOptions {
  engine: Engine;
  bots: { get(id: number): Promise<PushBot | undefined> };
  log: Pick<UpdateLog, 'read' | 'onAppend'>;
  readers: Pick<LogRepository, 'openReader'>;
  clock: Clock;
  logger: Logger;
  /** Gives 0 to 1. */
  random: () => number;
  settings: Pick<PushSettings, 'maxConnections' | 'giveUpAfterMs'> & Partial<PushSettings>;
  /** Connections that may go to user-given addresses; each bot gets its own. */
  openConnections: OpenConnections;
  onMethodCall: OnMethodCall;
  /** Calls of these bots are committed: whoever sends them may begin. */
  onCallsCommitted?: (botIds: readonly number[]) => void;
  events?: Pick<EventBus, 'publish'>;
  vitals?: PushTools['vitals'];
  /** Tells the other nodes that what waits for a bot's backend was changed from here. */
  tellOthers?: (botId: number) => void;
}

export interface Pushers {
  /** Makes the reader of a bot that forwards, so that nothing received from now on is missed. */
  prepare(bot: PushBot): Promise<void>;
  /** Starts, changes or stops the pushing of a bot of this node. */
  apply(bot: PushBot, epoch?: number): Promise<void>;
  /** Ends what is under way within `drainMs`; what was finished is then on disk. */
  stop(botId: number, drainMs?: number): Promise<void>;
  stopAll(drainMs?: number): Promise<void>;
  /** Someone changed the queues of this bot in the store. */
  poke(botId: number): Promise<void>;
  /** Resolves when what the bot's backend has taken from this node is on disk, or soon after. */
  settle(botId: number): Promise<void>;
  /** Forgets everything that waits to be delivered, whichever node delivers it. */
  dropPending(botId: number): Promise<void>;
  /** Another node changed what waits for this bot's backend. */
  heed(botId: number): Promise<void>;
  /** The bots that push here. */
  botIds(): number[];
  /** Of this node; undefined for bots that do not push here. */
  statusHere(botId: number): BackendStatus | undefined;
}

const defaultDrainMs = 600;
const sweepEveryMs = 1_000;
const startAgainMs = 1_000;
const settleMs = 1_000;
// How soon a replay that was asked of another node begins.
const pokesEveryMs = 2_000;

export function createPushers(options: PushersOptions): Pushers {
  const { engine, clock, logger } = options;
  const parkedQueues = createParkedQueueRepository(engine);
  const deliveries = createDeliveryRepository(engine);
  const pushers = new Map<number, Pusher>();
  const inTurn = createKeyedMutex();
  const busy = new InFlightList<Pusher>();
  let cancelSweep: (() => void) | undefined;
  let cancelLook: (() => void) | undefined;
  let seenPokeAt = 0;

  const tools: PushTools = {
    clock,
    logger,
    random: options.random,
    log: options.log,
    readers: options.readers,
    webhooks: createWebhookRepository(engine),
    parkedQueues,
    writer: createAckWriter({
      engine,
      clock,
      logger,
      onMethodCall: options.onMethodCall,
      onCallsCommitted: options.onCallsCommitted ?? (() => {}),
    }),
    settings: {
      timeoutMs: 60_000,
      mostUnsettled: options.settings.maxConnections,
      mostUnfinished: 1_000,
      mostParkedQueues: 500,
      ...options.settings,
    },
    openConnections: options.openConnections,
    vitals: options.vitals,
    memory: { characters: 0, most: 64_000_000 },
  };

  const hooks = {
    busy(pusher: Pusher, isBusy: boolean) {
      if (isBusy) busy.add(pusher);
      else busy.remove(pusher);
      if (busy.size > 0) cancelSweep ??= clock.after(sweepEveryMs, sweep);
    },
    status(botId: number, status: BackendStatus) {
      logger.info({ bot_id: botId, status }, 'the state of a backend changed');
      options.events?.publish({ type: 'delivery', botId, data: { backend_status: status } });
    },
    refused(pusher: Pusher, verdict: Refusal) {
      if (pushers.get(pusher.botId) !== pusher) return;
      if (verdict === 'outdated') {
        void inTurn(pusher.botId, () => replace(pusher));
        return;
      }
      logger.warn({ bot_id: pusher.botId, verdict }, 'this node no longer pushes a bot');
      pushers.delete(pusher.botId);
    },
  };

  function sweep(): void {
    cancelSweep = undefined;
    const nowMs = clock.monotonic();
    for (const pusher of busy.all()) pusher.sweep(nowMs);
    if (busy.size > 0) cancelSweep ??= clock.after(sweepEveryMs, sweep);
  }

  /** The embedded database has one node, which hears of every poke at once. */
  function lookForPokes(): void {
    if (engine.dialect === 'sqlite' || cancelLook || pushers.size === 0) return;
    cancelLook = clock.after(pokesEveryMs, () => void readPokes());
  }

  async function readPokes(): Promise<void> {
    try {
      // Clocks of nodes differ: what is a little older may still be news.
      const since = Math.min(seenPokeAt, clock.now()) - 60_000;
      const rows = await parkedQueues.botsPokedSince(Math.max(0, since));
      seenPokeAt = Math.max(seenPokeAt, rows[0]?.pokedAt ?? 0);
      for (const { botId } of rows) await pushers.get(botId)?.poke();
    } catch (error) {
      logger.debug({ err: error }, 'pokes were not read');
    }
    cancelLook = undefined;
    lookForPokes();
  }

  async function start(pusher: Pusher): Promise<void> {
    try {
      await pusher.start();
    } catch (error) {
      if (pushers.get(pusher.botId) !== pusher) return;
      logger.warn({ err: error, bot_id: pusher.botId }, 'pushing cannot begin yet');
      clock.after(startAgainMs, () => {
        if (pushers.get(pusher.botId) === pusher) void inTurn(pusher.botId, () => start(pusher));
      });
    }
  }

  /** Goes on where the store says, unless the bot is no longer pushed, here or at all. */
  async function replace(pusher: Pusher): Promise<void> {
    const { botId, epoch } = pusher;
    busy.remove(pusher);
    const isCurrent = () => pushers.get(botId) === pusher;
    if (!isCurrent()) return;
    try {
      const bot = await options.bots.get(botId);
      if (!isCurrent()) return;
      if (!bot || !forwards(bot)) {
        pushers.delete(botId);
        return;
      }
      const again = new Pusher({ ...bot, epoch }, tools, hooks);
      pushers.set(botId, again);
      await start(again);
    } catch (error) {
      logger.warn({ err: error, bot_id: botId }, 'pushing cannot begin yet');
      clock.after(startAgainMs, () => void inTurn(botId, () => replace(pusher)));
    }
  }

  async function stopNow(botId: number, drainMs: number): Promise<void> {
    const pusher = pushers.get(botId);
    if (!pusher) return;
    pushers.delete(botId);
    await pusher.stop(drainMs);
    busy.remove(pusher);
  }

  return {
    async prepare(bot) {
      if (forwards(bot)) await options.readers.openReader(bot.id, pushReader, clock.now());
    },
    apply: (bot, epoch) =>
      inTurn(bot.id, async () => {
        if (!forwards(bot)) {
          await stopNow(bot.id, defaultDrainMs);
          return;
        }
        const running = pushers.get(bot.id);
        if (running && (await deliveries.era(bot.id)) !== running.era) {
          // Moved together with what it is applied for: it begins anew from there.
          await stopNow(bot.id, defaultDrainMs);
        } else if (running) {
          // Whoever asked with an older one just came late.
          if (epoch !== undefined) running.epoch = Math.max(running.epoch ?? 0, epoch);
          running.retarget(bot, await tools.webhooks.get(bot.id));
          return;
        }
        const pusher = new Pusher({ ...bot, epoch }, tools, hooks);
        pushers.set(bot.id, pusher);
        await start(pusher);
        lookForPokes();
      }),
    stop: (botId, drainMs = defaultDrainMs) => inTurn(botId, () => stopNow(botId, drainMs)),
    async stopAll(drainMs = defaultDrainMs) {
      cancelLook?.();
      await Promise.all(
        [...pushers.keys()].map((botId) => inTurn(botId, () => stopNow(botId, drainMs))),
      );
      cancelSweep?.();
    },
    async poke(botId) {
      const pusher = pushers.get(botId);
      if (pusher) await pusher.poke();
      else options.tellOthers?.(botId);
    },
    async settle(botId) {
      // Without the database there is nothing to wait for.
      if (pushers.has(botId)) await withTimeout(clock, settleMs, tools.writer.flush());
    },
    dropPending: (botId) =>
      inTurn(botId, async () => {
        const pusher = pushers.get(botId);
        // What is under way is finished first, as its answers may hold calls.
        await pusher?.stop(defaultDrainMs);
        try {
          await deliveries.dropPending(botId, clock.now());
          options.tellOthers?.(botId);
        } finally {
          if (pusher) await replace(pusher);
        }
      }),
    heed: (botId) =>
      inTurn(botId, async () => {
        const pusher = pushers.get(botId);
        if (!pusher) return;
        if ((await deliveries.era(botId)) === pusher.era) {
          await pusher.poke();
          return;
        }
        await pusher.stop(defaultDrainMs);
        await replace(pusher);
      }),
    botIds: () => [...pushers.keys()],
    statusHere: (botId) => pushers.get(botId)?.status,
  };
}

export function forwards(bot: PushBot): boolean {
  return bot.proxy_enabled && !bot.disabled && bot.backend_url !== '';
}
