import { expect, it } from 'vitest';
import { isQuiet, isTimeZone } from './quiet-hours.ts';

const at = (text: string) => Date.parse(text);
const berlin = { start: '22:00', end: '07:00', timezone: 'Europe/Berlin' };

it.each<[string, boolean]>([
  ['2026-01-15T20:59:00Z', false],
  ['2026-01-15T21:00:00Z', true],
  ['2026-01-15T23:00:00Z', true],
  ['2026-01-16T05:59:00Z', true],
  ['2026-01-16T06:00:00Z', false],
  // In summer the same wall clock is an hour earlier.
  ['2026-07-15T19:59:00Z', false],
  ['2026-07-15T20:00:00Z', true],
  ['2026-07-16T05:00:00Z', false],
])('hours over midnight in Berlin at %s: %s', (time, quiet) => {
  expect(isQuiet(berlin, at(time))).toBe(quiet);
});

it.each<[string, boolean]>([
  // 02:30 does not exist on that night: 01:59 is followed by 03:00.
  ['2026-03-29T00:59:00Z', true],
  ['2026-03-29T01:00:00Z', false],
  // The night with two hours from 02:00 on.
  ['2026-10-25T00:29:00Z', true],
  ['2026-10-25T01:30:00Z', false],
])('an end within a clock change at %s: %s', (time, quiet) => {
  expect(isQuiet({ ...berlin, end: '02:30' }, at(time))).toBe(quiet);
});

it('also ends on the same day, and there may be none', () => {
  const noon = { start: '12:00', end: '13:00', timezone: 'UTC' };
  expect([11, 12, 13].map((hour) => isQuiet(noon, at(`2026-01-15T${hour}:30:00Z`)))).toEqual([
    false,
    true,
    false,
  ]);
  expect(isQuiet(null, 0)).toBe(false);
});

it('knows time zones', () => {
  expect(['Europe/Berlin', 'UTC', 'Mars/Base', ''].map(isTimeZone)).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
