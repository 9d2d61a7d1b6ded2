/* Steps between the marks of an axis, so that each mark has at most one decimal. */

const powersOfTen = Array.from({ length: 12 }, (_, power) => 10 ** power);

export const countSteps = powersOfTen.flatMap((unit) => [unit / 10, unit / 5, unit / 2]);

const [second, minute, hour] = [1_000, 60_000, 3_600_000];

/** Steps in milliseconds, shown in their largest unit. */
export const durationSteps = [
  ...countSteps.filter((step) => step >= 1 && step <= 5 * second),
  ...[10, 15, 30].map((count) => count * second),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * minute),
  ...[1, 2, 5, 10, 20, 50].map((count) => count * hour),
];

/**
 * Steps in seconds. No step is much longer than the one before, so that a narrow chart has a mark
 * at any time.
 */
export const timeSteps = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * second),
  ...[1, 2, 3, 5, 10, 15, 30].map((count) => count * minute),
  ...[1, 2, 3, 6, 12].map((count) => count * hour),
  ...[1, 2, 3, 4, 5, 6, 7, 10, 15, 30, 60, 90, 120, 180, 365].map((count) => count * 24 * hour),
].map((step) => step / second);
