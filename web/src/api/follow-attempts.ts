import type { AnyReason } from '../../../src/core/reasons/shape.ts';
import { attemptsOf, attemptsPerPage, queuesOf } from './deliveries.ts';

export interface WatchedAttempts {
  delivered: number;
  failed: number;
  /** The reason of the last failure. */
  reason: string;
  reason_detail: AnyReason | null;
}

const lookEveryMs = 700;
const maxMs = 12_000;

/**
 * Runs an action that retries deliveries and waits for a result: the expected number of attempts, a
 * backend that is still down, or a timeout.
 */
export async function watchAttempts(
  botId: number,
  app: string,
  begin: () => Promise<number>,
): Promise<WatchedAttempts & { asked: number }> {
  const before = (await attemptsOf(botId, { app }))[0]?.id ?? 0;
  const asked = await begin();
  let seen: WatchedAttempts = { delivered: 0, failed: 0, reason: '', reason_detail: null };
  const until = performance.now() + maxMs;
  while (asked > 0 && performance.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs));
    const attempts = (await attemptsOf(botId, { app })).filter(({ id }) => id > before);
    const failures = attempts.filter(({ delivered }) => !delivered);
    seen = {
      delivered: attempts.length - failures.length,
      failed: failures.length,
      reason: failures[0]?.error ?? '',
      reason_detail: failures[0]?.error_detail ?? null,
    };
    if (attempts.length >= Math.min(asked, attemptsPerPage)) break;
    if (seen.failed > 0 && (await queuesOf(botId, app)).backend_status === 'paused') break;
  }
  return { ...seen, asked };
}
