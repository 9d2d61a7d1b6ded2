/*
 * The parked queues of one bot: those whose head failed, and those that someone replays into.
 *
 * Invariants: a position counts as finished for the log's reader only in the commit that parks it;
 * only the head of a queue is tried, in the order of the log; a queue is taken away only when the
 * store holds nothing more of it. Only some queues are kept in memory, the others wait in the store
 * until they are due. In memory times are monotonic; the store gets what they are by the wall clock.
 */
import type { Clock } from '../../clock.ts';
import type { LogEntry } from '../../store/log/log-entry.ts';
import type { ParkedEntry, ParkedQueue } from '../../store/delivery/retry-queues.ts';
import type { Changes } from './changes.ts';
import type { Parked, Queue } from './queue.ts';
import type { QueueTable } from './queue-table.ts';
import { longestRetryMs, longestToldMs, retryDelayMs } from './retry-delay.ts';
import type { Window } from './window.ts';

export interface ParkingDeps {
  botId: number;
  clock: Clock;
  window: Window;
  /** Every queue that has something to do, parked or not. */
  queues: QueueTable;
  changes: () => Changes;
  /** An entry left the memory of the queue it waited in. */
  released: (entry: LogEntry) => void;
  random: () => number;
  giveUpAfterMs: number;
  mostInMemory: number;
}

export interface Failure {
  words: string;
  /** What Retry-After said. */
  toldMs: number | undefined;
}

export class Parking {
  readonly #deps: ParkingDeps;
  readonly loaded = new Map<string, Queue>();
  /** Some parked queues are in the store only. */
  overflows = false;
  /** Counts queues that were left to the store. */
  evictions = 0;
  /** Told of queues that are left to the store, or are no longer parked at all. */
  watcher: { left(queue: string): void; emptied(queue: string): void } | undefined;

  constructor(deps: ParkingDeps) {
    this.#deps = deps;
  }

  get isFailing(): boolean {
    if (this.overflows) return true;
    for (const queue of this.loaded.values()) if (queue.parked?.attempts) return true;
    return false;
  }

  /** A queue's head failed for the first time: it and all behind it go to the store. */
  park(queue: Queue, failure: Failure): void {
    const head = queue.waiting[0] as LogEntry;
    const parked = this.#begin(queue);
    this.#moveWaiting(queue);
    parked.moreStored = parked.added > 1;
    parked.entries = [{ ...head, replay: false }];
    this.failedAgain(queue, failure);
  }

  /** Moves what waits behind a queue's head to the store, to make room for other queues. */
  spill(queue: Queue): void {
    this.#begin(queue);
    this.#moveWaiting(queue);
    this.#save(queue, 'waits its turn behind many others of its queue');
  }

  /** An update of a parked queue arrived. */
  putBehind(name: string, entry: LogEntry): void {
    this.#store(entry.position, name, false);
  }

