import { describe, expect, it } from 'vitest';
import { curvesOf } from '../../../web/src/pages/overview/curves.ts';

const bucket = (index: number, delivery_failures: number) => ({
  at: 1_000 + index * 2,
  received: 0,
  sent: 0,
  send_failures: 0,
  delivered: 0,
  delivery_failures,
  backlog: 0,
});

describe('a live curve', () => {
  it('counts the failures of the last minute instead of multiplying those of a moment', () => {
    const buckets = Array.from({ length: 40 }, (_, index) =>
      bucket(index, [4, 20].includes(index) ? 2 : 0),
    );
    const { errors, now } = curvesOf({ slice_seconds: 2, slices: buckets });
    const values = [...(errors[1] ?? [])].filter((value) => typeof value === 'number');
    expect(Math.max(...values)).toBe(4);
    expect(values[4]).toBe(2);
    expect(values[33]).toBe(4);
    // The first two are older than a minute.
    expect(now.failedDeliveries).toBe(2);
  });

  it('has a gap where nothing is known, and neither a zero nor a line across', () => {
    const busy = (index: number) => ({ ...bucket(index, 1), received: 4, sent: 2, backlog: 7 });
    const buckets = [busy(0), busy(1), busy(5), { ...busy(6), p50_ms: 8, p95_ms: 9 }, bucket(7, 0)];
    const { backlog, errors, latency, now, traffic } = curvesOf({
      slice_seconds: 2,
      slices: buckets,
    });
    const at = [...traffic[0]].slice(-8);
    expect(at).toEqual([1_000, 1_002, 1_004, 1_006, 1_008, 1_010, 1_012, 1_014]);
    const known = (row: unknown) => [...(row as number[])].slice(-8);
    expect(known(traffic[1])).toEqual([2, 2, null, null, null, 2, 2, 4 / 3]);
    expect(known(traffic[2])).toEqual([1, 1, null, null, null, 1, 1, 2 / 3]);
    expect(known(backlog[1])).toEqual([7, 7, null, null, null, 7, 7, 0]);
    expect(known(errors[1])).toEqual([1, 2, null, null, null, 3, 4, 4]);
    expect(known(latency[1])).toEqual([null, null, null, null, null, null, 8, 8]);
    expect(now).toMatchObject({ in: 4 / 3, usualMs: 8, backlog: 0 });
  });

  it('has no time of answers once nothing was delivered for a minute', () => {
    const quiet = (count: number) =>
      Array.from({ length: count }, (_, index) => bucket(index + 1, 0));
    const delivered = { ...bucket(0, 0), delivered: 3, p50_ms: 214_000, p95_ms: 215_000 };
    const after = (buckets: number) =>
      curvesOf({ slice_seconds: 2, slices: [delivered, ...quiet(buckets)] });
    expect(after(29).now).toMatchObject({ usualMs: 214_000, slowMs: 215_000 });
    expect(after(29).latency.map((row) => row.at(-1))).toEqual([1_058, 214_000, 215_000]);
    expect(after(30).now).toMatchObject({ usualMs: undefined, slowMs: undefined });
    expect(after(30).latency.map((row) => row.at(-1))).toEqual([1_060, null, null]);
  });
});
