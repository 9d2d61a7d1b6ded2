import { useComputedColorScheme } from '@mantine/core';
import type uPlot from 'uplot';
import { useFormat } from '../../i18n/use-format.ts';
import { useT } from '../../i18n/use-t.tsx';
import { chartColours } from '../../ui/charts/chart-colours.ts';
import { type Line, TimeChart } from '../../ui/charts/time-chart.tsx';
import css from './overview.module.css';

interface LiveLine extends Line {
  /** The value shown while the pointer is elsewhere. */
  now: number | undefined;
}

/** Shows one or two curves with their values: the current ones, or those under the pointer. */
export function LiveMetricsCard(props: {
  title: string;
  /** The exact definition of the metric. */
  hint?: string;
  lines: LiveLine[];
  data: uPlot.AlignedData;
  valueOf: (value: number) => string;
  least: number;
  axisWidth?: number;
  steps?: number[];
}) {
  const { data, hint, lines, title, valueOf, ...rest } = props;
  const { common } = useT();
  const format = useFormat();
  const colours = chartColours[useComputedColorScheme('light')];
  const shownValue = (value: unknown) => (typeof value === 'number' ? valueOf(value) : '–');
  return (
    <section className={css.card}>
      <TimeChart
        {...rest}
        label={common.labelled(
          title,
          lines.map((line) => `${line.name} ${shownValue(line.now)}`).join(', '),
        )}
        lines={lines}
        data={data}
        height={196}
        valueOf={valueOf}
        timeOf={format.time}
        exactTimeOf={format.exactTime}
        together="overview"
        legend={(index) => {
          return (
            <>
              <h2 className={css.cardTitle}>
                {title}
                {hint ? <span className={css.cardHint}>{hint}</span> : null}
              </h2>
              <div className={css.figures}>
                {lines.map((line, row) => (
                  <span key={line.name}>
                    <i style={{ background: colours[line.colour] }} />
                    <b className="tabular">
                      {shownValue(index === undefined ? line.now : data[row + 1]?.[index])}
                    </b>
                    {line.name}
                  </span>
                ))}
              </div>
            </>
          );
        }}
      />
    </section>
  );
}
