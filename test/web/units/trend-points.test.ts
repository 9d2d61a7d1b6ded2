import { afterEach, describe, expect, it } from 'vitest';
import { rangeStart } from '../../../web/src/api/activity.ts';
import { pointsOf } from '../../../web/src/pages/statistics/trend-points.ts';

const zone = process.env['TZ'];
afterEach(() => {
  if (zone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = zone;
});

const hour = (at: string, received: number) => ({ hour: at, received, sent: 1, media: 0 });
const days = (points: ReturnType<typeof pointsOf>) =>
  [...points[0]].map((at) => new Date(at * 1_000).toString().slice(4, 21));

describe('a trend', () => {
  it.each([
    // The evening of the 14th in New York is the 15th in Greenwich,
    ['America/New_York', [4, 4]],
    ['Etc/UTC', [1, 7]],
    // and the first hours of the 15th in Moscow are still the 14th there.
    ['Europe/Moscow', [0, 8]],
  ])('counts by the days of %s', (name, received) => {
    process.env['TZ'] = name;
    const now = Date.parse('2026-11-15T20:00:00Z');
    const from = new Date(rangeStart(2, now)).toISOString();
    const points = pointsOf(
      {
        from,
        to: new Date(now).toISOString(),
        by_hour: [
          hour('2026-11-14T22:00:00.000Z', 1),
          hour('2026-11-15T02:00:00.000Z', 3),
          hour('2026-11-15T12:00:00.000Z', 4),
        ],
      },
      2,
    );
    expect(days(points)).toEqual(['Nov 14 2026 00:00', 'Nov 15 2026 00:00']);
    expect(points[1]).toEqual(received);
  });

  it('has one point for each day, also for those of 23 and 25 hours', () => {
    process.env['TZ'] = 'America/New_York';
    for (const to of ['2026-03-10T15:00:00Z', '2026-11-03T15:00:00Z']) {
      const from = new Date(rangeStart(7, Date.parse(to))).toISOString();
      const points = pointsOf({ from, to, by_hour: [hour(to, 5)] }, 7);
      expect(days(points)).toHaveLength(7);
      expect(days(points).every((day) => day.endsWith('00:00'))).toBe(true);
      expect(points[1]?.at(-1)).toBe(5);
    }
  });

  it('counts one day by the hour', () => {
    process.env['TZ'] = 'Asia/Kolkata';
    const now = Date.parse('2026-11-15T20:10:00Z');
    const from = new Date(rangeStart(1, now)).toISOString();
    const points = pointsOf(
      { from, to: new Date(now).toISOString(), by_hour: [hour('2026-11-15T20:00:00.000Z', 2)] },
      1,
    );
    expect(points[0].at(-1)).toBe(Date.parse('2026-11-15T20:00:00Z') / 1_000);
    expect(points[1]?.at(-1)).toBe(2);
    expect(points[0]).toHaveLength(25);
  });
});
