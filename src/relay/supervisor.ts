/*
 * Runs every bot that is not disabled, on one of the nodes.
 *
 * Invariants: what is done to one bot is done one after the other and waits for no other bot; a bot
 * is handed on only after everything of it has stopped here; what is said about a bot's state is
 * what its owner saw last.
 */
import type { Clock } from '../clock.ts';
import type { BotRunner } from '../core/ports.ts';
import type { Logger } from '../logger.ts';
import type { BotRuntimeRepository, BotState } from '../store/bot-runtime.ts';
import type { BotRecord, BotStore } from '../store/bots.ts';
import type { HeldLease, LeaseRepository } from '../store/leases.ts';
import type { Notifications } from '../store/notifications.ts';
import type { TelegramClient } from '../telegram/client.ts';
import { type BotRun, sameRun, startRun } from './bot-run.ts';
import { createStatusReader, type DeliveryStatuses } from './bot-status.ts';
import { createLeaseKeeper } from './lease.ts';
import type { Ownership, OwnershipListener } from './ownership.ts';
import { createRuntimeStates } from './runtime-state.ts';
import { watchSettings } from './settings-watch.ts';
import { createStartGate } from './start-gate.ts';
import { stoppedElsewhere } from './stopped-elsewhere.ts';
import type { UpdateLog } from './update-log.ts';
import { createWebhookIntake, type WebhookIntake } from './webhook-intake.ts';
import { removeOwnWebhook } from './webhook-registration.ts';
import { within } from './within.ts';

export interface SupervisorOptions {
  bots: BotStore;
  runtime: BotRuntimeRepository;
  leases: LeaseRepository;
  log: UpdateLog;
  telegram: TelegramClient;
  notifications: Notifications;
  baseUrlFor(token: string): string;
  clock: Clock;
  random: () => number;
  logger: Logger;
  nodeId: string;
  /** True with the embedded database. */
  alone: boolean;
  publicUrl: string;
  /** 50 when left out. */
  pollTimeoutSeconds?: number;
  /** What the pushing side knows about bots of any node. */
  deliveries?: DeliveryStatuses;
}

export interface Supervisor extends BotRunner, Ownership {
  /** Takes this node's bots; they start in the background. */
  start(signal: AbortSignal): Promise<void>;
  /** Stops all bots and hands them on at once, as far as that is possible by the deadline. */
  stop(deadlineMs: number): Promise<void>;
  health(): { ok: boolean; reason: string };
  intake: WebhookIntake;
  onState(listener: (botId: number, state: BotState, lastError: string) => void): () => void;
}

interface Slot {
  queue: Promise<unknown>;
  run: BotRun | undefined;
  /** `updated_at` of the settings it runs with. */
  appliedAt: number;
  /** About to be deleted: it must not start again by itself. */
  retired: boolean;
}

const startsAtOnce = 100;
const startHoldMs = 1_000;
const botsPerRead = 500;
const lookEveryMs = 1_000;
const handOverMs = 5_000;
const disableMs = 800;
const startPatienceMs = 500;
const webhookPatienceMs = 3_000;

