import type uPlot from 'uplot';
import type { Stats } from '../../api/activity.ts';

/**
 * Returns counts per hour for one day, otherwise per day of the user's calendar: the service counts
 * in UTC days only. Empty steps are zero, not left out.
 */
export function pointsOf(
  { by_hour, from, to }: Pick<Stats, 'by_hour' | 'from' | 'to'>,
  days: number,
): uPlot.AlignedData {
  const starts = startsOf(from, to, days);
  const received = starts.map(() => 0);
  const sent = starts.map(() => 0);
  for (const hour of by_hour) {
    const at = Date.parse(hour.hour);
    // In time zones with half hours, the first hour starts before the day.
    const step = Math.max(
      0,
      starts.findLastIndex((start) => start <= at),
    );
    received[step] = (received[step] ?? 0) + hour.received;
    sent[step] = (sent[step] ?? 0) + hour.sent;
  }
  return [starts.map((start) => start / 1_000), received, sent];
}

function startsOf(from: string, to: string, days: number): number[] {
  const end = Date.parse(to);
  const at = new Date(from);
  if (days === 1) at.setUTCMinutes(0, 0, 0);
  else at.setHours(0, 0, 0, 0);
  const starts: number[] = [];
  while (at.getTime() <= end) {
    starts.push(at.getTime());
    // Days have 23 to 25 hours.
    if (days === 1) at.setTime(at.getTime() + 3_600_000);
    else at.setDate(at.getDate() + 1);
  }
  return starts;
}
