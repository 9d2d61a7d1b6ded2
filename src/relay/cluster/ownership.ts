/*
 * These counters show that something is outdated, and this is what each guards:
 *
 * - lease epoch (leases.epoch): grows when a bot changes its node. A commit under an older one is
 *   refused, so a former owner cannot write.
 * - reader generation (readers.generation): grows when anyone but its owner moves a reader. Commits
 *   that the owner based on the earlier position are refused.
 * - incarnation (nodes.incarnation): new at each start of a node. Of two processes under one name,
 *   the one that started later keeps it.
 * - apps version (log_heads.apps_version): new, at random, when the apps of a bot change. An append
 *   compiles the claims again if it sees another one.
 * - alert version (alerts.version): grows when an alert changes. A message that shows an older one
 *   is due for an edit.
 * - stamp (`Engine.stamp`): grows when a commit may have changed a table. Answers cached under an
 *   older one are dropped.
 */

/**
 * Knows which bots this node runs. Work that only the owner does for a bot (pushing, routing,
 * sending what is queued) follows it.
 */
export interface OwnershipListener {
  /** This node runs the bot from now on; every commit for it checks the lease epoch. */
  gained(botId: number, leaseEpoch: number): void;
  /**
   * This node no longer runs the bot. The bot is handed on once this resolves, or after a few
   * seconds.
   */
  lost(botId: number): Promise<void> | void;
  /**
   * Another node changed the settings of a bot that this node runs, and this node applied them.
   * Resolves to false if the listener could not follow yet.
   */
  changed?(botId: number): Promise<boolean> | void;
}

export interface Ownership {
  /** Undefined if another node, or none, runs the bot. */
  leaseEpochOf(botId: number): number | undefined;
  /** Calls the listener at once for the bots that this node already runs. */
  watch(listener: OwnershipListener): () => void;
}
