/*
 * Decides when to read the log. A wake-up during a read is seen by the next one; once begun,
 * reading continues until memory is full or the end is reached.
 */
const afterFailureMs = 1_000;

export class ReadAhead {
  /** The last position known to be in the log. */
  #known = 0;
  /** The log may go further than `#known`. */
  #isUnsure = true;
  #wasUnsure = false;
  #knownAtBegin = 0;
  isReading = false;
  /** False from the moment memory is full until half of it is free or the log grows. */
  isFilling = true;
  /** The end of the pause after a failure. */
  pausedUntil = 0;

  /** Notes that the log has grown up to this position; 0 if the extent is unknown. */
  grew(lastPosition: number): void {
    if (lastPosition > this.#known) this.#known = lastPosition;
    if (lastPosition === 0) this.#isUnsure = true;
    this.isFilling = true;
  }

  /** True if the log has something to read and no read is in flight. */
  isDue(scanned: number): boolean {
    return !this.isReading && (this.#isUnsure || scanned < this.#known);
  }

  begin(): void {
    this.isReading = true;
    this.#wasUnsure = this.#isUnsure;
    this.#knownAtBegin = this.#known;
    this.#isUnsure = false;
  }

  ended(count: number, scanned: number): void {
    this.isReading = false;
    if (count > 0) this.#isUnsure ||= this.#wasUnsure;
    // The notification announced more than the log holds; the next wake-up will tell again.
    else if (!this.#wasUnsure && this.#known === this.#knownAtBegin) this.#known = scanned;
  }

  failed(nowMs: number): void {
    this.isReading = false;
    this.#isUnsure = true;
    this.pausedUntil = nowMs + afterFailureMs;
  }
}
