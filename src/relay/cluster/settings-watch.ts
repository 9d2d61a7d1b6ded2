import type { Clock } from '../../clock.ts';
import type { LeaseRepository } from '../../store/cluster/leases.ts';

interface SettingsWatchOptions {
  leases: LeaseRepository;
  clock: Clock;
  nodeId(): string;
  /** Called for each bot of this node whose settings changed lately, more than once. */
  onLook(botId: number, updatedAt: number): void;
}

const everyMs = 1_000;
// So much the clocks of nodes, which write the times, may differ.
const overlapMs = 60_000;

/** The net under lost notifications: looks once a second whether settings changed elsewhere. */
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
      // Stopped, or the database is away: the keeper of the leases tells of that.
    }
  }
}
