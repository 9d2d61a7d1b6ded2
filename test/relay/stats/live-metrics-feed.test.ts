import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  createLiveMetrics,
  bucketMs,
  type LiveMetrics,
} from '../../../src/core/stats/live-metrics.ts';
import { feedLiveMetrics } from '../../../src/relay/stats/live-metrics-feed.ts';
import {
  createSilentNotifications,
  type Notifications,
} from '../../../src/store/cluster/notifications.ts';
import { listenForNotifications } from '../../../src/store/postgres/notifications.ts';
import { createDatabase, type Database } from '../../support/database/engines.ts';
import { createManualClock, type ManualClock } from '../../support/manual-clock.ts';

describe('live metrics', () => {
  it('keeps to the time of day although timers come early', async () => {
    const clock = createManualClock();
    const shutdown = new AbortController();
    const metrics = createLiveMetrics({ now: () => clock.now(), singleNode: true });
    feedLiveMetrics(
      {
        liveMetrics: metrics,
        clock: { ...clock, after: (ms, fn) => clock.after(ms - 1, fn) },
        notifications: createSilentNotifications(),
        singleNode: true,
        forwarded: () => [],
        deliveries: async () => new Map(),
      },
      shutdown.signal,
    );
    const begunAt = clock.now() / 1_000;
    await clock.advance(5 * bucketMs);
    shutdown.abort();
    expect(metrics.buckets(null).map(({ at }) => at - begunAt)).toEqual([0, 2, 4, 6, 8]);
  });

  it('looks at what waits again only after the last look, also one that failed', async () => {
    const clock = createManualClock();
    const shutdown = new AbortController();
    const looks: PromiseWithResolvers<Map<number, never>>[] = [];
    feedLiveMetrics(
      {
        liveMetrics: createLiveMetrics({ now: () => clock.now(), singleNode: true }),
        clock,
        notifications: createSilentNotifications(),
        singleNode: true,
        forwarded: () => [],
        deliveries() {
          const look = Promise.withResolvers<Map<number, never>>();
          looks.push(look);
          return look.promise;
        },
      },
      shutdown.signal,
    );
    await clock.advance(20 * bucketMs);
    expect(looks).toHaveLength(1);
    looks[0]?.reject(new Error('the database does not answer'));
    await clock.advance(5 * bucketMs);
    shutdown.abort();
    expect(looks).toHaveLength(2);
  });

  it.each([
    [200, 10],
    [201, 2],
  ])('looks at what waits for %i bots %i times in twenty seconds', async (bots, times) => {
    const clock = createManualClock();
    const shutdown = new AbortController();
    let looks = 0;
    feedLiveMetrics(
      {
        liveMetrics: createLiveMetrics({ now: () => clock.now(), singleNode: true }),
        clock,
        notifications: createSilentNotifications(),
        singleNode: true,
        forwarded: () => Array.from({ length: bots }, (_, index) => index + 1),
        deliveries: async () => {
          looks++;
          return new Map();
        },
      },
      shutdown.signal,
    );
    for (let bucket = 0; bucket < 10; bucket++) await clock.advance(bucketMs);
    shutdown.abort();
    expect(looks).toBe(times);
  });
});

describe('live metrics of two nodes', () => {
  let database: Database;
  let clock: ManualClock;
  let shutdown: AbortController;
  const hints: Notifications[] = [];
  beforeEach(async () => {
    database = await createDatabase('postgres');
    clock = createManualClock();
    shutdown = new AbortController();
  });
  afterEach(async () => {
    shutdown.abort();
    for (const one of hints.splice(0)) await one.close();
    await database.drop();
  });

  async function startNode(waiting: Map<number, number>): Promise<LiveMetrics> {
    const notifications = await listenForNotifications({
      url: database.databaseUrl,
      clock,
      random: () => 0.5,
    });
    hints.push(notifications);
    const metrics = createLiveMetrics({ now: () => clock.now(), singleNode: false });
    feedLiveMetrics(
      {
        liveMetrics: metrics,
        clock,
        notifications,
        singleNode: false,
        forwarded: () => [...waiting.keys()],
        deliveries: async () =>
          new Map([...waiting].map(([id, pendingUpdates]) => [id, { pendingUpdates }])),
      },
      shutdown.signal,
    );
    return metrics;
  }

  it('is whole on both, however many bots there are', async () => {
    const bots = 180;
    const one = await startNode(new Map());
    const two = await startNode(new Map([[500, 12_345]]));
    for (let bot = 1; bot <= bots; bot++) {
      one.received(bot, 2);
      one.delivered(bot, 25);
    }
    two.sent(500, 3);
    await clock.advance(bucketMs);
    const { at = 0 } = one.buckets(null)[0] ?? {};
    await clock.advance(bucketMs);
    await vi.waitFor(
      () => {
        for (const node of [one, two]) {
          expect(node.buckets(null)[0]).toMatchObject({
            received: bots * 2,
            delivered: bots,
            sent: 3,
          });
          expect(node.buckets([bots])[0]).toMatchObject({ received: 2, sent: 0 });
        }
      },
      { interval: 10 },
    );
    await clock.advance(2 * bucketMs);
    await vi.waitFor(() => expect(one.buckets([500], at).at(-1)?.backlog).toBe(12_345), {
      interval: 10,
    });
  });
});
