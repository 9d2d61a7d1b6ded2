/*
 * Manages the retry queues: those whose head failed, and those that someone replays into.
 *
 * Invariants: only the head of a queue is sent, in the order of the log; a queue is removed only
 * when the store holds nothing more of it; a queue leaves memory only when all its changes are on
 * disk. Times are monotonic in memory; the store gets wall-clock times.
 */
import type { StoredUpdate } from '../../../store/log/log-entry.ts';
import type { RetryEntry, RetryQueue } from '../../../store/delivery/retry-queues.ts';
import { longestRetryMs, longestToldMs, retryDelayMs } from './retry-delay.ts';
import type { Overflow } from './overflow.ts';
import type {
  AttemptResult,
  Moment,
  PushReader,
  Queue,
  RetryState,
  StoredEntries,
} from './plan-types.ts';
import type { Progress } from './progress.ts';

interface RetrySettings extends PushReader {
  giveUpAfterMs: number;
  /** Gives 0 to 1. */
  random: () => number;
}

type Failure = Pick<AttemptResult, 'error' | 'isUnreached' | 'retryAfterMs'>;

export class RetrySchedule {
  readonly #settings: RetrySettings;
  readonly #progress: Progress;
  /** The retry queues in memory. */
  readonly #loaded = new Map<string, Queue>();
  /** No waiting queue is due before this time. */
  nextDueAt = Number.POSITIVE_INFINITY;
  #hasUnreached = false;
  readonly #overflow: Overflow;

  constructor(settings: RetrySettings, progress: Progress, overflow: Overflow) {
    this.#settings = settings;
    this.#progress = progress;
    this.#overflow = overflow;
  }

  get size(): number {
    return this.#loaded.size;
  }

  get isFailing(): boolean {
    for (const { retry } of this.#loaded.values()) if (retry && retry.attempts > 0) return true;
    return false;
  }

  get(name: string): RetryState | undefined {
    return this.#loaded.get(name)?.retry;
  }

  begin(queue: Queue, now: Moment): RetryState {
    const retry: RetryState = {
      attempts: 0,
      failingSince: undefined,
      dueAt: now.ms,
      isUnreached: false,
      wasHastened: false,
      requestedAt: this.#overflow.requestedBeforeEmptied(queue.name) ?? 0,
      headPosition: 0,
      entries: [],
      moreStored: true,
      added: 0,
      addedAtLoad: 0,
      requestedAtLoad: 0,
      loading: false,
      changedIn: this.#progress.lastChanges,
    };
    queue.retry = retry;
    this.#loaded.set(queue.name, queue);
    return retry;
  }

  /** Restores a queue from its stored row; `leastMs` keeps many queues from starting at once. */
  restore(retry: RetryState, row: RetryQueue, leastMs: number, now: Moment): void {
    // The row of a queue that was just emptied may still hold the failures of its last head.
    const isEmptied = this.#overflow.requestedBeforeEmptied(row.queue) !== undefined;
    if (row.firstFailedAt > 0 && !isEmptied) {
      retry.attempts = row.attempts;
      retry.failingSince = now.ms - Math.max(0, now.wallMs - row.firstFailedAt);
    }
    this.request(retry, row, leastMs, now);
  }

  /** Applies a request from outside: positions older than those in memory may have been added. */
  request(retry: RetryState, row: RetryQueue, leastMs: number, now: Moment): void {
    retry.dueAt = now.ms + Math.max(waitOf(row, now.wallMs), leastMs);
    retry.requestedAt = row.requestedAt;
    retry.moreStored = true;
    retry.added++;
  }

  /** Hands a position to the retry queue of that name, whether it is in memory or not. */
  add(position: number, name: string): void {
    this.#progress.retryLater(position, name);
    const retry = this.#loaded.get(name)?.retry;
    if (!retry) return;
    retry.added++;
    retry.moreStored = true;
    retry.changedIn = this.#progress.lastChanges;
  }

  /** Records a failure of the head; returns true if it became a dead letter. */
  failed(queue: Queue, head: RetryEntry, failure: Failure, now: Moment): boolean {
    const retry = queue.retry as RetryState;
    retry.headPosition = head.position;
    retry.attempts++;
    retry.failingSince ??= now.ms;
    // A queue is hastened only once: if one connection works and the next is refused, the waits
    // still grow.
    retry.isUnreached = failure.isUnreached && !retry.wasHastened;
    this.#hasUnreached ||= retry.isUnreached;
    const giveUpAt = retry.failingSince + this.#settings.giveUpAfterMs;
    if (now.ms >= giveUpAt) {
      this.#addDeadLetter(head, failure.error, retry.attempts, now);
      this.delivered(queue, head, now);
      return true;
    }
    // Only the head of a failing queue stays in memory.
    if (retry.entries.length > 1) {
      retry.entries.length = 1;
      retry.moreStored = true;
    }
    const delayMs = failure.retryAfterMs ?? retryDelayMs(retry.attempts, this.#settings.random);
    retry.dueAt = Math.min(now.ms + delayMs, giveUpAt);
    this.save(queue, failure.error, now);
    return false;
  }

  /** Records that the head is finished. */
  delivered(queue: Queue, head: RetryEntry, now: Moment): void {
    const retry = queue.retry as RetryState;
    this.#progress.retried(head.position);
    if (head.replay) this.#progress.replayed(head.position);
    retry.entries.shift();
    resetHead(retry);
    retry.dueAt = now.ms;
    // The stored row still shows the head's failures, which the next start must not keep counting.
    this.save(queue, '', now);
  }

  loaded({ retry }: Queue, stored: StoredEntries): void {
    if (!retry) return;
    retry.loading = false;
    // A replay requested during the load may come before what was loaded.
    const isOutdated = retry.requestedAt !== retry.requestedAtLoad;
    retry.entries = isOutdated ? [] : stored.entries;
    retry.moreStored = !stored.complete || retry.added !== retry.addedAtLoad;
    // Retention deleted these updates before they were delivered.
    for (const position of stored.lost) this.#progress.retried(position);
    // A load before that change is on disk would find them again.
    if (stored.lost.length > 0) retry.changedIn = this.#progress.lastChanges;
    const head = stored.entries[0]?.position ?? 0;
    if (!isOutdated && retry.headPosition !== 0 && head !== retry.headPosition) resetHead(retry);
  }

  /** Ends a retry queue, of which the store holds nothing more. */
  end(queue: Queue): void {
    const requestedAt = queue.retry?.requestedAt ?? 0;
    queue.retry = undefined;
    this.#loaded.delete(queue.name);
    this.#progress.changeQueue(queue.name, { kind: 'emptied', requestedAt });
    this.#overflow.emptied(queue.name, requestedAt, this.#progress.lastChanges);
  }

  save(queue: Queue, lastError: string, now: Moment): void {
    const retry = queue.retry as RetryState;
    const wallAheadMs = now.wallMs - now.ms;
    const { attempts, failingSince, dueAt, requestedAt } = retry;
    this.#progress.changeQueue(queue.name, {
      kind: 'waiting',
      queue: queue.name,
      attempts,
      firstFailedAt: failingSince === undefined ? 0 : failingSince + wallAheadMs,
      nextAttemptAt: dueAt + wallAheadMs,
      requestedAt,
      lastError,
    });
    retry.changedIn = this.#progress.lastChanges;
  }

