/*
 * Decides what each queue does next: it waits for a connection, is in flight, waits for its retry,
 * or is loaded from the store.
 *
 * Invariants: one attempt in flight per queue, always its head; once a head has failed, everything
 * behind it waits in the store, too; a queue is loaded only when all its changes are on disk.
 */
import { reason } from '../../../core/reasons/reason.ts';
import { packReason } from '../../../core/reasons/stored.ts';
import {
  maxRequestsAtOnce,
  type RetryEntry,
  type RetryQueue,
} from '../../../store/delivery/retry-queues.ts';
import type { LogEntry, StoredUpdate } from '../../../store/log/log-entry.ts';
import { Overflow } from './overflow.ts';
import type {
  Attempt,
  AttemptResult,
  Moment,
  PushReader,
  Queue,
  RetryState,
  StoredEntries,
} from './plan-types.ts';
import type { Progress } from './progress.ts';
import { QueueNames } from './queue-names.ts';
import { Queues } from './queues.ts';
import { RetrySchedule } from './retry-schedule.ts';
import { SendOrder } from './send-order.ts';

const adoptedAtOnce = 100;
const loadAgainMs = 1_000;
const waitsBehindOthers = packReason(reason('waits_behind_others'));

interface SchedulerOptions extends PushReader {
  giveUpAfterMs: number;
  /** The number of retry queues in memory; the others stay in the store until they are due. */
  mostRetryQueues: number;
  /** Gives 0 to 1. */
  random: () => number;
}