export function createSupervisor(options: SupervisorOptions): Supervisor {
  const { bots, runtime, leases, clock, logger, notifications, alone } = options;
  const slots = new Map<number, Slot>();
  const listeners = new Set<OwnershipListener>();
  const shedding = new Set<number>();
  const closing = new AbortController();
  let started = false;

  const states = createRuntimeStates({
    repository: runtime,
    clock,
    onError: (error) => logger.warn({ code: codeOf(error) }, 'states of bots were not written'),
  });
  const intake = createWebhookIntake({
    log: options.log,
    runtime,
    clock,
    active: states.touch,
  });
  const runDeps = {
    ...options,
    intake,
    startGate: createStartGate(clock, startsAtOnce, startHoldMs),
  };
  const keeper = createLeaseKeeper({
    leases,
    clock,
    logger,
    nodeId: options.nodeId,
    alone,
    gained: (taken) => void begin(taken),
    lost: (botIds) => botIds.forEach(abandon),
    shed: giveUpSome,
  });

  const waitForOthers = (botId: number) =>
    stoppedElsewhere({ ...options, living: keeper.living }, botId, closing.signal);

  /** One thing at a time for each bot. */
  function inTurn<T>(slot: Slot, task: () => Promise<T>): Promise<T> {
    const turn = slot.queue.then(task, task);
    slot.queue = turn.catch(() => {});
    return turn;
  }

  async function begin(taken: readonly HeldLease[]): Promise<void> {
    for (const { botId, epoch } of taken) {
      const retired = slots.get(botId)?.retired ?? false;
      slots.set(botId, { queue: Promise.resolve(), run: undefined, appliedAt: 0, retired });
      states.begin(botId, epoch);
      for (const listener of listeners) listener.gained(botId, epoch);
    }
    for (let from = 0; from < taken.length; from += botsPerRead) {
      const botIds = taken.slice(from, from + botsPerRead).map((lease) => lease.botId);
      const found = await readBots(botIds);
      for (const bot of found) void applyHere(bot.id, bot).catch(() => {});
    }
  }

  async function readBots(botIds: readonly number[]): Promise<BotRecord[]> {
    while (!closing.signal.aborted) {
      try {
        return await bots.list(botIds);
      } catch (error) {
        logger.warn({ code: codeOf(error) }, 'bots could not be read; trying again');
        await clock.sleep(lookEveryMs, closing.signal).catch(() => {});
      }
    }
    return [];
  }

  /** Brings a bot of this node in line with its settings. */
  async function applyHere(botId: number, known?: BotRecord): Promise<void> {
    const slot = slots.get(botId);
    if (!slot) return;
    await inTurn(slot, async () => {
      const bot = known ?? (await bots.get(botId));
      const epoch = keeper.epochOf(botId);
      if (slots.get(botId) !== slot || epoch === undefined || closing.signal.aborted) return;
      if (!bot || bot.disabled) {
        await halt(botId, slot, bot?.token);
        await handOn(botId, disableMs);
        return;
      }
      slot.appliedAt = bot.updated_at;
      if (slot.retired) return;
      const state = states.get(botId)?.state;
      const works = state === 'polling' || state === 'webhook' || state === 'starting';
      if (slot.run && works && sameRun(slot.run.settings, bot)) return;
      if (slot.run) {
        await slot.run.stop();
        states.begin(botId, epoch);
      }
      const { id, token, webhook_mode } = bot;
      slot.run = startRun(runDeps, { id, token, webhook_mode }, epoch, {
        state: (next, lastError) => states.set(botId, next, lastError),
        active: () => states.touch(botId),
        lost: () => keeper.lose(botId),
      });
    });
  }

  /** Stops a bot and takes its webhook back; what the platform holds for it stays there. */
  async function halt(botId: number, slot: Slot | undefined, token?: string): Promise<void> {
    await slot?.run?.stop();
    if (slot) slot.run = undefined;
    let trouble = '';
    if (token !== undefined) {
      try {
        await removeOwnWebhook(runDeps, { botId, token }, webhookPatienceMs);
      } catch {
        trouble = 'Its webhook could not be removed from the platform; calls to it are refused.';
      }
    }
    intake.forget(botId);
    await intake.idle(botId);
    states.set(botId, 'stopped', trouble);
  }

  async function handOn(botId: number, patienceMs: number): Promise<void> {
    slots.delete(botId);
    await tellLost(botId, patienceMs);
    await states.flush();
    states.forget(botId);
    await keeper.release([botId]);
  }

  async function tellLost(botId: number, patienceMs: number): Promise<void> {
    const told = [...listeners].map(async (listener) => listener.lost(botId));
    await within(clock, patienceMs, Promise.allSettled(told));
  }

  /** Another node has it already: nothing to hand on. */
  function abandon(botId: number): void {
    const slot = slots.get(botId);
    slots.delete(botId);
    shedding.delete(botId);
    states.forget(botId);
    intake.forget(botId);
    if (!slot) return;
    void slot.queue.then(() => slot.run?.stop());
    void slot.run?.stop();
    void tellLost(botId, handOverMs);
  }

  function giveUpSome(count: number): void {
    const going = keeper.held().filter((botId) => !shedding.has(botId) && slots.has(botId));
    for (const botId of going.slice(0, Math.max(0, count - shedding.size))) {
      shedding.add(botId);
      const slot = slots.get(botId) as Slot;
      void inTurn(slot, async () => {
        await slot.run?.stop();
        if (slots.get(botId) === slot) await handOn(botId, handOverMs);
      })
        .catch((error) => logger.warn({ code: codeOf(error), bot: botId }, 'hand-over failed'))
        .finally(() => shedding.delete(botId));
    }
  }

  async function apply(botId: number): Promise<void> {
    intake.forget(botId);
    notifications.publish('bot', { botId });
    if (!started || closing.signal.aborted) return;
    const bot = await bots.get(botId);
    const slot = slots.get(botId);
    if (slot) {
      slot.retired = false;
      await applyHere(botId);
    } else if (bot && !bot.disabled) {
      // When that fails, the keeper's next look takes it.
      await keeper.takeOne(botId).catch((error) => {
        logger.warn({ code: codeOf(error), bot: botId }, 'a bot could not be taken');
      });
    } else {
      await waitForOthers(botId);
      if (bot) await halt(botId, undefined, bot.token);
    }
    if (slots.has(botId)) {
      await within(clock, startPatienceMs, states.settled(botId));
    }
  }

  async function retire(botId: number): Promise<void> {
    notifications.publish('bot', { botId, retire: true });
    if (!started) return;
    const bot = await bots.get(botId);
    const slot = slots.get(botId);
    if (!slot) {
      await waitForOthers(botId);
      if (bot) await halt(botId, undefined, bot.token);
      return;
    }
    await retireHere(botId, slot, bot);
  }

  // The lease is kept until it goes with the bot: nobody starts it again meanwhile.
  async function retireHere(botId: number, slot: Slot, bot?: BotRecord): Promise<void> {
    slot.retired = true;
    await inTurn(slot, async () => {
      await halt(botId, slot, bot?.token);
      await tellLost(botId, disableMs);
      await states.flush();
    });
  }

  async function onHint(botId: number, isRetired: boolean): Promise<void> {
    intake.forget(botId);
    const slot = slots.get(botId);
    if (slot && isRetired) await retireHere(botId, slot, await bots.get(botId));
    else if (slot) await applyHere(botId);
    else keeper.look();
  }

  function onLook(botId: number, updatedAt: number): void {
    const appliedAt = slots.get(botId)?.appliedAt ?? 0;
    if (appliedAt !== 0 && appliedAt !== updatedAt) void applyHere(botId).catch(() => {});
  }

  async function shutDown(): Promise<void> {
    const stopping = [...slots].map(async ([botId, slot]) => {
      await inTurn(slot, async () => slot.run?.stop());
      await tellLost(botId, handOverMs);
    });
    await Promise.allSettled(stopping);
    await states.flush();
    await keeper.leave();
  }

  return {
    intake,
    apply,
    retire,
    statusOf: createStatusReader({ ...options, states, living: keeper.living }),
    onState: states.onChange,
    epochOf: keeper.epochOf,
    watch(listener) {
      listeners.add(listener);
      for (const botId of slots.keys()) {
        const epoch = keeper.epochOf(botId);
        if (epoch !== undefined) listener.gained(botId, epoch);
      }
      return () => listeners.delete(listener);
    },
    async start(signal) {
      started = true;
      signal.addEventListener('abort', () => closing.abort(signal.reason), { once: true });
      if (signal.aborted) closing.abort(signal.reason);
      notifications.subscribe('bot', ({ botId, retire: isRetired }) => {
        onHint(botId, isRetired === true).catch((error) =>
          logger.warn({ code: codeOf(error), bot: botId }, 'a changed bot was not brought in line'),
        );
      });
      notifications.onGap(() => keeper.look());
      await keeper.start(closing.signal);
      if (!alone) void watchSettings({ ...options, nodeId: keeper.nodeId, onLook }, closing.signal);
    },
    async stop(deadlineMs) {
      closing.abort(new Error('the service stops'));
      for (const slot of slots.values()) void slot.run?.stop();
      if (!started) return;
      const done = shutDown().catch((error) =>
        logger.warn({ code: codeOf(error) }, 'bots were not released'),
      );
      await within(clock, deadlineMs, done);
    },
    health() {
      const trouble = started ? keeper.trouble() : 'bots are not started yet';
      return { ok: trouble === undefined, reason: trouble ?? '' };
    },
  };
}

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown }).code ?? (error as Error).name;
}
