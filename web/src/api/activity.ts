import type { Statistics } from '../../../src/api-types.ts';

/** The activity of one bot or one of its chats. */
export type Stats = Statistics;

const hourMs = 3_600_000;

/**
 * Returns when a range of days begins: days of the user's calendar, ending today; 1 means the last
 * 24 hours.
 */
export function rangeStart(days: number, now: number): number {
  if (days === 1) return now - 24 * hourMs;
  const day = new Date(now);
  day.setHours(0, 0, 0, 0);
  day.setDate(day.getDate() - days + 1);
  return day.getTime();
}
