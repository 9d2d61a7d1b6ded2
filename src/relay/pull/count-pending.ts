import { sizeOf, without } from '../../core/log/ranges.ts';
import type { ConsumerRepository } from '../../store/apps/consumers.ts';
import { wants } from '../../core/log/consumer-state.ts';
import type { LogRepository } from '../../store/log/log.ts';
import type { LogView } from '../apps/app-readers.ts';
import type { ConsumerPosition } from './confirm.ts';

const maxCounted = 1_000;

/** Counts the updates that a consumer has not confirmed. */
export async function countPending(
  { consumers, log }: { consumers: ConsumerRepository; log: Pick<LogRepository, 'head'> },
  botId: number,
  { position, state }: ConsumerPosition,
  { kinds, sees, needsText }: LogView,
): Promise<number> {
  // The count is exact while it is cheap; among many updates, few are of kinds that the consumer
  // does not want.
  const marks = await consumers.marks(botId, position, maxCounted, needsText);
  let counted = 0;
  for (const mark of marks) {
    if (!wants(state, kinds, mark)) continue;
    const waiting = sees.ready?.(mark);
    if (waiting) await waiting;
    if (sees(mark)) counted++;
  }
  if (marks.length < maxCounted) return counted;
  const head = await log.head(botId);
  const finished = without(state.finished ?? [], [[0, Math.max(position, head.trimmedTo)]]);
  const all = head.lastPosition - Math.max(position, head.trimmedTo) - sizeOf(finished);
  // A filter may let little through, so the rest is extrapolated from the first 1,000.
  return needsText ? Math.round((all * counted) / maxCounted) : all;
}
