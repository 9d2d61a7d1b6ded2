import type { Range } from '../../core/log/ranges.ts';

/** What the push reader keeps beside its position: part of the stored data, so fields only come. */
export interface ReaderState {
  /** Finished positions above the reader's own. */
  finished: Range[];
  /** The breaker is open. */
  paused: boolean;
}

export function writeReaderState(state: ReaderState): string {
  if (state.finished.length === 0 && !state.paused) return '';
  return JSON.stringify({
    ...(state.finished.length > 0 ? { finished: state.finished } : {}),
    ...(state.paused ? { paused: true } : {}),
  });
}

export function readReaderState(text: string): ReaderState {
  if (text === '') return { finished: [], paused: false };
  const stored = JSON.parse(text) as Partial<ReaderState>;
  return { finished: stored.finished ?? [], paused: stored.paused ?? false };
}

/** The cursor of a push reader; -1 for one that was never opened. */
export interface PushProgress {
  position: number;
  state: string;
}

/**
 * How many updates push has not finished: those it did not come to yet, and those that wait behind
 * a failure, which its position is past.
 */
export function waitingForPush(
  reader: PushProgress,
  head: { lastPosition: number; trimmedTo: number },
  waiting: number,
): number {
  return waiting + (reader.position < 0 ? 0 : unfinished(reader, head));
}

/** How many updates that are still in the log come after the reader's position, unfinished. */
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
