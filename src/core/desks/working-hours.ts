/*
 * The hours in which a team answers, by the wall clock of a time zone. Times are compared on that
 * clock, so clock changes need no rule.
 */
export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

export interface WorkingTime {
  days: readonly (typeof weekdays)[number][];
  /** Such as 09:00. */
  start: string;
  /** Passes midnight if it is not after the start. */
  end: string;
}

export interface WorkingHours {
  /** IANA name, such as Europe/Berlin. */
  timezone: string;
  times: readonly WorkingTime[];
}

const dayMinutes = 24 * 60;
const weekMinutes = 7 * dayMinutes;
const minuteMs = 60_000;

const formats = new Map<string, Intl.DateTimeFormat>();

/** Returns the time that the wall clock shows, as if it showed UTC. */
function wallClock(timezone: string, atMs: number): number {
  let format = formats.get(timezone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-CA', {
      timeZone: timezone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h23',
    });
    formats.set(timezone, format);
  }
  const part = Object.fromEntries(
    format.formatToParts(atMs).map(({ type, value }) => [type, Number(value)]),
  ) as Record<'year' | 'month' | 'day' | 'hour' | 'minute' | 'second', number>;
  return Date.UTC(part.year, part.month - 1, part.day, part.hour, part.minute, part.second);
}

/** Minutes since Monday 00:00. */
function minuteOfWeek(wallMs: number): number {
  const day = (new Date(wallMs).getUTCDay() + 6) % 7;
  return day * dayMinutes + Math.floor((wallMs % (dayMinutes * minuteMs)) / minuteMs);
}

const minutesOf = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));
const inWeek = (minutes: number) => ((minutes % weekMinutes) + weekMinutes) % weekMinutes;

function spansOf({ times }: WorkingHours): { start: number; length: number }[] {
  return times.flatMap(({ days, start, end }) => {
    const [from, to] = [minutesOf(start), minutesOf(end)];
    const length = to > from ? to - from : to - from + dayMinutes;
    return days.map((day) => ({ start: weekdays.indexOf(day) * dayMinutes + from, length }));
  });
}

/** A time as the clock of the team shows it, such as 2026-11-19 23:08; without hours, in UTC. */
export function teamTime(hours: WorkingHours | null, atMs: number): string {
  const wall = new Date(wallClock(hours?.timezone ?? 'UTC', atMs)).toISOString();
  return `${wall.slice(0, 10)} ${wall.slice(11, 16)}${hours ? '' : ' UTC'}`;
}

/** How many minutes the team has been there without a break; undefined outside the working hours. */
export function openMinutes(hours: WorkingHours | null, nowMs: number): number | undefined {
  if (!hours) return Infinity;
  const spans = spansOf(hours);
  const now = minuteOfWeek(wallClock(hours.timezone, nowMs));
  let open: number | undefined;
  // Spans may touch each other; a whole week of them never ends.
  for (let back = 0; back < weekMinutes; ) {
    const at = inWeek(now - back);
    const since = spans
      .filter(({ start, length }) => inWeek(at - start) < length)
      .map(({ start }) => inWeek(at - start));
    if (since.length === 0) return open;
    open = back + Math.max(...since);
    back = open + 1;
  }
  return Infinity;
}

/** True if the team has been away without a break since that time. */
export function isSameAbsence(hours: WorkingHours, sinceMs: number, nowMs: number): boolean {
  const now = wallClock(hours.timezone, nowMs);
  const minute = minuteOfWeek(now);
  const closed = spansOf(hours).map(({ start, length }) => inWeek(minute - start - length));
  if (closed.length === 0) return true;
  const closedAt = Math.floor(now / minuteMs) - Math.min(...closed);
  return wallClock(hours.timezone, sinceMs) >= closedAt * minuteMs;
}
