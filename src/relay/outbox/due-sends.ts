/*
 * Queues scheduled sends when they are due. Each node does this for all bots: whichever is first
 * queues a send, and the node that runs the bot makes it.
 *
 * Invariant: the wall clock is only compared with stored times, and looked at again after seconds,
 * so a clock that is set moves what is due and delays nothing else.
 */
import type { Clock } from '../../clock.ts';
import type { ScheduledSendRepository } from '../../store/outbox/scheduled-sends.ts';

export interface DueSends {
  /** Runs until the signal is aborted. */
  keepRunning(signal: AbortSignal): Promise<void>;
  /** A send was scheduled, perhaps as the next one. */
  wake(): void;
}

// A bot may be enabled, the clock may be set, and another node may have scheduled something.
const lookEveryMs = 15_000;

export function createDueSends(deps: {
  clock: Clock;
  scheduledSends: Pick<ScheduledSendRepository, 'release'>;
  /** These bots have something to send, whichever node runs them. */
  onQueued(botIds: ReadonlySet<number>): void;
  onError(error: unknown): void;
}): DueSends {
  const { clock, onError, onQueued, scheduledSends } = deps;
  let wakeUp = () => {};
  let isWoken = false;

  async function look(): Promise<number> {
    try {
      const { botIds, nextAt } = await scheduledSends.release(clock.now());
      if (botIds.length > 0) onQueued(new Set(botIds));
      return Math.min(lookEveryMs, Math.max(1, nextAt - clock.now()));
    } catch (error) {
      onError(error);
      return lookEveryMs;
    }
  }

  return {
    async keepRunning(signal) {
      signal.addEventListener('abort', () => wakeUp(), { once: true });
      while (!signal.aborted) {
        isWoken = false;
        const waitMs = await look();
        if (isWoken || signal.aborted) continue;
        const { promise, resolve } = Promise.withResolvers<void>();
        wakeUp = resolve;
        const cancel = clock.after(waitMs, resolve);
        await promise;
        cancel();
      }
    },
    wake() {
      isWoken = true;
      wakeUp();
    },
  };
}
