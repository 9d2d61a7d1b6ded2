import { describe, expect, it } from 'vitest';
import { createBurstWatch } from './background-work.ts';

describe('the watch for bursts', () => {
  it('sees a long queue that grows, for ten seconds at most', () => {
    const isBurst = createBurstWatch();
    expect(isBurst(1_000, 0)).toBe(true);
    expect(isBurst(900, 1_000)).toBe(false);
    expect(isBurst(2_000, 9_000)).toBe(true);
    expect(isBurst(3_000, 10_000)).toBe(false);
  });

  it('sees the next one only after a calm time', () => {
    const isBurst = createBurstWatch();
    expect(isBurst(1_000, 0)).toBe(true);
    expect(isBurst(0, 1_000)).toBe(false);
    expect(isBurst(1_000, 19_000)).toBe(false);
    expect(isBurst(0, 20_000)).toBe(false);
    expect(isBurst(1_000, 38_000)).toBe(false);
    expect(isBurst(0, 57_000)).toBe(false);
    expect(isBurst(1_000, 58_000)).toBe(true);
  });

  it('sees none in what arrives steadily, or if too much waits', () => {
    const isBurst = createBurstWatch();
    for (let second = 0; second < 60; second++) {
      expect(isBurst(100 + second, second * 1_000)).toBe(false);
    }
    expect(isBurst(100_001, 60_000)).toBe(false);
  });
});
