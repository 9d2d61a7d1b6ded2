import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import { useT } from '../../i18n/use-t.tsx';
import { chartColours as colours } from '../../ui/chart-colours.ts';
import css from './overview.module.css';
import { useTraffic } from './traffic.ts';

/** The last two minutes, one point a second. */
export function TrafficChart() {
  const { overview } = useT();
  const traffic = useTraffic();
  const scheme = useComputedColorScheme('light');
  const colour = colours[scheme];
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot>(undefined);
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const made = new uPlot(optionsOf(element, colours[scheme]), [[], [], []], element);
    chart.current = made;
    const watch = new ResizeObserver(() =>
      made.setSize({ width: element.clientWidth, height: element.clientHeight }),
    );
    watch.observe(element);
    return () => {
      watch.disconnect();
      made.destroy();
    };
  }, [scheme]);
  useEffect(() => {
    chart.current?.setData([traffic.at, traffic.incoming, traffic.outgoing]);
  }, [traffic, scheme]);
  return (
    <>
      <div className={css.legend}>
        <span>
          <i style={{ background: colour.in }} />
          {overview.incoming}
        </span>
        <span>
          <i style={{ background: colour.out }} />
          {overview.outgoing}
        </span>
      </div>
      <div ref={place} className={css.chart} role="img" aria-label={overview.traffic} />
    </>
  );
}

function clockOf(seconds: number): string {
  return new Date(seconds * 1_000).toLocaleTimeString();
}

function optionsOf(element: HTMLElement, colour: (typeof colours)['light']): uPlot.Options {
  const axis = {
    stroke: colour.text,
    grid: { stroke: colour.grid, width: 1 },
    ticks: { show: false },
  };
  return {
    width: element.clientWidth,
    height: element.clientHeight,
    legend: { show: false },
    cursor: { show: false },
    scales: { y: { range: (_plot, _low, high) => [0, Math.max(4, Math.ceil(high * 1.2))] } },
    axes: [
      { ...axis, size: 34, space: 90, values: (_plot, ticks) => ticks.map(clockOf) },
      { ...axis, size: 40 },
    ],
    series: [
      {},
      { stroke: colour.in, width: 2, fill: `${colour.in}22`, points: { show: false } },
      { stroke: colour.out, width: 2, points: { show: false } },
    ],
  };
}