  /** Leaves the queues that are due last to the store, until only `most` are in memory. */
  evict(most: number): Queue[] {
    const surplus = this.#loaded.size - most;
    if (surplus <= 0) return [];
    const evicted = [...this.#idle()]
      .filter(({ retry }) => (retry?.changedIn ?? 0) <= this.#progress.committed)
      .sort((a, b) => dueAt(b) - dueAt(a))
      .slice(0, surplus);
    for (const { name } of evicted) {
      this.#loaded.delete(name);
      this.#overflow.evicted(name);
    }
    return evicted;
  }

  due(nowMs: number): readonly Queue[] {
    if (nowMs < this.nextDueAt) return none;
    this.nextDueAt = Number.POSITIVE_INFINITY;
    return [...this.#idle()].filter((queue) => {
      if (dueAt(queue) <= nowMs) return true;
      this.nextDueAt = Math.min(this.nextDueAt, dueAt(queue));
      return false;
    });
  }

  soonest(): Queue | undefined {
    let best: Queue | undefined;
    for (const queue of this.#idle()) if (!best || dueAt(queue) < dueAt(best)) best = queue;
    return best;
  }

  /** Retries sooner, because the backend was replaced or is back. */
  retrySooner(atMs: () => number): void {
    for (const { retry } of this.#loaded.values()) {
      if (!retry) continue;
      retry.wasHastened = false;
      this.#retryAt(retry, atMs());
    }
  }

  /**
   * Retries queues that reached nobody without waiting for their time, because the backend took
   * another update.
   */
  retryUnreached(atMs: () => number): void {
    if (!this.#hasUnreached) return;
    this.#hasUnreached = false;
    for (const { retry } of this.#loaded.values()) {
      if (!retry?.isUnreached) continue;
      retry.isUnreached = false;
      retry.wasHastened = true;
      this.#retryAt(retry, atMs());
    }
  }

  #retryAt(retry: RetryState, ms: number): void {
    retry.dueAt = Math.min(retry.dueAt, ms);
    this.nextDueAt = Math.min(this.nextDueAt, retry.dueAt);
  }

  /** Yields the queues that only wait for their time. */
  *#idle(): Generator<Queue> {
    for (const queue of this.#loaded.values()) {
      if (!queue.inFlight && !queue.listed && !queue.retry?.loading) yield queue;
    }
  }

  #addDeadLetter(head: StoredUpdate, reason: string, attempts: number, now: Moment): void {
    this.#progress.addDeadLetter({
      bot_id: this.#settings.botId,
      reader: this.#settings.reader,
      position: head.position,
      update_id: head.updateId,
      kind: head.kind,
      queue: head.queue,
      raw: head.raw,
      reason,
      attempts,
      received_at: head.receivedAt,
      died_at: now.wallMs,
    });
  }
}

const none: readonly Queue[] = [];
const dueAt = ({ retry }: Queue): number => retry?.dueAt ?? 0;

function resetHead(retry: RetryState): void {
  retry.attempts = 0;
  retry.failingSince = undefined;
  retry.isUnreached = false;
  retry.wasHastened = false;
  retry.headPosition = 0;
}

/**
 * Returns how long a stored queue still waits; a first failure in the future means that the clock
 * was set back.
 */
function waitOf({ nextAttemptAt, firstFailedAt }: RetryQueue, wallMs: number): number {
  const longestMs = firstFailedAt > wallMs ? longestRetryMs : longestToldMs;
  return Math.min(Math.max(nextAttemptAt - wallMs, 0), longestMs);
}
