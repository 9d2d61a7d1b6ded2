/*
 * Decides which queue sends next: urgent ones first, which have one connection more than the
 * others, then retries, on few of the connections, then healthy queues in turn.
 */
import type { Attempt, Queue } from './plan-types.ts';

export class SendOrder {
  readonly #urgent: Queue[] = [];
  readonly #ready: Queue[] = [];
  readonly #retries: Queue[] = [];
  readonly #lists = [this.#urgent, this.#ready, this.#retries];
  #retriesInFlight = 0;
  inFlight = 0;
  isProbing = false;

  /** True if healthy queues are waiting. */
  get isReady(): boolean {
    return this.#ready.length > 0 || this.#urgent.length > 0;
  }

  get isEmpty(): boolean {
    return this.#lists.every((list) => list.length === 0);
  }

  add(queue: Queue): void {
    queue.listed = true;
    if (queue.retry && queue.retry.attempts > 0) this.#retries.push(queue);
    else (queue.isUrgent ? this.#urgent : this.#ready).push(queue);
  }

  remove(queue: Queue): void {
    for (const list of this.#lists) {
      const index = list.indexOf(queue);
      if (index >= 0) list.splice(index, 1);
    }
    queue.listed = false;
  }

  /**
   * Undefined if `limit` does not allow another one. Failing queues may each take long to fail
   * again, so they never get most of the connections.
   */
  next(limit: number): Queue | undefined {
    const urgent = this.inFlight <= limit ? this.#urgent.shift() : undefined;
    if (urgent || this.inFlight >= limit) return unlisted(urgent);
    const mayRetry = this.#retriesInFlight < Math.max(1, limit >> 2);
    return unlisted((mayRetry ? this.#retries.shift() : undefined) ?? this.#ready.shift());
  }

  /** Prefers a healthy queue. */
  nextForProbe(): Queue | undefined {
    for (const list of [this.#urgent, this.#ready]) {
      const healthy = list.findIndex((queue) => !queue.retry);
      if (healthy >= 0) return unlisted(list.splice(healthy, 1)[0]);
    }
    return unlisted(this.#retries.shift() ?? this.#ready.shift() ?? this.#urgent.shift());
  }

  began({ queue, retry, probe }: Attempt): void {
    queue.inFlight = true;
    this.inFlight++;
    if (retry) this.#retriesInFlight++;
    if (probe) this.isProbing = true;
  }

  ended({ queue, retry, probe }: Attempt): void {
    queue.inFlight = false;
    this.inFlight--;
    if (retry) this.#retriesInFlight--;
    if (probe) this.isProbing = false;
  }
}

function unlisted(queue: Queue | undefined): Queue | undefined {
  if (queue) queue.listed = false;
  return queue;
}
