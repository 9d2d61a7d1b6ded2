import { useComputedColorScheme } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import uPlot from 'uplot';
import { type ChartColour, chartColours } from './chart-colours.ts';
import { ChartBoundary } from './chart-boundary.tsx';
import { countSteps, timeSteps } from './chart-steps.ts';
import css from '../chart.module.css';

export interface Line {
  name: string;
  colour: ChartColour;
  filled?: boolean;
}

interface ChartProps {
  /** A description for screen readers. */
  label: string;
  lines: Line[];
  /** Unix seconds, then one row for each line; null breaks the line, undefined continues it. */
  data: uPlot.AlignedData;
  height: number;
  timeOf: (atMs: number) => string;
  /** The format of the time under the pointer; that of the axis by default. */
  exactTimeOf?: (atMs: number) => string;
  valueOf: (value: number) => string;
  /** The smallest maximum of the axis. */
  least: number;
  /** Charts with the same key share the pointer. */
  together?: string;
  axisWidth?: number;
  /** The steps between its marks. */
  steps?: number[];
  dots?: boolean;
  /** Replaces the legend; `index` is the point under the pointer. */
  legend?: (index: number | undefined) => ReactNode;
}

/** Lines over time; the legend shows the values under the pointer. */
export function TimeChart(props: ChartProps) {
  const [index, setIndex] = useState<number>();
  return (
    <>
      {props.legend ? props.legend(index) : <Legend chart={props} index={index} />}
      <ChartBoundary>
        <Plot chart={props} onIndex={setIndex} />
      </ChartBoundary>
    </>
  );
}

function Plot(props: { chart: ChartProps; onIndex: (index: number | undefined) => void }) {
  const { data, height, label } = props.chart;
  const { onIndex } = props;
  const scheme = useComputedColorScheme('light');
  const container = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(undefined);
  const latest = useRef(props.chart);
  latest.current = props.chart;
  useEffect(() => {
    const element = container.current;
    if (!element) return;
    const made = new uPlot(
      optionsOf(element, chartColours[scheme], latest, onIndex),
      latest.current.data,
      element,
    );
    plot.current = made;
    const watch = new ResizeObserver(() =>
      made.setSize({ width: element.clientWidth, height: element.clientHeight }),
    );
    watch.observe(element);
    return () => {
      watch.disconnect();
      made.destroy();
      plot.current = undefined;
    };
  }, [scheme, onIndex]);
  useEffect(() => plot.current?.setData(data), [data]);
  return (
    <div ref={container} className={css.chart} style={{ height }} role="img" aria-label={label} />
  );
}

function Legend(props: { chart: ChartProps; index: number | undefined }) {
  const { chart, index } = props;
  const colours = chartColours[useComputedColorScheme('light')];
  return (
    <div className={css.legend}>
      {chart.lines.map((line, row) => {
        const value = index === undefined ? undefined : chart.data[row + 1]?.[index];
        return (
          <span key={line.name}>
            <i style={{ background: colours[line.colour] }} />
            {line.name}
            {typeof value === 'number' ? <b className="tabular">{chart.valueOf(value)}</b> : null}
          </span>
        );
      })}
    </div>
  );
}

function optionsOf(
  element: HTMLElement,
  colours: (typeof chartColours)['light'],
  latest: { readonly current: ChartProps },
  onIndex: (index: number | undefined) => void,
): uPlot.Options {
  const { axisWidth = 46, dots, lines, steps = countSteps, together } = latest.current;
  const time = document.createElement('span');
  time.className = `${css.at} tabular`;
  const axis = {
    stroke: colours.text,
    grid: { stroke: colours.grid, width: 1 },
    ticks: { show: false },
  };
  return {
    width: element.clientWidth,
    height: element.clientHeight,
    padding: [8, 28, 0, 0],
    legend: { show: false },
    cursor: {
      y: false,
      drag: { x: false, y: false },
      points: { size: 7 },
      ...(together === undefined ? {} : { sync: { key: together } }),
    },
    hooks: {
      setCursor: [
        (plot) => {
          const index = plot.cursor.idx ?? undefined;
          showTime(plot, time, index, latest.current);
          onIndex(index);
        },
      ],
    },
    scales: {
      y: { range: (_plot, _low, high) => [0, Math.max(latest.current.least, high * 1.15)] },
    },
    axes: [
      {
        ...axis,
        size: 28,
        space: 80,
        grid: { ...axis.grid, filter: untilEnd },
        incrs: timeSteps,
        filter: untilEnd,
        values: (_plot, ticks: (number | null)[]) =>
          ticks.map((tick) => (tick === null ? null : latest.current.timeOf(tick * 1_000))),
      },
      {
        ...axis,
        size: axisWidth,
        space: 36,
        incrs: steps,
        values: (_plot, ticks) => ticks.map((tick) => latest.current.valueOf(tick)),
      },
    ],
    series: [
      {},
      ...lines.map(({ colour, filled }) => ({
        stroke: colours[colour],
        width: 2,
        points: dots ? { size: 5 } : { show: true, size: 5, filter: loneValues },
        ...(filled ? { fill: `${colours[colour]}22` } : {}),
      })),
    ],
  };
}

/** Drops a mark of time that is behind the end of the chart. */
function untilEnd(plot: uPlot, ticks: number[]): (number | null)[] {
  const end = plot.scales['x']?.max ?? Number.POSITIVE_INFINITY;
  return ticks.map((tick) => (tick > end ? null : tick));
}

/** Shows the time on the axis, below the pointer, where it covers no values. */
function showTime(
  plot: uPlot,
  label: HTMLElement,
  index: number | undefined,
  chart: ChartProps,
): void {
  const at = index === undefined ? undefined : plot.data[0][index];
  if (at === undefined) return label.remove();
  label.textContent = (chart.exactTimeOf ?? chart.timeOf)(at * 1_000);
  plot.over.append(label);
  const half = label.offsetWidth / 2;
  const left = Math.max(half, Math.min(plot.over.clientWidth - half, plot.valToPos(at, 'x')));
  label.style.left = `${left}px`;
}

/** Finds single values between breaks, which make no line, so they are drawn as points. */
function loneValues(plot: uPlot, row: number): number[] {
  const values = plot.data[row] ?? [];
  const known = [...values.keys()].filter((index) => values[index] !== undefined);
  return known.filter((index, container) =>
    [known[container - 1], known[container + 1]].every(
      (beside) => values[index] !== null && (beside === undefined || values[beside] === null),
    ),
  );
}
