import { describe, expect, it } from 'vitest';
import type { PushCursor } from '../../store/delivery/push-overview.ts';
import { createBacklogs } from './backends.ts';
import { createDeliveryStatuses } from './delivery-status.ts';

const cursor: PushCursor = {
  botId: 1,
  forwards: true,
  position: 10,
  state: '',
  lastPosition: 12,
  trimmedTo: 0,
  backendError: null,
  checkedAt: 0,
};

/** Bots that have all reached the cursor above. */
const overview = (claimed: { botId: number; position: number }[] = []) => ({
  cursors: async (botIds: readonly number[]) => botIds.map((botId) => ({ ...cursor, botId })),
  claimed: async () => claimed,
  failures: async () => [],
});
const retryQueues = { counts: async () => new Map() };

describe('the delivery status', () => {
  it('counts what is for an app alone only where the cursor counts it', async () => {
    const positions = [9, 10, 11, 13, 14, 15].map((position) => ({ botId: 1, position }));
    const other = [11, 12].map((position) => ({ botId: 2, position }));
    const statuses = createDeliveryStatuses({
      overview: overview([...positions, ...other]),
      retryQueues,
    });
    const known = await statuses([1, 2]);
    expect([...known.values()].map(({ pendingUpdates }) => pendingUpdates)).toEqual([1, 0]);
  });

  it('asks once what the apps of a bot have yet to read, anew for each list', async () => {
    const asked: number[] = [];
    const names = ['shop', 'desk', 'stats'];
    const statuses = createDeliveryStatuses({
      overview: overview(),
      retryQueues,
      async unread(botId) {
        asked.push(botId);
        return new Map(names.map((name) => [`push:${name}`, { count: 5, claimed: 0 }]));
      },
    });
    const named = [1, 2].flatMap((botId) => names.map((app) => ({ botId, app })));
    const backlogs = createBacklogs({ apps: { withBackends: async () => named }, statuses });
    const all = { pendingUpdates: 2 + 3 * 5 };
    expect([...(await backlogs([1, 2]))]).toEqual([
      [1, all],
      [2, all],
    ]);
    expect(asked.toSorted()).toEqual([1, 2]);
    await backlogs([1]);
    expect(asked.toSorted()).toEqual([1, 1, 2]);
  });
});
