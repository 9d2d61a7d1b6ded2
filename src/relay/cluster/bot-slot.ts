import { reason } from '../../core/reasons/reason.ts';
import type { BotRecord, BotRepository } from '../../store/bots/bots.ts';
import type { HeldLease } from '../../store/cluster/leases.ts';
import type { Notifications } from '../../store/cluster/notifications.ts';
import { withTimeout } from '../async/with-timeout.ts';
import { type BotRun, type BotRunDeps, sameRun, startRun } from '../intake/bot-run.ts';
import { removeOwnWebhook } from '../intake/webhook-registration.ts';
import type { NodeLease } from './lease.ts';
import type { OwnershipListener } from './ownership.ts';
import type { RuntimeStates } from './runtime-state.ts';

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

/** The slots of all bots of this node, and who hears when a bot comes or goes. */
export interface SlotRegistry {
  slots: Map<number, BotSlot>;
  listeners: Set<OwnershipListener>;
}

const readAgainMs = 1_000;
const handOverMs = 5_000;
const disableMs = 800;
const webhookTimeoutMs = 3_000;
// The time after which a bot that was to be deleted starts again. It is long because the rows of a
// large bot are deleted first.
const restartAfterMs = 300_000;

/** One bot of this node under one lease; a bot that is lost and taken again gets another slot. */
export class BotSlot {
  /** `updated_at` of the settings that the bot runs with. */
  appliedAt = 0;
  /** The bot is about to be deleted and must not start again by itself. */
  isRetired = false;
  readonly #lease: HeldLease;
  readonly #deps: BotSlotDeps;
  readonly #registry: SlotRegistry;
  #run: BotRun | undefined;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(lease: HeldLease, deps: BotSlotDeps, registry: SlotRegistry) {
    this.#lease = lease;
    this.#deps = deps;
    this.#registry = registry;
  }

  get botId(): number {
    return this.#lease.botId;
  }

  get isCurrent(): boolean {
    return this.#registry.slots.get(this.botId) === this;
  }

  /** Brings the bot in line with its settings. `known` saves reading them for the first start. */
  async apply(how: { known?: BotRecord; isAsked?: boolean } = {}): Promise<void> {
    const isRestarted = how.isAsked === true && this.isRetired;
    if (how.isAsked) this.isRetired = false;
    await this.#runExclusive(async () => {
      // The record read for the first start may be older than the settings applied meanwhile.
      if (how.known && this.appliedAt !== 0) return;
      const bot = how.known ?? (await this.#readBot(isRestarted));
      if (!this.isCurrent || this.#deps.closing.aborted) return;
      if (!bot || bot.disabled) {
        await this.#stopAll(bot?.token);
        await this.#handOn(disableMs);
        return;
      }
      // The listeners were told that the bot is lost.
      if (isRestarted) this.tellGained();
      this.appliedAt = bot.updated_at;
      if (!this.isRetired) await this.#start(bot);
    });
  }

  /** Stops the bot, keeping its lease; starts it again if it still exists after a while. */
  async retire(token: string | undefined): Promise<void> {
    this.isRetired = true;
    await this.#runExclusive(async () => {
      await this.#stopAll(token);
      if (this.isCurrent) await this.notifyLost(disableMs);
      if (this.isCurrent) await this.#deps.states.flush();
    });
    if (this.isCurrent) this.#restartAfter(restartAfterMs);
    else await this.#registry.slots.get(this.botId)?.retire(token);
  }

  /** Gives the bot to another node. */
  async handOff(): Promise<void> {
    await this.#runExclusive(async () => {
      await this.#run?.stop();
      if (!this.isCurrent) return;
      await this.#handOn(handOverMs);
      this.#deps.notifications.publish('released', {});
    });
  }

  /** Stops whatever runs, or is about to start, without waiting. */
  abandon(): void {
    this.stopNow();
    // This also stops a start that was about to happen.
    void this.#queue.then(() => this.#run?.stop());
    void this.notifyLost(handOverMs);
  }

  stopNow(): void {
    void this.#run?.stop();
  }

  /** Stops the bot in its turn, when the node stops. */
  async end(): Promise<void> {
    await this.#runExclusive(async () => this.#run?.stop());
    await this.notifyLost(handOverMs);
  }

  tellGained(): void {
    const { botId, epoch } = this.#lease;
    for (const listener of this.#registry.listeners) listener.gained(botId, epoch);
  }

  async notifyLost(timeoutMs: number): Promise<void> {
    const listeners = [...this.#registry.listeners];
    const notified = listeners.map(async (listener) => listener.lost(this.botId));
    await withTimeout(this.#deps.clock, timeoutMs, Promise.allSettled(notified));
  }

  #runExclusive<T>(task: () => Promise<T>): Promise<T> {
    const turn = this.#queue.then(task, task);
    this.#queue = turn.catch(() => {});
    return turn;
  }

  async #readBot(isRestarted: boolean): Promise<BotRecord | undefined> {
    try {
      return await this.#deps.bots.get(this.botId);
    } catch (error) {
      this.isRetired ||= isRestarted;
      if (isRestarted) this.#restartAfter(readAgainMs);
      throw error;
    }
  }

  /**
   * Starts a retired bot again, because the request that stopped it to delete it may have failed.
   */
  #restartAfter(ms: number): void {
    const { clock, closing } = this.#deps;
    clock
      .sleep(ms, closing)
      .then(() => (this.isCurrent && this.isRetired ? this.apply({ isAsked: true }) : undefined))
      .catch(() => {});
  }

  async #start(bot: BotRecord): Promise<void> {
    const { states, lease } = this.#deps;
    const { epoch } = this.#lease;
    const { id, token, webhook_mode, username } = bot;
    const state = states.get(id)?.state;
    const works = state === 'polling' || state === 'webhook' || state === 'starting';
    if (this.#run && works && sameRun(this.#run.settings, bot)) return;
    if (this.#run) {
      await this.#run.stop();
      if (!this.isCurrent) return;
      states.begin(id, epoch);
    }
    this.#run = startRun(this.#deps, { id, token, webhook_mode, username }, epoch, {
      state: (next, lastError) => states.set(id, next, lastError),
      active: () => states.touch(id),
      lost: () => lease.lose(this.#lease),
      named: () => this.#deps.named(id),
    });
  }

  async #stopAll(token: string | undefined): Promise<void> {
    await this.#run?.stop();
    this.#run = undefined;
    if (!this.isCurrent) return;
    await stopIntake(this.#deps, { botId: this.botId, token }, () => this.isCurrent);
  }

  async #handOn(timeoutMs: number): Promise<void> {
    const { lease, states } = this.#deps;
    try {
      if (this.isCurrent) await this.notifyLost(timeoutMs);
      if (this.isCurrent) await states.flush();
      if (!this.isCurrent) return;
      states.forget(this.botId);
      await lease.release(this.#lease);
    } finally {
      // The bot may have been taken again as soon as it was free.
      if (this.isCurrent) this.#registry.slots.delete(this.botId);
    }
  }
}

/** Removes the webhook of a bot whose run has ended, as long as `isCurrent`. */
export async function stopIntake(
  deps: Pick<BotSlotDeps, 'intake' | 'states'> & Parameters<typeof removeOwnWebhook>[0],
  { botId, token }: { botId: number; token: string | undefined },
  isCurrent: () => boolean,
): Promise<void> {
  const { intake, states } = deps;
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
