import { describe, expect, it } from 'vitest';
import {
  type ScaleResult,
  scaleCharts,
  type Step,
  summarizeScale,
} from '../../bench/scale/result.ts';

const flood = (micros: number) => ({ perSecond: 1_000, micros, bytes: 5_000 });
const step = (label: string, more: Partial<Step>): Step => ({
  label,
  at: 1,
  push: flood(100),
  limit: flood(50),
  reads: [{ name: 'live metrics', ms: 2 }],
  memory: 100,
  stolen: 0,
  ...more,
});
const result = (sizes: Step[], bots: Step[] = []): ScaleResult => ({
  at: '2026-11-16T20:00:00.000Z',
  commit: 'abc',
  machine: { cpu: 'CPU', cores: 2, memoryGb: 24, node: 'v24' },
  sizes,
  bots,
});

describe('growth', () => {
  it('compares the worst step with the first, by the limit of each', () => {
    const small = step('empty', { ingest: flood(40) });
    // All is twice as slow: the machine, not the database.
    const large = step('5 GB', { push: flood(200), ingest: flood(90), limit: flood(100) });
    const between = step('1 GB', { ingest: flood(40), reads: [{ name: 'live metrics', ms: 3 }] });
    expect(summarizeScale(result([small, between, large]))).toMatchObject([
      { name: 'push, processor against the limit, empty to 5 GB', value: 0, ok: true },
      { name: 'ingest, processor against the limit, empty to 5 GB', value: 13, ok: false },
      { name: 'live metrics, time, empty to 5 GB', value: 50, ok: false },
    ]);
  });

  it('compares ten busy bots among many without the limit, which polls all of them', () => {
    const few = step('10', { spread: flood(100) });
    const many = step('1,000', { spread: flood(200), limit: flood(100) });
    expect(summarizeScale(result([], [few, many])).map(({ name, value }) => [name, value])).toEqual(
      [
        ['push, processor, 10 bots to 1,000 bots', 0],
        ['push over all bots, processor against the limit, 10 bots to 1,000 bots', 0],
        ['live metrics, time, 10 bots to 1,000 bots', 0],
      ],
    );
  });

  it('expects nothing of the list of all bots', () => {
    const [few, many] = [2, 200].map((ms) => step(`${ms}`, { reads: [{ name: 'all bots', ms }] }));
    const rows = summarizeScale(result([], [few as Step, many as Step]));
    expect(rows.at(-1)).toEqual({
      name: 'all bots, time, 2 bots to 200 bots',
      value: 9_900,
      unit: '%',
    });
  });

  it('says nothing of a single step, and draws it', () => {
    const single = result([step('empty', {})]);
    expect(summarizeScale(single)).toEqual([]);
    expect(scaleCharts(single).get('scale-size-writes')).toMatchObject({
      labels: ['empty'],
      series: [{ values: [100] }, { values: [0] }, { values: [50] }],
    });
  });
});
