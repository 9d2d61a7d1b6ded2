import { beforeEach, describe, expect, it } from 'vitest';
import { createLiveMetrics, bucketCount, bucketMs, type LiveMetrics } from './live-metrics.ts';

describe('live metrics', () => {
  let now = 0;
  let metrics: LiveMetrics;
  beforeEach(() => {
    now = 1_000_000 * bucketMs;
    metrics = createLiveMetrics({ now: () => now, singleNode: true });
  });

  function turn() {
    now += bucketMs;
    return metrics.endBucket();
  }

  it('reports a time bucket once it is over, of all bots or of some', () => {
    metrics.received(1, 3);
    metrics.received(2, 4);
    metrics.sent(1, 2);
    metrics.sendFailed(1);
    metrics.deliveryFailed(2);
    expect(metrics.buckets(null)).toEqual([]);
    turn();
    const counted = { received: 7, sent: 2, sendFailed: 1, delivered: 0, deliveryFailed: 1 };
    expect(metrics.buckets(null)).toEqual([
      expect.objectContaining({ ...counted, at: (1_000_000 * bucketMs) / 1_000 }),
    ]);
    expect(metrics.buckets([2])[0]).toMatchObject({ received: 4, sent: 0, deliveryFailed: 1 });
    expect(metrics.buckets([])[0]).toMatchObject({ received: 0, sent: 0 });
    expect(metrics.buckets([99])[0]).toMatchObject({ received: 0 });
  });

  it('tells how long deliveries took, where there were any', () => {
    for (let count = 0; count < 99; count++) metrics.delivered(1, 8);
    metrics.delivered(2, 30_000);
    turn();
    turn();
    const [busy, quiet] = metrics.buckets(null);
    expect(busy).toMatchObject({ delivered: 100 });
    expect(busy?.p50Ms).toBeLessThanOrEqual(10);
    expect(busy?.p95Ms).toBeLessThanOrEqual(10);
    expect(metrics.buckets([2])[0]?.p50Ms).toBeGreaterThan(15_000);
    expect(quiet?.p50Ms).toBeUndefined();
  });

  it('keeps the backlog until it is reported again', () => {
    metrics.backlog(
      new Map([
        [1, 70_000],
        [2, 5],
      ]),
    );
    turn();
    turn();
    metrics.backlog(new Map([[2, 1]]));
    turn();
    expect(metrics.buckets(null).map(({ backlog }) => backlog)).toEqual([70_005, 70_005, 1]);
    expect(metrics.buckets([1]).map(({ backlog }) => backlog)).toEqual([70_000, 70_000, 0]);
  });

  it('gives only what came after a moment', () => {
    metrics.received(1, 1);
    turn();
    const [first] = metrics.buckets(null);
    metrics.received(1, 2);
    turn();
    expect(metrics.buckets(null, first?.at).map(({ received }) => received)).toEqual([2]);
  });

  it('forgets what is older than it keeps, also over a pause of the process', () => {
    metrics.received(1, 1);
    turn();
    now += 3 * bucketMs;
    turn();
    expect(metrics.buckets(null).map(({ received }) => received)).toEqual([1, 0]);
    for (let count = 0; count < bucketCount; count++) turn();
    const buckets = metrics.buckets(null);
    expect(buckets).toHaveLength(bucketCount - 1);
    expect(buckets.every(({ received }) => received === 0)).toBe(true);
    now += 10 * bucketCount * bucketMs;
    metrics.received(1, 9);
    turn();
    expect(metrics.buckets(null).every(({ received }) => received === 0)).toBe(true);
  });

  it('leaves out the time in which the process was paused', () => {
    metrics.received(1, 1);
    turn();
    now += 3 * bucketMs;
    turn();
    metrics.received(1, 2);
    turn();
    const begunAt = 1_000_000 * (bucketMs / 1_000);
    for (const botIds of [null, [1]]) {
      const buckets = metrics.buckets(botIds);
      expect(buckets.map(({ at, received }) => [at - begunAt, received])).toEqual([
        [0, 1],
        [2, 0],
        [10, 2],
      ]);
    }
  });

  it('never tells a longer time than the longest it saw', () => {
    metrics.delivered(1, 15_100);
    metrics.delivered(2, 6);
    turn();
    expect(metrics.buckets(null)[0]).toMatchObject({ p95Ms: 15_100 });
    expect(metrics.buckets([1])[0]).toMatchObject({ p50Ms: 15_100, p95Ms: 15_100 });
    expect(metrics.buckets([2])[0]).toMatchObject({ p50Ms: 6, p95Ms: 6 });
    metrics.delivered(1, 6);
    turn();
    expect(metrics.buckets([1])[1]).toMatchObject({ p95Ms: 6 });
  });

  it('never tells a shorter time than the shortest it saw', () => {
    for (const ms of [213_800, 214_300, 214_900]) metrics.delivered(1, ms);
    metrics.delivered(2, 6);
    turn();
    const [{ p50Ms, p95Ms } = {}] = metrics.buckets([1]);
    expect(p50Ms).toBeGreaterThanOrEqual(213_800);
    expect(p50Ms).toBeLessThanOrEqual(214_900);
    expect(p95Ms).toBe(214_900);
    expect(metrics.buckets(null)[0]?.p50Ms).toBeGreaterThan(150_000);
    expect(metrics.buckets([1, 2])[0]).toEqual(metrics.buckets(null)[0]);
    for (let count = 1; count < bucketCount; count++) turn();
    metrics.delivered(1, 40);
    turn();
    expect(metrics.buckets([1]).at(-1)).toMatchObject({ p50Ms: 40, p95Ms: 40 });
  });

  it('wakes those who listen, until they leave', () => {
    let woken = 0;
    const leave = metrics.onBucket(() => woken++);
    turn();
    leave();
    turn();
    expect(woken).toBe(1);
  });

  describe('of several nodes', () => {
    let other: LiveMetrics;
    beforeEach(() => {
      metrics = createLiveMetrics({ now: () => now, singleNode: false });
      other = createLiveMetrics({ now: () => now, singleNode: false });
    });

    it('is the same on each, and nothing is counted twice', () => {
      metrics.received(1, 3);
      metrics.delivered(1, 40);
      other.received(2, 5);
      other.backlog(new Map([[2, 12]]));
      now += bucketMs;
      const mine = metrics.endBucket();
      // Clocks differ, so the other node's part arrives before this one has ended the bucket.
      other.merge(mine.slot, mine.rows);
      const theirs = other.endBucket();
      expect(theirs.rows.map(([botId]) => botId)).toEqual([2]);
      metrics.merge(theirs.slot, theirs.rows);
      now += bucketMs;
      metrics.endBucket();
      other.endBucket();
      for (const one of [metrics, other]) {
        expect(one.buckets(null)[0]).toMatchObject({ received: 8, delivered: 1, backlog: 12 });
        expect(one.buckets([1])[0]).toMatchObject({ received: 3, backlog: 0, p95Ms: 40 });
      }
    });

    it('keeps to the shortest and the longest time of all nodes', () => {
      metrics.delivered(1, 300);
      metrics.received(2, 1);
      other.delivered(1, 260);
      now += bucketMs;
      const theirs = other.endBucket();
      metrics.merge(theirs.slot, theirs.rows);
      const mine = metrics.endBucket();
      other.merge(mine.slot, mine.rows);
      now += bucketMs;
      metrics.endBucket();
      other.endBucket();
      for (const one of [metrics, other]) {
        for (const botIds of [null, [1]]) {
          expect(one.buckets(botIds)[0]).toMatchObject({ p50Ms: 280, p95Ms: 300 });
        }
      }
    });

    it('tells what another node counted while this one was paused', () => {
      now += bucketMs;
      const { slot } = metrics.endBucket();
      now += 4 * bucketMs;
      metrics.endBucket();
      metrics.merge(slot + 3, [[1, 0, 5]]);
      now += 2 * bucketMs;
      metrics.endBucket();
      const told = metrics
        .buckets([1])
        .map(({ at, received }) => [at / (bucketMs / 1_000) - slot, received]);
      expect(told).toEqual([
        [0, 0],
        [1, 0],
        [3, 5],
        [5, 0],
      ]);
    });

    it('drops what comes too late or from too far ahead', () => {
      now += bucketMs;
      const { slot } = metrics.endBucket();
      metrics.merge(slot - bucketCount, [[1, 0, 5]]);
      metrics.merge(slot + 1_000, [[1, 0, 5]]);
      now += bucketMs;
      metrics.endBucket();
      expect(metrics.buckets(null).every(({ received }) => received === 0)).toBe(true);
    });
  });
});
