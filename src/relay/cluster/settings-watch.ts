import type { Clock } from '../../clock.ts';
import type { LeaseRepository } from '../../store/cluster/leases.ts';

interface SettingsWatchOptions {
  leases: LeaseRepository;
  clock: Clock;
  nodeId(): string;
  /** Called for each bot of this node whose settings changed recently, more than once. */
  onLook(botId: number, updatedAt: number): void;
}

const everyMs = 1_000;
// Clocks of nodes, which write these times, may differ by this much.
const overlapMs = 60_000;

/**
 * Looks once a second whether settings changed on another node, in case a notification was lost.
 */
export async function watchSettings(
  { leases, clock, nodeId, onLook }: SettingsWatchOptions,
  signal: AbortSignal,
): Promise<void> {
  let since = 0;
  while (!signal.aborted) {
    try {
      await clock.sleep(everyMs, signal);
      for (const { botId, updatedAt } of await leases.changedBots(
        nodeId(),
        Math.min(since, clock.now() - overlapMs),
      )) {
        since = Math.max(since, updatedAt - overlapMs);
        onLook(botId, updatedAt);
      }
    } catch {
      // The node stops, or the database is unavailable, which the lease keeper reports.
    }
  }
}
