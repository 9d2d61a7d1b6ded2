import type { Clock } from '../../clock.ts';
import type { Notifications } from '../../store/cluster/notifications.ts';

interface TellDeps {
  notifications: Notifications;
  clock: Clock;
  /** Whether this node runs the bot, and with it all readers but those that are polled for. */
  isRunHere(botId: number): boolean;
  /** A node hears of its own polls as well. */
  isPolledHere(pollId: string): boolean;
}

/** Longer than a poll waits. */
const polledForMs = 60_000;

/**
 * Notifies the other nodes of what was appended here, where one of them may wait for it: each notification
 * costs a commit. A poll that begins to wait says so; what was appended before it was heard of is told then.
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
