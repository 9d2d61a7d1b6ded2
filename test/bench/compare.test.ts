import { describe, expect, it } from 'vitest';
import type { BenchRow } from '../../bench/run.ts';
import { type AllResult, compare } from '../../bench/report/compare.ts';
import { showPerformance, showTable } from '../../bench/report/show.ts';

function result(rows: BenchRow[], stolen = 0, at = '2026-11-16T20:00:00.000Z'): AllResult {
  const machine = { cpu: 'CPU', cores: 2, memoryGb: 24, node: 'v24' };
  const parts = [{ name: 'relay', seconds: 60, stolen, rows }];
  return { at, commit: 'abc', machine, seconds: 60, stolen, parts, notRun: [] };
}

const rate = (value: number): BenchRow => ({ name: 'push, relay', value, unit: 'updates/s' });
const time = (value: number): BenchRow => ({ name: 'p99', value, unit: 'ms', mark: '< 25' });
const share = (value: number): BenchRow => ({
  name: 'push, share of the limit',
  value,
  unit: '%',
  mark: '>= 70',
  ok: value >= 70,
});
const growth = (value: number): BenchRow => ({ name: 'growth', value, unit: '%', mark: '<= 10' });

const changeOf = (before: BenchRow, now: BenchRow, stolen = 0) =>
  compare(result([now], stolen), result([before]))[0]?.change;

describe('comparing with the baseline', () => {
  it('marks what got worse by more than a tenth, in the direction that counts', () => {
    expect(changeOf(rate(1000), rate(901))).toBe('');
    expect(changeOf(rate(1000), rate(899))).toBe('worse');
    expect(changeOf(rate(1000), rate(1200))).toBe('better');
    const commits = (value: number): BenchRow => ({ ...rate(value), unit: 'per 1,000 updates' });
    expect(changeOf(commits(10), commits(12))).toBe('worse');
    expect(changeOf(time(10), time(11))).toBe('');
    expect(changeOf(time(10), time(11.2))).toBe('worse');
    expect(changeOf(time(10), time(8))).toBe('better');
  });

  it('compares growth by points, as it may be 0, and shares as all else', () => {
    expect(changeOf(growth(0), growth(10))).toBe('');
    expect(changeOf(growth(0), growth(11))).toBe('worse');
    expect(changeOf(share(60), share(54))).toBe('');
    expect(changeOf(share(60), share(53))).toBe('worse');
  });

  it('judges neither by a ratio to 0 nor by one of negative values', () => {
    const cost = (value: number): BenchRow => ({ name: 'an app', value, unit: 'µs/update' });
    for (const [before, now] of [
      [-1.3, 0.9],
      [0.1, -0.3],
      [-2, -1],
      [0, 5],
      [5, 0],
    ] as const) {
      const [row] = compare(result([cost(now)]), result([cost(before)]));
      expect(row).toMatchObject({ before, change: '' });
      expect(row).not.toHaveProperty('ratio');
    }
    const ofDelivery = (value: number): BenchRow => ({
      ...growth(value),
      unit: '% of a delivery',
      mark: '< 20',
    });
    expect(compare(result([ofDelivery(15)]), result([ofDelivery(-18.2)]))).toMatchObject([
      { points: 33.2, change: 'worse' },
    ]);
    expect(changeOf(ofDelivery(5), ofDelivery(9))).toBe('');
    const ofCore = (value: number): BenchRow => ({ ...ofDelivery(value), unit: '% of a core' });
    expect(changeOf(ofCore(1.8), ofCore(3))).toBe('worse');
  });

  it('does not judge what the relay is compared with', () => {
    const named = (name: string, value: number): BenchRow => ({ ...rate(value), name });
    for (const name of ['push, limit written by hand', 'GET /api/bots: bare Fastify']) {
      expect(compare(result([named(name, 500)]), result([named(name, 1000)]))).toMatchObject([
        { ratio: 0.5, change: '' },
      ]);
    }
    const ofLimit = 'push, processor, times that of the limit';
    expect(changeOf(named(ofLimit, 1000), named(ofLimit, 500))).toBe('worse');
  });

  it('believes shares, and neither rates nor times, of a busy host', () => {
    expect(changeOf(rate(1000), rate(500), 2)).toBe('worse');
    expect(changeOf(rate(1000), rate(500), 2.1)).toBe('noisy');
    expect(changeOf(share(80), share(60), 30)).toBe('worse');
    const times = (value: number): BenchRow => ({ ...growth(value), unit: '×' });
    expect(changeOf(times(1.2), times(1.4), 30)).toBe('worse');
  });

  it('says nothing of rows without a baseline or a direction', () => {
    expect(changeOf(rate(1), time(9))).toBe('');
    expect(changeOf({ ...rate(1), unit: 'messages' }, { ...rate(9), unit: 'messages' })).toBe('');
    expect(compare(result([rate(1)]), undefined)).toMatchObject([{ change: '' }]);
    expect(changeOf(time(0), time(5))).toBe('');
  });
});

describe('the report', () => {
  const now = result([rate(800), share(60)], 12.5, '2026-11-17T20:00:00.000Z');

  it('names machine, date, commit and stolen time, and compares', () => {
    const text = showTable(now, result([rate(1000), share(80)]));
    expect(text).toContain('1000 (×0.8) noisy');
    expect(text).toMatch(/60 % +>= 70 MISSED +80 \(×0\.75\) WORSE/);
    expect(text).toContain(
      '2026-11-17 20:00 UTC, commit abc, 2 × CPU, 24 GB, Node v24, 12.5 % of the processor time stolen (noisy).',
    );
  });

  it('is whole as Markdown, also without a baseline or curves', () => {
    const all = { ...now, notRun: [{ name: 'api', why: 'no time was left' }] };
    const alone = showPerformance({ all, baseline: all });
    expect(alone).toContain('| push, relay | 800 updates/s |  |\n');
    expect(alone).toContain('Not run: api (no time was left).');
    const compared = showPerformance({ all, baseline: result([rate(1000)]) });
    expect(compared).toContain('| push, relay | 800 updates/s |  | 1000 (×0.8) noisy |');
    const grown = showPerformance({
      all: result([growth(15)]),
      baseline: result([growth(-3)], 0, ''),
    });
    expect(grown).toContain('| growth | 15 % | <= 10 | -3 (+18 points) WORSE |');
  });
});
