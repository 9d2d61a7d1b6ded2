/*
 * Sends of apps that answer for the replies to them. Telegram shows a message before it tells who sent
 * it: a press of its button may be here sooner than that is stored, and would be for everybody. So it
 * waits for the sends into its chat, each for a moment: one that Telegram does not answer delays nobody
 * for long.
 */
import type { Clock } from '../../clock.ts';
import type { IncomingUpdate } from '../../core/log/update-facts.ts';
import type { UpdateLog } from '../log/update-log.ts';

export interface AppSends {
  /**
   * The platform has such a send whole, or soon will; to be called when who sent it is stored, or
   * nothing was sent. Without a chat it may be into any.
   */
  begin(botId: number, chatId?: number): () => void;
  /** Undefined when there is nothing to wait for. */
  settle(botId: number, chatIds: ReadonlySet<number>): Promise<unknown> | undefined;
}

const longestMs = 1_000;

export function createAppSends(clock: Clock): AppSends {
  const inFlight = new Map<number, Set<{ chatId: number | undefined; ended: Promise<void> }>>();
  return {
    begin(botId, chatId) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const send = { chatId, ended: promise };
      const sends = inFlight.get(botId) ?? new Set();
      inFlight.set(botId, sends.add(send));
      const cancel = clock.after(longestMs, end);
      return end;
      function end(): void {
        cancel();
        sends.delete(send);
        if (sends.size === 0 && inFlight.get(botId) === sends) inFlight.delete(botId);
        resolve();
      }
    },
    settle(botId, chatIds) {
      const awaited = [...(inFlight.get(botId) ?? [])]
        .filter(({ chatId }) => chatId === undefined || chatIds.has(chatId))
        .map(({ ended }) => ended);
      return awaited.length > 0 ? Promise.all(awaited) : undefined;
    },
  };
}

/** The log, with presses and replies stored after the sends that they may be about. */
export function afterSends(log: UpdateLog, sends: Pick<AppSends, 'settle'>): UpdateLog {
  return {
    ...log,
    append(botId, updates, options) {
      const chatIds = chatsOfReplies(updates);
      const settled = chatIds.size > 0 ? sends.settle(botId, chatIds) : undefined;
      const append = () => log.append(botId, updates, options);
      return settled ? settled.then(append) : append();
    },
  };
}

function chatsOfReplies(updates: readonly IncomingUpdate[]): Set<number> {
  const chatIds = new Set<number>();
  for (const { archive } of updates) {
    for (const { chatId, replyToMessageId } of archive.messages) {
      if (replyToMessageId !== null) chatIds.add(chatId);
    }
  }
  return chatIds;
}
