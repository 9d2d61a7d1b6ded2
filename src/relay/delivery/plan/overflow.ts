/*
 * Tracks the retry queues that are in the store only, because memory may not hold more.
 *
 * The store answers questions about them while other things happen, so an answer may be outdated.
 * Invariant: a queue that was left to the store is never taken for empty, nor an emptied queue for
 * waiting.
 */
import type { RetryQueue } from '../../../store/delivery/retry-queues.ts';
import type { RetryState } from './plan-types.ts';

/** The interval at which the store is asked for due queues. */
const lookUpEveryMs = 1_000;

export class Overflow {
  /** Some retry queues are in the store only. */
  isOn: boolean;
  /** Numbers each move of a queue to the store. */
  evictions = 0;
  /** The number of questions that the store has not answered yet. */
  #questions = 0;
  /**
   * The queues left to the store since the first of these questions, each with its eviction number.
   */
  readonly #evicted = new Map<string, number>();
  /**
   * Emptied queues that an answer may still list, with the number of the changes that remove them.
   */
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

  /** Returns the last known request of an emptied queue, whose row may still be in the store. */
  requestedBeforeEmptied(name: string): number | undefined {
    return this.#emptied.get(name)?.requestedAt;
  }

  /** The store is asked; its answer includes the changes up to this number, which are on disk. */
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

  /** True if a queue that is not in memory waits in the store, which named `stored`. */
  holds(name: string, stored: ReadonlySet<string> | undefined): boolean {
    if (this.#evicted.has(name)) return true;
    return stored !== undefined && stored.has(name) && !this.#emptied.has(name);
  }

  /**
   * True if a row tells more than memory knows. It does not if the queue was left to the store
   * after the question was asked, at that count of evictions, or if the row's request is known
   * already, also of a queue about to be removed.
   */
  isNews(
    { queue, requestedAt }: RetryQueue,
    known: RetryState | undefined,
    asked: number,
  ): boolean {
    if ((this.#evicted.get(queue) ?? 0) > asked) return false;
    return requestedAt > (known?.requestedAt ?? this.requestedBeforeEmptied(queue) ?? -1);
  }

  /** The time of the next look-up of due queues. */
  get lookUpAt(): number {
    return this.isOn && !this.#isLookingUp ? this.#lookUpAt : Number.POSITIVE_INFINITY;
  }

  lookUpBegins(nowMs: number, committed: number): void {
    this.#isLookingUp = true;
    this.#evictionsAtLookUp = this.evictions;
    this.#lookUpAt = nowMs + lookUpEveryMs;
    this.asked(committed);
  }

  /** Returns the count of evictions when the look-up began. */
  lookUpEnded(): number {
    this.#isLookingUp = false;
    this.answered();
    return this.#evictionsAtLookUp;
  }
}
