/** A time as answers carry it: ISO 8601, '' when there is none. */
export function isoMoment(ms: number | null): string {
  return ms === null || ms === 0 ? '' : new Date(ms).toISOString();
}
