import type { EventBus, RelayEvent } from '../core/ports.ts';
import type { Notifications } from '../store/notifications.ts';

export interface SharedEventBus extends EventBus {
  /** Whether anyone in this process listens. */
  readonly isHeard: boolean;
}

/** Tells everyone who listens, on this node and on the others; one's failure is not another's. */
export function createEventBus(
  notifications: Notifications,
  onFailure: (error: unknown) => void,
): SharedEventBus {
  const listeners = new Set<(event: RelayEvent) => void>();

  function tellHere(event: RelayEvent): void {
    for (const listener of listeners) {
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
    get isHeard() {
      return listeners.size > 0;
    },
  };
}
