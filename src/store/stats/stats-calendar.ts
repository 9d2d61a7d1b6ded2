/*
 * Makes a range of days from few of the buckets in which people are counted: whole years, quarters,
 * months and parts of months, minus what a bucket has beyond the range. All but one day of a year
 * is the year without that day. Days are numbered from the epoch.
 */

/**
 * The grains in which a person's messages are counted. A third is ten days of a month, the last one
 * the rest.
 */
export const grains = { day: 0, month: 1, total: 2, year: 3, third: 4, quarter: 5 } as const;
export type Grain = keyof typeof grains;

const dayMs = 86_400_000;

/** Months since the year 0, in UTC. */
export function calendarMonth(day: number): number {
  const date = new Date(day * dayMs);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

export function firstDayOf(month: number): number {
  return Date.UTC(Math.floor(month / 12), month % 12, 1) / dayMs;
}

function thirdOf(day: number): number {
  const month = calendarMonth(day);
  return month * 3 + Math.min(2, Math.floor((day - firstDayOf(month)) / 10));
}

function firstDayOfThird(third: number): number {
  return firstDayOf(Math.floor(third / 3)) + (third % 3) * 10;
}

/**
 * For each grain: the bucket of a day, the first day of a bucket, and roughly how many rows a
 * bucket has.
 */
const buckets: Record<
  Grain,
  { of(day: number): number; start(bucket: number): number; rows: number }
> = {
  total: { of: () => 0, start: (bucket) => (bucket === 0 ? -Infinity : Infinity), rows: 10 },
  year: {
    of: (day) => Math.floor(calendarMonth(day) / 12),
    start: (year) => firstDayOf(year * 12),
    rows: 6,
  },
  quarter: {
    of: (day) => Math.floor(calendarMonth(day) / 3),
    start: (quarter) => firstDayOf(quarter * 3),
    rows: 2.7,
  },
  month: { of: calendarMonth, start: firstDayOf, rows: 2.2 },
  third: { of: thirdOf, start: firstDayOfThird, rows: 1.7 },
  day: { of: (day) => day, start: (day) => day, rows: 1 },
};
const finer: Record<Grain, Grain | undefined> = {
  total: 'year',
  year: 'quarter',
  quarter: 'month',
  month: 'third',
  third: 'day',
  day: undefined,
};

export function bucketsOf(day: number): (readonly [grain: number, bucket: number])[] {
  return (Object.keys(grains) as Grain[]).map((grain) => [grains[grain], buckets[grain].of(day)]);
}

/** Days; the second one is excluded. */
export type Days = readonly [from: number, to: number];

/** Neighboring buckets of one grain, to be added or subtracted. */
export interface Part {
  grain: number;
  first: number;
  last: number;
  sign: 1 | -1;
}

/** Returns the cheapest parts that make up the range. `known` holds all the days with counts. */
export function rangeParts(range: Days, known: Days): Part[] {
  const shared = overlap(range, known);
  if (shared[0] >= shared[1]) return [];
  const parts: Part[] = [];
  for (const { grain, bucket, sign } of cover('total', 0, shared, known).pieces) {
    const before = parts.at(-1);
    const isNext = before?.grain === grains[grain] && before.sign === sign;
    if (isNext && before.last + 1 === bucket) before.last = bucket;
    else parts.push({ grain: grains[grain], first: bucket, last: bucket, sign });
  }
  return parts;
}

interface Cover {
  pieces: { grain: Grain; bucket: number; sign: 1 | -1 }[];
  rows: number;
}

/** `range` lies within the bucket, as far as the bucket lies within `known`. */
function cover(grain: Grain, bucket: number, range: Days, known: Days): Cover {
  const { start, rows } = buckets[grain];
  const whole = overlap([start(bucket), start(bucket + 1)], known);
  const itself: Cover = { pieces: [{ grain, bucket, sign: 1 }], rows };
  if (range[0] <= whole[0] && range[1] >= whole[1]) return itself;
  const below = finer[grain] as Grain;
  const made = coverBy(below, range, known);
  const rest = join(
    coverBy(below, [whole[0], range[0]], known),
    coverBy(below, [range[1], whole[1]], known),
  );
  if (made.rows <= itself.rows + rest.rows) return made;
  return join(itself, negative(rest));
}

function coverBy(grain: Grain, [from, to]: Days, known: Days): Cover {
  const { of, start } = buckets[grain];
  let made: Cover = { pieces: [], rows: 0 };
  for (let day = from; day < to; ) {
    const bucket = of(day);
    const end = Math.min(to, start(bucket + 1));
    made = join(made, cover(grain, bucket, [day, end], known));
    day = end;
  }
  return made;
}

function overlap(one: Days, other: Days): Days {
  return [Math.max(one[0], other[0]), Math.min(one[1], other[1])];
}

function join(one: Cover, other: Cover): Cover {
  return { pieces: [...one.pieces, ...other.pieces], rows: one.rows + other.rows };
}

function negative({ pieces, rows }: Cover): Cover {
  return {
    pieces: pieces.map((piece) => ({ ...piece, sign: piece.sign === 1 ? -1 : 1 })),
    rows,
  };
}