  /** True when the head was given up. */
  failedAgain(queue: Queue, failure: Failure): boolean {
    const parked = queue.parked as Parked;
    const head = parked.entries[0] as ParkedEntry;
    const { words, toldMs } = failure;
    const nowMs = this.#deps.clock.monotonic();
    parked.headPosition = head.position;
    parked.attempts++;
    parked.failingSince ??= nowMs;
    const givenUpAt = parked.failingSince + this.#deps.giveUpAfterMs;
    if (nowMs >= givenUpAt) {
      this.#bury(queue, head, failure);
      return true;
    }
    const delayMs = toldMs ?? retryDelayMs(parked.attempts, this.#deps.random);
    parked.dueAt = Math.min(nowMs + delayMs, givenUpAt);
    this.#save(queue, words);
    return false;
  }

  /** The head was delivered. */
  headDone(queue: Queue, head: ParkedEntry): void {
    this.#dropHead(queue, head);
    if (head.replay) this.#deps.changes().revived.push(head.position);
  }

  /** A delivery straight from the log ended in failure after its queue had been parked. */
  takeBack(queue: Queue, entry: LogEntry): void {
    this.#store(entry.position, queue.name, false);
    const parked = queue.parked as Parked;
    parked.entries = [];
    parked.moreStored = true;
  }

  unpark(queue: Queue): void {
    const pokedAt = queue.parked?.pokedAt ?? 0;
    queue.parked = undefined;
    this.watcher?.emptied(queue.name);
    this.loaded.delete(queue.name);
    this.#deps.queues.remove(queue);
    this.#deps.changes().queues.set(queue.name, { kind: 'emptied', pokedAt });
  }

  /** Takes over what the store says is parked; returns those it did not know like that. */
  adopt(rows: readonly ParkedQueue[], leastWaitMs: () => number): Queue[] {
    const { clock } = this.#deps;
    const nowMs = clock.monotonic();
    const wallMs = clock.now();
    return rows
      .filter((row) => row.pokedAt > (this.loaded.get(row.queue)?.parked?.pokedAt ?? -1))
      .map((row) => {
        const queue = this.#deps.queues.get(row.queue) ?? this.#deps.queues.add(row.queue);
        let { parked } = queue;
        if (!parked) {
          parked = this.#begin(queue);
          parked.attempts = row.attempts;
          if (row.firstFailedAt > 0) {
            parked.failingSince = nowMs - Math.max(0, wallMs - row.firstFailedAt);
          }
          this.#moveWaiting(queue);
        }
        const leastMs = row.attempts > 0 ? leastWaitMs() : 0;
        parked.dueAt = nowMs + Math.max(waitOf(row, wallMs), leastMs);
        parked.pokedAt = row.pokedAt;
        // Older positions may have come in before the ones at hand.
        parked.entries.splice(queue.busy ? 1 : 0);
        parked.moreStored = true;
        parked.added++;
        return queue;
      });
  }

  /** Leaves the queues that are due last to the store when there are too many. */
  trim(): void {
    let surplus = this.loaded.size - this.#deps.mostInMemory;
    if (surplus <= 0) return;
    const pending = this.#deps.changes().queues;
    const idle = [...this.loaded.values()].filter(
      ({ name, busy, listed, parked }) =>
        !busy && !listed && !parked?.loading && !pending.has(name),
    );
    idle.sort((a, b) => (b.parked?.dueAt ?? 0) - (a.parked?.dueAt ?? 0));
    for (const queue of idle) {
      if (surplus-- <= 0) return;
      this.loaded.delete(queue.name);
      this.#deps.queues.remove(queue);
      this.overflows = true;
      this.evictions++;
      this.watcher?.left(queue.name);
    }
  }

  due(nowMs: number): Queue[] {
    return this.#idle().filter((queue) => (queue.parked?.dueAt ?? 0) <= nowMs);
  }

  /** When the next one falls due; undefined when none is waiting for its time. */
  nextAt(): number | undefined {
    const times = this.#idle().map((queue) => queue.parked?.dueAt ?? 0);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  soonest(): Queue | undefined {
    return this.#idle().reduce<Queue | undefined>((best, queue) => {
      const earlier = (queue.parked?.dueAt ?? 0) < (best?.parked?.dueAt ?? Infinity);
      return earlier ? queue : best;
    }, undefined);
  }

  /** What failed may work now: the backend is another, or back. */
  hasten(atMs: () => number): void {
    for (const { parked } of this.loaded.values()) {
      if (parked) parked.dueAt = Math.min(parked.dueAt, atMs());
    }
  }

  #idle(): Queue[] {
    return [...this.loaded.values()].filter(
      (queue) => !queue.busy && !queue.listed && !queue.parked?.loading,
    );
  }

  #begin(queue: Queue): Parked {
    const parked: Parked = {
      attempts: 0,
      failingSince: undefined,
      dueAt: this.#deps.clock.monotonic(),
      pokedAt: 0,
      headPosition: 0,
      entries: [],
      moreStored: true,
      added: 0,
      loading: false,
    };
    queue.parked = parked;
    this.loaded.set(queue.name, queue);
    return parked;
  }

  /** All but the one under way. */
  #moveWaiting(queue: Queue): void {
    for (const entry of queue.waiting.splice(queue.busy ? 1 : 0)) {
      this.#deps.released(entry);
      this.#store(entry.position, queue.name, false);
    }
  }

  #store(position: number, queue: string, replay: boolean): void {
    this.#deps.changes().positions.set(position, { queue, replay });
    this.#deps.window.finish(position);
    const parked = this.loaded.get(queue)?.parked;
    if (!parked) return;
    parked.added++;
    parked.moreStored = true;
  }

  #dropHead(queue: Queue, head: ParkedEntry): void {
    const parked = queue.parked as Parked;
    this.#deps.changes().positions.set(head.position, null);
    parked.entries.shift();
    this.resetHead(parked);
    parked.dueAt = this.#deps.clock.monotonic();
    // Its row still says that the head failed: the next start must not count that on.
    this.#save(queue, '');
  }

  resetHead(parked: Parked): void {
    parked.attempts = 0;
    parked.failingSince = undefined;
    parked.headPosition = 0;
  }

  #bury(queue: Queue, head: ParkedEntry, { words }: Failure): void {
    const { attempts } = queue.parked as Parked;
    const changes = this.#deps.changes();
    if (head.replay) changes.revived.push(head.position);
    changes.deadLetters.push({
      bot_id: this.#deps.botId,
      position: head.position,
      update_id: head.updateId,
      kind: head.kind,
      queue: head.queue,
      raw: head.raw,
      reason: words,
      attempts,
      received_at: head.receivedAt,
      died_at: this.#deps.clock.now(),
    });
    this.#dropHead(queue, head);
  }

  #save(queue: Queue, lastError: string): void {
    const { attempts, failingSince, dueAt, pokedAt } = queue.parked as Parked;
    const { clock } = this.#deps;
    const wallAheadMs = clock.now() - clock.monotonic();
    this.#deps.changes().queues.set(queue.name, {
      kind: 'parked',
      queue: queue.name,
      attempts,
      firstFailedAt: failingSince === undefined ? 0 : failingSince + wallAheadMs,
      nextAttemptAt: dueAt + wallAheadMs,
      pokedAt,
      lastError,
    });
  }
}

/** How long a stored queue still has to wait; one that failed in the future tells of a clock set back. */
function waitOf({ nextAttemptAt, firstFailedAt }: ParkedQueue, wallMs: number): number {
  const longestMs = firstFailedAt > wallMs ? longestRetryMs : longestToldMs;
  return Math.min(Math.max(nextAttemptAt - wallMs, 0), longestMs);
}
