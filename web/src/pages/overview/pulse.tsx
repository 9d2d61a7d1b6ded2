import { Skeleton } from '@mantine/core';
import { type ReactNode, useMemo } from 'react';
import { useVitals, type Vitals } from '../../api/vitals.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useT } from '../../i18n/use-t.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { TimeChart } from '../../ui/time-chart.tsx';
import { curvesOf } from './curves.ts';
import css from './overview.module.css';

const chartHeight = 132;
const together = 'pulse';

/** The last ten minutes in four curves. */
export function Pulse() {
  const query = useVitals();
  const bones = (
    <div className={css.pulse}>
      {[1, 2, 3, 4].map((card) => (
        <Skeleton key={card} height={262} radius={14} />
      ))}
    </div>
  );
  return (
    <Loaded query={query} skeleton={bones}>
      {(vitals) => <Cards vitals={vitals} />}
    </Loaded>
  );
}

function Cards(props: { vitals: Vitals }) {
  const { overview } = useT();
  const format = useFormat();
  const { backlog, errors, latency, now, traffic } = useMemo(
    () => curvesOf(props.vitals),
    [props.vitals],
  );
  const shared = {
    height: chartHeight,
    together,
    timeOf: format.time,
    exactTimeOf: format.exactTime,
  };
  const ms = (value: number | undefined) => (value === undefined ? '–' : format.duration(value));
  return (
    <div className={css.pulse}>
      <Card
        title={overview.traffic}
        value={format.rate(now.in)}
        unit={overview.incoming}
        second={{ value: format.rate(now.out), unit: overview.outgoing }}
      >
        <TimeChart
          {...shared}
          label={`${overview.traffic}: ${overview.incoming} ${format.rate(now.in)}, ${overview.outgoing} ${format.rate(now.out)}`}
          lines={[
            { name: overview.incoming, colour: 'in', filled: true },
            { name: overview.outgoing, colour: 'out' },
          ]}
          data={traffic}
          valueOf={format.rate}
          least={1}
        />
      </Card>
      <Card
        title={overview.latency}
        value={ms(now.usualMs)}
        unit={overview.half}
        second={{ value: ms(now.slowMs), unit: overview.most }}
      >
        <TimeChart
          {...shared}
          label={`${overview.latency}: ${overview.half} ${ms(now.usualMs)}, ${overview.most} ${ms(now.slowMs)}`}
          lines={[
            { name: overview.half, colour: 'usual' },
            { name: overview.most, colour: 'slow' },
          ]}
          data={latency}
          valueOf={format.duration}
          least={20}
          axisWidth={56}
        />
      </Card>
      <Card title={overview.backlog} value={format.number(now.backlog)} unit={overview.waiting}>
        <TimeChart
          {...shared}
          label={`${overview.backlog}: ${format.number(now.backlog)}`}
          lines={[{ name: overview.waiting, colour: 'waiting', filled: true }]}
          data={backlog}
          valueOf={format.number}
          least={4}
        />
      </Card>
      <Card
        title={overview.errors}
        value={format.number(now.errors)}
        unit={overview.inTenMinutes}
        bad={now.errors > 0}
      >
        <TimeChart
          {...shared}
          label={`${overview.errors}: ${format.number(now.errors)} ${overview.inTenMinutes}`}
          lines={[
            { name: overview.deliveries, colour: 'bad', filled: true },
            { name: overview.sends, colour: 'lost' },
          ]}
          data={errors}
          valueOf={format.rate}
          least={4}
        />
      </Card>
    </div>
  );
}

interface Figure {
  value: string;
  unit: string;
}

function Card(
  props: Figure & { title: string; second?: Figure; bad?: boolean; children: ReactNode },
) {
  const { second } = props;
  return (
    <section className={css.card}>
      <h2 className={css.cardTitle}>{props.title}</h2>
      <div className={css.figures}>
        <span>
          <b className={`${css.figure} tabular`} data-bad={props.bad || undefined}>
            {props.value}
          </b>
          {props.unit}
        </span>
        {second ? (
          <span>
            <b className={`${css.figure} tabular`}>{second.value}</b>
            {second.unit}
          </span>
        ) : null}
      </div>
      {props.children}
    </section>
  );
}
