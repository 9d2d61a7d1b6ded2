/*
 * Sends of apps that answer for the replies to them. Telegram shows a message before it tells its id: a
 * press of its button may be here sooner than it is known who sent it, and would be for everybody. So a
 * send is stored before Telegram gets it, and the append of a reply, on whichever node, waits until it is
 * known which messages the send made. It waits for a moment only: a send that Telegram does not
 * answer delays nobody for long.
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
   * Resolves to the id of the send, when all nodes can see it; after a second also without that, as a
   * send does not wait for a database that is unavailable. Without a chat it may be into any.
   */
  begin(send: { botId: number; appId: number; chatId: number | undefined }): Promise<string>;
  /** Who sent its messages is stored. */
  ended(id: string): void;
  /** Nothing was sent, or nobody knows. */
  cancel(id: string): void;
  /**
   * Resolves when one of these sends has ended, or may have; with those that are still worth waiting for.
   */
  wait(ids: readonly string[]): Promise<readonly string[]>;
  /** Whether a reply waits for this send; false once the time for that is over. */
  isAwaited(id: string): boolean;
}

export interface AppSendsDeps {
  clock: Clock;
  store: AppSendRepository;
  /** A reply may arrive at another node than the one that sends, so all are told. */
  notifications?: Pick<Notifications, 'publish' | 'subscribe'>;
  onError: (error: unknown, botId: number) => void;
}

const longestMs = 1_000;
// The net under lost notifications.
const lookAgainMs = 100;
const mostAwaited = 1_000;
/** In place of a deadline that passed while a reply waited. */
const over = Number.NEGATIVE_INFINITY;

export function createAppSends({
  clock,
  store,
  notifications = createSilentNotifications(),
  onError,
}: AppSendsDeps): AppSends {
  const prefix = randomBytes(9).toString('base64url');
  let sends = 0;
  /** Until when replies wait for a send, by the monotonic clock; the oldest first. */
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
        // Nobody else needs to wait for what was waited for in vain. A send of the outbox ends there.
        if (!isOutboxSend(id)) end(id);
      }
      return left;
    },
    isAwaited: (id) => !deadlines.has(id) || isDue(id),
  };
}
