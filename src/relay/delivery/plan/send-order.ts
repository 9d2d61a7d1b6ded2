/*
 * Decides which queue sends next: retries first, on few of the connections, then healthy queues in
 * turn.
 */
import type { Attempt, Queue } from './plan-types.ts';

export class SendOrder {
  readonly #ready: Queue[] = [];
  readonly #retries: Queue[] = [];
  #retriesInFlight = 0;
  inFlight = 0;
  isProbing = false;

  /** True if healthy queues are waiting. */
  get isReady(): boolean {
    return this.#ready.length > 0;
  }

  get isEmpty(): boolean {
    return this.#ready.length === 0 && this.#retries.length === 0;
  }

  add(queue: Queue): void {
    queue.listed = true;
    (queue.retry && queue.retry.attempts > 0 ? this.#retries : this.#ready).push(queue);
  }

  remove(queue: Queue): void {
    for (const list of [this.#ready, this.#retries]) {
      const index = list.indexOf(queue);
      if (index >= 0) list.splice(index, 1);
    }
    queue.listed = false;
  }

  /** Failing queues may each take long to fail again, so they never get most of the connections. */
  next(limit: number): Queue | undefined {
    const mayRetry = this.#retriesInFlight < Math.max(1, limit >> 2);
    return unlisted((mayRetry ? this.#retries.shift() : undefined) ?? this.#ready.shift());
  }

  /** Prefers a healthy queue. */
  nextForProbe(): Queue | undefined {
    const healthy = this.#ready.findIndex((queue) => !queue.retry);
    const [queue] = healthy >= 0 ? this.#ready.splice(healthy, 1) : [];
    return unlisted(queue ?? this.#retries.shift() ?? this.#ready.shift());
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
