import type { Clock } from '../clock.ts';
import type { EventBus, RelayEvent } from '../core/ports.ts';
import type { Notifications } from '../store/cluster/notifications.ts';

export interface SharedEventBus extends EventBus {
  /** Whether any client listens, of this node or of another. */
  readonly isHeard: boolean;
  /** Listens for the service itself, which is no client. */
  watch(listener: (event: RelayEvent) => void): void;
}

const sayEveryMs = 5_000;
const listeningForMs = 15_000;

/**
 * Tells everyone who listens, on this node and on the others; one's failure is not another's. Nodes
 * say whether clients of theirs listen: messages, of which there are many, go to others only then.
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
