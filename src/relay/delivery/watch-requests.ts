import type { Clock } from '../../clock.ts';
import type { Logger } from '../../logger.ts';
import type { Store } from '../../store/store.ts';
import type { PushRuns } from './push-run.ts';

interface WatchRequestsDeps {
  retryQueues: Store['reserved']['retryQueues'];
  clock: Clock;
  logger: Logger;
}

// A replay requested on another node begins within this time.
const everyMs = 2_000;

/** Looks for requests made on other nodes while anything is pushed here. */
export class RequestWatch {
  readonly #runs: PushRuns;
  readonly #deps: WatchRequestsDeps;
  #cancel: (() => void) | undefined;
  #requestedAt = 0;

  constructor(runs: PushRuns, deps: WatchRequestsDeps) {
    this.#runs = runs;
    this.#deps = deps;
  }

  /** Looks again after a while, unless nothing is pushed or a look is planned. */
  look(): void {
    if (this.#cancel || this.#runs.size === 0) return;
    this.#cancel = this.#deps.clock.after(everyMs, () => void this.#read());
  }

  stop(): void {
    this.#cancel?.();
  }

  async #read(): Promise<void> {
    const { clock, logger, retryQueues } = this.#deps;
    try {
      // Clocks of nodes differ, so a slightly older request may still be news.
      const since = Math.min(this.#requestedAt, clock.now()) - 60_000;
      const rows = await retryQueues.readersRequestedSince(Math.max(0, since));
      this.#requestedAt = Math.max(this.#requestedAt, rows[0]?.requestedAt ?? 0);
      for (const { botId, reader } of rows) {
        await this.#runs.get(botId, reader)?.delivery?.readRequests();
      }
    } catch (error) {
      logger.debug({ err: error }, 'retry requests not read');
    }
    this.#cancel = undefined;
    this.look();
  }
}
