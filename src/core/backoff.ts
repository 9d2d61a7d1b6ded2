export interface BackoffOptions {
  /** Returns a number from 0 to 1. */
  random: () => number;
  firstMs?: number;
  maxMs?: number;
}

/**
 * Returns the wait after the n-th failure in a row (the first is 1). It doubles up to `maxMs`, and
 * a random part of up to half is taken off, so that clients that failed together do not retry
 * together.
 */
export function backoffMs(failures: number, options: BackoffOptions): number {
  const { random, firstMs = 1_000, maxMs = 60_000 } = options;
  // 2^30 doublings exceed any sensible maximum.
  const doublings = Math.min(Math.max(failures, 1) - 1, 30);
  const fullMs = Math.min(maxMs, firstMs * 2 ** doublings);
  return Math.round(fullMs * (0.5 + random() / 2));
}
