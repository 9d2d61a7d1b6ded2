/*
 * Brings the search index after the stored messages, in portions and with pauses: storing goes
 * first, and under a flood search lags rather than slowing it down.
 */
import type { Clock } from '../../clock.ts';
import type { Logger } from '../../logger.ts';
import type { MessageSearchRepository } from '../../store/messages/message-search.ts';

export interface SearchIndexer {
  /** Runs until the signal. */
  run(signal: AbortSignal): Promise<void>;
  /** Indexes all that waits now. */
  catchUp(): Promise<void>;
}

const idleMs = 500;
/** About 7 ms of the embedded database's writer, and 30 ms when FTS5 merges (one in a hundred). */
const portion = 100;
/** How long it rests after a portion, in times of what the portion took. */
const restFactor = 3;
const retryMs = 5_000;

export function createSearchIndexer(options: {
  search: MessageSearchRepository;
  clock: Clock;
  logger: Logger;
}): SearchIndexer {
  const { search, clock, logger } = options;

  /** How long to rest. */
  async function step(): Promise<number> {
    if (!(await search.isBehind())) return idleMs;
    const startedAt = clock.monotonic();
    await search.index(portion);
    return Math.min(idleMs, 1 + (clock.monotonic() - startedAt) * restFactor);
  }

  return {
    async run(signal) {
      while (!signal.aborted) {
        const restMs = await step().catch((error: unknown) => {
          if (!signal.aborted) logger.warn({ err: error }, 'indexing messages for search failed');
          return retryMs;
        });
        await clock.sleep(restMs, signal).catch(() => {});
      }
    },
    async catchUp() {
      while ((await search.index(portion)) > 0);
    },
  };
}
