import { describe, expect, it } from 'vitest';
import { mostBetween, reconcile, repeatTimes, sentTooMany, sum } from './reconcile.ts';

const offered = [
  { id: 1, chat: 7, at: 100 },
  { id: 2, chat: 8, at: 110 },
  { id: 3, chat: 7, at: 120 },
  { id: 4, chat: 7, at: 130 },
];
const arriving = (...ids: number[]) => ids.map((id, index) => ({ id, at: 200 + index }));

describe('reconcile', () => {
  it('finds nothing wrong when each chat arrives in order, whatever order chats are in', () => {
    expect(reconcile(offered, arriving(1, 3, 4, 2))).toEqual({
      offered: 4,
      delivered: 4,
      duplicated: 0,
      lost: 0,
      reordered: 0,
      unexpected: 0,
      maxDelayMs: 100,
      slowestOfferedAt: 100,
    });
  });

  it('counts what is missing, repeated and unknown', () => {
    expect(reconcile(offered, arriving(1, 2, 2, 1, 9))).toMatchObject({
      delivered: 2,
      duplicated: 2,
      lost: 2,
      unexpected: 1,
    });
  });

  it('calls an update reordered when a later one of its chat was there before it', () => {
    expect(reconcile(offered, arriving(3, 1, 4, 2))).toMatchObject({ reordered: 1, lost: 0 });
    expect(reconcile(offered, arriving(4, 3, 1, 2))).toMatchObject({ reordered: 2, lost: 0 });
  });

  it('does not call a repeat reordered', () => {
    expect(reconcile(offered, arriving(1, 3, 1, 4, 2))).toMatchObject({
      reordered: 0,
      duplicated: 1,
    });
  });

  it('goes by the order of offers, as ids can drop', () => {
    const dropped = [
      { id: 900, chat: 7, at: 0 },
      { id: 5, chat: 7, at: 0 },
    ];
    expect(reconcile(dropped, arriving(900, 5)).reordered).toBe(0);
    expect(reconcile(dropped, arriving(5, 900)).reordered).toBe(1);
  });

  it('measures the delay up to the first arrival only', () => {
    const [one] = offered;
    const times = [
      { id: 1, at: 150 },
      { id: 1, at: 900 },
    ];
    expect(reconcile(one ? [one] : [], times).maxDelayMs).toBe(50);
  });

  it('sums tallies', () => {
    const total = sum([reconcile(offered, arriving(1)), reconcile(offered, arriving(1, 2, 3, 4))]);
    expect(total).toMatchObject({ offered: 8, delivered: 5, lost: 3, maxDelayMs: 100 });
  });
});

describe('sentTooMany', () => {
  const limit = { burst: 2, intervalMs: 100 };

  it('allows the burst and then one per interval', () => {
    expect(sentTooMany([0, 0, 100, 200, 300], limit, 0)).toBe(0);
  });

  it('finds the worst stretch, wherever it begins', () => {
    expect(sentTooMany([0, 500, 500, 500, 500], limit, 0)).toBe(2);
    expect(sentTooMany([0, 500, 500, 500, 500], limit, 100)).toBe(1);
  });
});

describe('repeats', () => {
  it('are counted for each stretch of time', () => {
    const times = repeatTimes(arriving(1, 2, 1, 3, 2, 2));
    expect(times).toEqual([202, 204, 205]);
    expect(mostBetween([200, 203], times)).toBe(2);
    expect(mostBetween([200, 203, 205], times)).toBe(1);
    expect(mostBetween([], times)).toBe(0);
  });
});
