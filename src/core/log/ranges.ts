/** Positions from the first to the last, both included. */
export type Range = [from: number, to: number];

/** Returns the parts of `ranges` outside of `holes`; both in ascending order and without overlaps. */
export function without(ranges: readonly Range[], holes: readonly Range[]): Range[] {
  const left: Range[] = [];
  let next = 0;
  for (const [from, to] of ranges) {
    let start = from;
    // A hole may reach into the next range, so the next range starts with the last hole checked
    // here.
    for (; next < holes.length; next++) {
      const [holeFrom, holeTo] = holes[next] as Range;
      if (holeFrom > to) break;
      if (holeFrom > start) left.push([start, holeFrom - 1]);
      start = Math.max(start, holeTo + 1);
      if (holeTo > to) break;
    }
    if (start <= to) left.push([start, to]);
  }
  return left;
}

export function inRanges(ranges: readonly Range[], position: number): boolean {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ranges[middle] as Range)[1] < position) low = middle + 1;
    else high = middle;
  }
  return (ranges[low]?.[0] ?? Number.POSITIVE_INFINITY) <= position;
}

export function sizeOf(ranges: readonly Range[]): number {
  return ranges.reduce((sum, [from, to]) => sum + to - from + 1, 0);
}
