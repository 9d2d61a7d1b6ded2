import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type CollectGarbage = (options: { type: 'minor'; execution: 'sync' }) => void;

/**
 * Every chunk that passes leaves a spent buffer behind. The engine counts these as next to nothing
 * and lets about 64 MB of them gather before it looks, so a document would cost its own size in
 * memory after all. A look at the young objects alone takes about a millisecond and frees them.
 */
export interface SpentBuffers {
  /** Counts bytes that have passed. */
  passed(bytes: number): void;
}

const lookEveryBytes = 4 * 1024 * 1024;

export function createSpentBuffers(): SpentBuffers {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as CollectGarbage;
  let spent = 0;
  return {
    passed(bytes) {
      spent += bytes;
      if (spent < lookEveryBytes) return;
      spent = 0;
      collectGarbage({ type: 'minor', execution: 'sync' });
    },
  };
}
