export interface BackoffOptions {
  /** Gives 0 to 1. */
  random: () => number;
  firstMs?: number;
  maxMs?: number;
}

/**
 * How long to wait after the n-th failure in a row (the first is 1): doubling up to the most, of
 * which a random half is taken off, so that many who failed together do not come back together.
 */
export function backoffMs(failures: number, options: BackoffOptions): number {
  const { random, firstMs = 1_000, maxMs = 60_000 } = options;
  // Beyond 2^30 the doubling has long met any sensible most.
  const doublings = Math.min(Math.max(failures, 1) - 1, 30);
  const fullMs = Math.min(maxMs, firstMs * 2 ** doublings);
  return Math.round(fullMs * (0.5 + random() / 2));
}
