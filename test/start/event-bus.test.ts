import { expect, it } from 'vitest';
import type { RelayEvent } from '../../src/core/ports.ts';
import { createEventBus } from '../../src/relay/events/event-bus.ts';
import type { NotificationTopic, Notifications } from '../../src/store/cluster/notifications.ts';
import { createManualClock } from '../support/manual-clock.ts';

/** Two nodes that notify each other at once. */
function createNodes() {
  const clock = createManualClock();
  const listeners: Map<NotificationTopic, ((hint: never) => void)[]>[] = [new Map(), new Map()];
  const crossed: NotificationTopic[] = [];
  const buses = listeners.map((own, index) => {
    const notifications: Notifications = {
      publish(topic, hint) {
        crossed.push(topic);
        for (const listener of listeners[1 - index]?.get(topic) ?? []) listener(hint as never);
      },
      subscribe(topic, listener) {
        own.set(topic, [...(own.get(topic) ?? []), listener as (hint: never) => void]);
        return () => {};
      },
      onGap: () => () => {},
      close: async () => {},
    };
    return createEventBus(notifications, clock, () => {});
  });
  const [one, two] = buses as [(typeof buses)[0], (typeof buses)[0]];
  return { clock, one, two, crossed };
}

const message: RelayEvent = {
  type: 'message',
  botId: 1,
  data: { chat_id: 5, id: 1, kind: 'message' },
};

it('a node tells other nodes of messages only while a client of theirs listens', async () => {
  const { clock, one, two, crossed } = createNodes();
  one.publish(message.type, message.botId, message.data);
  expect([one.isHeard, crossed]).toEqual([false, []]);
  // Topics that the service itself watches reach every node.
  one.publish('route', 1, {} as never);
  expect(crossed).toEqual(['event']);

  const seen: RelayEvent[] = [];
  const leave = two.subscribe((event) => seen.push(event));
  expect([one.isHeard, two.isHeard]).toEqual([true, true]);
  one.publish(message.type, message.botId, message.data);
  expect(seen).toEqual([message]);
  for (let second = 0; second < 60; second += 5) await clock.advance(5_000);
  one.publish(message.type, message.botId, message.data);
  expect(seen).toHaveLength(2);

  leave();
  expect(two.isHeard).toBe(false);
  await clock.advance(20_000);
  expect(one.isHeard).toBe(false);
});
