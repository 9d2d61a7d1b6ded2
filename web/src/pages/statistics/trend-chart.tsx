import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useMemo, useRef } from 'react';
import uPlot from 'uplot';
import type { Stats } from '../../api/stats.ts';
import { type Format, useFormat } from '../../i18n/use-format.ts';
import { useT } from '../../i18n/use-t.tsx';
import { chartColours } from '../../ui/chart-colours.ts';
import css from './statistics.module.css';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Two lines over days, or over hours where it is only one day. */
export function TrendChart(props: { stats: Stats; days: number }) {
  const { days, stats } = props;
  const { statistics } = useT();
  const scheme = useComputedColorScheme('light');
  const colour = chartColours[scheme];
  const format = useFormat();
  const place = useRef<HTMLDivElement>(null);
  const data = useMemo(() => pointsOf(stats, days), [stats, days]);
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const chart = new uPlot(
      optionsOf(element, chartColours[scheme], days === 1 ? format.time : format.shortDay),
      data,
      element,
    );
    const watch = new ResizeObserver(() =>
      chart.setSize({ width: element.clientWidth, height: element.clientHeight }),
    );
    watch.observe(element);
    return () => {
      watch.disconnect();
      chart.destroy();
    };
  }, [scheme, data, days, format]);
  return (
    <>
      <div className={css.legend}>
        <span>
          <i style={{ background: colour.in }} />
          {statistics.received}
        </span>
        <span>
          <i style={{ background: colour.out }} />
          {statistics.sent}
        </span>
      </div>
      <div ref={place} className={css.chart} role="img" aria-label={statistics.trend} />
    </>
  );
}

/** Steps in which nothing happened are zero, not left out. */
function pointsOf(stats: Stats, days: number): uPlot.AlignedData {
  const step = days === 1 ? hourMs : dayMs;
  const known = new Map<number, { received: number; sent: number }>(
    days === 1
      ? stats.by_hour.map((hour) => [Date.parse(hour.hour), hour])
      : stats.by_day.map((day) => [Date.parse(`${day.day}T00:00:00Z`), day]),
  );
  const start = Math.floor(Date.parse(stats.from) / step) * step;
  const end = Date.parse(stats.to);
  const at: number[] = [];
  const received: number[] = [];
  const sent: number[] = [];
  for (let time = start; time <= end; time += step) {
    at.push(time / 1_000);
    received.push(known.get(time)?.received ?? 0);
    sent.push(known.get(time)?.sent ?? 0);
  }
  return [at, received, sent];
}

function optionsOf(
  element: HTMLElement,
  colour: (typeof chartColours)['light'],
  name: Format['shortDay'],
): uPlot.Options {
  const axis = {
    stroke: colour.text,
    grid: { stroke: colour.grid, width: 1 },
    ticks: { show: false },
  };
  return {
    width: element.clientWidth,
    height: element.clientHeight,
    legend: { show: false },
    cursor: { y: false, points: { size: 7 } },
    scales: { y: { range: (_plot, _low, high) => [0, Math.max(4, Math.ceil(high * 1.15))] } },
    axes: [
      {
        ...axis,
        size: 34,
        space: 70,
        values: (_plot, ticks) => ticks.map((tick) => name(tick * 1_000)),
      },
      { ...axis, size: 48 },
    ],
    series: [
      {},
      { stroke: colour.in, width: 2, fill: `${colour.in}22`, points: { size: 5 } },
      { stroke: colour.out, width: 2, points: { size: 5 } },
    ],
  };
}
