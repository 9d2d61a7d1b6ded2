/*
 * The sends of this node that have no recorded outcome yet.
 *
 * Invariant: a send stays in flight until its outcome is recorded, so nobody reports it as lost and
 * no worker of this node takes it again. While the database is unavailable, recording is retried:
 * otherwise a message that was never sent, or one that arrived, would end as `unknown`.
 */
import type { Clock } from '../../clock.ts';
import { isOutage } from '../../errors.ts';
import { createBackground } from '../async/background.ts';
import type { Publish } from '../events/relay-events.ts';

export interface InFlight {
  add(id: number): void;
  has(id: number): boolean;
  /** Does nothing while recording its outcome is being retried. */
  remove(id: number): void;
  /**
   * Records an outcome. Resolves with the error if the first try failed; after an outage it is
   * retried in the background.
   */
  record(send: { id: number; botId: number }, write: () => Promise<void>): Promise<unknown>;
  /** Stops retrying. */
  end(): Promise<void>;
}

interface InFlightOptions {
  clock: Clock;
  events: Publish;
  onError?: (error: unknown, botId: number) => void;
}

const retryMs = 1_000;

export function createInFlight({ clock, events, onError = () => {} }: InFlightOptions): InFlight {
  const ids = new Set<number>();
  const retried = new Set<number>();
  const shutdown = new AbortController();
  const background = createBackground();

  async function retry(botId: number, write: () => Promise<void>): Promise<void> {
    for (;;) {
      await clock.sleep(retryMs, shutdown.signal);
      try {
        await write();
        return;
      } catch (error) {
        if (isOutage(error)) continue;
        onError(error, botId);
        return;
      }
    }
  }

  return {
    add: (id) => void ids.add(id),
    has: (id) => ids.has(id),
    remove(id) {
      if (!retried.has(id)) ids.delete(id);
    },
    async record({ id, botId }, write) {
      try {
        await write();
        return undefined;
      } catch (error) {
        onError(error, botId);
        if (isOutage(error)) {
          retried.add(id);
          background.run(async () => {
            // The retry ends without a recorded outcome only if the service stops.
            await retry(botId, write).catch(() => {});
            retried.delete(id);
            ids.delete(id);
            events.publish('recordedLate', botId, id);
          });
        }
        return error;
      }
    },
    async end() {
      shutdown.abort(new Error('the service stops'));
      await background.end();
    },
  };
}
