/*
 * The live metrics of the last minutes: received, sent and failed counts and latencies, in buckets
 * of two seconds, for each bot and for all of them. Counting only adds to a cell.
 *
 * Invariants: a bucket is reported after it is over; counts of other nodes are added to a bucket
 * only after this node has reported its own, so that no count is reported twice.
 */
import { latencyAt, latencyBucket, latencyBuckets } from './latency-histogram.ts';

export const bucketMs = 2_000;
export const bucketCount = 300;

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

export interface TimeBucket {
  /** The beginning of the bucket in Unix seconds. */
  at: number;
  received: number;
  sent: number;
  sendFailed: number;
  delivered: number;
  deliveryFailed: number;
  backlog: number;
  p50Ms: number | undefined;
  p95Ms: number | undefined;
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

const columns = ['received', 'sent', 'sendFailed', 'delivered', 'deliveryFailed'] as const;
const [received, sent, sendFailed, delivered, deliveryFailed, latency] = [0, 1, 2, 3, 4, 5];
const width = columns.length + latencyBuckets;
const maxInCell = 65_535;
const never = 2 ** 32 - 1;
// Clocks of nodes may differ by this much.
const aheadBuckets = 5;

interface Ring {
  counts: Uint16Array | Float64Array;
  backlog: Float64Array;
  slowestMs: Uint32Array;
  /** `never` if nothing was delivered. */
  fastestMs: Uint32Array;
  /** The last bucket in which anything was counted. */
  active: number;
}

export function createLiveMetrics(options: {
  now: () => number;
  /**
   * Counts of other nodes arrive a little later, so with several nodes a bucket is reported one
   * bucket later.
   */
  singleNode: boolean;
}): LiveMetrics {
  const slotNow = () => Math.floor(options.now() / bucketMs);
  const total = emptyRing(new Float64Array(bucketCount * width), 0);
  /**
   * The bucket that was last counted at each index of the ring; after a pause, an index holds an
   * older one.
   */
  const counted = new Float64Array(bucketCount);
  const rings = new Map<number, Ring>();
  const listeners = new Set<() => void>();
  const early: { slot: number; rows: readonly BucketRow[] }[] = [];
  let waiting: ReadonlyMap<number, number> = new Map();
  let slot = slotNow();
  const begunAt = slot;

  function ringOf(botId: number): Ring {
    let ring = rings.get(botId);
    if (!ring) {
      ring = emptyRing(new Uint16Array(bucketCount * width), slot);
      rings.set(botId, ring);
    }
    return ring;
  }

  function count(botId: number, column: number, by: number): void {
    const ring = ringOf(botId);
    const cell = (slot % bucketCount) * width + column;
    ring.active = slot;
    ring.counts[cell] = Math.min(maxInCell, (ring.counts[cell] ?? 0) + by);
    total.counts[cell] = (total.counts[cell] ?? 0) + by;
  }

  function clear({ backlog, counts, fastestMs, slowestMs }: Ring, index: number): void {
    counts.fill(0, index * width, (index + 1) * width);
    backlog[index] = 0;
    slowestMs[index] = 0;
    fastestMs[index] = never;
  }

  function noteTimes(ring: Ring, index: number, slowest: number, fastest: number): void {
    ring.slowestMs[index] = Math.max(ring.slowestMs[index] ?? 0, slowest);
    ring.fastestMs[index] = Math.max(0, Math.min(ring.fastestMs[index] ?? never, fastest));
  }

  function add(at: number, rows: readonly BucketRow[]): void {
    const index = at % bucketCount;
    counted[index] = at;
    for (const [botId, backlog, ...counts] of rows) {
      const ring = ringOf(botId);
      ring.active = Math.max(ring.active, at);
      for (const one of [ring, total]) {
        one.backlog[index] = (one.backlog[index] ?? 0) + backlog;
        if ((counts[delivered] ?? 0) > 0) {
          noteTimes(one, index, counts[width] ?? 0, counts[width + 1] ?? 0);
        }
        for (let column = 0; column < width; column++) {
          const cell = index * width + column;
          const sum = (one.counts[cell] ?? 0) + (counts[column] ?? 0);
          one.counts[cell] = one === total ? sum : Math.min(maxInCell, sum);
        }
      }
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
        const counts = ring.counts.subarray(index * width, (index + 1) * width);
        const times = [ring.slowestMs[index] ?? 0, ring.fastestMs[index] ?? 0];
        rows.push([botId, backlog, ...counts, ...((counts[delivered] ?? 0) > 0 ? times : [])]);
      }
    }
    return rows;
  }

  function bucketOf(at: number, parts: readonly Ring[]): TimeBucket {
    const index = at % bucketCount;
    const sums = new Float64Array(width);
    let backlog = 0;
    let slowestMs = 0;
    let fastestMs = never;
    for (const ring of parts) {
      slowestMs = Math.max(slowestMs, ring.slowestMs[index] ?? 0);
      fastestMs = Math.min(fastestMs, ring.fastestMs[index] ?? never);
      backlog += ring.backlog[index] ?? 0;
      for (let column = 0; column < width; column++) {
        sums[column] = (sums[column] ?? 0) + (ring.counts[index * width + column] ?? 0);
      }
    }
    const times = sums.subarray(latency);
    return {
      at: (at * bucketMs) / 1_000,
      received: sums[received] ?? 0,
      sent: sums[sent] ?? 0,
      sendFailed: sums[sendFailed] ?? 0,
      delivered: sums[delivered] ?? 0,
      deliveryFailed: sums[deliveryFailed] ?? 0,
      backlog,
      p50Ms: latencyAt(times, 0.5, slowestMs, fastestMs),
      p95Ms: latencyAt(times, 0.95, slowestMs, fastestMs),
    };
  }

  return {
    received: (botId, updates) => count(botId, received, updates),
    sent: (botId, messages) => count(botId, sent, messages),
    sendFailed: (botId) => count(botId, sendFailed, 1),
    delivered(botId, latencyMs) {
      count(botId, delivered, 1);
      count(botId, latency + latencyBucket(latencyMs), 1);
      for (const ring of [ringOf(botId), total]) {
        noteTimes(ring, slot % bucketCount, latencyMs, latencyMs);
      }
    },
    deliveryFailed: (botId) => count(botId, deliveryFailed, 1),
    backlog(counts) {
      waiting = counts;
    },
    endBucket() {
      const ended = { slot, rows: ownRows() };
      counted[slot % bucketCount] = slot;
      const next = Math.max(slot + 1, slotNow());
      // If the process was paused, nothing could be counted in the buckets in between.
      for (let at = Math.max(slot + 1, next - bucketCount); at <= next; at++) {
        for (const ring of [total, ...rings.values()]) clear(ring, at % bucketCount);
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
        .map((at) => bucketOf(at, parts));
    },
    onBucket(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function emptyRing(counts: Ring['counts'], active: number): Ring {
  return {
    counts,
    backlog: new Float64Array(bucketCount),
    slowestMs: new Uint32Array(bucketCount),
    fastestMs: new Uint32Array(bucketCount).fill(never),
    active,
  };
}
