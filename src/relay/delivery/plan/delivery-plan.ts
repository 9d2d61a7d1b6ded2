/*
 * Decides what is delivered when: events in, commands out. It does no I/O and reads no clock; the
 * executor tells what happened and asks for the next commands.
 *
 * Invariants: one attempt in flight per queue, always its head; a failing queue delays no other; a
 * position is finished only when the backend took it or a retry queue takes it over; what is answered
 * and not yet on disk is bounded, as is what waits in memory; while the backend is down no more is
 * read than a probe needs.
 */
import type { LogEntry } from '../../../store/log/log-entry.ts';
import {
  maxRequestsAtOnce,
  type RetryEntry,
  type RetryQueue,
} from '../../../store/delivery/retry-queues.ts';
import { CircuitBreaker } from './circuit-breaker.ts';
import type { Wants } from '../allowed-updates-history.ts';
import { Overflow } from './overflow.ts';
import type {
  Attempt,
  AttemptResult,
  BackendStatus,
  Changes,
  Commands,
  Moment,
  PlanSettings,
  PushReader,
  Queue,
  RetryState,
  StoredProgress,
} from './plan-types.ts';
import { Progress } from './progress.ts';
import { Queues } from './queues.ts';
import { ReadAhead } from './read-ahead.ts';
import { RetryQueues } from './retry-queues.ts';
import { SendOrder } from './send-order.ts';

const readAtOnce = 500;
const mostCharacters = 8_000_000;
/** How long a full memory may keep other queues waiting before the largest go to the store. */
const makeRoomAfterMs = 2_000;
/** How often a backend that takes updates is noted as such. */
const noteEveryMs = 60_000;
const adoptedAtOnce = 100;
const loadAgainMs = 1_000;
/** After the backend is back, retries come spread over this time. */
const recoverWithinMs = 5_000;

export interface PlanOptions extends PushReader {
  settings: PlanSettings;
  /** Gives 0 to 1. */
  random: () => number;
}

