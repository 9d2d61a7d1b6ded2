/* How far the marks of a scale may stand apart, so that each is written exactly with one decimal. */

const powersOfTen = Array.from({ length: 12 }, (_, power) => 10 ** power);

export const countSteps = powersOfTen.flatMap((unit) => [unit / 10, unit / 5, unit / 2]);

const [second, minute, hour] = [1_000, 60_000, 3_600_000];

/** In milliseconds, written in their largest unit. */
export const durationSteps = [
  ...countSteps.filter((step) => step >= 1 && step <= 5 * second),
  ...[10, 15, 30].map((count) => count * second),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * minute),
  ...[1, 2, 5, 10, 20, 50].map((count) => count * hour),
];
