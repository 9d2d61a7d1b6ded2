import { useMemo } from 'react';
import type { Stats } from '../../api/activity.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useT } from '../../i18n/use-t.tsx';
import { TimeChart } from '../../ui/charts/time-chart.tsx';
import { pointsOf } from './trend-points.ts';

/** Draws two lines over days, or over hours if the range is one day. */
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
