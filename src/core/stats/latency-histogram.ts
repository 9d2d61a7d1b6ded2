/*
 * Counts durations in buckets that grow with the time, so that a percentile can be read without
 * storing each duration; it is right to within one bucket.
 */
const bounds = [
  2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 15_000, 45_000, 150_000, 450_000,
];
const maxMs = 1_350_000;

export const latencyBuckets = bounds.length + 1;

export function latencyBucket(ms: number): number {
  let bucket = 0;
  while (bucket < bounds.length && ms > (bounds[bucket] ?? 0)) bucket++;
  return bucket;
}

/**
 * Returns the percentile for `share`, never above the longest nor below the shortest duration;
 * undefined without any.
 */
export function latencyAt(
  counts: ArrayLike<number>,
  share: number,
  slowestMs = maxMs,
  fastestMs = 0,
): number | undefined {
  let total = 0;
  for (let bucket = 0; bucket < latencyBuckets; bucket++) total += counts[bucket] ?? 0;
  if (total === 0) return undefined;
  let wanted = Math.ceil(total * share);
  for (let bucket = 0; bucket < latencyBuckets; bucket++) {
    const count = counts[bucket] ?? 0;
    if (count > 0 && wanted <= count) {
      const from = Math.max(bounds[bucket - 1] ?? 0, fastestMs);
      const to = Math.max(from, Math.min(bounds[bucket] ?? slowestMs, slowestMs));
      return Math.round(from + ((to - from) * wanted) / count);
    }
    wanted -= count;
  }
  return slowestMs;
}
