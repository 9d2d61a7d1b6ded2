import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inRanges, type Range, sizeOf, without } from './ranges.ts';

const positions = fc.uniqueArray(fc.integer({ min: 1, max: 40 }));
const expand = (ranges: readonly Range[]) =>
  ranges.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, n) => from + n));

/** Neighbours may stay apart: both forms occur. */
function toRanges(set: readonly number[], merges: boolean): Range[] {
  const ranges: Range[] = [];
  for (const position of set.toSorted((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (merges && last?.[1] === position - 1) last[1] = position;
    else ranges.push([position, position]);
  }
  return ranges;
}

describe('ranges of positions', () => {
  it('leave what no hole covers', () => {
    fc.assert(
      fc.property(positions, positions, fc.boolean(), fc.boolean(), (set, holes, one, other) => {
        const left = without(toRanges(set, one), toRanges(holes, other));
        const expected = set.filter((n) => !holes.includes(n)).toSorted((a, b) => a - b);
        expect(expand(left)).toEqual(expected);
        expect(sizeOf(left)).toBe(expected.length);
        for (let n = 0; n <= 41; n++) expect(inRanges(left, n)).toBe(expected.includes(n));
      }),
    );
  });
});
