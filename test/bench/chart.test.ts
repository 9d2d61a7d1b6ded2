import { describe, expect, it } from 'vitest';
import { type Chart, drawChart } from '../../bench/report/chart.ts';

const chart: Chart = {
  title: 'Writes & reads <all>',
  unit: 'µs',
  labels: ['empty', '1 GB', '5 GB'],
  series: [
    { name: 'push', values: [100, 120, 160] },
    { name: 'limit', values: [50, 50, 50] },
  ],
};

const pointsOf = (svg: string) =>
  [...svg.matchAll(/<polyline[^>]* points="([^"]+)"/g)].map(([, points = '']) =>
    points.split(' ').map((point) => point.split(',').map(Number)),
  );

describe('charts', () => {
  it('draw a line for each series, higher for more', () => {
    const [push = [], limit = []] = pointsOf(drawChart(chart));
    const heights = (points: number[][]) => points.map(([, y = 0]) => y);
    expect(heights(push)).toEqual([...heights(push)].sort((a, b) => b - a));
    expect(new Set(heights(limit)).size).toBe(1);
    expect(push.map(([x]) => x)).toEqual(limit.map(([x]) => x));
    // The axis ends at 200: 100 is at half its height, 50 at a quarter.
    expect(Math.max(...heights(push)) - Math.max(...heights(limit))).toBe(-55);
  });

  it('escape texts, and stay within the picture', () => {
    const svg = drawChart(chart);
    expect(svg).toContain('Writes &amp; reads &lt;all&gt;');
    const [, width, height] = /viewBox="0 0 (\d+) (\d+)"/.exec(svg)?.map(Number) ?? [];
    for (const [x = 0, y = 0] of pointsOf(svg).flat()) {
      expect(x).toBeGreaterThan(0);
      expect(x).toBeLessThan(width ?? 0);
      expect(y).toBeLessThan(height ?? 0);
    }
  });

  it('draw a single step, zeros, and no more lines than there are colours', () => {
    const single = drawChart({
      ...chart,
      labels: ['empty'],
      series: [{ name: 'none', values: [0] }],
    });
    expect(single).not.toMatch(/NaN|Infinity/);
    const series = Array.from({ length: 8 }, () => ({ name: 'x', values: [1, 1, 1] }));
    expect(() => drawChart({ ...chart, series })).toThrow('at most 7');
  });
});
