export interface Backoff {
  firstMs: number;
  maxMs: number;
}

/**
 * How long to wait after the n-th failure in a row (the first is 1): doubling up to the most, of
 * which a random half is taken off, so that many who failed together do not come back together.
 * `random` gives 0 to 1.
 */
export function backoffMs(failures: number, random: () => number, backoff: Backoff): number {
  // Beyond 2^30 the doubling has long met any sensible most.
  const doublings = Math.min(Math.max(failures, 1) - 1, 30);
  const fullMs = Math.min(backoff.maxMs, backoff.firstMs * 2 ** doublings);
  return Math.round(fullMs * (0.5 + random() / 2));
}
