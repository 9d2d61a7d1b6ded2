import type { Clock } from '../../clock.ts';
import { publicName } from '../../core/log/reader-kinds.ts';
import { unfinished } from '../../core/log/push-progress.ts';
import type { ListedQueue } from '../../store/delivery/retry-queues.ts';
import type { ReaderRecord } from '../../store/log/log.ts';
import type { Store } from '../../store/store.ts';
import type { createDeliveryStatuses } from './delivery-status.ts';

export interface QueuesView {
  lastPosition: number;
  trimmedTo: number;
  backendStatus: string;
  pendingUpdates: number;
  deadLetters: number;
  readers: (ReaderRecord & { lag: number })[];
  /** The number of all queues; `retryQueues` holds the first 200. */
  queueCount: number;
  retryQueues: WaitingQueue[];
}

export interface WaitingQueue extends ListedQueue {
  /** The queue is due: it waits for a connection or for the backend to recover. */
  due: boolean;
}

interface QueuesDeps {
  store: Pick<Store, 'deadLetters' | 'log' | 'pushOverview' | 'retryQueues'>;
  statuses: ReturnType<typeof createDeliveryStatuses>;
  clock: Clock;
}

const mostQueuesListed = 200;

/** Shows what waits for one backend of a bot. */
export async function queuesOf(
  { store, statuses, clock }: QueuesDeps,
  botId: number,
  reader: string,
): Promise<QueuesView> {
  const { deadLetters: dead, log, pushOverview, retryQueues } = store;
  const [head, readers, listed, status, deadLetters] = await Promise.all([
    log.head(botId),
    log.readers(botId),
    retryQueues.list(botId, reader, mostQueuesListed),
    statuses([botId], reader),
    dead.count(botId, reader),
  ]);
  const nowMs = clock.now();
  const { backendStatus = '', pendingUpdates = 0 } = status.get(botId) ?? {};
  const probed = backendStatus === 'paused' ? await pushOverview.probed(botId, reader) : [];
  return {
    lastPosition: head.lastPosition,
    trimmedTo: head.trimmedTo,
    backendStatus,
    pendingUpdates,
    deadLetters,
    readers: readers.map((one) => ({
      ...one,
      name: publicName(one.name),
      lag:
        one.name === reader
          ? pendingUpdates
          : unfinished({ position: one.position, state: '' }, head),
    })),
    queueCount: (listed[0]?.total ?? 0) + probed.length,
    retryQueues: [...probed, ...listed].slice(0, mostQueuesListed).map((queue) => ({
      ...queue,
      due: queue.nextAttemptAt <= nowMs,
      // A queue that is due is tried as soon as possible, which is no sooner than the present.
      nextAttemptAt: Math.max(queue.nextAttemptAt, nowMs),
    })),
  };
}
