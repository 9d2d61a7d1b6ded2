import type { Clock } from '../../clock.ts';
import type { RelayEvent } from '../../core/ports.ts';
import type { Notifications } from '../../store/cluster/notifications.ts';
import {
  type EventListener,
  type EventName,
  isForClients,
  type RelayEvents,
} from './relay-events.ts';

const sayEveryMs = 5_000;
const listeningForMs = 15_000;

/**
 * Publishes events to the subscribers of this process, and those for clients also to the clients of
 * all nodes. A subscriber that throws affects neither the publisher nor another subscriber. Nodes
 * announce whether they have clients that listen: events about messages, of which there are many,
 * are sent to other nodes only then.
 */
export function createEventBus(
  notifications: Notifications,
  clock: Pick<Clock, 'after' | 'monotonic'>,
  onFailure: (error: unknown) => void,
): RelayEvents {
  const subscribers = new Map<EventName, EventListener<never>[]>();
  const clients = new Set<(event: RelayEvent) => void>();
  let listeningUntil = 0;
  let cancelAnnouncement: (() => void) | undefined;

  const hasRemoteListeners = () => clock.monotonic() < listeningUntil;
  notifications.subscribe('listening', () => {
    listeningUntil = clock.monotonic() + listeningForMs;
  });
  notifications.subscribe('event', ({ event }) => {
    const { type, botId, data } = event as RelayEvent;
    tellSubscribers(type, botId, data);
    tellClients(event as RelayEvent);
  });

  function sayListening(): void {
    cancelAnnouncement = undefined;
    if (clients.size === 0) return;
    notifications.publish('listening', {});
    cancelAnnouncement = clock.after(sayEveryMs, sayListening);
  }

  function tellSubscribers(name: EventName, botId: number, data: unknown): void {
    const listeners = subscribers.get(name);
    if (!listeners) return;
    for (const listener of listeners) {
      try {
        listener(botId, data as never);
      } catch (error) {
        onFailure(error);
      }
    }
  }

  function tellClients(event: RelayEvent): void {
    for (const client of clients) {
      try {
        client(event);
      } catch (error) {
        onFailure(error);
      }
    }
  }

  return {
    publish(name, botId, data) {
      tellSubscribers(name, botId, data);
      if (!isForClients(name)) return;
      const event = { type: name, botId, data } as RelayEvent;
      tellClients(event);
      if (name !== 'message' || hasRemoteListeners()) notifications.publish('event', { event });
    },
    on(name, listener) {
      subscribers.set(name, [...(subscribers.get(name) ?? []), listener]);
    },
    subscribe(client) {
      clients.add(client);
      if (!cancelAnnouncement) sayListening();
      return () => {
        clients.delete(client);
        if (clients.size > 0) return;
        cancelAnnouncement?.();
        cancelAnnouncement = undefined;
      };
    },
    get isHeard() {
      return clients.size > 0 || hasRemoteListeners();
    },
  };
}
