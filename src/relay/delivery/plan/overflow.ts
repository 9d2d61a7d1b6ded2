/*
 * Retry queues that are in the store only, as there are more than memory may hold.
 *
 * The store is asked about them while other things happen, so its answer may be older than what
 * happened meanwhile. Invariant: a queue that was left to the store is never taken for gone, nor one
 * that was emptied for waiting.
 */
import type { RetryQueue } from '../../../store/delivery/retry-queues.ts';
import type { RetryState } from './plan-types.ts';

/** How often the store is asked for due queues. */
const lookUpEveryMs = 1_000;

export class Overflow {
  /** Some retry queues are in the store only. */
  isOn: boolean;
  /** Counts queues that were left to the store. */
  evictions = 0;
  /** Questions to the store that are open. */
  #questions = 0;
  /** Left to the store since the first of them, with the count of evictions. */
  readonly #evicted = new Map<string, number>();
  /** Emptied, and perhaps still in an answer: with the number of the changes that remove them. */
  readonly #emptied = new Map<string, { changes: number; requestedAt: number }>();
  #isLookingUp = false;
  #evictionsAtLookUp = 0;
  #lookUpAt = 0;

  constructor(isOn: boolean) {
    this.isOn = isOn;
  }

  evicted(name: string): void {
    this.isOn = true;
    this.#emptied.delete(name);
    this.#evicted.set(name, ++this.evictions);
  }

  emptied(name: string, requestedAt: number, changes: number): void {
    this.#evicted.delete(name);
    this.#emptied.set(name, { changes, requestedAt });
  }

  /** Of a queue that was emptied, whose row may still be in the store. */
  requestedBeforeEmptied(name: string): number | undefined {
    return this.#emptied.get(name)?.requestedAt;
  }

  /** The store is asked: changes up to this number are on disk, and in its answer. */
  asked(committed: number): void {
    if (this.#questions++ > 0) return;
    this.#evicted.clear();
    for (const [name, { changes }] of this.#emptied) {
      if (changes <= committed) this.#emptied.delete(name);
    }
  }

  answered(): void {
    this.#questions--;
  }

  /** Whether a queue that is not in memory waits in the store, which named `stored`. */
  holds(name: string, stored: ReadonlySet<string> | undefined): boolean {
    if (this.#evicted.has(name)) return true;
    return stored !== undefined && stored.has(name) && !this.#emptied.has(name);
  }

  /**
   * Whether a row tells more than memory has: it is not known, nor about to be removed, nor left to the
   * store since that was asked, at that count of evictions.
   */
  isNews(
    { queue, requestedAt }: RetryQueue,
    known: RetryState | undefined,
    asked: number,
  ): boolean {
    if ((this.#evicted.get(queue) ?? 0) > asked) return false;
    return requestedAt > (known?.requestedAt ?? this.requestedBeforeEmptied(queue) ?? -1);
  }

  /** When to look up which queues are due. */
  get lookUpAt(): number {
    return this.isOn && !this.#isLookingUp ? this.#lookUpAt : Number.POSITIVE_INFINITY;
  }

  lookUpBegins(nowMs: number, committed: number): void {
    this.#isLookingUp = true;
    this.#evictionsAtLookUp = this.evictions;
    this.#lookUpAt = nowMs + lookUpEveryMs;
    this.asked(committed);
  }

  /** Tells how many evictions there had been when it began. */
  lookUpEnded(): number {
    this.#isLookingUp = false;
    this.answered();
    return this.#evictionsAtLookUp;
  }
}
