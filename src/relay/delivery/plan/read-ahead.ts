/*
 * When to read the log: a wake-up during a read is seen by the next one; once begun, reading goes on
 * until memory is full or the end is reached.
 */
const afterFailureMs = 1_000;

export class ReadAhead {
  /** The last position known to be in the log. */
  #known = 0;
  /** The log may go further than known. */
  #isUnsure = true;
  #wasUnsure = false;
  #knownAtBegin = 0;
  isReading = false;
  /** Reading goes on; false from full memory on until half of it is free, or the log grows. */
  isFilling = true;
  /** After a failure. */
  pausedUntil = 0;

  /** The log has grown up to this position; 0 when it is not known how far. */
  grew(lastPosition: number): void {
    if (lastPosition > this.#known) this.#known = lastPosition;
    if (lastPosition === 0) this.#isUnsure = true;
    this.isFilling = true;
  }

  /** Whether the log has something to read, and nothing is being read. */
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
    // Told of more than there is: the next wake-up tells again.
    else if (!this.#wasUnsure && this.#known === this.#knownAtBegin) this.#known = scanned;
  }

  failed(nowMs: number): void {
    this.isReading = false;
    this.#isUnsure = true;
    this.pausedUntil = nowMs + afterFailureMs;
  }
}
