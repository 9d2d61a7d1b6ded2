import { beforeEach, describe, expect, it } from 'vitest';
import { createVitals, sliceCount, sliceMs, type Vitals } from './live-metrics.ts';

describe('the pulse', () => {
  let now = 0;
  let vitals: Vitals;
  beforeEach(() => {
    now = 1_000_000 * sliceMs;
    vitals = createVitals({ now: () => now, alone: true });
  });

  function turn() {
    now += sliceMs;
    return vitals.turn();
  }

  it('tells a slice once it is over, of all bots or of some', () => {
    vitals.received(1, 3);
    vitals.received(2, 4);
    vitals.sent(1, 2);
    vitals.sendFailed(1);
    vitals.deliveryFailed(2);
    expect(vitals.slices(null)).toEqual([]);
    turn();
    const counted = { received: 7, sent: 2, sendFailed: 1, delivered: 0, deliveryFailed: 1 };
    expect(vitals.slices(null)).toEqual([
      expect.objectContaining({ ...counted, at: (1_000_000 * sliceMs) / 1_000 }),
    ]);
    expect(vitals.slices([2])[0]).toMatchObject({ received: 4, sent: 0, deliveryFailed: 1 });
    expect(vitals.slices([])[0]).toMatchObject({ received: 0, sent: 0 });
    expect(vitals.slices([99])[0]).toMatchObject({ received: 0 });
  });

  it('tells how long deliveries took, where there were any', () => {
    for (let count = 0; count < 99; count++) vitals.delivered(1, 8);
    vitals.delivered(2, 30_000);
    turn();
    turn();
    const [busy, quiet] = vitals.slices(null);
    expect(busy).toMatchObject({ delivered: 100 });
    expect(busy?.p50Ms).toBeLessThanOrEqual(10);
    expect(busy?.p95Ms).toBeLessThanOrEqual(10);
    expect(vitals.slices([2])[0]?.p50Ms).toBeGreaterThan(15_000);
    expect(quiet?.p50Ms).toBeUndefined();
  });

  it('keeps what waits until it is told anew', () => {
    vitals.backlog(
      new Map([
        [1, 70_000],
        [2, 5],
      ]),
    );
    turn();
    turn();
    vitals.backlog(new Map([[2, 1]]));
    turn();
    expect(vitals.slices(null).map(({ backlog }) => backlog)).toEqual([70_005, 70_005, 1]);
    expect(vitals.slices([1]).map(({ backlog }) => backlog)).toEqual([70_000, 70_000, 0]);
  });

  it('gives only what came after a moment', () => {
    vitals.received(1, 1);
    turn();
    const [first] = vitals.slices(null);
    vitals.received(1, 2);
    turn();
    expect(vitals.slices(null, first?.at).map(({ received }) => received)).toEqual([2]);
  });

  it('forgets what is older than it keeps, also over a pause of the process', () => {
    vitals.received(1, 1);
    turn();
    now += 3 * sliceMs;
    turn();
    expect(vitals.slices(null).map(({ received }) => received)).toEqual([1, 0]);
    for (let count = 0; count < sliceCount; count++) turn();
    const slices = vitals.slices(null);
    expect(slices).toHaveLength(sliceCount - 1);
    expect(slices.every(({ received }) => received === 0)).toBe(true);
    now += 10 * sliceCount * sliceMs;
    vitals.received(1, 9);
    turn();
    expect(vitals.slices(null).every(({ received }) => received === 0)).toBe(true);
  });

  it('leaves out the time in which the process was paused', () => {
    vitals.received(1, 1);
    turn();
    now += 3 * sliceMs;
    turn();
    vitals.received(1, 2);
    turn();
    const begunAt = 1_000_000 * (sliceMs / 1_000);
    for (const botIds of [null, [1]]) {
      const slices = vitals.slices(botIds);
      expect(slices.map(({ at, received }) => [at - begunAt, received])).toEqual([
        [0, 1],
        [2, 0],
        [10, 2],
      ]);
    }
  });

  it('never tells a longer time than the longest it saw', () => {
    vitals.delivered(1, 15_100);
    vitals.delivered(2, 6);
    turn();
    expect(vitals.slices(null)[0]).toMatchObject({ p95Ms: 15_100 });
    expect(vitals.slices([1])[0]).toMatchObject({ p50Ms: 15_100, p95Ms: 15_100 });
    expect(vitals.slices([2])[0]).toMatchObject({ p50Ms: 6, p95Ms: 6 });
    vitals.delivered(1, 6);
    turn();
    expect(vitals.slices([1])[1]).toMatchObject({ p95Ms: 6 });
  });

  it('never tells a shorter time than the shortest it saw', () => {
    for (const ms of [213_800, 214_300, 214_900]) vitals.delivered(1, ms);
    vitals.delivered(2, 6);
    turn();
    const [{ p50Ms, p95Ms } = {}] = vitals.slices([1]);
    expect(p50Ms).toBeGreaterThanOrEqual(213_800);
    expect(p50Ms).toBeLessThanOrEqual(214_900);
    expect(p95Ms).toBe(214_900);
    expect(vitals.slices(null)[0]?.p50Ms).toBeGreaterThan(150_000);
    expect(vitals.slices([1, 2])[0]).toEqual(vitals.slices(null)[0]);
    for (let count = 1; count < sliceCount; count++) turn();
    vitals.delivered(1, 40);
    turn();
    expect(vitals.slices([1]).at(-1)).toMatchObject({ p50Ms: 40, p95Ms: 40 });
  });

  it('wakes those who listen, until they leave', () => {
    let woken = 0;
    const leave = vitals.onSlice(() => woken++);
    turn();
    leave();
    turn();
    expect(woken).toBe(1);
  });

  describe('of several nodes', () => {
    let other: Vitals;
    beforeEach(() => {
      vitals = createVitals({ now: () => now, alone: false });
      other = createVitals({ now: () => now, alone: false });
    });

    it('is the same on each, and nothing is counted twice', () => {
      vitals.received(1, 3);
      vitals.delivered(1, 40);
      other.received(2, 5);
      other.backlog(new Map([[2, 12]]));
      now += sliceMs;
      const mine = vitals.turn();
      // The other's part comes before it has ended the slice itself, as clocks differ.
      other.merge(mine.slot, mine.rows);
      const theirs = other.turn();
      expect(theirs.rows.map(([botId]) => botId)).toEqual([2]);
      vitals.merge(theirs.slot, theirs.rows);
      now += sliceMs;
      vitals.turn();
      other.turn();
      for (const one of [vitals, other]) {
        expect(one.slices(null)[0]).toMatchObject({ received: 8, delivered: 1, backlog: 12 });
        expect(one.slices([1])[0]).toMatchObject({ received: 3, backlog: 0, p95Ms: 40 });
      }
    });

    it('keeps to the shortest and the longest time of all nodes', () => {
      vitals.delivered(1, 300);
      vitals.received(2, 1);
      other.delivered(1, 260);
      now += sliceMs;
      const theirs = other.turn();
      vitals.merge(theirs.slot, theirs.rows);
      const mine = vitals.turn();
      other.merge(mine.slot, mine.rows);
      now += sliceMs;
      vitals.turn();
      other.turn();
      for (const one of [vitals, other]) {
        for (const botIds of [null, [1]]) {
          expect(one.slices(botIds)[0]).toMatchObject({ p50Ms: 280, p95Ms: 300 });
        }
      }
    });

    it('tells what another node counted while this one was paused', () => {
      now += sliceMs;
      const { slot } = vitals.turn();
      now += 4 * sliceMs;
      vitals.turn();
      vitals.merge(slot + 3, [[1, 0, 5]]);
      now += 2 * sliceMs;
      vitals.turn();
      const told = vitals
        .slices([1])
        .map(({ at, received }) => [at / (sliceMs / 1_000) - slot, received]);
      expect(told).toEqual([
        [0, 0],
        [1, 0],
        [3, 5],
        [5, 0],
      ]);
    });

    it('has no place for what comes too late or from too far ahead', () => {
      now += sliceMs;
      const { slot } = vitals.turn();
      vitals.merge(slot - sliceCount, [[1, 0, 5]]);
      vitals.merge(slot + 1_000, [[1, 0, 5]]);
      now += sliceMs;
      vitals.turn();
      expect(vitals.slices(null).every(({ received }) => received === 0)).toBe(true);
    });
  });
});
