/*
 * Feeds the live metrics: ends a bucket when its time is over, tells the other nodes what was counted
 * here, and looks now and then at what waits for the backends of this node's bots.
 */
import type { Clock } from '../../clock.ts';
import type { BotStatus } from '../../core/ports.ts';
import { bucketMs, type LiveMetrics } from '../../core/stats/live-metrics.ts';
import type { Notifications } from '../../store/cluster/notifications.ts';

interface FeedDeps {
  liveMetrics: LiveMetrics;
  clock: Clock;
  notifications: Notifications;
  /** With the embedded database there is nobody to tell. */
  singleNode: boolean;
  /** The bots that this node forwards updates of. */
  forwarded(): number[];
  deliveries(
    botIds: readonly number[],
  ): Promise<ReadonlyMap<number, Pick<BotStatus, 'pendingUpdates'>>>;
}

// Looking at many bots takes long, so it is done only every ten seconds then.
const manyBots = 200;
const bucketsPerLook = (bots: number) => (bots > manyBots ? 5 : 1);
// A notification has to fit into one NOTIFY of the database.
const rowsPerNotification = 50;
// A timer may come a little before its time: the rest of that bucket is not one more bucket.
const earlyMs = 20;

export function feedLiveMetrics(deps: FeedDeps, signal: AbortSignal): void {
  const { singleNode, clock, notifications, liveMetrics } = deps;
  let buckets = 0;
  let isLooking = false;
  let cancel = () => {};

  async function lookAtBacklog(): Promise<void> {
    if (isLooking) return;
    isLooking = true;
    try {
      const waiting = await deps.deliveries(deps.forwarded());
      liveMetrics.backlog(new Map([...waiting].map(([id, status]) => [id, status.pendingUpdates])));
    } finally {
      isLooking = false;
    }
  }

  function endBucket(): void {
    const { slot, rows } = liveMetrics.endBucket();
    for (let from = 0; !singleNode && from < rows.length; from += rowsPerNotification) {
      notifications.publish('liveMetrics', {
        slot,
        rows: rows.slice(from, from + rowsPerNotification),
      });
    }
    // While the database does not answer, what was seen last holds.
    if (buckets++ % bucketsPerLook(deps.forwarded().length) === 0) {
      void lookAtBacklog().catch(() => {});
    }
    next();
  }

  function next(): void {
    if (signal.aborted) return;
    const intoBucket = (clock.now() + earlyMs) % bucketMs;
    cancel = clock.after(bucketMs - intoBucket + earlyMs, endBucket);
  }

  notifications.subscribe('liveMetrics', ({ slot, rows }) => liveMetrics.merge(slot, rows));
  signal.addEventListener('abort', () => cancel(), { once: true });
  next();
}
