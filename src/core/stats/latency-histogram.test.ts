import { describe, expect, it } from 'vitest';
import { latencyAt, latencyBucket, latencyBuckets } from './latency-histogram.ts';

function histogramOf(times: readonly number[]): number[] {
  const counts = Array.from({ length: latencyBuckets }, () => 0);
  for (const time of times) counts[latencyBucket(time)] = (counts[latencyBucket(time)] ?? 0) + 1;
  return counts;
}

describe('a histogram of times', () => {
  it('has nothing to tell without any', () => {
    expect(latencyAt(histogramOf([]), 0.5)).toBeUndefined();
  });

  it('tells shares to within one step', () => {
    const even = histogramOf(Array.from({ length: 1_000 }, (_, index) => index));
    expect(latencyAt(even, 0.5)).toBeGreaterThan(300);
    expect(latencyAt(even, 0.5)).toBeLessThanOrEqual(500);
    expect(latencyAt(even, 0.95)).toBeGreaterThan(500);
    expect(latencyAt(even, 0.95)).toBeLessThanOrEqual(1_000);
  });

  it('keeps a few slow ones apart from the rest', () => {
    const mostly = histogramOf([...Array.from({ length: 90 }, () => 4), ...Array(10).fill(4_000)]);
    expect(latencyAt(mostly, 0.5)).toBeLessThanOrEqual(5);
    expect(latencyAt(mostly, 0.95)).toBeGreaterThan(2_000);
  });

  it('stays below the longest time', () => {
    expect(latencyAt(histogramOf([210]), 0.95, 210)).toBe(210);
    expect(latencyAt(histogramOf([0]), 0.5, 0)).toBe(0);
    expect(latencyAt(histogramOf([3_600_000]), 0.95, 3_600_000)).toBe(3_600_000);
    const times = [6, 7, 8, 9, 220];
    expect(latencyAt(histogramOf(times), 0.5, 220)).toBeLessThanOrEqual(10);
    expect(latencyAt(histogramOf(times), 0.95, 220)).toBe(220);
  });

  it('stays above the shortest time', () => {
    const times = [213_800, 214_300, 214_900];
    expect(latencyAt(histogramOf(times), 0.01, 214_900, 213_800)).toBeGreaterThanOrEqual(213_800);
    const mixed = [6, 300, 400];
    expect(latencyAt(histogramOf(mixed), 0.01, 400, 6)).toBeGreaterThanOrEqual(6);
    expect(latencyAt(histogramOf(mixed), 0.5, 400, 6)).toBeGreaterThan(200);
  });

  it('takes times beyond its last step', () => {
    expect(latencyAt(histogramOf([3_600_000]), 0.5)).toBeGreaterThan(60_000);
  });

  it('is right to within a factor of three and a half, up to twenty minutes', () => {
    for (let time = 2.5; time < 1_200_000; time *= 1.1) {
      for (const share of [0.05, 0.5, 0.95]) {
        const told = latencyAt(histogramOf([time]), share) ?? 0;
        expect(told, `${time} ms`).toBeLessThanOrEqual(time * 3.5);
        expect(told, `${time} ms`).toBeGreaterThanOrEqual(time / 3.5);
      }
    }
  });
});
