/** Formats a time for responses: ISO 8601, '' if there is none. */
export function isoTime(ms: number | null): string {
  return ms === null || ms === 0 ? '' : new Date(ms).toISOString();
}

/** The month of a time, in UTC: 2026-07. */
export function isoMonth(ms: number): string {
  return new Date(ms).toISOString().slice(0, 7);
}
