const longestDoublingMs = 60_000;
/** The longest wait, unless the backend asked for a longer one. */
export const longestRetryMs = 2 * longestDoublingMs;
// A backend that says "now" would otherwise be asked in a tight loop.
const shortestToldMs = 1_000;
// A backend that names a year, or gives milliseconds instead of seconds, would otherwise never be
// asked again.
export const longestToldMs = 86_400_000;

/**
 * How long a queue waits after its head failed for the n-th time: not at all, then 2 s, doubled
 * each time, and from a minute on a random time between one and two minutes. `random` gives 0 to 1.
 */
export function retryDelayMs(attempts: number, random: () => number): number {
  if (attempts <= 1) return 0;
  const doubled = 1_000 * 2 ** Math.min(attempts - 1, 20);
  if (doubled >= longestDoublingMs) return Math.round(longestDoublingMs * (1 + random()));
  return Math.round(doubled * (1 + random() / 4));
}

/** Reads Retry-After, in seconds or as a date; undefined if it is neither. */
export function retryAfterMs(header: unknown, nowMs: number): number | undefined {
  if (typeof header !== 'string') return undefined;
  const text = header.trim();
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - nowMs;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, shortestToldMs), longestToldMs);
}
