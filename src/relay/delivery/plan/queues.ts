import { isUrgentQueue } from '../../../core/log/update-facts.ts';
import type { StoredUpdate } from '../../../store/log/log-entry.ts';
import type { Queue } from './plan-types.ts';

/** The queues in memory, by name, and the updates from the log that wait in them. */
export class Queues {
  #byName = new Map<string, Queue>();
  /** The number of characters of the updates that wait. */
  characters = 0;

  get(name: string): Queue | undefined {
    return this.#byName.get(name);
  }

  getOrAdd(name: string): Queue {
    const known = this.#byName.get(name);
    if (known) return known;
    const queue = {
      name,
      isUrgent: isUrgentQueue(name),
      waiting: [],
      inFlight: false,
      listed: false,
      retry: undefined,
    };
    this.#byName.set(name, queue);
    return queue;
  }

  delete(name: string): void {
    this.#byName.delete(name);
  }

  push(queue: Queue, entry: StoredUpdate): void {
    queue.waiting.push(entry);
    this.characters += entry.raw.length;
  }

  /** Removes the head, which is finished or waits elsewhere. */
  shift({ waiting }: Queue): void {
    this.characters -= waiting.shift()?.raw.length ?? 0;
  }

  /** Removes all updates but the one in flight. */
  takeWaiting({ inFlight, waiting }: Queue): StoredUpdate[] {
    const taken = waiting.splice(inFlight ? 1 : 0);
    for (const { raw } of taken) this.characters -= raw.length;
    return taken;
  }

  /** Returns healthy queues in which at least `least` updates wait. */
  healthy(least = 1): Queue[] {
    return [...this.#byName.values()].filter(
      ({ retry, waiting }) => !retry && waiting.length >= least,
    );
  }

  /**
   * Removes idle queues in bulk once they are the majority, by making a new Map: a Map that changes
   * with every update leaves old tables behind, which keep each other and their contents from the
   * garbage collector.
   */
  forgetIdle(used: number): void {
    if (this.#byName.size <= 2 * used + 16) return;
    const queues = new Map<string, Queue>();
    for (const [name, queue] of this.#byName) {
      if (queue.retry || queue.waiting.length > 0) queues.set(name, queue);
    }
    this.#byName = queues;
  }
}
