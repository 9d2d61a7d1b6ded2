import { describe, expect, it } from 'vitest';
import { isSameAbsence, openMinutes, teamTime, type WorkingHours } from './working-hours.ts';

const office: WorkingHours = {
  timezone: 'Europe/Berlin',
  times: [
    { days: ['mon', 'tue', 'wed', 'thu', 'fri'], start: '09:00', end: '12:00' },
    { days: ['mon', 'tue', 'wed', 'thu', 'fri'], start: '12:00', end: '18:00' },
    { days: ['sun'], start: '22:00', end: '02:00' },
  ],
};
/** In the week from Monday, 2026-03-23; clocks go forward on Sunday, 2026-03-29. */
const at = (day: number, time: string) => Date.parse(`2026-03-${day}T${time}:00Z`);

describe('working hours', () => {
  it.each([
    [office, at(28, '23:30'), '2026-03-29 00:30'],
    [office, at(29, '22:30'), '2026-03-30 00:30'],
    [null, at(28, '23:30'), '2026-03-28 23:30 UTC'],
  ])('tell the time of the team: %#', (hours, time, shown) => {
    expect(teamTime(hours, time)).toBe(shown);
  });

  it.each([
    [at(23, '08:00'), 0],
    [at(23, '11:30'), 210],
    [at(23, '16:59'), 539],
    [at(23, '17:00'), undefined],
    [at(28, '12:00'), undefined],
    // Sunday 22:00 is 20:00 UTC in summer time; the span goes on until Monday 02:00.
    [at(29, '19:59'), undefined],
    [at(29, '23:59'), 239],
    [at(30, '00:00'), undefined],
    [at(30, '07:00'), 0],
  ])('at %i are open for %s minutes', (now, minutes) => {
    expect(openMinutes(office, now)).toBe(minutes);
  });

  it('are always open if there are none, or if they fill the week', () => {
    expect(openMinutes(null, at(23, '03:00'))).toBe(Infinity);
    const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
    const always = { timezone: 'UTC', times: [{ days, start: '00:00', end: '00:00' }] };
    expect(openMinutes(always, at(23, '03:00'))).toBe(Infinity);
    expect(openMinutes({ timezone: 'UTC', times: [] }, at(23, '03:00'))).toBeUndefined();
  });

  it('tell one absence from the next, also when clocks change within it', () => {
    const friday = at(27, '17:30');
    expect(isSameAbsence(office, friday, at(28, '12:00'))).toBe(true);
    expect(isSameAbsence(office, friday, at(29, '12:00'))).toBe(true);
    expect(isSameAbsence(office, friday, at(30, '00:30'))).toBe(false);
    expect(isSameAbsence(office, at(30, '00:30'), at(30, '06:59'))).toBe(true);
    expect(isSameAbsence(office, at(30, '00:30'), at(30, '16:30'))).toBe(false);
  });
});
