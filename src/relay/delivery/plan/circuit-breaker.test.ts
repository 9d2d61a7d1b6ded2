import { describe, expect, it } from 'vitest';
import { CircuitBreaker } from './circuit-breaker.ts';

const create = (random = 0) => new CircuitBreaker({ mostConnections: 8, random: () => random });

/**
 * Records failures of healthy queues; the result is true for the failure that opens the breaker.
 */
const fail = (breaker: CircuitBreaker, times: number, queues = 3) =>
  Array.from({ length: times }, (_, n) => breaker.failed(`q${n % queues}`, true, 1_000));

describe('breaker', () => {
  it('opens once, with the tenth failure in a row of three queues', () => {
    const breaker = create();
    expect(fail(breaker, 9)).not.toContain(true);
    expect(breaker.isOpen).toBe(false);
    expect(fail(breaker, 1)).toEqual([true]);
    expect(breaker.isOpen).toBe(true);
    // Attempts that were in flight end after the breaker opened.
    expect(fail(breaker, 3)).toEqual([false, false, false]);
  });

  it('stays closed for a few queues, for those that failed before, and after a success', () => {
    const few = create();
    fail(few, 50, 2);
    expect(few.isOpen).toBe(false);

    const known = create();
    for (let n = 0; n < 50; n++) known.failed(`q${n}`, false, 1_000);
    expect(known.isOpen).toBe(false);

    const between = create();
    for (let n = 0; n < 5; n++) {
      fail(between, 9);
      between.succeeded();
    }
    expect(between.isOpen).toBe(false);
  });

  it('probes within five seconds, then less and less often, or as the backend asks', () => {
    const waits = (random: number) => {
      const breaker = create(random);
      fail(breaker, 10);
      const all = [breaker.probeAt - 1_000];
      for (let n = 0; n < 6; n++) {
        breaker.probeFailed(true, 0, undefined);
        all.push(breaker.probeAt);
      }
      breaker.probeFailed(true, 0, 120_000);
      return [...all, breaker.probeAt];
    };
    expect(waits(0)).toEqual([3_000, 6_000, 12_000, 24_000, 45_000, 45_000, 45_000, 120_000]);
    expect(waits(1)).toEqual([4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000, 120_000]);
  });

  it('probes soon when a queue that is well has something, unless such a one failed too', () => {
    const breaker = create();
    fail(breaker, 10);
    for (let n = 0; n < 5; n++) breaker.probeFailed(false, 0, undefined);
    breaker.freshArrived(10_000);
    expect(breaker.probeAt).toBe(14_000);
    breaker.probeFailed(true, 14_000, undefined);
    breaker.freshArrived(15_000);
    expect(breaker.probeAt).toBe(14_000 + 45_000);
  });

  it('lets deliveries grow after a success, halves them at a failure, and ends at all of them', () => {
    const breaker = create();
    fail(breaker, 10);
    expect(breaker.succeeded()).toBe(true);
    const limits: number[] = [];
    const succeed = (times: number) => {
      for (let n = 0; n < times; n++) {
        limits.push(breaker.limit);
        expect(breaker.succeeded()).toBe(false);
      }
    };
    succeed(7);
    expect(limits).toEqual([1, 2, 2, 4, 4, 4, 4]);
    expect(breaker.limit).toBe(8);
    expect(breaker.isRecovering).toBe(false);
    breaker.failed('q1', true, 2_000);
    expect(breaker.limit).toBe(8);

    fail(breaker, 10);
    breaker.succeeded();
    succeed(3);
    expect(breaker.limit).toBe(4);
    breaker.failed('q1', true, 2_000);
    expect(breaker.limit).toBe(2);
  });
});
