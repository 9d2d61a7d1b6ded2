export interface Format {
  number(value: number): string;
  /** Small values have one decimal. */
  rate(value: number): string;
  /** `share` is from 0 to 1. */
  percent(share: number): string;
  bytes(value: number): string;
  dateTime(at: number | string): string;
  day(at: number | string): string;
  time(at: number | string): string;
  /** The time, with the day unless that is today. */
  moment(at: number | string): string;
  /** Includes seconds. */
  exactTime(at: number | string): string;
  /** "Nov 3", for narrow spaces. */
  shortDay(at: number | string): string;
  /** 0 for Sunday. */
  weekday(day: number, style: 'short' | 'long'): string;
  /** "16:00", "4:00 PM". */
  hour(hour: number): string;
  /** "3 minutes ago", "in 2 days". */
  ago(at: number | string, now?: number): string;
  duration(ms: number): string;
  /** Formats whole days or hours, with the word: "7 days". */
  span(ms: number): string;
}

const steps: [Intl.RelativeTimeFormatUnit, number][] = [
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
  ['day', 30],
  ['month', 12],
];

const sizeUnits = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'];
const timeUnits: [unit: string, ms: number][] = [
  ['millisecond', 1],
  ['second', 1_000],
  ['minute', 60_000],
  ['hour', 3_600_000],
];

/**
 * Returns the locale for dates and times: words in the language of the page, order and clock of the
 * region of the browser. So an English page has "18 Nov" and 16:33 in Britain and Germany.
 */
export function dateLocale(locale: string, browser: readonly string[]): Intl.Locale {
  const own = browser.find(isValid) ?? locale;
  const { hourCycle } = new Intl.DateTimeFormat(own, { hour: 'numeric' }).resolvedOptions();
  const { region } = new Intl.Locale(own).maximize();
  const { language, script } = new Intl.Locale(locale).maximize();
  const parts = { ...(script ? { script } : {}), ...(region ? { region } : {}) };
  const wanted = new Intl.Locale(language, parts).minimize();
  // Not every region has its own English dates; most of the world writes the day first.
  const isKnown = new Intl.DateTimeFormat(wanted).resolvedOptions().locale !== 'en';
  const tag = language === 'en' && region !== 'US' && !isKnown ? 'en-001' : wanted;
  return new Intl.Locale(tag, hourCycle ? { hourCycle } : {});
}

/** Some browsers report a system locale that is invalid, such as en-US@posix. */
function isValid(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length > 0;
  } catch {
    return false;
  }
}

/** `dates` is the locale of dates and times. */
export function createFormat(locale: string, dates = new Intl.Locale(locale)): Format {
  const number = new Intl.NumberFormat(locale);
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 });
  const short = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
  const dateTime = new Intl.DateTimeFormat(dates, { dateStyle: 'medium', timeStyle: 'medium' });
  const day = dayFormat(dates, { weekday: 'short', day: 'numeric', month: 'long' });
  const shortDay = dayFormat(dates, { day: 'numeric', month: 'short' });
  const time = new Intl.DateTimeFormat(dates, { timeStyle: 'short' });
  const dayAndTime = dayFormat(dates, {
    day: 'numeric',
    month: 'short',
    hour: 'numeric',
    minute: '2-digit',
  });
  const exactTime = new Intl.DateTimeFormat(dates, { timeStyle: 'medium' });
  const weekdays = {
    short: new Intl.DateTimeFormat(dates, { weekday: 'short' }),
    long: new Intl.DateTimeFormat(dates, { weekday: 'long' }),
  };
  const inUnits = (unit: string, unitDisplay: 'short' | 'long') =>
    new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay, maximumFractionDigits: 1 });
  const days = inUnits('day', 'long');
  const wholeHours = inUnits('hour', 'long');
  const sizes = sizeUnits.map((unit) => inUnits(unit, 'short'));
  const times = timeUnits.map(([unit, unitMs]) => ({ form: inUnits(unit, 'short'), unitMs }));
  const smallest = { form: inUnits('millisecond', 'short'), unitMs: 1 };
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'long' });
  return {
    number: (value) => number.format(value),
    rate: (value) => (value < 10 ? short : number).format(value),
    percent: (share) => percent.format(share),
    bytes(value) {
      let amount = value;
      let unit = 0;
      while (amount >= 1_000 && unit < sizes.length - 1) {
        amount /= 1_000;
        unit += 1;
      }
      return sizes[unit]?.format(amount) ?? '';
    },
    dateTime: (at) => dateTime.format(new Date(at)),
    day,
    time: (at) => time.format(new Date(at)),
    moment(at) {
      const date = new Date(at);
      const isToday = date.toDateString() === new Date().toDateString();
      return isToday ? time.format(date) : dayAndTime(at);
    },
    exactTime: (at) => exactTime.format(new Date(at)),
    shortDay,
    weekday: (day, style) => weekdays[style].format(new Date(2026, 0, 4 + day)),
    hour: (hour) => time.format(new Date(2026, 0, 4, hour)),
    ago(at, now = Date.now()) {
      let amount = Math.round((new Date(at).getTime() - now) / 1_000);
      for (const [unit, size] of steps) {
        if (Math.abs(amount) < size) return relative.format(amount, unit);
        amount = Math.round(amount / size);
      }
      return relative.format(amount, 'year');
    },
    span(ms) {
      const hours = Math.round(ms / 3_600_000);
      return hours % 24 === 0 ? days.format(hours / 24) : wholeHours.format(hours);
    },
    duration(ms) {
      const { form, unitMs } = times.findLast((one) => ms >= one.unitMs) ?? smallest;
      return form.format(unitMs === 1 ? Math.round(ms) : ms / unitMs);
    },
  };
}

/** Formats a day with its year, unless it is the current one. */
function dayFormat(locale: Intl.Locale, parts: Intl.DateTimeFormatOptions) {
  const short = new Intl.DateTimeFormat(locale, parts);
  const full = new Intl.DateTimeFormat(locale, { ...parts, year: 'numeric' });
  return (at: number | string): string => {
    const date = new Date(at);
    const isThisYear = date.getFullYear() === new Date().getFullYear();
    return (isThisYear ? short : full).format(date);
  };
}
