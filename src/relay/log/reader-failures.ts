import type { Clock } from '../../clock.ts';
import { isOutage } from '../../errors.ts';
import type { Logger } from '../../logger.ts';

const quietMs = 10_000;

/**
 * Logs failures of readers. An unavailable database fails for all bots, which gives only one line
 * every ten seconds.
 */
export function logReaderFailures(
  logger: Pick<Logger, 'error' | 'warn'>,
  clock: Pick<Clock, 'monotonic'>,
): (error: unknown, botId: number) => void {
  const waiting = new Set<number>();
  let nextAt = Number.NEGATIVE_INFINITY;
  return (error, botId) => {
    if (!isOutage(error)) {
      logger.error({ err: error, bot_id: botId }, 'reader failed');
      return;
    }
    const now = clock.monotonic();
    // The waiting bots belong to an earlier outage.
    if (now >= nextAt + quietMs) waiting.clear();
    waiting.add(botId);
    if (now < nextAt) return;
    nextAt = now + quietMs;
    const about = waiting.size === 1 ? { bot_id: botId } : { bots: waiting.size };
    logger.warn({ err: error, ...about }, 'bots wait for the database');
    waiting.clear();
  };
}