export class QueueScheduler {
  readonly #mostRetryQueues: number;
  readonly #progress: Progress;
  readonly #overflow: Overflow;
  readonly #retrySchedule: RetrySchedule;
  readonly #queues = new Queues();
  readonly names = new QueueNames(this.#queues);
  readonly #order = new SendOrder();
  readonly #toLoad: Queue[] = [];
  /** The lead of the wall clock over the monotonic one at the start. */
  readonly #wallAheadMs: number;

  /** `rows` are the retry queues in the store, due first, one more than may be in memory. */
  constructor(
    options: SchedulerOptions,
    progress: Progress,
    rows: readonly RetryQueue[],
    now: Moment,
  ) {
    const { mostRetryQueues, random } = options;
    this.#mostRetryQueues = mostRetryQueues;
    this.#progress = progress;
    this.#wallAheadMs = now.wallMs - now.ms;
    this.#overflow = new Overflow(rows.length > mostRetryQueues);
    this.#retrySchedule = new RetrySchedule(options, progress, this.#overflow);
    // Spreads out queues that fell due while no node delivered.
    const spreadMs = Math.min(10_000, rows.length * 50);
    for (const row of rows.slice(0, mostRetryQueues)) this.#adopt(row, 0, random() * spreadMs, now);
  }

  /** The number of characters of the updates in memory. */
  get characters(): number {
    return this.#queues.characters;
  }

  get inFlight(): number {
    return this.#order.inFlight;
  }

  get isProbing(): boolean {
    return this.#order.isProbing;
  }

  /** True if queues wait for a connection. */
  get isWaiting(): boolean {
    return !this.#order.isEmpty;
  }

  /** True if healthy queues are among them. */
  get isReady(): boolean {
    return this.#order.isReady;
  }

  get hasRetryQueues(): boolean {
    return this.#retrySchedule.size > 0;
  }

  get isFailing(): boolean {
    return this.#overflow.isOn || this.#retrySchedule.isFailing;
  }

  /** True if some retry queues are in the store only. */
  get overflows(): boolean {
    return this.#overflow.isOn;
  }

  /** The time at which the next retry queue in memory is due. */
  get nextDueAt(): number {
    return this.#retrySchedule.nextDueAt;
  }

  /** The time of the next look-up of due retry queues in the store. */
  get lookUpAt(): number {
    return this.#overflow.lookUpAt;
  }

  /** Adds an update from the log; `stored` names queues that wait in the store. */
  add(given: LogEntry, stored: ReadonlySet<string> | undefined): void {
    const { position } = given;
    const name = this.names.take(given);
    const entry = name === given.queue ? given : { ...given, queue: name };
    let queue = this.#queues.get(name);
    if (queue?.retry || (!queue && this.#overflow.holds(name, stored))) {
      this.#retrySchedule.add(position, name);
      return;
    }
    queue ??= this.#queues.getOrAdd(name);
    this.#queues.push(queue, entry);
    if (!queue.inFlight && !queue.listed) this.#order.add(queue);
  }

  /**
   * Begins the next attempt, of `limit` that may be in flight; undefined if enough are, or if only
   * retries wait and enough of them are in flight.
   */
  next(limit: number, backend: number): Attempt | undefined {
    const queue = this.#order.next(limit);
    return queue && this.#begin(queue, { probe: false, backend });
  }

  /**
   * Begins an attempt to check whether the backend is back; undefined if the queue must be loaded
   * first, or if there is none.
   */
  probe(backend: number, now: Moment): Attempt | undefined {
    const queue = this.#order.nextForProbe() ?? this.#retrySchedule.soonest();
    if (!queue) return undefined;
    if (queue.retry) queue.retry.dueAt = now.ms;
    if (queue.retry?.entries.length !== 0) return this.#begin(queue, { probe: true, backend });
    this.#schedule(queue, now);
    return undefined;
  }

  delivered(attempt: Attempt, now: Moment): void {
    const { entry, fresh, queue } = attempt;
    this.#order.ended(attempt);
    if (fresh) {
      this.#queues.shift(queue);
      this.#progress.finish(entry.position);
    } else this.#retrySchedule.delivered(queue, entry as RetryEntry, now);
    this.#schedule(queue, now);
  }

  /** Returns true if the update became a dead letter. */
  failed(attempt: Attempt, result: AttemptResult, isBackendDown: boolean, now: Moment): boolean {
    const { entry, fresh, queue } = attempt;
    this.#order.ended(attempt);
    let isDead = false;
    if (!fresh) isDead = this.#retrySchedule.failed(queue, entry as RetryEntry, result, now);
    else if (queue.retry) this.#storeHead(queue, queue.retry, entry);
    else if (!isBackendDown) this.#beginRetries(queue, entry, result, now);
    // While the backend is down, the update stays in the log: the failure says nothing about it.
    this.#schedule(queue, now);
    return isDead;
  }

  /** The outcome is unknown, so the update is sent again. */
  cancelled(attempt: Attempt, now: Moment): void {
    const { entry, fresh, queue } = attempt;
    this.#order.ended(attempt);
    if (fresh && queue.retry) this.#storeHead(queue, queue.retry, entry);
    this.#schedule(queue, now);
  }

  scheduleDue(now: Moment): void {
    for (const queue of this.#retrySchedule.due(now.ms)) this.#schedule(queue, now);
  }

  retrySooner(atMs: () => number): void {
    this.#retrySchedule.retrySooner(atMs);
  }

  retryUnreached(atMs: () => number): void {
    this.#retrySchedule.retryUnreached(atMs);
  }

  /**
   * Moves queues that must be loaded into `into`; returns true if some have to wait for a commit.
   */
  takeLoads(into: Queue[]): boolean {
    // Older updates have to be read again first.
    if (this.#progress.isResuming) return false;
    let isWaiting = false;
    for (let index = 0; index < this.#toLoad.length; ) {
      const queue = this.#toLoad[index] as Queue;
      const retry = queue.retry as RetryState;
      if (retry.changedIn > this.#progress.committed) {
        isWaiting = true;
        index++;
        continue;
      }
      retry.addedAtLoad = retry.added;
      retry.requestedAtLoad = retry.requestedAt;
      into.push(queue);
      this.#toLoad.splice(index, 1);
    }
    return isWaiting;
  }

  loaded(queue: Queue, stored: StoredEntries, now: Moment): void {
    this.#retrySchedule.loaded(queue, stored);
    this.#schedule(queue, now);
  }

  loadFailed(queue: Queue, now: Moment): void {
    if (!queue.retry) return;
    queue.retry.loading = false;
    queue.retry.dueAt = now.ms + loadAgainMs;
    this.#schedule(queue, now);
  }

  /** Notes that the store is asked a question; `storeAnswered` notes its answer. */
  storeAsked(): void {
    this.#overflow.asked(this.#progress.committed);
  }

  storeAnswered(): void {
    this.#overflow.answered();
  }

  lookUpBegins(now: Moment): void {
    this.#overflow.lookUpBegins(now.ms, this.#progress.committed);
  }

  /**
   * Takes the retry queues in the store, as the constructor does; undefined if the look-up failed.
   */
  lookUpEnded(rows: readonly RetryQueue[] | undefined, now: Moment): void {
    const asked = this.#overflow.lookUpEnded();
    if (!rows) return;
    const unknown = rows.filter((row) => !this.#retrySchedule.get(row.queue));
    const isAll = unknown.length === 0 && rows.length <= this.#mostRetryQueues;
    if (isAll && asked === this.#overflow.evictions) this.#overflow.isOn = false;
    // Rows written before the wall clock was set back are due by the clock of that time.
    const dueMs = Math.max(now.wallMs, now.ms + this.#wallAheadMs);
    const due = unknown.filter((row) => row.nextAttemptAt <= dueMs);
    for (const row of due.slice(0, adoptedAtOnce)) this.#adopt(row, asked, 0, now);
  }

  /**
   * Notes that the store is asked for requests; the returned number goes to `requested` with the
   * answer.
   */
  askedForRequests(): number {
    this.storeAsked();
    return this.#overflow.evictions;
  }

  /** Returns false if all requests were known. */
  requested(rows: readonly RetryQueue[], asked: number, now: Moment): boolean {
    this.storeAnswered();
    let isNews = false;
    for (const row of rows) isNews = this.#adopt(row, asked, 0, now) || isNews;
    // The store may hold more requests than it returns at once, so they are looked up.
    if (rows.length >= maxRequestsAtOnce) this.#overflow.isOn = true;
    return isNews;
  }

  /** After a commit: forgets queues that memory need not hold. */
  forgetSurplus(): void {
    for (const { name } of this.#retrySchedule.evict(this.#mostRetryQueues)) {
      this.#queues.delete(name);
    }
    this.names.forgetFormer();
    this.#queues.forgetIdle(this.#progress.unfinished + this.#retrySchedule.size);
  }

  /**
   * Moves healthy queues with at least `least` waiting updates to the store; returns false if there
   * are none.
   */
  storeLarge(least: number, now: Moment): boolean {
    const large = this.#queues.healthy(least);
    for (const queue of large) {
      this.#retrySchedule.begin(queue, now);
      this.#storeWaiting(queue);
      this.#retrySchedule.save(queue, waitsBehindOthers, now);
    }
    return large.length > 0;
  }

  #begin(queue: Queue, { probe, backend }: Pick<Attempt, 'probe' | 'backend'>): Attempt {
    const { retry: state } = queue;
    const attempt: Attempt = {
      queue,
      entry: (state ? state.entries[0] : queue.waiting[0]) as StoredUpdate,
      fresh: !state,
      retry: state !== undefined && state.attempts > 0,
      replay: state?.entries[0]?.replay ?? false,
      probe,
      backend,
    };
    this.#order.began(attempt);
    return attempt;
  }

  /** The head failed for the first time: it and everything behind it go to the store. */
  #beginRetries(queue: Queue, head: StoredUpdate, result: AttemptResult, now: Moment): void {
    const retry = this.#retrySchedule.begin(queue, now);
    this.#storeWaiting(queue);
    retry.moreStored = retry.added > 1;
    const entry = { ...head, replay: false };
    retry.entries = [entry];
    this.#retrySchedule.failed(queue, entry, result, now);
  }

  /** The queue became a retry queue while its head was in flight: the head goes there, too. */
  #storeHead(queue: Queue, retry: RetryState, { position }: StoredUpdate): void {
    this.#queues.shift(queue);
    this.#retrySchedule.add(position, queue.name);
    retry.entries = [];
  }

  /** Stores all updates but the one in flight. */
  #storeWaiting(queue: Queue): void {
    for (const { position } of this.#queues.takeWaiting(queue)) {
      this.#retrySchedule.add(position, queue.name);
    }
  }

  /** Takes over a stored row of a retry queue; returns false if it is not news. */
  #adopt(row: RetryQueue, asked: number, leastMs: number, now: Moment): boolean {
    const known = this.#retrySchedule.get(row.queue);
    if (!this.#overflow.isNews(row, known, asked)) return false;
    const queue = this.#queues.getOrAdd(row.queue);
    const least = row.attempts > 0 ? leastMs : 0;
    if (known) this.#retrySchedule.request(known, row, least, now);
    else {
      this.#retrySchedule.restore(this.#retrySchedule.begin(queue, now), row, least, now);
      this.#storeWaiting(queue);
    }
    const { entries } = queue.retry as RetryState;
    entries.splice(queue.inFlight ? 1 : 0);
    if (queue.listed) this.#order.remove(queue);
    this.#schedule(queue, now);
    return true;
  }

  /** Decides what a queue does next after it changed. */
  #schedule(queue: Queue, now: Moment): void {
    const { retry } = queue;
    if (queue.inFlight || queue.listed || retry?.loading) return;
    if (!retry) {
      if (queue.waiting.length > 0) this.#order.add(queue);
      return;
    }
    if (retry.dueAt > now.ms && (retry.entries.length > 0 || retry.moreStored)) {
      this.#retrySchedule.nextDueAt = Math.min(this.#retrySchedule.nextDueAt, retry.dueAt);
    } else if (retry.entries.length > 0) this.#order.add(queue);
    else if (retry.moreStored) {
      retry.loading = true;
      this.#toLoad.push(queue);
    } else this.#retrySchedule.end(queue);
  }
}
