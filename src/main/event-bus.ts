import type { Clock } from '../clock.ts';
import type { EventBus, RelayEvent } from '../core/ports.ts';
import type { Notifications } from '../store/cluster/notifications.ts';

export interface SharedEventBus extends EventBus {
  /** True if any client listens, on this node or on another. */
  readonly isHeard: boolean;
  /** Listens for the service itself, which does not count as a client. */
  watch(listener: (event: RelayEvent) => void): void;
}

const sayEveryMs = 5_000;
const listeningForMs = 15_000;

/**
 * Publishes events to all listeners, on this node and on the others; a failing listener affects no
 * other. Nodes announce whether they have clients that listen: events about messages, of which
 * there are many, are sent to other nodes only then.
 */
export function createEventBus(
  notifications: Notifications,
  clock: Pick<Clock, 'after' | 'monotonic'>,
  onFailure: (error: unknown) => void,
): SharedEventBus {
  const listeners = new Set<(event: RelayEvent) => void>();
  let listeningUntil = 0;
  let cancelAnnouncement: (() => void) | undefined;

  const hasRemoteListeners = () => clock.monotonic() < listeningUntil;
  notifications.subscribe('listening', () => {
    listeningUntil = clock.monotonic() + listeningForMs;
  });

  function sayListening(): void {
    cancelAnnouncement = undefined;
    if (listeners.size === 0) return;
    notifications.publish('listening', {});
    cancelAnnouncement = clock.after(sayEveryMs, sayListening);
  }
  const watchers = new Set<(event: RelayEvent) => void>();

  function publishHere(event: RelayEvent): void {
    for (const listener of [...watchers, ...listeners]) {
      try {
        listener(event);
      } catch (error) {
        onFailure(error);
      }
    }
  }

  notifications.subscribe('event', ({ event }) => publishHere(event as RelayEvent));
  return {
    publish(event) {
      publishHere(event);
      if (event.type !== 'message' || hasRemoteListeners()) {
        notifications.publish('event', { event });
      }
    },
    subscribe(listener) {
      listeners.add(listener);
      if (!cancelAnnouncement) sayListening();
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        cancelAnnouncement?.();
        cancelAnnouncement = undefined;
      };
    },
    watch: (listener) => void watchers.add(listener),
    get isHeard() {
      return listeners.size > 0 || hasRemoteListeners();
    },
  };
}
