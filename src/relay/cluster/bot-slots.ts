/*
 * Holds the bots of this node, one slot for each.
 *
 * Invariants: the operations on one bot run one after the other and never wait for another bot; a
 * bot is handed on only after everything of it has stopped here. A bot that is lost and taken again
 * gets a new slot, so that work left over from the former slot changes nothing in it.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { codeOf } from '../../errors.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import type { HeldLease } from '../../store/cluster/leases.ts';
import { BotSlot, type BotSlotDeps, type SlotRegistry, stopIntake } from './bot-slot.ts';
import type { OwnershipListener } from './ownership.ts';

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
/**
 * Starting a bot takes 2 ms on SQLite, whose reads resolve within the turn. Requests and bots that
 * run already are served in between.
 */
const botsPerTurn = 5;
const readAgainMs = 1_000;

export function createBotSlots(deps: BotSlotDeps): BotSlots {
  const { bots, states, lease, closing, clock, logger, intake } = deps;
  const registry: SlotRegistry = { slots: new Map(), listeners: new Set() };
  const { slots, listeners } = registry;
  const handingOff = new Set<number>();
  const toStart: BotSlot[] = [];
  let starting: Promise<void> = Promise.resolve();

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

  /** Starts the bots that wait for it, a few in each turn of the event loop. */
  async function startAll(): Promise<void> {
    while (toStart.length > 0 && !closing.aborted) {
      const part = toStart.splice(0, botsPerRead);
      const read = await readBots(part.map((slot) => slot.botId));
      const known = new Map(read.map((bot) => [bot.id, bot]));
      for (const [index, slot] of part.entries()) {
        if (index % botsPerTurn === 0) await nextTurn();
        // Meanwhile the node may have lost the bot, begun to delete it, or begun to stop.
        if (!slot.isCurrent || closing.aborted) continue;
        if (!slot.isRetired) slot.tellGained();
        const bot = known.get(slot.botId);
        if (bot) void slot.apply({ known: bot }).catch(() => {});
      }
    }
  }

  function handOff(botId: number, slot: BotSlot): void {
    handingOff.add(botId);
    slot
      .handOff()
      .catch((error) => logger.warn({ code: codeOf(error), bot: botId }, 'hand-over failed'))
      .finally(() => handingOff.delete(botId));
  }

  return {
    async begin(taken) {
      for (const held of taken) {
        const slot = new BotSlot(held, deps, registry);
        slots.set(held.botId, slot);
        states.begin(held.botId, held.epoch);
        toStart.push(slot);
      }
      starting = starting.then(startAll, startAll);
      await starting;
    },
    has: (botId) => slots.has(botId),
    async apply(botId, how) {
      await slots.get(botId)?.apply(how);
    },
    halt: (botId, token) => stopIntake(deps, { botId, token }, () => !slots.has(botId)),
    async retire(botId, token) {
      await slots.get(botId)?.retire(token);
    },
    abandon(botId) {
      const slot = slots.get(botId);
      slots.delete(botId);
      handingOff.delete(botId);
      states.forget(botId);
      intake.forget(botId);
      slot?.abandon();
    },
    handOffSome(count) {
      let open = count - handingOff.size;
      for (const botId of lease.held()) {
        const slot = slots.get(botId);
        if (open <= 0) return;
        if (!slot || slot.isRetired || handingOff.has(botId)) continue;
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
      for (const slot of slots.values()) slot.stopNow();
      await Promise.allSettled([...slots.values()].map((slot) => slot.end()));
    },
  };
}
