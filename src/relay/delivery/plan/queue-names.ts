/*
 * Names the queue of each update.
 *
 * Invariant: after a switch, an update joins its former queue as long as updates from before it are
 * there, so it overtakes none of them; except that a retry queue takes nothing more under its former
 * name.
 */
import type { QueueOf } from '../../../core/log/reader-queues.ts';
import { isUrgentQueue } from '../../../core/log/update-facts.ts';
import type { LogEntry } from '../../../store/log/log-entry.ts';
import type { Queues } from './queues.ts';

/** More switches than anybody makes while a queue waits. */
const mostSwitches = 4;

export class QueueNames {
  readonly #queues: Queues;
  #queueOf: QueueOf | undefined;
  /** What named the updates that wait, the latest first. */
  #formerQueueOfs: (QueueOf | undefined)[] = [];
  /** The queues that held updates at the switch, with the last position of these or of what joined. */
  readonly #former = new Map<string, number>();

  constructor(queues: Queues) {
    this.#queues = queues;
  }

  /** Undefined stands for the stored queues. */
  use(queueOf: QueueOf | undefined): void {
    if (queueOf === this.#queueOf) return;
    const before = this.#former.size > 0 ? this.#formerQueueOfs : [];
    this.#formerQueueOfs = [this.#queueOf, ...before].slice(0, mostSwitches);
    this.#queueOf = queueOf;
    this.#former.clear();
    for (const { name, waiting } of this.#queues.healthy()) {
      const last = waiting.at(-1);
      if (last) this.#former.set(name, last.position);
    }
  }

  /** The name without regard to a switch. */
  presentOf(entry: LogEntry): string {
    return this.#queueOf ? this.#queueOf(entry) : entry.queue;
  }

  /** The name of the queue that the update joins. */
  take(entry: LogEntry): string {
    const present = this.presentOf(entry);
    if (this.#former.size === 0) return present;
    const formers = this.#formerQueueOfs.map((queueOf) => queueOf?.(entry) ?? entry.queue);
    // A command that became urgent overtakes. After several switches more than one may hold updates,
    // and only the queue of the topic is sure to hold those of the topic.
    const names = [present, ...formers]
      .filter((name) => !isUrgentQueue(present) || isUrgentQueue(name))
      .sort((a, b) => b.length - a.length);
    const held = names.find((name) => this.#isHeld(name));
    if (held !== undefined) this.#former.set(held, entry.position);
    return held ?? present;
  }

  /** Forgets former queues that are done. */
  forgetFormer(): void {
    for (const name of this.#former.keys()) if (!this.#isHeld(name)) this.#former.delete(name);
  }

  #isHeld(name: string): boolean {
    const queue = this.#queues.get(name);
    const [head] = queue && !queue.retry ? queue.waiting : [];
    return head !== undefined && head.position <= (this.#former.get(name) ?? 0);
  }
}
