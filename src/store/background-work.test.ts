import { describe, expect, it } from 'vitest';
import { createBurstWatch } from './background-work.ts';

describe('the watch for bursts', () => {
  it('sees a queue that grows, for ten seconds at most', () => {
    const isBurst = createBurstWatch();
    expect(isBurst(50, 0)).toBe(true);
    expect(isBurst(60, 9_000)).toBe(true);
    expect(isBurst(70, 10_000)).toBe(false);
    expect(isBurst(80, 11_000)).toBe(false);
    // What waits became less, and another burst begins.
    expect(isBurst(10, 12_000)).toBe(false);
    expect(isBurst(20, 13_000)).toBe(true);
    expect(isBurst(0, 14_000)).toBe(false);
  });

  it('sees none if too much waits', () => {
    const isBurst = createBurstWatch();
    expect(isBurst(100_000, 0)).toBe(true);
    expect(isBurst(100_001, 1_000)).toBe(false);
  });
});
