import { expect, it } from 'vitest';
import type { PushCursor } from '../../store/delivery/push-overview.ts';
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

/** Of bots that are all as far as the cursor above. */
const overview = (claimed: { botId: number; position: number }[] = []) => ({
  cursors: async (botIds: readonly number[]) => botIds.map((botId) => ({ ...cursor, botId })),
  claimed: async () => claimed,
  failures: async () => [],
});
const retryQueues = { counts: async () => new Map() };

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
