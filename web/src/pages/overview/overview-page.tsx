import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { botsQuery } from '../../api/bots.ts';
import type { Bot } from '../../api/client/types.ts';
import { useMayAddBots } from '../../shared/use-session.ts';
import { useT } from '../../i18n/use-t.tsx';
import { ChartBoundary } from '../../ui/charts/chart-boundary.tsx';
import { EmptyState } from '../../ui/lists/empty-state.tsx';
import { LinkButton } from '../../ui/link-button.tsx';
import { Loaded } from '../../shared/loaded.tsx';
import { Page, Panel } from '../../ui/page.tsx';
import { Alerts } from './alerts.tsx';
import { BotsByState } from './bots-by-state.tsx';
import css from './overview.module.css';
import { LiveMetricsSkeleton } from './live-metrics-skeleton.tsx';

// The charts need a separate library, which first.js preloads.
const LiveMetrics = lazy(async () => ({
  default: (await import('./live-metrics.tsx')).LiveMetrics,
}));

export function OverviewPage() {
  const { overview } = useT();
  const query = useQuery({ ...botsQuery, refetchInterval: 10_000 });
  return (
    <Page title={overview.title} lead={overview.lead}>
      <Loaded query={query} skeleton={<Skeletons />}>
        {(bots) => (bots.length === 0 ? <NoBots /> : <Content bots={bots} />)}
      </Loaded>
    </Page>
  );
}

/** Puts alerts first, on a narrow screen and for screen readers. */
function Content(props: { bots: Bot[] }) {
  return (
    <div className={css.columns}>
      <div className={css.side}>
        <Alerts bots={props.bots} />
      </div>
      <div className={css.main}>
        <ChartBoundary>
          <Suspense fallback={<LiveMetricsSkeleton />}>
            <LiveMetrics />
          </Suspense>
        </ChartBoundary>
        <BotsByState bots={props.bots} />
      </div>
    </div>
  );
}

function Skeletons() {
  return (
    <div className={css.columns}>
      <div className={css.side}>
        <Skeleton height={320} radius={14} />
      </div>
      <div className={css.main}>
        <LiveMetricsSkeleton />
        <Skeleton height={120} radius={14} />
      </div>
    </div>
  );
}

function NoBots() {
  const { bots, overview } = useT();
  const mayAdd = useMayAddBots();
  return (
    <Panel flush>
      <EmptyState
        icon="bot"
        title={overview.noBots}
        hint={mayAdd ? overview.noBotsHint : bots.notYours}
      >
        {mayAdd ? <LinkButton to="/welcome">{overview.begin}</LinkButton> : null}
      </EmptyState>
    </Panel>
  );
}
