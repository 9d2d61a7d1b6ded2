import { useMemo } from 'react';
import type uPlot from 'uplot';
import type { Stats } from '../../api/stats.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useT } from '../../i18n/use-t.tsx';
import { TimeChart } from '../../ui/time-chart.tsx';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Two lines over days, or over hours where it is only one day. */
export function TrendChart(props: { stats: Stats; days: number }) {
  const { days, stats } = props;
  const { statistics } = useT();
  const format = useFormat();
  const data = useMemo(() => pointsOf(stats, days), [stats, days]);
  return (
    <TimeChart
      label={days === 1 ? statistics.trendHours : statistics.trend}
      lines={[
        { name: statistics.received, colour: 'in', filled: true },
        { name: statistics.sent, colour: 'out' },
      ]}
      data={data}
      height={250}
      timeOf={days === 1 ? format.time : format.shortDay}
      valueOf={format.number}
      least={4}
      dots
    />
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
