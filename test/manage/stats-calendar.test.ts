import { describe, expect, it } from 'vitest';
import { bucketsOf, grains, rangeParts } from '../../src/store/stats/stats-calendar.ts';

const day = (text: string) => Date.parse(`${text}T00:00:00Z`) / 86_400_000;

/** How often each day is counted by the parts of a range. */
function timesCounted(
  range: readonly [number, number],
  known: readonly [number, number],
): number[] {
  const parts = rangeParts(range, known);
  return Array.from({ length: known[1] - known[0] }, (_, index) =>
    bucketsOf(known[0] + index).reduce((sum, [grain, bucket]) => {
      const fitting = parts.filter(
        (part) => part.grain === grain && part.first <= bucket && bucket <= part.last,
      );
      return fitting.reduce((times, part) => times + part.sign, sum);
    }, 0),
  );
}

describe('ranges of days made of buckets', () => {
  it('count each of their days once and no other', () => {
    const known = [day('2023-02-25'), day('2026-03-07')] as const;
    const length = known[1] - known[0];
    let seed = 7;
    const random = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    for (let round = 0; round < 300; round++) {
      const from = known[0] - 20 + random(length);
      const to = from + 1 + random(length);
      const counted = timesCounted([from, to], known);
      for (const [index, times] of counted.entries()) {
        const at = known[0] + index;
        expect(times).toBe(at >= from && at < to ? 1 : 0);
      }
    }
  });

  it('take away what juts out where that is less', () => {
    const known = [day('2024-01-17'), day('2026-01-16')] as const;
    expect(rangeParts(known, known)).toEqual([{ grain: grains.total, first: 0, last: 0, sign: 1 }]);
    expect(rangeParts([known[0] + 1, known[1]], known)).toEqual([
      { grain: grains.total, first: 0, last: 0, sign: 1 },
      { grain: grains.day, first: known[0], last: known[0], sign: -1 },
    ]);
    const year = rangeParts([day('2025-01-02'), day('2026-01-01')], known);
    expect(year).toEqual([
      { grain: grains.year, first: 2025, last: 2025, sign: 1 },
      { grain: grains.day, first: day('2025-01-01'), last: day('2025-01-01'), sign: -1 },
    ]);
    expect(rangeParts([day('2030-01-01'), day('2031-01-01')], known)).toEqual([]);
  });
});
