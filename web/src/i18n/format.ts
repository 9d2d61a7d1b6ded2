export interface Format {
  number(value: number): string;
  /** With one decimal where it is small. */
  rate(value: number): string;
  /** From 0 to 1. */
  percent(share: number): string;
  bytes(value: number): string;
  dateTime(at: number | string): string;
  day(at: number | string): string;
  time(at: number | string): string;
  /** With seconds. */
  exactTime(at: number | string): string;
  /** "Nov 3", for narrow spaces. */
  shortDay(at: number | string): string;
  /** "3 minutes ago", "in 2 days". */
  ago(at: number | string, now?: number): string;
  duration(ms: number): string;
  /** In whole days or hours, with the word: "7 days". */
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

export function createFormat(locale: string): Format {
  const number = new Intl.NumberFormat(locale);
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 });
  const short = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
  const dateTime = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' });
  const day = dayFormat(locale, { weekday: 'short', day: 'numeric', month: 'long' });
  const shortDay = dayFormat(locale, { day: 'numeric', month: 'short' });
  const time = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' });
  const exactTime = new Intl.DateTimeFormat(locale, { timeStyle: 'medium' });
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
    exactTime: (at) => exactTime.format(new Date(at)),
    shortDay,
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

/** With the year, unless it is the current one. */
function dayFormat(locale: string, parts: Intl.DateTimeFormatOptions) {
  const short = new Intl.DateTimeFormat(locale, parts);
  const full = new Intl.DateTimeFormat(locale, { ...parts, year: 'numeric' });
  return (at: number | string): string => {
    const date = new Date(at);
    const isThisYear = date.getFullYear() === new Date().getFullYear();
    return (isThisYear ? short : full).format(date);
  };
}
