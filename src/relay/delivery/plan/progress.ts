/*
 * What was finished and is not on disk yet.
 *
 * Invariants: a position counts as finished only when the backend took it or in the same commit that
 * hands it to a retry queue; changes that could not be written are written with the next ones, in
 * order; `committed` tells the number up to which everything is on disk. What a reader only skips is
 * written now and then: nothing depends on it, and a reader that wants little costs little.
 */
import type { AttemptRow, QueueChange } from '../../../store/delivery/deliveries.ts';
import type { NewDeadLetter } from '../../../store/delivery/dead-letters.ts';
import { writeReaderState } from '../../../store/delivery/push-progress.ts';
import type { AnswerCall } from '../answer-call.ts';
import { Window } from './window.ts';
import type { Changes, PushReader, StoredProgress } from './plan-types.ts';

const commitSkipsAfterMs = 1_000;

export class Progress {
  readonly #reader: PushReader;
  readonly #window: Window;
  #changes: Changes;
  #isDirty = false;
  /** When the first of what was skipped since the last commit was; undefined when nothing was. */
  #skippedSince: number | undefined;
  #wrotePaused: boolean;
  #resumedAt: number;
  /** As `ReaderState` has it; 0 where nothing is read again. */
  readonly readBefore: number;
  /** Attempts that are answered and not yet on disk. */
  uncommitted = 0;
  /** The last changes that are on disk. */
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

  /** What was in flight at the last end is not read again yet: it is older than some of what was stored. */
  get isResuming(): boolean {
    return this.#window.scanned < this.#resumedAt;
  }

  /** The log ends before what was finished: nothing that was in flight is left in it. */
  resumed(): void {
    this.#resumedAt = this.#window.scanned;
  }

  get unfinished(): number {
    return this.#window.size;
  }

  /** Number of the last changes that have anything to write. */
  get lastChanges(): number {
    return this.#isDirty ? this.#changes.number : this.#changes.number - 1;
  }

  needsCommit(isPaused: boolean, nowMs: number): boolean {
    return this.#isDirty || isPaused !== this.#wrotePaused || nowMs >= this.skipsDueAt;
  }

  /** When to write down what was skipped. */
  get skipsDueAt(): number {
    if (this.#skippedSince === undefined) return Number.POSITIVE_INFINITY;
    return this.#skippedSince + commitSkipsAfterMs;
  }

  /** Takes the next position of the log; false when it was finished before. */
  take(position: number): boolean {
    return this.#window.take(position);
  }

  /** The next position of the log is not for this reader. */
  skip(position: number, nowMs: number): void {
    this.#window.skip(position);
    this.#skippedSince ??= nowMs;
  }

  finish(position: number): void {
    this.#window.finish(position);
    this.#isDirty = true;
  }

  /** A retry queue takes the position over. */
  retryLater(position: number, queue: string): void {
    this.finish(position);
    this.#changes.positions.set(position, { queue, replay: false });
  }

  /** No retry queue holds the position any more. */
  retried(position: number): void {
    this.#changes.positions.set(position, null);
    this.#isDirty = true;
  }

  changeQueue(name: string, change: QueueChange): void {
    this.#changes.queues.set(name, change);
    this.#isDirty = true;
  }

  /** The replay of a dead letter ended: the letter goes, or is written again. */
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
