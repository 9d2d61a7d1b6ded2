import type { Range } from '../../../core/log/ranges.ts';

/** The number of finished positions that may remain in the list before they are removed. */
const slack = 64;

/**
 * Tracks which positions of the log a reader has taken and which of them it has finished.
 *
 * Invariant: everything up to `cursor` is finished. Finished positions above it are reported as
 * ranges, so that a restart repeats only unfinished ones. Memory grows with the number of
 * unfinished positions, not with the distance between them: one delivery that hangs does not hold
 * the others back. This is a list and not a Set, for the reason given at IndexedList.
 */
export class Window {
  /** The last position taken from the log. */
  scanned: number;
  /** Positions in ascending order; finished ones are negative until they are removed. */
  readonly #taken: number[] = [];
  /** Everything before this index is finished. */
  #first = 0;
  #unfinished = 0;
  #restored: Range[];

  constructor(position: number, finishedAbove: readonly Range[] = []) {
    this.scanned = position;
    this.#restored = finishedAbove.filter(([, to]) => to > position);
  }

  get size(): number {
    return this.#unfinished;
  }

  /** Takes the next position; false when it was finished before. */
  take(position: number): boolean {
    this.scanned = position;
    if (this.#restored.length > 0 && this.#wasFinished(position)) return false;
    this.#taken.push(position);
    this.#unfinished++;
    return true;
  }

  /** Passes the next position, which needs no work. */
  skip(position: number): void {
    this.scanned = position;
  }

  finish(position: number): void {
    const taken = this.#taken;
    const index = this.#indexOf(position);
    if (taken[index] !== position) return;
    taken[index] = -position;
    this.#unfinished--;
    while (this.#first < taken.length && (taken[this.#first] as number) < 0) this.#first++;
    if (taken.length > 2 * this.#unfinished + slack) this.#takeOut();
  }

  get cursor(): number {
    const lowest = this.#taken[this.#first];
    return lowest === undefined ? this.scanned : lowest - 1;
  }

  /** Returns the finished ranges above the cursor. */
  finishedAbove(): Range[] {
    const ranges: Range[] = [];
    let next = 0;
    for (let index = this.#first; index < this.#taken.length; index++) {
      const position = this.#taken[index] as number;
      if (position < 0) continue;
      if (next > 0 && position > next) ranges.push([next, position - 1]);
      next = position + 1;
    }
    if (next > 0 && next <= this.scanned) ranges.push([next, this.scanned]);
    for (const [from, to] of this.#restored) {
      if (to > this.scanned) ranges.push([Math.max(from, this.scanned + 1), to]);
    }
    return ranges;
  }

  /** Returns the index of a position, or the index where it would be. */
  #indexOf(position: number): number {
    let low = this.#first;
    let high = this.#taken.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (Math.abs(this.#taken[middle] as number) < position) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #takeOut(): void {
    let count = 0;
    for (let index = this.#first; index < this.#taken.length; index++) {
      const position = this.#taken[index] as number;
      if (position > 0) this.#taken[count++] = position;
    }
    this.#taken.length = count;
    this.#first = 0;
  }

  #wasFinished(position: number): boolean {
    while (this.#restored[0] && this.#restored[0][1] < position) this.#restored.shift();
    const [first] = this.#restored;
    return first !== undefined && first[0] <= position;
  }
}
