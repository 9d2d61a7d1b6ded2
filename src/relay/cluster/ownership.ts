/*
 * What tells that something is outdated, and what each guards:
 *
 * - lease epoch (leases.epoch): grows when a bot changes its node. A commit under an older one is
 *   refused, so a former owner cannot write.
 * - reader generation: grows when someone else than its owner moves a reader. What the
 *   owner decided from the position before is refused.
 * - incarnation (nodes.incarnation): new at each start of a node. Of two processes under one name,
 *   the one that started later keeps it.
 */

/**
 * Which bots this node runs. What works for a bot on its owner only (pushing, routing, sending what
 * is queued) follows this.
 */
export interface OwnershipListener {
  /** This node now runs the bot; what it commits for it checks the lease epoch. */
  gained(botId: number, leaseEpoch: number): void;
  /** It no longer does. The bot is handed on once this has resolved, or after a few seconds. */
  lost(botId: number): Promise<void> | void;
  /**
   * Another node changed the settings of a bot that this one runs; it runs by them already. Gives
   * false when they could not be followed yet.
   */
  changed?(botId: number): Promise<boolean> | void;
}

export interface Ownership {
  /** Undefined when another node, or none, runs the bot. */
  leaseEpochOf(botId: number): number | undefined;
  /** Tells at once of the bots that this node already runs. */
  watch(listener: OwnershipListener): () => void;
}
