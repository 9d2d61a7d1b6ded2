import type { EventBus, RelayEvent } from '../core/ports.ts';

/** Tells everyone who listens in this process; one listener's failure is not another's. */
export function createEventBus(onFailure: (error: unknown) => void): EventBus {
  const listeners = new Set<(event: RelayEvent) => void>();
  return {
    publish(event) {
      for (const listener of listeners) {
        try {
          listener(event);
        } catch (error) {
          onFailure(error);
        }
      }
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
