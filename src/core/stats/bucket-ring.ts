/** The counts of the last buckets, of one bot or of all, in cells that are used again. */
import { latencyAt, latencyBuckets } from './latency-histogram.ts';

export const bucketCount = 300;

/** The place of each count in a bucket; the counts of latencies begin at `latency`. */
export const column = {
  received: 0,
  sent: 1,
  sendFailed: 2,
  delivered: 3,
  deliveryFailed: 4,
  latency: 5,
} as const;
export const width = column.latency + latencyBuckets;
const maxInCell = 65_535;
const never = 2 ** 32 - 1;

export interface TimeSums {
  received: number;
  sent: number;
  sendFailed: number;
  delivered: number;
  deliveryFailed: number;
  backlog: number;
  p50Ms: number | undefined;
  p95Ms: number | undefined;
}

export class BucketRing {
  readonly counts: Uint16Array | Float64Array;
  readonly backlog = new Float64Array(bucketCount);
  readonly slowestMs = new Uint32Array(bucketCount);
  /** `never` if nothing was delivered. */
  readonly fastestMs = new Uint32Array(bucketCount).fill(never);
  /** The last bucket in which anything was counted. */
  active: number;
  readonly #most: number;

  /** Small cells stop at their highest value. */
  constructor(counts: Uint16Array | Float64Array, active: number) {
    this.counts = counts;
    this.active = active;
    this.#most = counts instanceof Uint16Array ? maxInCell : Number.POSITIVE_INFINITY;
  }

  add(index: number, at: number, by: number): void {
    const cell = index * width + at;
    this.counts[cell] = Math.min(this.#most, (this.counts[cell] ?? 0) + by);
  }

  noteTimes(index: number, slowest: number, fastest: number): void {
    this.slowestMs[index] = Math.max(this.slowestMs[index] ?? 0, slowest);
    this.fastestMs[index] = Math.max(0, Math.min(this.fastestMs[index] ?? never, fastest));
  }

  /** Adds a row of another node. */
  merge(index: number, backlog: number, row: readonly number[]): void {
    this.backlog[index] = (this.backlog[index] ?? 0) + backlog;
    if ((row[column.delivered] ?? 0) > 0) {
      this.noteTimes(index, row[width] ?? 0, row[width + 1] ?? 0);
    }
    for (let at = 0; at < width; at++) this.add(index, at, row[at] ?? 0);
  }

  /** Returns the row of a bucket for other nodes: its counts, and its slowest and fastest delivery. */
  row(index: number): number[] {
    const counts = [...this.counts.subarray(index * width, (index + 1) * width)];
    if ((counts[column.delivered] ?? 0) === 0) return counts;
    return [...counts, this.slowestMs[index] ?? 0, this.fastestMs[index] ?? 0];
  }

  clear(index: number): void {
    this.counts.fill(0, index * width, (index + 1) * width);
    this.backlog[index] = 0;
    this.slowestMs[index] = 0;
    this.fastestMs[index] = never;
  }
}

/** Sums up one bucket of these rings. */
export function sumOf(rings: readonly BucketRing[], index: number): TimeSums {
  const sums = new Float64Array(width);
  let backlog = 0;
  let slowestMs = 0;
  let fastestMs = never;
  for (const ring of rings) {
    slowestMs = Math.max(slowestMs, ring.slowestMs[index] ?? 0);
    fastestMs = Math.min(fastestMs, ring.fastestMs[index] ?? never);
    backlog += ring.backlog[index] ?? 0;
    for (let at = 0; at < width; at++) {
      sums[at] = (sums[at] ?? 0) + (ring.counts[index * width + at] ?? 0);
    }
  }
  const times = sums.subarray(column.latency);
  return {
    received: sums[column.received] ?? 0,
    sent: sums[column.sent] ?? 0,
    sendFailed: sums[column.sendFailed] ?? 0,
    delivered: sums[column.delivered] ?? 0,
    deliveryFailed: sums[column.deliveryFailed] ?? 0,
    backlog,
    p50Ms: latencyAt(times, 0.5, slowestMs, fastestMs),
    p95Ms: latencyAt(times, 0.95, slowestMs, fastestMs),
  };
}
