import type { Clock } from '../../../src/clock.ts';
import { createEventBus } from '../../../src/relay/events/event-bus.ts';
import type { RelayEvents } from '../../../src/relay/events/relay-events.ts';
import { createSilentNotifications } from '../../../src/store/cluster/notifications.ts';

/** The events of one node without others; a subscriber that fails ends the test. */
export function createTestEvents(clock: Clock): RelayEvents {
  return createEventBus(createSilentNotifications(), clock, (error) => {
    throw error;
  });
}
