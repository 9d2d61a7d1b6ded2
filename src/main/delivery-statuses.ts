import { createDeliveryStatuses } from '../relay/delivery/delivery-status.ts';
import type { Engine } from '../store/engine.ts';
import { createParkedQueueRepository } from '../store/delivery/retry-queues.ts';
import { createPushOverviewRepository } from '../store/delivery/push-overview.ts';
import { createStampedCache } from '../store/sql/stamped-cache.ts';

/** What is known about the backends of bots, kept until a table it is read from changes. */
export function keptDeliveryStatuses(engine: Engine) {
  const read = createDeliveryStatuses({
    overview: createPushOverviewRepository(engine),
    parkedQueues: createParkedQueueRepository(engine),
  });
  const kept = createStampedCache<Awaited<ReturnType<typeof read>>>({
    engine,
    tables: ['bots', 'readers', 'log_heads', 'parked_queues', 'parked_positions', 'backend_health'],
    weigh: (statuses) => statuses.size,
    capacity: 50_000,
  });
  return (botIds: readonly number[]) => kept.get(botIds.join(), () => read(botIds));
}
