import { describe, expect, it } from 'vitest';
import { backoffMs } from './backoff.ts';

describe('backoffMs', () => {
  const longest = { random: () => 1, firstMs: 500, maxMs: 30_000 };

  it('doubles from the first wait up to the most', () => {
    const waits = [1, 2, 3, 4, 50, 5_000].map((failures) => backoffMs(failures, longest));
    expect(waits).toEqual([500, 1_000, 2_000, 4_000, 30_000, 30_000]);
  });

  it('takes off at most a half, by chance', () => {
    expect(backoffMs(1, { ...longest, random: () => 0 })).toBe(250);
    expect(backoffMs(50, { ...longest, random: () => 0.5 })).toBe(22_500);
  });

  it('treats no failure as the first', () => {
    expect(backoffMs(0, longest)).toBe(500);
  });
});
