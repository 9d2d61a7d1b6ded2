/* What an append asks of the apps, whose tables and rules it does not know. */
import type { IncomingUpdate } from '../../core/log/update-facts.ts';
import type { Step } from '../engine.ts';

export interface OfferedUpdates {
  botId: number;
  updates: readonly IncomingUpdate[];
}

/** Decides which app gets an update, within the transaction that stores it. */
export interface ClaimRegistry {
  /**
   * Decides the known patterns of apps for updates that will be stored, while no lock is held;
   * undefined if there is nothing to wait for.
   */
  decide(botId: number, updates: readonly IncomingUpdate[]): Promise<void> | undefined;
  /**
   * Runs before the append locks anything: finds out who sent the messages that are replied to, for
   * bots with an app that is known to ask for it.
   */
  begin(offered: readonly OfferedUpdates[]): Step<FindDeciders>;
}

/**
 * Returns deciders for the versions of the bots' apps that the transaction sees; version 0 means that
 * no app could claim an update.
 */
type FindDeciders = (
  known: readonly (OfferedUpdates & { version: number })[],
) => Step<ReadonlyMap<number, Decider>>;

/**
 * Decides for the updates of one bot. A bot without a decider has no app that could claim an
 * update.
 */
export interface Decider {
  /** Returns false if patterns must be decided before the transaction. */
  isDecided(updates: readonly IncomingUpdate[]): boolean;
  /** Returns the app that claims the update, 0 for none. Call it in the order of the log. */
  claimFor(update: IncomingUpdate): number;
  /**
   * Returns the sends in flight that may have made the message to which one of these updates
   * replies.
   */
  awaited(updates: readonly IncomingUpdate[]): string[];
}
