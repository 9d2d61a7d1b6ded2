import type { Clock } from '../../clock.ts';
import type { LogHeadRepository } from '../../store/log/log-heads.ts';
import type { UpdateLog } from './update-log.ts';

const everyMs = 1_000;

/**
 * Finds appends whose notifications between nodes were lost: once a second it compares the ends of
 * the logs with those seen last, by one sum while nothing changes, and wakes the readers of logs
 * that grew.
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
        // Readers that started before the first look have looked by themselves.
        if (!isFirst) log.wake(botId, lastPosition);
      }
    } catch {
      // The node stops, or the database is unavailable: the next look finds out.
    }
  }
}
