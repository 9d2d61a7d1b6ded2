/*
 * The live metrics of the last minutes: received, sent and failed counts and latencies, in buckets
 * of two seconds, for each bot and for all of them. Counting only adds to a cell.
 *
 * Invariants: a bucket is reported after it is over; counts of other nodes are added to a bucket
 * only after this node has reported its own, so that no count is reported twice.
 */
import { BucketRing, bucketCount, column, sumOf, type TimeSums, width } from './bucket-ring.ts';
import { latencyBucket } from './latency-histogram.ts';

export { bucketCount } from './bucket-ring.ts';
export const bucketMs = 2_000;

/** Receives events of the relay as they happen. */
export interface LiveMetricsRecorder {
  received(botId: number, updates: number): void;
  sent(botId: number, messages: number): void;
  sendFailed(botId: number): void;
  /** A backend accepted an update, `latencyMs` after the relay had received it. */
  delivered(botId: number, latencyMs: number): void;
  deliveryFailed(botId: number): void;
  /** The number of waiting updates by bot; valid until the next report. */
  backlog(waiting: ReadonlyMap<number, number>): void;
}

export interface TimeBucket extends TimeSums {
  /** The beginning of the bucket in Unix seconds. */
  at: number;
}

/** One bot's part of a bucket: its ID, backlog, counts, and its slowest and fastest delivery in ms. */
export type BucketRow = readonly [botId: number, backlog: number, ...counts: number[]];

export interface LiveMetricsReader {
  /**
   * Returns finished buckets, oldest first, for these bots or for all. Buckets in which this node
   * did not run and no other node reported anything are left out.
   */
  buckets(botIds: readonly number[] | null, sinceSeconds?: number): TimeBucket[];
  /** Calls the listener whenever another bucket is over. */
  onBucket(listener: () => void): () => void;
}

export interface LiveMetrics extends LiveMetricsRecorder, LiveMetricsReader {
  /** Ends the bucket whose time is over; returns what this node counted in it, for the other nodes. */
  endBucket(): { slot: number; rows: BucketRow[] };
  /** Adds the counts of another node. */
  merge(slot: number, rows: readonly BucketRow[]): void;
}

// Clocks of nodes may differ by this much.
const aheadBuckets = 5;

export function createLiveMetrics(options: {
  now: () => number;
  /**
   * Counts of other nodes arrive a little later, so with several nodes a bucket is reported one
   * bucket later.
   */
  singleNode: boolean;
}): LiveMetrics {
  const slotNow = () => Math.floor(options.now() / bucketMs);
  const total = new BucketRing(new Float64Array(bucketCount * width), 0);
  /**
   * The bucket that was last counted at each index of the ring; after a pause, an index holds an
   * older one.
   */
  const counted = new Float64Array(bucketCount);
  const rings = new Map<number, BucketRing>();
  const listeners = new Set<() => void>();
  const early: { slot: number; rows: readonly BucketRow[] }[] = [];
  let waiting: ReadonlyMap<number, number> = new Map();
  let slot = slotNow();
  const begunAt = slot;

  function ringOf(botId: number): BucketRing {
    let ring = rings.get(botId);
    if (!ring) {
      ring = new BucketRing(new Uint16Array(bucketCount * width), slot);
      rings.set(botId, ring);
    }
    return ring;
  }

  function count(botId: number, at: number, by: number): void {
    const ring = ringOf(botId);
    const index = slot % bucketCount;
    ring.active = slot;
    ring.add(index, at, by);
    total.add(index, at, by);
  }

  function add(at: number, rows: readonly BucketRow[]): void {
    const index = at % bucketCount;
    counted[index] = at;
    for (const [botId, backlog, ...counts] of rows) {
      const ring = ringOf(botId);
      ring.active = Math.max(ring.active, at);
      ring.merge(index, backlog, counts);
      total.merge(index, backlog, counts);
    }
  }

  /** Writes the backlog, and returns this node's counts; a single node has nobody to send them to. */
  function ownRows(): BucketRow[] {
    const index = slot % bucketCount;
    for (const [botId, updates] of waiting) {
      if (updates > 0) ringOf(botId).backlog[index] = updates;
      total.backlog[index] = (total.backlog[index] ?? 0) + updates;
    }
    const rows: BucketRow[] = [];
    for (const [botId, ring] of rings) {
      const backlog = ring.backlog[index] ?? 0;
      if (backlog > 0) ring.active = slot;
      if (slot - ring.active > bucketCount) rings.delete(botId);
      else if (ring.active === slot && !options.singleNode) {
        rows.push([botId, backlog, ...ring.row(index)]);
      }
    }
    return rows;
  }

  return {
    received: (botId, updates) => count(botId, column.received, updates),
    sent: (botId, messages) => count(botId, column.sent, messages),
    sendFailed: (botId) => count(botId, column.sendFailed, 1),
    delivered(botId, latencyMs) {
      count(botId, column.delivered, 1);
      count(botId, column.latency + latencyBucket(latencyMs), 1);
      for (const ring of [ringOf(botId), total]) {
        ring.noteTimes(slot % bucketCount, latencyMs, latencyMs);
      }
    },
    deliveryFailed: (botId) => count(botId, column.deliveryFailed, 1),
    backlog(counts) {
      waiting = counts;
    },
    endBucket() {
      const ended = { slot, rows: ownRows() };
      counted[slot % bucketCount] = slot;
      const next = Math.max(slot + 1, slotNow());
      // If the process was paused, nothing could be counted in the buckets in between.
      for (let at = Math.max(slot + 1, next - bucketCount); at <= next; at++) {
        for (const ring of [total, ...rings.values()]) ring.clear(at % bucketCount);
      }
      slot = next;
      for (const part of early.splice(0)) {
        if (part.slot < slot) add(part.slot, part.rows);
        else early.push(part);
      }
      for (const listener of listeners) listener();
      return ended;
    },
    merge(at, rows) {
      if (at <= slot - bucketCount || at > slot + aheadBuckets) return;
      if (at >= slot) early.push({ slot: at, rows });
      else add(at, rows);
    },
    buckets(botIds, sinceSeconds = 0) {
      const parts = botIds === null ? [total] : botIds.flatMap((id) => rings.get(id) ?? []);
      const last = slot - (options.singleNode ? 1 : 2);
      const since = Math.floor((sinceSeconds * 1_000) / bucketMs) + (sinceSeconds > 0 ? 1 : 0);
      const from = Math.max(since, begunAt, slot - bucketCount + 1);
      return Array.from({ length: Math.max(0, last - from + 1) }, (_, index) => from + index)
        .filter((at) => counted[at % bucketCount] === at)
        .map((at) => ({ at: (at * bucketMs) / 1_000, ...sumOf(parts, at % bucketCount) }));
    },
    onBucket(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
