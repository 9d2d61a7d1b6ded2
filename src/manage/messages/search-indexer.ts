/*
 * Adds stored messages to the search index, in portions and with pauses: storing has priority, and
 * under load search lags rather than slowing it down.
 */
import type { Clock } from '../../clock.ts';
import type { Logger } from '../../logger.ts';
import { backgroundWork, createBurstWatch, restAfter } from '../../store/background-work.ts';
import type { MessageSearchRepository } from '../../store/messages/message-search.ts';

export interface SearchIndexer {
  /** Runs until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
  /** Indexes everything that waits at the moment. */
  catchUp(): Promise<void>;
}

const idleMs = 500;
/** The pause after a portion, as a multiple of the time that the portion took of the writer. */
const restFactor = 3;
const retryMs = 5_000;

export function createSearchIndexer(options: {
  search: MessageSearchRepository;
  clock: Clock;
  logger: Logger;
  /** Only one node indexes, so that more nodes do not take more from those who store. */
  isFirstNode(): boolean;
}): SearchIndexer {
  const { search, clock, logger, isFirstNode } = options;
  const isBurst = createBurstWatch();

  /** Returns how long to pause. */
  async function step(): Promise<number> {
    if (!isFirstNode()) return idleMs;
    const backlog = await search.backlog();
    const startedAt = clock.monotonic();
    const inBurst = isBurst(backlog, startedAt);
    if (backlog === 0) return idleMs;
    const work = backgroundWork(backlog);
    // What comes within half a second is indexed together, which costs less.
    if ((await search.indexInBackground(work)) === 'done' || inBurst) return idleMs;
    return Math.min(idleMs, 1 + restAfter(work, clock.monotonic() - startedAt, restFactor));
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
      while ((await search.index()) === 'more');
    },
  };
}
