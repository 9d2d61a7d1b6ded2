import { createDeliveryStatuses } from '../relay/delivery/delivery-status.ts';
import { createStampedCache } from '../store/sql/stamped-cache.ts';
import type { Store } from '../store/store.ts';

/** What is known about the backends of bots, kept until a table it is read from changes. */
export function cachedDeliveryStatuses({ engine, pushOverview, retryQueues }: Store) {
  const read = createDeliveryStatuses({
    overview: pushOverview,
    parkedQueues: retryQueues,
  });
  const cache = createStampedCache<Awaited<ReturnType<typeof read>>>({
    engine,
    tables: ['bots', 'readers', 'log_heads', 'parked_queues', 'parked_positions', 'backend_health'],
    weigh: (statuses) => statuses.size,
    capacity: 50_000,
  });
  return (botIds: readonly number[]) => cache.get(botIds.join(), () => read(botIds));
}
