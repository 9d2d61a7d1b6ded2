import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type LiveMetrics, liveMetricsQuery } from '../../api/live-metrics.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useT } from '../../i18n/use-t.tsx';
import { durationSteps } from '../../ui/charts/chart-steps.ts';
import { Loaded } from '../../shared/loaded.tsx';
import { curvesOf } from './curves.ts';
import css from './overview.module.css';
import { LiveMetricsSkeleton } from './live-metrics-skeleton.tsx';
import { LiveMetricsCard } from './live-metrics-card.tsx';

/** Shows the last ten minutes in four curves. */
export function LiveMetrics() {
  const query = useQuery(liveMetricsQuery);
  return (
    <Loaded query={query} skeleton={<LiveMetricsSkeleton />}>
      {(metrics) => <Cards metrics={metrics} />}
    </Loaded>
  );
}

function Cards(props: { metrics: LiveMetrics }) {
  const { overview } = useT();
  const format = useFormat();
  const { backlog, errors, latency, now, traffic } = useMemo(
    () => curvesOf(props.metrics),
    [props.metrics],
  );
  return (
    <div className={css.metrics}>
      <LiveMetricsCard
        title={overview.traffic}
        lines={[
          { name: overview.incoming, colour: 'in', filled: true, now: now.in },
          { name: overview.outgoing, colour: 'out', now: now.out },
        ]}
        data={traffic}
        valueOf={format.rate}
        least={1}
      />
      <LiveMetricsCard
        title={overview.latency}
        hint={overview.latencyHint}
        lines={[
          { name: overview.median, colour: 'usual', now: now.usualMs },
          { name: overview.p95, colour: 'slow', now: now.slowMs },
        ]}
        data={latency}
        valueOf={format.duration}
        least={20}
        axisWidth={56}
        steps={durationSteps}
      />
      <LiveMetricsCard
        title={overview.backlog}
        lines={[{ name: overview.waiting, colour: 'waiting', filled: true, now: now.backlog }]}
        data={backlog}
        valueOf={format.rate}
        least={4}
      />
      <LiveMetricsCard
        title={overview.errors}
        lines={[
          { name: overview.deliveries, colour: 'bad', filled: true, now: now.failedDeliveries },
          { name: overview.sends, colour: 'lost', now: now.failedSends },
        ]}
        data={errors}
        valueOf={format.rate}
        least={4}
      />
    </div>
  );
}
