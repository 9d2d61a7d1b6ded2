import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runsOf, type SeenRange, seenForMs, takeNew } from './seen-ranges.ts';

const hourMs = 3_600_000;
const now = 1_700_000_000_000;

/** Simulates the stored ranges of a bot. */
function createMemory() {
  const ranges = new Map<number, SeenRange>();
  return {
    ranges: () => [...ranges.values()].sort((a, b) => a.first - b.first),
    offer(numbers: readonly number[], atMs: number): number[] {
      const { fresh, gone, kept } = takeNew([...ranges.values()], new Set(numbers), atMs);
      for (const first of gone) ranges.delete(first);
      for (const range of kept) ranges.set(range.first, range);
      return [...fresh];
    },
  };
}

describe('numbers of updates that were seen', () => {
  it('grow into one range, in whatever order they come', () => {
    const memory = createMemory();
    for (const batch of [[10, 11], [14], [12], [16], [13, 15], [9, 17]]) {
      expect(memory.offer(batch, now)).toEqual(batch);
    }
    expect(memory.ranges()).toEqual([{ first: 9, last: 17, begunAt: now, seenAt: now }]);
    expect(memory.offer([8, 9, 13, 17, 18], now)).toEqual([8, 18]);
  });

  it('begin another range after some hours, so that the former can be forgotten', () => {
    const memory = createMemory();
    memory.offer([1, 2], now);
    memory.offer([3], now + 5 * hourMs);
    memory.offer([4], now + 7 * hourMs);
    expect(memory.ranges().map(({ first, last }) => [first, last])).toEqual([
      [1, 3],
      [4, 4],
    ]);
    expect(memory.offer([1, 4], now + 5 * hourMs + seenForMs + 1)).toEqual([1]);
  });

  it('are split into runs', () => {
    expect(runsOf([])).toEqual([]);
    expect(runsOf([5, 3, 4, 9, 1])).toEqual([
      { first: 1, last: 1 },
      { first: 3, last: 5 },
      { first: 9, last: 9 },
    ]);
  });

  it('are known for three days and a little longer at most, and ranges never overlap', () => {
    const step = fc.record({
      numbers: fc.uniqueArray(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 }),
      waitMs: fc.oneof(
        fc.constant(0),
        fc.integer({ min: 0, max: 8 * hourMs }),
        fc.integer({ min: 0, max: 90 * hourMs }),
      ),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const memory = createMemory();
        const takenAt = new Map<number, number>();
        let atMs = now;
        for (const { numbers, waitMs } of steps) {
          atMs += waitMs;
          const fresh = new Set(memory.offer(numbers, atMs));
          for (const number of numbers) {
            const age = atMs - (takenAt.get(number) ?? 0);
            if (age <= seenForMs) expect(fresh.has(number)).toBe(false);
            if (age > seenForMs + 6 * hourMs) expect(fresh.has(number)).toBe(true);
            if (fresh.has(number)) takenAt.set(number, atMs);
          }
          const ranges = memory.ranges();
          for (const [index, { first, last }] of ranges.entries()) {
            expect(first).toBeLessThanOrEqual(last);
            expect(first).toBeGreaterThan(ranges[index - 1]?.last ?? 0);
          }
        }
      }),
    );
  });
});
