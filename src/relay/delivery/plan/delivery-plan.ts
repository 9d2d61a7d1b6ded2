/*
 * Decides what is delivered when: events in, commands out. It does no I/O and reads no clock; the
 * executor tells what happened and asks for the next commands.
 *
 * Invariants: one attempt in flight per queue, always its head; a failing queue delays no other; a
 * position is finished only when the backend took it or a retry queue takes it over; the number of
 * answered attempts that are not on disk is bounded, and so are the updates in memory; while the
 * backend is down, the plan reads no more than a probe needs.
 */
import { type QueueOf, withoutTopic } from '../../../core/log/reader-queues.ts';
import type { LogEntry } from '../../../store/log/log-entry.ts';
import type { RetryQueue } from '../../../store/delivery/retry-queues.ts';
import { CircuitBreaker } from './circuit-breaker.ts';
import type { Wants } from '../allowed-updates-history.ts';
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
  StoredEntries,
  StoredProgress,
} from './plan-types.ts';
import { Progress } from './progress.ts';
import { QueueScheduler } from './queue-scheduler.ts';
import { ReadAhead } from './read-ahead.ts';

const readAtOnce = 500;
const mostCharacters = 8_000_000;
/** A full memory may delay other queues for this long before the largest queues go to the store. */
const makeRoomAfterMs = 2_000;
/** Notes at this interval that the backend takes updates. */
const noteEveryMs = 60_000;
/** Once the backend is back, retries are spread over this time. */
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
  readonly #scheduler: QueueScheduler;
  readonly #readAhead = new ReadAhead();
  #isHalted = false;
  #fullSince = 0;
  #wants: Wants = () => true;
  /** Numbers the backends of this plan, one after the other. */
  #backend = 0;
  /** The last time it was noted that the backend takes updates. */
  #reachedAt = Number.NEGATIVE_INFINITY;
  /** True if an update became a dead letter and the backend has taken none since. */
  #gaveUp = false;
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
    this.#breaker = new CircuitBreaker({ mostConnections: maxConnections, random });
    this.#progress = new Progress(this.#reader, stored);
    this.#scheduler = new QueueScheduler(
      { botId, reader, giveUpAfterMs, mostRetryQueues, random },
      this.#progress,
      stored.retryQueues,
      now,
    );
    // A dead backend stays paused over a restart, so that no stampede precedes the first probe.
    if (stored.paused) this.#breaker.open(now.ms);
  }

  get status(): BackendStatus {
    if (this.#breaker.isOpen) return 'paused';
    return this.#scheduler.isFailing || this.#gaveUp ? 'failing' : 'ok';
  }

  get characters(): number {
    return this.#scheduler.characters;
  }

  /**
   * Some retry queues are in the store only: whenever updates are read, the executor looks up which
   * of their queues are.
   */
  get overflows(): boolean {
    return this.#scheduler.overflows;
  }

  /**
   * `committed` is the number of the last changes on disk, `lastChanges` that of the last ones
   * made.
   */
  get committed(): number {
    return this.#progress.committed;
  }

  get lastChanges(): number {
    return this.#progress.lastChanges;
  }

  /** Positions up to this one were read before and are read again. */
  get readBefore(): number {
    return this.#progress.readBefore;
  }

  /** Sets what setWebhook asked for, what the reader sees of the log, and in which queues. */
  useOptions(options: {
    maxConnections: number;
    wants: Wants;
    queueOf?: QueueOf | undefined;
  }): void {
    this.#breaker.most = options.maxConnections;
    this.#wants = options.wants;
    this.#scheduler.names.use(options.queueOf);
  }

  /** The queue of an update that is read. */
  queueOf(entry: LogEntry): string {
    return this.#scheduler.names.presentOf(entry);
  }

  /**
   * Retries at once: what failed at the old address, or with the old secret, may work at the new
   * one.
   */
  backendChanged(now: Moment): void {
    this.#backend++;
    this.#reachedAt = Number.NEGATIVE_INFINITY;
    this.#gaveUp = false;
    this.#progress.noteBackend(undefined);
    this.#breaker.reset();
    this.#scheduler.retrySooner(() => now.ms);
  }

  /** Begins no more attempts. */
  halt(): void {
    this.#isHalted = true;
  }

  /** The last position read from the log. */
  get scanned(): number {
    return this.#progress.scanned;
  }

  /**
   * Notes that the log grew. `fresh` holds the entries after the last position read, as far as they
   * are in memory. Returns false if there is nothing to do, because none of them is wanted.
   */
  logGrew(lastPosition: number, now: Moment, fresh?: readonly LogEntry[]): boolean {
    const wasSkipping = Number.isFinite(this.#progress.skipsDueAt);
    const isSkipped = fresh !== undefined && this.#skip(fresh, now);
    this.#readAhead.grew(lastPosition);
    // The first skipped entry sets the time of the next commit.
    if (isSkipped && !this.#readAhead.isDue(this.scanned)) return !wasSkipping;
    if (this.#breaker.isOpen) this.#breaker.freshArrived(now.ms);
    return true;
  }

  /**
   * Takes updates from the log, in order. `stored` names those of their queues that wait in the
   * store; it is given if the plan overflows. Returns how many updates were queued for delivery.
   */
  entriesRead(entries: readonly LogEntry[], now: Moment, stored?: ReadonlySet<string>): number {
    const before = this.#progress.unfinished;
    for (const entry of entries) this.#take(entry, now, stored);
    if (entries.length === 0) this.#progress.resumed();
    this.#scheduler.storeAnswered();
    this.#readAhead.ended(entries.length, this.#progress.scanned);
    return this.#progress.unfinished - before;
  }

  readFailed(now: Moment): void {
    this.#scheduler.storeAnswered();
    this.#readAhead.failed(now.ms);
  }

  attemptEnded(attempt: Attempt, result: AttemptResult, now: Moment): void {
    const { queue, entry } = attempt;
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
  }

  /** The executor cut the attempt off, so its outcome is unknown and it is sent again. */
  attemptCancelled(attempt: Attempt, now: Moment): void {
    this.#scheduler.cancelled(attempt, now);
  }

  queueLoaded(queue: Queue, stored: StoredEntries, now: Moment): void {
    this.#scheduler.loaded(queue, stored, now);
  }

  loadFailed(queue: Queue, now: Moment): void {
    this.#scheduler.loadFailed(queue, now);
  }

  /**
   * Takes the retry queues in the store, due first, one more than may be in memory; undefined if
   * the look-up failed.
   */
  queuesLookedUp(rows: readonly RetryQueue[] | undefined, now: Moment): void {
    this.#scheduler.lookUpEnded(rows, now);
  }

  /**
   * Notes that the store is asked for requests. Pass the returned number to `requested`, together
   * with the answer.
   */
  askedForRequests(): number {
    return this.#scheduler.askedForRequests();
  }

  /**
   * Takes requests from the store: someone replayed into these queues, wants them sent at once, or
   * checked the backend.
   */
  requested(rows: readonly RetryQueue[], asked: number, now: Moment): void {
    // A check may have failed since, so the next delivery is noted again.
    this.#reachedAt = Number.NEGATIVE_INFINITY;
    if (this.#scheduler.requested(rows, asked, now) && this.#breaker.isOpen) {
      this.#breaker.probeAt = Math.min(this.#breaker.probeAt, now.ms);
    }
  }

  /**
   * A check sent an update that the backend accepted, so the next delivery need not wait for its
   * time.
   */
  backendAccepts(now: Moment): void {
    this.#gaveUp = false;
    if (!this.#breaker.isOpen) return;
    this.#breaker.probeAt = Math.min(this.#breaker.probeAt, now.ms);
    if (this.#hasNothing) this.#breaker.succeeded();
  }

  /** True if nothing waits that a probe could send. */
  get #hasNothing(): boolean {
    const { hasRetryQueues, overflows } = this.#scheduler;
    const { scanned, unfinished } = this.#progress;
    const readAhead = this.#readAhead;
    const isRead = !readAhead.isReading && !readAhead.isDue(scanned);
    return isRead && !hasRetryQueues && !overflows && unfinished === 0;
  }

  takeChanges(): Changes {
    return this.#progress.takeChanges(this.#breaker.isOpen);
  }

  commitEnded(changes: Changes): void {
    this.#progress.commitEnded(changes);
    this.#scheduler.forgetSurplus();
  }

  /** The changes are written with the next ones. */
  commitFailed(changes: Changes): void {
    this.#progress.commitFailed(changes);
  }

  /** `isMemoryFull` means that the updates of all bots take up too much memory. */
  next(now: Moment, isMemoryFull: boolean): Commands {
    const commands = this.#commands;
    commands.attempts.length = 0;
    commands.loads.length = 0;
    commands.read = 0;
    commands.lookUp = false;
    commands.wakeAt = Number.POSITIVE_INFINITY;
    commands.commit = 'soon';
    if (!this.#isHalted) this.#plan(now, isMemoryFull);
    else if (this.#scheduler.inFlight === 0) commands.commit = 'now';
    const nowMs = this.#isHalted ? Number.MAX_VALUE : now.ms;
    if (!this.#progress.needsCommit(this.#breaker.isOpen, nowMs)) {
      commands.commit = 'none';
      this.#wakeAt(this.#progress.skipsDueAt);
    }
    return commands;
  }

  #plan(now: Moment, isMemoryFull: boolean): void {
    this.#scheduler.scheduleDue(now);
    if (this.#breaker.isOpen) this.#probe(now);
    else this.#send();
    this.#read(now, isMemoryFull);
    if (this.#scheduler.takeLoads(this.#commands.loads)) this.#commands.commit = 'now';
    this.#lookUp(now);
    this.#wakeAt(this.#scheduler.nextDueAt);
  }

  #wakeAt(ms: number): void {
    if (ms < this.#commands.wakeAt) this.#commands.wakeAt = ms;
  }

  #take(entry: LogEntry, now: Moment, stored: ReadonlySet<string> | undefined): void {
    if (!this.#wants(entry)) this.#progress.skip(entry.position, now.ms);
    else if (this.#progress.take(entry.position)) this.#scheduler.add(entry, stored);
  }

  /** Skips the entries that just arrived, if they come next and none of them is wanted. */
  #skip(fresh: readonly LogEntry[], now: Moment): boolean {
    const isNext = fresh[0]?.position === this.scanned + 1 && !this.#readAhead.isReading;
    if (!isNext || this.#isHalted || fresh.some(this.#wants)) return false;
    for (const { position } of fresh) this.#progress.skip(position, now.ms);
    return true;
  }

  #send(): void {
    while (this.#scheduler.isWaiting) {
      if (this.#isCommitOverdue()) return;
      const attempt = this.#scheduler.next(this.#breaker.limit, this.#backend);
      if (!attempt) return;
      this.#commands.attempts.push(attempt);
    }
  }

  /** Too many attempts are answered and not on disk: begins nothing before the next commit. */
  #isCommitOverdue(): boolean {
    if (this.#progress.uncommitted < this.#settings.mostUncommitted) return false;
    this.#commands.commit = 'now';
    return true;
  }

  /** Begins one attempt to check whether the backend is back. */
  #probe(now: Moment): void {
    if (this.#scheduler.isProbing) return;
    if (now.ms < this.#breaker.probeAt) {
      this.#wakeAt(this.#breaker.probeAt);
      return;
    }
    if (this.#isCommitOverdue()) return;
    const attempt = this.#scheduler.probe(this.#backend, now);
    if (attempt) this.#commands.attempts.push(attempt);
  }

  #delivered(attempt: Attempt, { call }: AttemptResult, now: Moment): void {
    const isCurrent = attempt.backend === this.#backend;
    if (isCurrent) this.#gaveUp = false;
    if (isCurrent && now.ms - this.#reachedAt >= noteEveryMs) {
      this.#reachedAt = now.ms;
      this.#progress.noteBackend({ error: '', refused: '' });
    }
    if (call) this.#progress.addCall(attempt.entry.position, call);
    this.#scheduler.delivered(attempt, now);
    if (!isCurrent) return;
    const soon = () => now.ms + this.#random() * recoverWithinMs;
    if (this.#breaker.succeeded()) this.#scheduler.retrySooner(soon);
    else this.#scheduler.retryUnreached(soon);
  }

  #failed(attempt: Attempt, result: AttemptResult, now: Moment): void {
    const { fresh, probe, queue } = attempt;
    const isCurrent = attempt.backend === this.#backend;
    if (isCurrent && probe && this.#breaker.isOpen) {
      this.#breaker.probeFailed(fresh, now.ms, result.retryAfterMs);
    } else if (isCurrent) this.#breaker.failed(withoutTopic(queue.name), fresh, now.ms);
    // An update that a former backend refused, or wants later, goes to the present one at once.
    const failure = isCurrent ? result : { ...result, retryAfterMs: 0 };
    const isDead = this.#scheduler.failed(attempt, failure, this.#breaker.isOpen, now);
    if (!isDead || !isCurrent) return;
    this.#reachedAt = Number.NEGATIVE_INFINITY;
    this.#gaveUp = true;
    this.#progress.noteBackend(noteOfFailure(result));
  }

  #lookUp(now: Moment): void {
    const { lookUpAt } = this.#scheduler;
    if (lookUpAt > now.ms) {
      this.#wakeAt(lookUpAt);
      return;
    }
    this.#scheduler.lookUpBegins(now);
    this.#commands.lookUp = true;
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
    this.#scheduler.storeAsked();
    this.#commands.read = room;
    this.#commands.readAfter = scanned;
  }

  /** The number of updates that may be read. */
  #room(isMemoryFull: boolean): number {
    const { unfinished } = this.#progress;
    if (this.#breaker.isOpen && !this.#progress.isResuming) {
      return unfinished === 0 && !this.#scheduler.hasRetryQueues ? 1 : 0;
    }
    if (isMemoryFull || this.characters > mostCharacters) return unfinished === 0 ? 10 : 0;
    return Math.max(0, Math.min(readAtOnce, this.#settings.mostUnfinished - unfinished));
  }

  /** Moves large queues to the store if they fill the memory while nothing else is ready. */
  #makeRoom(now: Moment): void {
    if (this.#breaker.isOpen || this.#scheduler.isReady) return;
    this.#fullSince ||= now.ms;
    const makeRoomAt = this.#fullSince + makeRoomAfterMs;
    if (now.ms < makeRoomAt) {
      this.#wakeAt(makeRoomAt);
      return;
    }
    this.#fullSince = 0;
    // The next commands may read on, as there is room.
    if (this.#scheduler.storeLarge(this.#settings.mostUnfinished / 4, now)) this.#wakeAt(now.ms);
  }
}

/** Translates a failed attempt into what it shows about the backend. */
function noteOfFailure({ error, isUnreached, status }: AttemptResult): Changes['backend'] {
  return { error: status > 0 ? '' : error, refused: isUnreached ? undefined : error };
}
