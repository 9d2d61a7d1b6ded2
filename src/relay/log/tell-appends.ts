import type { Clock } from '../../clock.ts';
import type { Notifications } from '../../store/cluster/notifications.ts';

interface TellDeps {
  notifications: Notifications;
  clock: Clock;
  /** True if this node runs the bot, and with it all readers except those of polls. */
  isRunHere(botId: number): boolean;
  /** True if the poll waits on this node, which also hears of its own polls. */
  isPolledHere(pollId: string): boolean;
}

/** This is longer than a poll waits. */
const polledForMs = 60_000;

/**
 * Notifies the other nodes of appends on this node if one of them may wait for the update, because
 * each notification costs a commit. A poll that begins to wait announces itself; appends from
 * before that are notified then.
 */
export function tellAppends({
  notifications,
  clock,
  isRunHere,
  isPolledHere,
}: TellDeps): (botId: number, lastPosition: number) => void {
  const polledAt = new Map<number, number>();
  const untold = new Map<number, number>();
  const tell = (botId: number, lastPosition: number) =>
    notifications.publish('appended', { botId, lastPosition });

  notifications.subscribe('poll', ({ botId, pollId }) => {
    if (isPolledHere(pollId)) return;
    polledAt.set(botId, clock.monotonic());
    const lastPosition = untold.get(botId);
    if (lastPosition !== undefined) tell(botId, lastPosition);
    untold.delete(botId);
  });

  return (botId, lastPosition) => {
    const polled = polledAt.get(botId);
    const isPolled = polled !== undefined && clock.monotonic() - polled < polledForMs;
    if (isPolled || !isRunHere(botId)) tell(botId, lastPosition);
    else untold.set(botId, lastPosition);
  };
}
