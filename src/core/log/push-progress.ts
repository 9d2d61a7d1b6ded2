import type { Range } from './ranges.ts';

/**
 * The state that a push reader keeps besides its position. It is part of the stored data, so fields
 * are only added.
 */
export interface ReaderState {
  /** Finished positions above the reader's own. */
  finished: Range[];
  /** True if the circuit breaker is open. */
  paused: boolean;
  /**
   * Up to this position the reader reads again what it read before someone moved it; left out if it
   * does not.
   */
  readBefore?: number;
}

export function writeReaderState(state: ReaderState): string {
  const { finished, paused, readBefore = 0 } = state;
  if (finished.length === 0 && !paused && readBefore === 0) return '';
  return JSON.stringify({
    ...(finished.length > 0 ? { finished } : {}),
    ...(paused ? { paused: true } : {}),
    ...(readBefore > 0 ? { readBefore } : {}),
  });
}

export function readReaderState(text: string): ReaderState {
  if (text === '') return { finished: [], paused: false };
  const stored = JSON.parse(text) as Partial<ReaderState>;
  const { finished = [], paused = false, readBefore = 0 } = stored;
  return { finished, paused, ...(readBefore > 0 ? { readBefore } : {}) };
}

/** The cursor of a push reader; -1 for one that was never opened. */
export interface PushProgress {
  position: number;
  state: string;
}

/**
 * Counts the updates that push has not finished: those it has not reached yet, and those that wait
 * behind a failure, which its position has passed.
 */
export function waitingForPush(
  reader: PushProgress,
  head: { lastPosition: number; trimmedTo: number },
  waiting: number,
): number {
  return waiting + (reader.position < 0 ? 0 : unfinished(reader, head));
}

/** This many updates at the end of a log are checked one by one when they are counted. */
export const lookedAt = 1_000;

/** Counts the unfinished updates after the reader's position that are still in the log. */
export function unfinished(
  reader: PushProgress,
  head: { lastPosition: number; trimmedTo: number },
): number {
  const from = Math.max(reader.position, head.trimmedTo);
  const ahead = readReaderState(reader.state).finished.map(
    ([first, last]) => last - Math.max(first - 1, head.trimmedTo),
  );
  return ahead.reduce(
    (left, count) => left - Math.max(0, count),
    Math.max(0, head.lastPosition - from),
  );
}
