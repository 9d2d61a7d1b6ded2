import type { EventBus, RelayEvent } from '../core/ports.ts';
import type { Notifications } from '../store/notifications.ts';

export interface SharedEventBus extends EventBus {
  /** Whether any client of this process listens. */
  readonly isHeard: boolean;
  /** Listens for the service itself, which is no client. */
  watch(listener: (event: RelayEvent) => void): void;
}

/** Tells everyone who listens, on this node and on the others; one's failure is not another's. */
export function createEventBus(
  notifications: Notifications,
  onFailure: (error: unknown) => void,
): SharedEventBus {
  const listeners = new Set<(event: RelayEvent) => void>();
  const watchers = new Set<(event: RelayEvent) => void>();

  function tellHere(event: RelayEvent): void {
    for (const listener of [...watchers, ...listeners]) {
      try {
        listener(event);
      } catch (error) {
        onFailure(error);
      }
    }
  }

  notifications.subscribe('event', ({ event }) => tellHere(event as RelayEvent));
  return {
    publish(event) {
      tellHere(event);
      notifications.publish('event', { event });
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    watch: (listener) => void watchers.add(listener),
    get isHeard() {
      return listeners.size > 0;
    },
  };
}
