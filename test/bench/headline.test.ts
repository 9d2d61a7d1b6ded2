import { describe, expect, it } from 'vitest';
import { drawBars } from '../../bench/report/bars.ts';
import {
  headlineCharts,
  type HeadlineResult,
  type Measured,
  showHeadline,
  summarizeHeadline,
} from '../../bench/report/headline.ts';

function measured(perSecond: number[], service: number, p99: number): Measured {
  const speed = (rate: number) => ({ perSecond: rate, service, database: 0, later: 0 });
  return { cold: [speed(perSecond[0] ?? 0)], warm: perSecond.map(speed), p99: [p99] };
}

const machine = { cpu: 'CPU', cores: 2, memoryGb: 24, node: 'v24' };
const result: HeadlineResult = {
  sqlite: {
    at: '2026-11-19T15:00:00.000Z',
    commit: 'abc',
    machine,
    stolen: 0,
    latencyPerSecond: 500,
    sides: { limit: measured([1000, 2000, 400], 50, 10), on: measured([700, 1000, 300], 90, 20) },
  },
};

describe('the headline', () => {
  it('takes shares in each round, and judges their median', () => {
    expect(summarizeHeadline(result)).toMatchObject([
      { name: 'SQLite, share of the limit', value: 70, ok: true },
      { name: "SQLite, processor, times the limit's", value: 1.8, ok: false },
      { name: "SQLite, p99, times the limit's", value: 2, ok: false },
      { name: 'SQLite, one node, on, afterwards', value: 0 },
    ]);
    const shown = showHeadline(result);
    expect(shown).toContain('| SQLite, one node, on | 700 | 700 | 70 % | 70 % | 90 | 90 | 20 ms |');
    expect(shown).toContain('| SQLite, share of the limit | >= 70 | 70 % | met |');
  });

  it('draws a longer bar for more, and none for what does not exist', () => {
    const [rate, processor] = [...headlineCharts(result).values()].map(drawBars);
    const widths = (svg = '') =>
      [...svg.matchAll(/<rect class="b0"[^>]* width="([\d.]+)" height="11"/g)].map(([, width]) =>
        Number(width),
      );
    const [limit = 0, on = 0] = widths(rate);
    expect(limit).toBeGreaterThan(on);
    expect(on).toBeGreaterThan(0);
    expect(widths(processor)).toHaveLength(2);
    expect(processor).not.toMatch(/<title>[^<]*PostgreSQL: /);
  });
});
