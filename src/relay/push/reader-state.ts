import type { Range } from './window.ts';

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
