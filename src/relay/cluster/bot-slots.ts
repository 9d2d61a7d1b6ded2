/*
 * Holds the bots of this node, one slot for each.
 *
 * Invariants: the operations on one bot run one after the other and never wait for another bot; a
 * bot is handed on only after everything of it has stopped here. A bot that is lost and taken again
 * gets a new slot, so that work left over from the former slot changes nothing in it.
 */
import { codeOf } from '../../errors.ts';
import { reason } from '../../core/reasons/reason.ts';
import type { BotRecord, BotRepository } from '../../store/bots/bots.ts';
import type { HeldLease } from '../../store/cluster/leases.ts';
import type { Notifications } from '../../store/cluster/notifications.ts';
import { type BotRun, type BotRunDeps, sameRun, startRun } from '../intake/bot-run.ts';
import type { NodeLease } from './lease.ts';
import type { OwnershipListener } from './ownership.ts';
import type { RuntimeStates } from './runtime-state.ts';
import { removeOwnWebhook } from '../intake/webhook-registration.ts';
import { withTimeout } from '../async/with-timeout.ts';

interface Slot {
  lease: HeldLease;
  queue: Promise<unknown>;
  run: BotRun | undefined;
  /** `updated_at` of the settings that the bot runs with. */
  appliedAt: number;
  /** The bot is about to be deleted and must not start again by itself. */
  retired: boolean;
}

export interface BotSlotDeps extends BotRunDeps {
  bots: BotRepository;
  states: RuntimeStates;
  lease: Pick<NodeLease, 'leaseEpochOf' | 'release' | 'lose' | 'held'>;
  notifications: Pick<Notifications, 'publish'>;
  /** Aborted when the node stops. */
  closing: AbortSignal;
  /** The platform told who a bot is. */
  named(botId: number): void;
}

export interface BotSlots {
  /** Starts bots that this node has just taken, in the background. */
  begin(taken: readonly HeldLease[]): Promise<void>;
  has(botId: number): boolean;
  /** Brings a bot of this node in line with its settings. */
  apply(botId: number, how?: { known?: BotRecord; isAsked?: boolean }): Promise<void>;
  /** Stops a bot, held or not, and removes its webhook; the platform keeps its pending updates. */
  halt(botId: number, token: string | undefined): Promise<void>;
  /**
   * Stops a bot that is about to be deleted. Keeps its lease, so nobody starts it again. If the bot
   * still exists after a while, it starts again.
   */
  retire(botId: number, token: string | undefined): Promise<void>;
  /** Another node already has the bot, so there is nothing to hand on. */
  abandon(botId: number): void;
  handOffSome(count: number): void;
  /** `updated_at` of the settings that a bot runs with; 0 if it does not run. */
  appliedAt(botId: number): number;
  watch(listener: OwnershipListener): () => void;
  stopAll(): Promise<void>;
}

const botsPerRead = 500;
const readAgainMs = 1_000;
const handOverMs = 5_000;
const disableMs = 800;
const webhookTimeoutMs = 3_000;
// The time after which a bot that was to be deleted starts again. It is long because the rows of a
// large bot are deleted first.
const restartAfterMs = 300_000;

