/** The hours in which a channel stays silent, by the wall clock of a time zone; may pass midnight. */
export interface QuietHours {
  /** Such as 22:00. */
  start: string;
  end: string;
  /** IANA name, such as Europe/Berlin. */
  timezone: string;
}

/** Compares with the wall clock of the zone, so clock changes need no rule. */
export function isQuiet(hours: QuietHours | null, nowMs: number): boolean {
  if (!hours) return false;
  const [start, end, now] = [
    minutesOf(hours.start),
    minutesOf(hours.end),
    minuteOfDay(hours.timezone, nowMs),
  ];
  return start <= end ? start <= now && now < end : now >= start || now < end;
}

export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

const minutesOf = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));

const formats = new Map<string, Intl.DateTimeFormat>();

function minuteOfDay(timezone: string, nowMs: number): number {
  let format = formats.get(timezone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-GB', {
      timeZone: timezone,
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    });
    formats.set(timezone, format);
  }
  return minutesOf(format.format(nowMs));
}
