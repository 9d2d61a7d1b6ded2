const longestDoublingMs = 60_000;
/** No wait is longer, unless the backend asked for it. */
export const longestRetryMs = 2 * longestDoublingMs;
// A backend that says "now" would otherwise be asked in a circle.
const shortestToldMs = 1_000;
// And one that names a year, or gives milliseconds for seconds, would never be asked again.
export const longestToldMs = 86_400_000;

/**
 * How long a queue waits after its head failed for the n-th time: not at all, 2 s, doubling, and
 * from a minute on anything between one and two. `random` gives 0 to 1.
 */
export function retryDelayMs(attempts: number, random: () => number): number {
  if (attempts <= 1) return 0;
  const doubled = 1_000 * 2 ** Math.min(attempts - 1, 20);
  if (doubled >= longestDoublingMs) return Math.round(longestDoublingMs * (1 + random()));
  return Math.round(doubled * (1 + random() / 4));
}

/** Retry-After in seconds or as a date; undefined when it says neither. */
export function retryAfterMs(header: unknown, nowMs: number): number | undefined {
  if (typeof header !== 'string') return undefined;
  const text = header.trim();
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - nowMs;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, shortestToldMs), longestToldMs);
}