export function createBotSlots(deps: BotSlotDeps): BotSlots {
  const { bots, states, lease, closing, clock, logger, intake, notifications } = deps;
  const slots = new Map<number, Slot>();
  const listeners = new Set<OwnershipListener>();
  const handingOff = new Set<number>();

  const isCurrent = (slot: Slot) => slots.get(slot.lease.botId) === slot;

  function runExclusive<T>(slot: Slot, task: () => Promise<T>): Promise<T> {
    const turn = slot.queue.then(task, task);
    slot.queue = turn.catch(() => {});
    return turn;
  }

  async function readBots(botIds: readonly number[]): Promise<BotRecord[]> {
    while (!closing.aborted) {
      try {
        return await bots.list(botIds);
      } catch (error) {
        logger.warn({ code: codeOf(error) }, 'reading bots failed; retrying');
        await clock.sleep(readAgainMs, closing).catch(() => {});
      }
    }
    return [];
  }

  async function apply(
    botId: number,
    how: { known?: BotRecord; isAsked?: boolean } = {},
  ): Promise<void> {
    const slot = slots.get(botId);
    if (!slot) return;
    const isRestarted = how.isAsked === true && slot.retired;
    if (how.isAsked) slot.retired = false;
    await runExclusive(slot, async () => {
      const bot = how.known ?? (await readBot(botId, slot, isRestarted));
      if (!isCurrent(slot) || closing.aborted) return;
      if (!bot || bot.disabled) {
        await stopSlot(slot, bot?.token);
        await handOn(slot, disableMs);
        return;
      }
      // The listeners were told that the bot is lost.
      if (isRestarted) for (const listener of listeners) listener.gained(botId, slot.lease.epoch);
      slot.appliedAt = bot.updated_at;
      if (!slot.retired) await run(slot, bot);
    });
  }

  async function readBot(botId: number, slot: Slot, isRestarted: boolean) {
    try {
      return await bots.get(botId);
    } catch (error) {
      slot.retired ||= isRestarted;
      if (isRestarted) restartAfter(readAgainMs, botId, slot);
      throw error;
    }
  }

  /**
   * Starts a retired bot again, because the request that stopped it to delete it may have failed.
   */
  function restartAfter(ms: number, botId: number, slot: Slot): void {
    const isStill = () => isCurrent(slot) && slot.retired;
    clock
      .sleep(ms, closing)
      .then(() => (isStill() ? apply(botId, { isAsked: true }) : undefined))
      .catch(() => {});
  }

  async function run(slot: Slot, bot: BotRecord): Promise<void> {
    const { epoch } = slot.lease;
    const { id, token, webhook_mode, username } = bot;
    const state = states.get(id)?.state;
    const works = state === 'polling' || state === 'webhook' || state === 'starting';
    if (slot.run && works && sameRun(slot.run.settings, bot)) return;
    if (slot.run) {
      await slot.run.stop();
      if (!isCurrent(slot)) return;
      states.begin(id, epoch);
    }
    slot.run = startRun(deps, { id, token, webhook_mode, username }, epoch, {
      state: (next, lastError) => states.set(id, next, lastError),
      active: () => states.touch(id),
      lost: () => lease.lose(slot.lease),
      named: () => deps.named(id),
    });
  }

  async function stopSlot(slot: Slot, token: string | undefined): Promise<void> {
    const { botId } = slot.lease;
    await slot.run?.stop();
    slot.run = undefined;
    if (isCurrent(slot)) await stopIntake(botId, token, () => isCurrent(slot));
  }

  async function stopIntake(
    botId: number,
    token: string | undefined,
    isCurrent: () => boolean,
  ): Promise<void> {
    intake.forget(botId);
    await intake.idle(botId);
    if (!isCurrent()) return;
    // Sets the state at once: Telegram may take long to answer.
    states.set(botId, 'stopped', null);
    if (token === undefined) return;
    try {
      await removeOwnWebhook(deps, { botId, token }, webhookTimeoutMs);
    } catch {
      if (isCurrent()) states.set(botId, 'stopped', reason('webhook_not_removed'));
    }
    intake.forget(botId);
    await intake.idle(botId);
  }

  async function handOn(slot: Slot, timeoutMs: number): Promise<void> {
    const { botId } = slot.lease;
    try {
      if (isCurrent(slot)) await notifyLost(botId, timeoutMs);
      if (isCurrent(slot)) await states.flush();
      if (!isCurrent(slot)) return;
      states.forget(botId);
      await lease.release(slot.lease);
    } finally {
      // The bot may have been taken again as soon as it was free.
      if (isCurrent(slot)) slots.delete(botId);
    }
  }

  async function notifyLost(botId: number, timeoutMs: number): Promise<void> {
    const notified = [...listeners].map(async (listener) => listener.lost(botId));
    await withTimeout(clock, timeoutMs, Promise.allSettled(notified));
  }

  async function retire(botId: number, token: string | undefined): Promise<void> {
    const slot = slots.get(botId);
    if (!slot) return;
    slot.retired = true;
    await runExclusive(slot, async () => {
      await stopSlot(slot, token);
      if (isCurrent(slot)) await notifyLost(botId, disableMs);
      if (isCurrent(slot)) await states.flush();
    });
    if (isCurrent(slot)) restartAfter(restartAfterMs, botId, slot);
    else await retire(botId, token);
  }

  function handOff(botId: number, slot: Slot): void {
    handingOff.add(botId);
    runExclusive(slot, async () => {
      await slot.run?.stop();
      if (!isCurrent(slot)) return;
      await handOn(slot, handOverMs);
      notifications.publish('released', {});
    })
      .catch((error) => logger.warn({ code: codeOf(error), bot: botId }, 'hand-over failed'))
      .finally(() => handingOff.delete(botId));
  }

  return {
    async begin(taken) {
      const begun = new Map<number, Slot>();
      for (const { botId, epoch } of taken) {
        const slot: Slot = {
          lease: { botId, epoch },
          queue: Promise.resolve(),
          run: undefined,
          appliedAt: 0,
          retired: false,
        };
        slots.set(botId, slot);
        begun.set(botId, slot);
        states.begin(botId, epoch);
        for (const listener of listeners) listener.gained(botId, epoch);
      }
      for (let from = 0; from < taken.length; from += botsPerRead) {
        const botIds = taken.slice(from, from + botsPerRead).map((held) => held.botId);
        for (const bot of await readBots(botIds)) {
          if (begun.get(bot.id) !== slots.get(bot.id)) continue;
          void apply(bot.id, { known: bot }).catch(() => {});
        }
      }
    },
    has: (botId) => slots.has(botId),
    apply,
    halt: (botId, token) => stopIntake(botId, token, () => !slots.has(botId)),
    retire,
    abandon(botId) {
      const slot = slots.get(botId);
      slots.delete(botId);
      handingOff.delete(botId);
      states.forget(botId);
      intake.forget(botId);
      if (!slot) return;
      void slot.run?.stop();
      // This also stops a start that was about to happen.
      void slot.queue.then(() => slot.run?.stop());
      void notifyLost(botId, handOverMs);
    },
    handOffSome(count) {
      let open = count - handingOff.size;
      for (const botId of lease.held()) {
        const slot = slots.get(botId);
        if (open <= 0) return;
        if (!slot || slot.retired || handingOff.has(botId)) continue;
        handOff(botId, slot);
        open--;
      }
    },
    appliedAt: (botId) => slots.get(botId)?.appliedAt ?? 0,
    watch(listener) {
      listeners.add(listener);
      for (const botId of slots.keys()) {
        const leaseEpoch = lease.leaseEpochOf(botId);
        if (leaseEpoch !== undefined) listener.gained(botId, leaseEpoch);
      }
      return () => listeners.delete(listener);
    },
    async stopAll() {
      for (const slot of slots.values()) void slot.run?.stop();
      const stopping = [...slots].map(async ([botId, slot]) => {
        await runExclusive(slot, async () => slot.run?.stop());
        await notifyLost(botId, handOverMs);
      });
      await Promise.allSettled(stopping);
    },
  };
}