export class DeliveryPlan {
  readonly #reader: PushReader;
  readonly #settings: PlanSettings;
  readonly #random: () => number;
  readonly #breaker: CircuitBreaker;
  readonly #progress: Progress;
  readonly #retryQueues: RetryQueues;
  readonly #readAhead = new ReadAhead();
  readonly #overflow: Overflow;
  readonly #queues = new Queues();
  readonly #order = new SendOrder();
  readonly #toLoad: Queue[] = [];
  #isHalted = false;
  #fullSince = 0;
  #wants: Wants | undefined;
  #backend = 0;
  /** When it was last noted that the backend takes updates. */
  #reachedAt = Number.NEGATIVE_INFINITY;
  /** How far the wall clock was ahead of the monotonic one in the beginning. */
  readonly #wallAheadMs: number;
  readonly #commands: Commands = {
    attempts: [],
    read: 0,
    readAfter: 0,
    loads: [],
    lookUp: false,
    commit: 'none',
    wakeAt: Number.POSITIVE_INFINITY,
  };

  constructor(
    { botId, reader, settings, random }: PlanOptions,
    stored: StoredProgress,
    now: Moment,
  ) {
    const { giveUpAfterMs, maxConnections, mostRetryQueues } = settings;
    this.#reader = { botId, reader };
    this.#settings = settings;
    this.#random = random;
    this.#wallAheadMs = now.wallMs - now.ms;
    this.#breaker = new CircuitBreaker({ mostConnections: maxConnections, random });
    this.#progress = new Progress(this.#reader, stored);
    const rows = stored.retryQueues;
    this.#overflow = new Overflow(rows.length > mostRetryQueues);
    this.#retryQueues = new RetryQueues(
      { botId, reader, giveUpAfterMs, random },
      this.#progress,
      this.#overflow,
    );
    // A dead backend stays paused over a restart: no stampede before the first probe.
    if (stored.paused) this.#breaker.open(now.ms);
    // Many that fell due while nobody was here do not come all at once.
    const spreadMs = Math.min(10_000, rows.length * 50);
    for (const row of rows.slice(0, mostRetryQueues)) this.#adopt(row, 0, random() * spreadMs, now);
  }

  get status(): BackendStatus {
    if (this.#breaker.isOpen) return 'paused';
    const isFailing = this.#overflow.isOn || this.#retryQueues.isFailing;
    return isFailing || this.#breaker.isRecovering ? 'failing' : 'ok';
  }

  get characters(): number {
    return this.#queues.characters;
  }

  get maxConnections(): number {
    return this.#breaker.most;
  }

  /** Some retry queues are in the store only: with updates read, the executor tells which of them are. */
  get overflows(): boolean {
    return this.#overflow.isOn;
  }

  /** Number of the last changes that are on disk, and of the last there are. */
  get committed(): number {
    return this.#progress.committed;
  }

  get lastChanges(): number {
    return this.#progress.lastChanges;
  }

  /** What setWebhook asked for. */
  useOptions(options: { maxConnections: number; wants: Wants | undefined }): void {
    this.#breaker.most = options.maxConnections;
    this.#wants = options.wants;
  }

  /** What failed at the old address, or for the old secret, may well work at the new one. */
  backendChanged(now: Moment): void {
    this.#backend++;
    this.#reachedAt = Number.NEGATIVE_INFINITY;
    this.#progress.noteBackend(undefined);
    this.#breaker.reset();
    this.#retryQueues.retrySooner(() => now.ms);
  }

  /** Nothing new is begun any more. */
  halt(): void {
    this.#isHalted = true;
  }

  logGrew(lastPosition: number, now: Moment): void {
    this.#readAhead.grew(lastPosition);
    if (this.#breaker.isOpen) this.#breaker.freshArrived(now.ms);
  }

  /**
   * Updates from the log, in order; `stored` names those of their queues that wait in the store, asked
   * where the plan overflows. Returns how many were queued to be delivered.
   */
  entriesRead(entries: readonly LogEntry[], stored?: ReadonlySet<string>): number {
    const before = this.#progress.unfinished;
    for (const entry of entries) this.#take(entry, stored);
    if (entries.length === 0) this.#progress.resumed();
    this.#overflow.answered();
    this.#readAhead.ended(entries.length, this.#progress.scanned);
    return this.#progress.unfinished - before;
  }

  readFailed(now: Moment): void {
    this.#overflow.answered();
    this.#readAhead.failed(now.ms);
  }

  attemptEnded(attempt: Attempt, result: AttemptResult, now: Moment): void {
    const { queue, entry } = attempt;
    this.#order.ended(attempt);
    this.#progress.addAttempt({
      bot_id: this.#reader.botId,
      reader: this.#reader.reader,
      position: entry.position,
      update_id: entry.updateId,
      queue: queue.name,
      started_at: now.wallMs - result.durationMs,
      duration_ms: result.durationMs,
      status: result.status,
      error: result.error,
      answer: result.answer,
      replay: attempt.replay ? 1 : 0,
    });
    if (result.error === '') this.#delivered(attempt, result, now);
    else this.#failed(attempt, result, now);
    this.#schedule(queue, now);
  }

  /** Cut off by the executor: nobody knows how it ended, so it is sent again. */
  attemptCancelled(attempt: Attempt, now: Moment): void {
    this.#order.ended(attempt);
    this.#schedule(attempt.queue, now);
  }

  queueLoaded(
    queue: Queue,
    stored: { entries: RetryEntry[]; lost: readonly number[]; complete: boolean },
    now: Moment,
  ): void {
    this.#retryQueues.loaded(queue, stored);
    this.#schedule(queue, now);
  }

  loadFailed(queue: Queue, now: Moment): void {
    if (!queue.retry) return;
    queue.retry.loading = false;
    queue.retry.dueAt = now.ms + loadAgainMs;
    this.#schedule(queue, now);
  }

  /** The retry queues in the store, due first, one more than may be in memory; undefined when it failed. */
  queuesLookedUp(rows: readonly RetryQueue[] | undefined, now: Moment): void {
    const asked = this.#overflow.lookUpEnded();
    if (!rows) return;
    const unknown = rows.filter((row) => !this.#retryQueues.get(row.queue));
    const isAll = unknown.length === 0 && rows.length <= this.#settings.mostRetryQueues;
    if (isAll && asked === this.#overflow.evictions) this.#overflow.isOn = false;
    // What was written before the wall clock was set back is due by the time it had then.
    const dueMs = Math.max(now.wallMs, now.ms + this.#wallAheadMs);
    const due = unknown.filter((row) => row.nextAttemptAt <= dueMs);
    for (const row of due.slice(0, adoptedAtOnce)) this.#adopt(row, asked, 0, now);
  }

  /** The store is asked who requested what. The answer goes to `requested`, with what this returns. */
  askedForRequests(): number {
    this.#overflow.asked(this.#progress.committed);
    return this.#overflow.evictions;
  }

  /** Someone replayed into these queues, wants them sent now, or checked the backend. */
  requested(rows: readonly RetryQueue[], asked: number, now: Moment): void {
    this.#overflow.answered();
    // A check may have failed since: the next delivery tells again.
    this.#reachedAt = Number.NEGATIVE_INFINITY;
    let isNews = false;
    for (const row of rows) isNews = this.#adopt(row, asked, 0, now) || isNews;
    // There may be more than the store tells at once: they are looked up.
    if (rows.length >= maxRequestsAtOnce) this.#overflow.isOn = true;
    if (isNews && this.#breaker.isOpen) {
      this.#breaker.probeAt = Math.min(this.#breaker.probeAt, now.ms);
    }
  }

  takeChanges(): Changes {
    return this.#progress.takeChanges(this.#breaker.isOpen);
  }

  commitEnded(changes: Changes): void {
    this.#progress.commitEnded(changes);
    for (const { name } of this.#retryQueues.evict(this.#settings.mostRetryQueues)) {
      this.#queues.delete(name);
    }
    this.#queues.forgetIdle(this.#progress.unfinished + this.#retryQueues.size);
  }

  /** They are written with the next ones. */
  commitFailed(changes: Changes): void {
    this.#progress.commitFailed(changes);
  }

  /** `isMemoryFull`: the updates of all bots take up too much. */
  next(now: Moment, isMemoryFull: boolean): Commands {
    const commands = this.#commands;
    commands.attempts.length = 0;
    commands.loads.length = 0;
    commands.read = 0;
    commands.lookUp = false;
    commands.wakeAt = Number.POSITIVE_INFINITY;
    commands.commit = 'soon';
    if (!this.#isHalted) this.#plan(now, isMemoryFull);
    else if (this.#order.inFlight === 0) commands.commit = 'now';
    if (!this.#progress.needsCommit(this.#breaker.isOpen)) commands.commit = 'none';
    return commands;
  }

  #plan(now: Moment, isMemoryFull: boolean): void {
    for (const queue of this.#retryQueues.due(now.ms)) this.#schedule(queue, now);
    if (this.#breaker.isOpen) this.#probe(now);
    else this.#send();
    this.#read(now, isMemoryFull);
    this.#load();
    this.#lookUp(now);
    this.#wakeAt(this.#retryQueues.nextDueAt);
  }

  #wakeAt(ms: number): void {
    if (ms < this.#commands.wakeAt) this.#commands.wakeAt = ms;
  }

  #take(entry: LogEntry, stored: ReadonlySet<string> | undefined): void {
    const { position, queue: name } = entry;
    if (!this.#progress.take(position)) return;
    if (this.#wants && !this.#wants(entry)) {
      this.#progress.finish(position);
      return;
    }
    let queue = this.#queues.get(name);
    if (queue?.retry || (!queue && this.#overflow.holds(name, stored))) {
      this.#retryQueues.add(position, name);
      return;
    }
    queue ??= this.#queues.getOrAdd(name);
    this.#queues.push(queue, entry);
    if (!queue.inFlight && !queue.listed) this.#order.add(queue);
  }

  #send(): void {
    const order = this.#order;
    while (order.inFlight < this.#breaker.limit && !order.isEmpty) {
      if (this.#isCommitOverdue()) return;
      const queue = order.next(this.#breaker.limit);
      if (!queue) return;
      this.#begin(queue, false);
    }
  }

  /** Too much is answered and not on disk: nothing is begun before the next commit. */
  #isCommitOverdue(): boolean {
    if (this.#progress.uncommitted < this.#settings.mostUncommitted) return false;
    this.#commands.commit = 'now';
    return true;
  }

  /** One attempt to see whether the backend is back. */
  #probe(now: Moment): void {
    if (this.#order.isProbing) return;
    if (now.ms < this.#breaker.probeAt) {
      this.#wakeAt(this.#breaker.probeAt);
      return;
    }
    if (this.#isCommitOverdue()) return;
    const queue = this.#order.nextForProbe() ?? this.#retryQueues.soonest();
    if (!queue) return;
    if (queue.retry) queue.retry.dueAt = now.ms;
    if (queue.retry?.entries.length === 0) this.#schedule(queue, now);
    else this.#begin(queue, true);
  }

  #begin(queue: Queue, probe: boolean): void {
    const { retry: state } = queue;
    const attempt: Attempt = {
      queue,
      entry: (state ? state.entries[0] : queue.waiting[0]) as LogEntry,
      fresh: !state,
      retry: state !== undefined && state.attempts > 0,
      replay: state?.entries[0]?.replay ?? false,
      probe,
      backend: this.#backend,
    };
    this.#order.began(attempt);
    this.#commands.attempts.push(attempt);
  }

  #delivered(
    { backend, entry, fresh, queue }: Attempt,
    { call }: AttemptResult,
    now: Moment,
  ): void {
    if (backend === this.#backend && now.ms - this.#reachedAt >= noteEveryMs) {
      this.#reachedAt = now.ms;
      this.#progress.noteBackend('answers');
    }
    if (call) this.#progress.addCall(entry.position, call);
    if (fresh) {
      this.#queues.shift(queue);
      this.#progress.finish(entry.position);
    } else this.#retryQueues.delivered(queue, entry as RetryEntry, now);
    if (this.#breaker.succeeded()) {
      this.#retryQueues.retrySooner(() => now.ms + this.#random() * recoverWithinMs);
    }
  }

  #failed(attempt: Attempt, result: AttemptResult, now: Moment): void {
    const { entry, fresh, probe, queue } = attempt;
    if (probe && this.#breaker.isOpen) {
      this.#breaker.probeFailed(fresh, now.ms, result.retryAfterMs);
    } else this.#breaker.failed(queue.name, fresh, now.ms);
    if (!fresh) {
      if (!this.#retryQueues.failed(queue, entry as RetryEntry, result, now)) return;
      this.#reachedAt = Number.NEGATIVE_INFINITY;
      this.#progress.noteBackend('unknown');
    } else if (queue.retry) {
      // Its queue became a retry queue while it was in flight: it goes there, too.
      this.#queues.shift(queue);
      this.#retryQueues.add(entry.position, queue.name);
      queue.retry.entries = [];
    } else if (!this.#breaker.isOpen) this.#beginRetries(queue, entry, result, now);
    // With the backend down it stays where it is, in the log: its failure says nothing about it.
  }

  /** The head failed for the first time: it and all behind it go to the store. */
  #beginRetries(queue: Queue, head: LogEntry, result: AttemptResult, now: Moment): void {
    const retry = this.#retryQueues.begin(queue, now);
    this.#storeWaiting(queue);
    retry.moreStored = retry.added > 1;
    const entry = { ...head, replay: false };
    retry.entries = [entry];
    this.#retryQueues.failed(queue, entry, result, now);
  }

  /** All but the one in flight. */
  #storeWaiting(queue: Queue): void {
    for (const { position } of this.#queues.takeWaiting(queue)) {
      this.#retryQueues.add(position, queue.name);
    }
  }

  /** Takes over what the store says of a retry queue; false when that is no news. */
  #adopt(row: RetryQueue, asked: number, leastMs: number, now: Moment): boolean {
    const known = this.#retryQueues.get(row.queue);
    if (!this.#overflow.isNews(row, known, asked)) return false;
    const queue = this.#queues.getOrAdd(row.queue);
    const least = row.attempts > 0 ? leastMs : 0;
    if (known) this.#retryQueues.request(known, row, least, now);
    else {
      this.#retryQueues.restore(this.#retryQueues.begin(queue, now), row, least, now);
      this.#storeWaiting(queue);
    }
    const { entries } = queue.retry as RetryState;
    entries.splice(queue.inFlight ? 1 : 0);
    if (queue.listed) this.#order.remove(queue);
    this.#schedule(queue, now);
    return true;
  }

  /** Decides what becomes of a queue after something about it changed. */
  #schedule(queue: Queue, now: Moment): void {
    const { retry } = queue;
    if (queue.inFlight || queue.listed || retry?.loading) return;
    if (!retry) {
      if (queue.waiting.length > 0) this.#order.add(queue);
      return;
    }
    if (retry.dueAt > now.ms && (retry.entries.length > 0 || retry.moreStored)) {
      this.#retryQueues.nextDueAt = Math.min(this.#retryQueues.nextDueAt, retry.dueAt);
    } else if (retry.entries.length > 0) this.#order.add(queue);
    else if (retry.moreStored) {
      retry.loading = true;
      this.#toLoad.push(queue);
    } else this.#retryQueues.end(queue);
  }

  /** A queue is loaded when everything about it is on disk, and what is older was read again. */
  #load(): void {
    if (this.#progress.isResuming) return;
    for (let index = 0; index < this.#toLoad.length; ) {
      const queue = this.#toLoad[index] as Queue;
      const retry = queue.retry as RetryState;
      if (retry.changedIn > this.#progress.committed) {
        this.#commands.commit = 'now';
        index++;
        continue;
      }
      retry.addedAtLoad = retry.added;
      this.#commands.loads.push(queue);
      this.#toLoad.splice(index, 1);
    }
  }

  #lookUp(now: Moment): void {
    if (this.#overflow.lookUpAt <= now.ms) {
      this.#overflow.lookUpBegins(now.ms, this.#progress.committed);
      this.#commands.lookUp = true;
    } else this.#wakeAt(this.#overflow.lookUpAt);
  }

  #read(now: Moment, isMemoryFull: boolean): void {
    const { scanned, unfinished } = this.#progress;
    const readAhead = this.#readAhead;
    if (!readAhead.isDue(scanned)) return;
    if (now.ms < readAhead.pausedUntil) {
      this.#wakeAt(readAhead.pausedUntil);
      return;
    }
    if (unfinished <= this.#settings.mostUnfinished / 2) readAhead.isFilling = true;
    const room = this.#room(isMemoryFull);
    if (room === 0) {
      readAhead.isFilling = false;
      this.#makeRoom(now);
      return;
    }
    this.#fullSince = 0;
    if (!readAhead.isFilling) return;
    readAhead.begin();
    this.#overflow.asked(this.#progress.committed);
    this.#commands.read = room;
    this.#commands.readAfter = scanned;
  }

  /** How many updates may be read. */
  #room(isMemoryFull: boolean): number {
    const { unfinished } = this.#progress;
    if (this.#breaker.isOpen && !this.#progress.isResuming) {
      return unfinished === 0 && this.#retryQueues.size === 0 ? 1 : 0;
    }
    if (isMemoryFull || this.characters > mostCharacters) return unfinished === 0 ? 10 : 0;
    return Math.max(0, Math.min(readAtOnce, this.#settings.mostUnfinished - unfinished));
  }

  /** Large queues fill the memory while nothing else is ready: they go to the store. */
  #makeRoom(now: Moment): void {
    if (this.#breaker.isOpen || this.#order.isReady) return;
    this.#fullSince ||= now.ms;
    const makeRoomAt = this.#fullSince + makeRoomAfterMs;
    if (now.ms < makeRoomAt) {
      this.#wakeAt(makeRoomAt);
      return;
    }
    this.#fullSince = 0;
    for (const queue of this.#queues.large(this.#settings.mostUnfinished / 4)) {
      this.#retryQueues.begin(queue, now);
      this.#storeWaiting(queue);
      this.#retryQueues.save(queue, 'waits its turn behind many others of its queue', now);
      // There is room to read on with the next commands.
      this.#wakeAt(now.ms);
    }
  }
}
