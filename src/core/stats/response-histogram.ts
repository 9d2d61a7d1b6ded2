/*
 * Stores times as a histogram: exact up to 16 seconds, then four buckets for each doubling, so that
 * a median read from it is at most a tenth off.
 */
const exactSeconds = 16;
const perDoubling = 4;

export function responseBucket(seconds: number): number {
  if (seconds < exactSeconds) return Math.max(0, Math.floor(seconds));
  return exactSeconds + Math.floor(perDoubling * Math.log2(seconds / exactSeconds));
}

/** Returns the middle of a bucket. */
function secondsOf(bucket: number): number {
  if (bucket < exactSeconds) return bucket;
  return Math.round(exactSeconds * 2 ** ((bucket - exactSeconds + 0.5) / perDoubling));
}

/** Undefined without any entries. */
export function medianSeconds(
  histogram: readonly { bucket: number; answers: number }[],
): number | undefined {
  const total = histogram.reduce((sum, { answers }) => sum + answers, 0);
  let below = 0;
  for (const { bucket, answers } of [...histogram].sort((a, b) => a.bucket - b.bucket)) {
    below += answers;
    if (below * 2 >= total) return secondsOf(bucket);
  }
  return undefined;
}
