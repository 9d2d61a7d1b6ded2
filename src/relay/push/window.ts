import type { Range } from '../../store/push-progress.ts';

/**
 * Which positions of the log a reader has taken and which of them it has finished.
 *
 * Invariant: everything up to `cursor` is finished. What is finished above it is told as ranges,
 * so that a restart repeats only what was neither. Memory grows with what is unfinished, not with
 * how far apart it lies: one delivery that hangs does not hold the others back.
 */
export class Window {
  /** The last position taken from the log. */
  scanned: number;
  // Filled in ascending order, so the first is the lowest.
  readonly #unfinished = new Set<number>();
  #restored: Range[];

  constructor(position: number, finishedAbove: readonly Range[] = []) {
    this.scanned = position;
    this.#restored = finishedAbove.filter(([, to]) => to > position);
  }

  get size(): number {
    return this.#unfinished.size;
  }

  /** Takes the next position; false when it was finished before. */
  take(position: number): boolean {
    this.scanned = position;
    if (this.#restored.length > 0 && this.#wasFinished(position)) return false;
    this.#unfinished.add(position);
    return true;
  }

  finish(position: number): void {
    this.#unfinished.delete(position);
  }

  get cursor(): number {
    const lowest = this.#unfinished.values().next();
    return lowest.done ? this.scanned : lowest.value - 1;
  }

  /** What is finished above the cursor. */
  finishedAbove(): Range[] {
    const ranges: Range[] = [];
    let next = 0;
    for (const position of this.#unfinished) {
      if (next > 0 && position > next) ranges.push([next, position - 1]);
      next = position + 1;
    }
    if (next > 0 && next <= this.scanned) ranges.push([next, this.scanned]);
    for (const [from, to] of this.#restored) {
      if (to > this.scanned) ranges.push([Math.max(from, this.scanned + 1), to]);
    }
    return ranges;
  }

  #wasFinished(position: number): boolean {
    while (this.#restored[0] && this.#restored[0][1] < position) this.#restored.shift();
    const [first] = this.#restored;
    return first !== undefined && first[0] <= position;
  }
}
