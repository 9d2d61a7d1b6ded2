/*
 * Makes replies to messages of apps wait until it is known which app sent the message.
 *
 * Telegram shows a message before it answers with the message ID. A press of its button may arrive
 * before the sender is known, and every app would then get it. So a send is stored before Telegram
 * receives it, and the append of a reply, on any node, waits until the messages of the send are
 * known. It waits only for a moment, so a send that Telegram does not answer delays nobody for
 * long.
 */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import { type AppSendRepository, isOutboxSend } from '../../store/apps/app-sends.ts';
import {
  createSilentNotifications,
  type Notifications,
} from '../../store/cluster/notifications.ts';
import { withTimeout } from '../async/with-timeout.ts';

export interface AppSends {
  /**
   * Resolves to the ID of the send once all nodes can see it. Resolves after a second in any case,
   * because a send does not wait for a database that is unavailable. A send without a chat may go
   * into any chat.
   */
  begin(send: { botId: number; appId: number; chatId: number | undefined }): Promise<string>;
  /** The sender of the messages is stored. */
  ended(id: string): void;
  /** Nothing was sent, or the outcome is unknown. */
  cancel(id: string): void;
  /**
   * Resolves when one of these sends has ended, or may have ended, with the sends that are still
   * worth waiting for.
   */
  wait(ids: readonly string[]): Promise<readonly string[]>;
  /** True if a reply should wait for this send; false once its deadline has passed. */
  isAwaited(id: string): boolean;
}

export interface AppSendsDeps {
  clock: Clock;
  store: AppSendRepository;
  /** Tells all nodes, because a reply may arrive at another node than the one that sends. */
  notifications?: Pick<Notifications, 'publish' | 'subscribe'>;
  onError: (error: unknown, botId: number) => void;
}

const longestMs = 1_000;
// Looks again after this time, in case a notification was lost.
const lookAgainMs = 100;
const mostAwaited = 1_000;
/** Replaces a deadline that passed while a reply waited. */
const over = Number.NEGATIVE_INFINITY;

export function createAppSends({
  clock,
  store,
  notifications = createSilentNotifications(),
  onError,
}: AppSendsDeps): AppSends {
  const prefix = randomBytes(9).toString('base64url');
  let sends = 0;
  /** The time until which replies wait for each send, by the monotonic clock; the oldest first. */
  const deadlines = new Map<string, number>();
  const waiting = new Map<string, Set<() => void>>();

  function deadlineOf(id: string): number {
    const known = deadlines.get(id);
    if (known !== undefined) return known;
    const deadline = clock.monotonic() + longestMs;
    deadlines.set(id, deadline);
    for (const oldest of deadlines.keys()) {
      if (deadlines.size <= mostAwaited || isDue(oldest)) break;
      deadlines.delete(oldest);
    }
    return deadline;
  }

  const isDue = (id: string) => deadlineOf(id) > clock.monotonic();

  function wake(id: string): void {
    for (const resolve of waiting.get(id) ?? []) resolve();
  }

  function tell(id: string): void {
    wake(id);
    notifications.publish('sent', { id });
  }

  function end(id: string, botId = 0): void {
    void store.end([id]).then(
      () => tell(id),
      (error: unknown) => onError(error, botId),
    );
  }

  notifications.subscribe('sent', ({ id }) => wake(id));
  return {
    async begin({ botId, appId, chatId = 0 }) {
      const id = `${prefix} ${++sends}`;
      const stored = store
        .begin({ id, botId, appId, chatId }, clock.now())
        .catch((error: unknown) => onError(error, botId));
      await withTimeout(clock, longestMs, stored);
      return id;
    },
    ended: tell,
    cancel: end,
    async wait(ids) {
      const awaited = ids.filter(isDue);
      if (awaited.length > 0) {
        const soonest = Math.min(...awaited.map(deadlineOf)) - clock.monotonic();
        await new Promise<void>((resolve) => {
          const cancel = clock.after(Math.min(soonest, lookAgainMs), done);
          for (const id of awaited) waiting.set(id, (waiting.get(id) ?? new Set()).add(done));
          function done(): void {
            cancel();
            for (const id of awaited) {
              const ofSend = waiting.get(id);
              ofSend?.delete(done);
              if (ofSend?.size === 0) waiting.delete(id);
            }
            resolve();
          }
        });
      }
      const left = awaited.filter(isDue);
      for (const id of awaited) {
        if (left.includes(id) || deadlines.get(id) === over) continue;
        deadlines.set(id, over);
        // A reply waited for this send in vain, so no other reply should wait for it. The outbox
        // ends its own sends.
        if (!isOutboxSend(id)) end(id);
      }
      return left;
    },
    isAwaited: (id) => !deadlines.has(id) || isDue(id),
  };
}
