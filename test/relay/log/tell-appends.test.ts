import { expect, it } from 'vitest';
import { tellAppends } from '../../../src/relay/log/tell-appends.ts';
import type { Notifications } from '../../../src/store/cluster/notifications.ts';
import { createManualClock } from '../../support/manual-clock.ts';

it('a node tells other nodes only of appends that one of them may wait for', async () => {
  const clock = createManualClock();
  const told: unknown[] = [];
  let polled: (payload: { botId: number; pollId: string }) => void = () => {};
  const notifications = {
    publish: (topic: string, { botId, lastPosition }: { botId: number; lastPosition: number }) =>
      told.push([topic, botId, lastPosition]),
    subscribe(_: string, listener: typeof polled) {
      polled = listener;
    },
  } as unknown as Notifications;
  const tell = tellAppends({
    notifications,
    clock,
    isRunHere: (botId) => botId !== 3,
    isPolledHere: (pollId) => pollId.startsWith('here '),
  });

  tell(1, 10);
  tell(2, 20);
  expect(told).toEqual([]);
  // The node that runs it delivers it.
  tell(3, 30);
  expect(told.splice(0)).toEqual([['appended', 3, 30]]);
  polled({ botId: 1, pollId: 'here 1' });
  expect(told).toEqual([]);
  // It may have looked before that append, and be heard of after it.
  polled({ botId: 1, pollId: 'there 1' });
  expect(told.splice(0)).toEqual([['appended', 1, 10]]);
  polled({ botId: 1, pollId: 'there 1' });
  tell(1, 11);
  tell(2, 21);
  expect(told.splice(0)).toEqual([['appended', 1, 11]]);
  await clock.advance(60_000);
  tell(1, 12);
  expect(told).toEqual([]);
});
