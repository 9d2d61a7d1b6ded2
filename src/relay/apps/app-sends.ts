/*
 * Sends of apps that answer for the replies to them. Telegram shows a message before it tells who sent
 * it: a press of its button may be here sooner than that is stored, and would be for everybody. So it
 * waits for the sends in flight, for a moment.
 */
import type { Clock } from '../../clock.ts';
import type { IncomingUpdate } from '../../core/log/update-facts.ts';
import { withTimeout } from '../async/with-timeout.ts';
import type { UpdateLog } from '../log/update-log.ts';

export interface AppSends {
  /** Such a send begins; to be called when who sent it is stored, or nothing was sent. */
  begin(botId: number): () => void;
  /** Undefined when there is nothing to wait for. */
  settle(botId: number): Promise<void> | undefined;
}

const longestMs = 1_000;

export function createAppSends(clock: Clock): AppSends {
  const inFlight = new Map<number, Set<Promise<void>>>();
  return {
    begin(botId) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const others = inFlight.get(botId) ?? new Set();
      inFlight.set(botId, others.add(promise));
      return () => {
        others.delete(promise);
        if (others.size === 0 && inFlight.get(botId) === others) inFlight.delete(botId);
        resolve();
      };
    },
    settle(botId) {
      const sends = inFlight.get(botId);
      return sends && withTimeout(clock, longestMs, Promise.all(sends));
    },
  };
}

/** The log, with presses and replies stored after the sends that they may be about. */
export function afterSends(log: UpdateLog, sends: Pick<AppSends, 'settle'>): UpdateLog {
  return {
    ...log,
    append(botId, updates, options) {
      const settled = updates.some(isAboutMessage) ? sends.settle(botId) : undefined;
      const append = () => log.append(botId, updates, options);
      return settled ? settled.then(append) : append();
    },
  };
}

const isAboutMessage = ({ archive: { messages } }: IncomingUpdate): boolean =>
  messages.some(({ replyToMessageId }) => replyToMessageId !== null);
