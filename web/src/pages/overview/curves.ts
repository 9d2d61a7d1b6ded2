import type uPlot from 'uplot';
import type { LiveMetrics } from '../../api/client/types.ts';

type TimeBucket = LiveMetrics['slices'][number];

/** Rates are averaged over this many buckets. */
const smoothed = 5;
/** The axis has at least this length, even just after a start. */
const minBuckets = 60;

export interface Curves {
  traffic: uPlot.AlignedData;
  latency: uPlot.AlignedData;
  backlog: uPlot.AlignedData;
  errors: uPlot.AlignedData;
  now: {
    in: number;
    out: number;
    /** The median of the last deliveries; undefined if there were none within the last minute. */
    usualMs: number | undefined;
    slowMs: number | undefined;
    backlog: number;
    /** The count of the last minute. */
    failedDeliveries: number;
    failedSends: number;
  };
}

/** Computes the curves. Each value is a number, or null for a gap in the line. */
export function curvesOf({ slice_seconds: seconds, slices }: LiveMetrics): Curves {
  const first = slices[0]?.at ?? 0;
  const last = slices.at(-1)?.at ?? first;
  const missing = Math.max(0, minBuckets - 1 - (last - first) / seconds);
  const byTime = new Map(slices.map((bucket) => [bucket.at, bucket]));
  const at: number[] = [];
  for (let time = first - missing * seconds; time <= last; time += seconds) at.push(time);
  const line = (value: (bucket: TimeBucket, index: number) => number | null) =>
    at.map((time, index) => {
      const bucket = byTime.get(time);
      return bucket ? value(bucket, index) : null;
    });
  /** Returns the known buckets among the last `most`. */
  const recent = (index: number, most: number) =>
    at.slice(Math.max(0, index - most + 1), index + 1).flatMap((time) => byTime.get(time) ?? []);
  const sum = (some: readonly TimeBucket[], part: (bucket: TimeBucket) => number) =>
    some.reduce((total, bucket) => total + part(bucket), 0);
  const rate = (part: (bucket: TimeBucket) => number) =>
    line((_, index) => {
      const some = recent(index, smoothed);
      return sum(some, part) / (some.length * seconds);
    });
  const perMinute = Math.round(60 / seconds);
  // Failures are counted, not extrapolated: with few of them, each one matters.
  const inMinute = (part: (bucket: TimeBucket) => number) =>
    line((_, index) => sum(recent(index, perMinute), part));
  const incoming = rate(({ received }) => received);
  const outgoing = rate(({ sent }) => sent);
  const failedDeliveries = inMinute((bucket) => bucket.delivery_failures);
  const failedSends = inMinute((bucket) => bucket.send_failures);
  const lastTimed = (index: number) =>
    recent(index, perMinute).findLast(({ p50_ms }) => p50_ms !== undefined);
  const timed = (part: 'p50_ms' | 'p95_ms') => line((_, index) => lastTimed(index)?.[part] ?? null);
  const newest = lastTimed(at.length - 1);
  return {
    traffic: [at, incoming, outgoing],
    latency: [at, timed('p50_ms'), timed('p95_ms')],
    backlog: [at, line(({ backlog }) => backlog)],
    errors: [at, failedDeliveries, failedSends],
    now: {
      in: incoming.at(-1) ?? 0,
      out: outgoing.at(-1) ?? 0,
      usualMs: newest?.p50_ms,
      slowMs: newest?.p95_ms,
      backlog: slices.at(-1)?.backlog ?? 0,
      failedDeliveries: failedDeliveries.at(-1) ?? 0,
      failedSends: failedSends.at(-1) ?? 0,
    },
  };
}
