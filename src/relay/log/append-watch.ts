import type { Clock } from '../../clock.ts';
import type { LogHeadRepository } from '../../store/log/log-heads.ts';
import type { UpdateLog } from './update-log.ts';

const everyMs = 1_000;

/**
 * The net under lost notifications between nodes: once a second the logs' ends are compared with what was
 * last seen, by one sum while nothing changes, and readers of logs that grew are woken.
 */
export async function watchAppends(
  { heads, log, clock }: { heads: LogHeadRepository; log: UpdateLog; clock: Clock },
  signal: AbortSignal,
): Promise<void> {
  const seen = new Map<number, number>();
  let sum = -1;
  while (!signal.aborted) {
    try {
      await clock.sleep(everyMs, signal);
      const newSum = await heads.sum();
      if (newSum === sum) continue;
      const isFirst = sum === -1;
      sum = newSum;
      for (const { botId, lastPosition } of await heads.list()) {
        const before = seen.get(botId) ?? 0;
        if (lastPosition === before) continue;
        seen.set(botId, lastPosition);
        // Readers that were there before the first look have looked themselves.
        if (!isFirst) log.wake(botId, lastPosition);
      }
    } catch {
      // Stopped, or the database is away: the next look finds out.
    }
  }
}
