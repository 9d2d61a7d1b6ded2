/*
 * Sends of apps that answer for the replies to them. Telegram shows a message before it tells who sent
 * it: a press of its button may be here sooner than that is stored, and would be for everybody. So it
 * waits for the sends into its chat, each for a moment: one that Telegram does not answer delays nobody
 * for long.
 */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import type { IncomingUpdate } from '../../core/log/update-facts.ts';
import {
  createSilentNotifications,
  type Notifications,
} from '../../store/cluster/notifications.ts';
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

interface Send {
  chatId: number | undefined;
  ended: Promise<void>;
  end(): void;
}

const longestMs = 1_000;

/** A press may arrive at another node than the one that sends, so all are told. */
export function createAppSends(
  clock: Clock,
  notifications: Pick<Notifications, 'publish' | 'subscribe'> = createSilentNotifications(),
): AppSends {
  /** By bot and id. */
  const inFlight = new Map<number, Map<string, Send>>();
  const prefix = randomBytes(6).toString('base64url');
  let sends = 0;

  function add(id: string, botId: number, chatId: number | undefined): void {
    const ofBot = inFlight.get(botId) ?? new Map<string, Send>();
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const cancel = clock.after(longestMs, end);
    inFlight.set(botId, ofBot.set(id, { chatId, ended, end }));
    function end(): void {
      cancel();
      ofBot.delete(id);
      if (ofBot.size === 0 && inFlight.get(botId) === ofBot) inFlight.delete(botId);
      resolve();
    }
  }
  const end = (id: string, botId: number) => inFlight.get(botId)?.get(id)?.end();

  notifications.subscribe('sending', ({ id, botId, chatId }) => add(id, botId, chatId));
  notifications.subscribe('sent', ({ id, botId }) => end(id, botId));
  return {
    begin(botId, chatId) {
      const id = `${prefix} ${++sends}`;
      add(id, botId, chatId);
      notifications.publish('sending', { id, botId, chatId });
      return () => {
        end(id, botId);
        notifications.publish('sent', { id, botId });
      };
    },
    settle(botId, chatIds) {
      const awaited = [...(inFlight.get(botId)?.values() ?? [])]
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
  return new Set(updates.flatMap(({ repliesTo }) => repliesTo?.chatId ?? []));
}
