/*
 * Feeds the live metrics: ends each bucket in time, sends this node's counts to the other nodes,
 * and regularly counts what waits for the backends of this node's bots.
 */
import type { Clock } from '../../clock.ts';
import type { BotStatus } from '../../core/ports.ts';
import { bucketMs, type LiveMetrics } from '../../core/stats/live-metrics.ts';
import type { Notifications } from '../../store/cluster/notifications.ts';

interface FeedDeps {
  liveMetrics: LiveMetrics;
  clock: Clock;
  notifications: Notifications;
  /** With the embedded database there is no other node. */
  singleNode: boolean;
  /** Lists the bots whose updates this node forwards. */
  forwarded(): number[];
  deliveries(
    botIds: readonly number[],
  ): Promise<ReadonlyMap<number, Pick<BotStatus, 'pendingUpdates'>>>;
}

// Looking at many bots takes long, so it then happens only every ten seconds.
const manyBots = 200;
const bucketsPerLook = (bots: number) => (bots > manyBots ? 5 : 1);
// A notification must fit into one NOTIFY of the database.
const rowsPerNotification = 50;
// A timer may fire a little early: the rest of that bucket does not count as another bucket.
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
    // While the database does not answer, the last values stay.
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
