/*
 * Keeps the results that are not on disk yet.
 *
 * Invariants: a position counts as finished only when the backend took it, or in the same commit
 * that hands it to a retry queue; changes that could not be written are written with the next ones,
 * in order; everything up to the changes with the number `committed` is on disk. Positions that a
 * reader only skips are written once a second: nothing depends on them, and a reader that wants
 * little stays cheap.
 */
import type { AttemptRow, QueueChange } from '../../../store/delivery/deliveries.ts';
import type { NewDeadLetter } from '../../../store/delivery/dead-letters.ts';
import { writeReaderState } from '../../../core/log/push-progress.ts';
import type { AnswerCall } from '../answer-call.ts';
import { Window } from './window.ts';
import type { Changes, PushReader, StoredProgress } from './plan-types.ts';

const commitSkipsAfterMs = 1_000;

export class Progress {
  readonly #reader: PushReader;
  readonly #window: Window;
  #changes: Changes;
  #isDirty = false;
  /** The time of the first skip since the last commit; undefined if there was none. */
  #skippedSince: number | undefined;
  #wrotePaused: boolean;
  #resumedAt: number;
  /** The same as in `ReaderState`; 0 if nothing is read again. */
  readonly readBefore: number;
  /** The number of attempts that are answered and not yet on disk. */
  uncommitted = 0;
  /** The number of the last changes on disk. */
  committed = 0;

  constructor(reader: PushReader, { position, finished, paused, readBefore = 0 }: StoredProgress) {
    this.#reader = reader;
    this.readBefore = readBefore;
    this.#window = new Window(position, finished);
    this.#wrotePaused = paused;
    this.#resumedAt = finished.at(-1)?.[1] ?? position;
    this.#changes = noChanges(reader, 1);
  }

  /** The last position read from the log. */
  get scanned(): number {
    return this.#window.scanned;
  }

  /**
   * True until everything that was in flight when the reader last ended is read again: it is older
   * than some of the stored updates.
   */
  get isResuming(): boolean {
    return this.#window.scanned < this.#resumedAt;
  }

  /**
   * The log ends before the last finished position, so it holds nothing else that was in flight.
   */
  resumed(): void {
    this.#resumedAt = this.#window.scanned;
  }

  get unfinished(): number {
    return this.#window.size;
  }

  /** The number of the last changes that have anything to write. */
  get lastChanges(): number {
    return this.#isDirty ? this.#changes.number : this.#changes.number - 1;
  }

  needsCommit(isPaused: boolean, nowMs: number): boolean {
    return this.#isDirty || isPaused !== this.#wrotePaused || nowMs >= this.skipsDueAt;
  }

  /** The time at which skipped positions are written. */
  get skipsDueAt(): number {
    if (this.#skippedSince === undefined) return Number.POSITIVE_INFINITY;
    return this.#skippedSince + commitSkipsAfterMs;
  }

  /** Takes the next position of the log; false when it was finished before. */
  take(position: number): boolean {
    return this.#window.take(position);
  }

  /** Skips the next position of the log, which is not for this reader. */
  skip(position: number, nowMs: number): void {
    this.#window.skip(position);
    this.#skippedSince ??= nowMs;
  }

  finish(position: number): void {
    this.#window.finish(position);
    this.#isDirty = true;
  }

  /** Hands the position to a retry queue. */
  retryLater(position: number, queue: string): void {
    this.finish(position);
    this.#changes.positions.set(position, { queue, replay: false });
  }

  /** Removes the position from its retry queue. */
  retried(position: number): void {
    this.#changes.positions.set(position, null);
    this.#isDirty = true;
  }

  changeQueue(name: string, change: QueueChange): void {
    this.#changes.queues.set(name, change);
    this.#isDirty = true;
  }

  /** The replay of a dead letter ended: the letter is deleted, or written again. */
  replayed(position: number): void {
    this.#changes.replayed.push(position);
  }

  addDeadLetter(letter: NewDeadLetter): void {
    this.#changes.deadLetters.push(letter);
  }

  addAttempt(row: AttemptRow): void {
    this.#changes.attempts.push(row);
    this.uncommitted++;
    this.#isDirty = true;
  }

  addCall(position: number, call: AnswerCall): void {
    this.#changes.calls.push({ position, call });
  }

  noteBackend(health: Changes['backend']): void {
    this.#changes.backend = health;
    this.#isDirty = true;
  }

  takeChanges(isPaused: boolean): Changes {
    const changes = this.#changes;
    this.#changes = noChanges(this.#reader, changes.number + 1);
    this.#isDirty = false;
    this.#skippedSince = undefined;
    this.#wrotePaused = isPaused;
    const finished = this.#window.finishedAbove();
    const position = this.#window.cursor;
    const readBefore = position < this.readBefore ? this.readBefore : 0;
    changes.cursor = {
      position,
      state: writeReaderState({ finished, paused: isPaused, readBefore }),
    };
    return changes;
  }

  commitEnded(changes: Changes): void {
    this.uncommitted -= changes.attempts.length;
    this.committed = changes.number;
  }

  commitFailed(older: Changes): void {
    const newer = this.#changes;
    this.#changes = {
      ...newer,
      attempts: [...older.attempts, ...newer.attempts],
      positions: new Map([...older.positions, ...newer.positions]),
      queues: new Map([...older.queues, ...newer.queues]),
      deadLetters: [...older.deadLetters, ...newer.deadLetters],
      replayed: [...older.replayed, ...newer.replayed],
      calls: [...older.calls, ...newer.calls],
      backend: newer.backend ?? older.backend,
    };
    this.#isDirty = true;
  }
}

function noChanges({ botId, reader }: PushReader, number: number): Changes {
  return {
    botId,
    reader,
    number,
    cursor: { position: 0, state: '' },
    attempts: [],
    positions: new Map(),
    queues: new Map(),
    deadLetters: [],
    replayed: [],
    calls: [],
    backend: undefined,
  };
}
