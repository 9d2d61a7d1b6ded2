/* Distributes events over the last weeks, by day and hour. */
import type { Random } from '../../sandbox/src/index.ts';

const daySeconds = 86_400;

// Weights of the days from Sunday on: weekends are busiest.
const weekdays = [1.4, 0.8, 0.9, 0.9, 1, 1.2, 1.6];

// Weights of the hours from midnight on: breakfast, lunch and a long evening.
const hours = [
  0.3, 0.1, 0, 0, 0, 0.1, 0.4, 1.2, 1.8, 1.3, 1, 1.1, 1.7, 1.5, 0.9, 0.8, 1, 1.5, 2.2, 2.6, 2.8,
  2.3, 1.4, 0.7,
];

/** Returns midnight `daysAgo` days ago, in local time. */
function midnight(nowSeconds: number, daysAgo: number): Date {
  const day = new Date(nowSeconds * 1000);
  day.setHours(0, 0, 0, 0);
  day.setDate(day.getDate() - daysAgo);
  return day;
}

function drawn(random: Random, weights: readonly number[]): number {
  let left = random.next() * weights.reduce((sum, weight) => sum + weight, 0);
  for (const [index, weight] of weights.entries()) {
    left -= weight;
    if (left < 0) return index;
  }
  return weights.length - 1;
}

/** Returns `count` times on the days before today, in order; later days are busier. */
export function pastMoments(
  random: Random,
  options: { nowSeconds: number; days: number; count: number },
): number[] {
  const { nowSeconds, days, count } = options;
  const starts = Array.from({ length: days }, (_, index) => midnight(nowSeconds, days - index));
  const busy = starts.map(
    (day, index) => (weekdays[day.getDay()] ?? 1) * (0.6 + (0.4 * index) / days),
  );
  const moments = Array.from({ length: count }, () => {
    const day = starts[drawn(random, busy)] ?? midnight(nowSeconds, 1);
    return momentOf(random, day);
  });
  return moments.sort((left, right) => left - right);
}

/** Returns one or two times on each day before today, in order. */
export function dailyMoments(
  random: Random,
  { nowSeconds, days }: { nowSeconds: number; days: number },
): number[] {
  return Array.from({ length: days }, (_, index) => {
    const day = midnight(nowSeconds, days - index);
    return Array.from({ length: 1 + (index % 2) }, () => momentOf(random, day));
  })
    .flat()
    .sort((left, right) => left - right);
}

/** Returns those of `count` times of a whole day that have passed today, in order. */
export function todaysMoments(
  random: Random,
  { nowSeconds, count }: { nowSeconds: number; count: number },
): number[] {
  const today = midnight(nowSeconds, 0);
  return Array.from({ length: count }, () => momentOf(random, today))
    .filter((at) => at <= nowSeconds)
    .sort((left, right) => left - right);
}

function momentOf(random: Random, day: Date): number {
  const hour = drawn(random, hours);
  // Adds whole hours instead of setting the hour: some days have 23 or 25 hours.
  return Math.floor(day.getTime() / 1000) + hour * 3_600 + random.integer(0, 3_599);
}

/** The start of the past. */
export const beginningOf = (nowSeconds: number, days: number): number =>
  Math.floor(midnight(nowSeconds, days).getTime() / 1000) - daySeconds / 4;
