import { Skeleton } from '@mantine/core';
import { useQueries, useQuery } from '@tanstack/react-query';
import { botsQuery } from '../../api/bots.ts';
import { statsQuery } from '../../api/stats.ts';
import type { Bot } from '../../api/types.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useT } from '../../i18n/use-t.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { LinkButton } from '../../ui/link-button.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Page, Panel } from '../../ui/page.tsx';
import { Attention } from './attention.tsx';
import css from './overview.module.css';
import { useTraffic } from './traffic.ts';
import { TrafficChart } from './traffic-chart.tsx';

export function OverviewPage() {
  const { overview } = useT();
  const query = useQuery({ ...botsQuery, refetchInterval: 5_000 });
  return (
    <Page title={overview.title} lead={overview.lead}>
      <Loaded query={query} skeleton={<Skeleton height={380} radius={14} />}>
        {(bots) => (bots.length === 0 ? <NoBots /> : <Content bots={bots} />)}
      </Loaded>
    </Page>
  );
}

function Content(props: { bots: Bot[] }) {
  const { bots } = props;
  const { overview } = useT();
  const format = useFormat();
  const traffic = useTraffic();
  const day = useLastDay(bots);
  const running = bots.filter((bot) => bot.running).length;
  const pending = bots.reduce((sum, bot) => sum + bot.pending_updates, 0);
  return (
    <>
      <div className={css.grid}>
        <Tile
          name={overview.running}
          value={format.number(running)}
          note={overview.ofAll(format.number(bots.length))}
        />
        <Tile name={overview.pending} value={format.number(pending)} />
        <Tile
          name={overview.seenIn}
          value={format.number(day ? day.received : traffic.totalIn)}
          note={day ? overview.last24 : overview.sinceOpened}
        />
        <Tile
          name={overview.seenOut}
          value={format.number(day ? day.sent : traffic.totalOut)}
          note={day ? overview.last24 : overview.sinceOpened}
        />
        {day && day.attempts > 0 ? (
          <Tile
            name={overview.answersIn}
            value={format.duration(day.meanMs)}
            note={overview.ofAttempts(format.percent(day.successRate))}
          />
        ) : null}
      </div>
      <div className={css.columns}>
        <Panel title={overview.traffic} hint={overview.trafficHint}>
          <TrafficChart />
        </Panel>
        <Attention bots={bots} />
      </div>
    </>
  );
}

/** The sums of the bots that keep statistics; undefined while there are none. */
function useLastDay(bots: Bot[]) {
  const answers = useQueries({
    queries: bots.filter((bot) => bot.manage_enabled).map((bot) => statsQuery(bot.id, 0, 1)),
  });
  const known = answers.flatMap(({ data }) => (data ? [data] : []));
  if (known.length === 0) return undefined;
  const sum = (part: (stats: (typeof known)[number]) => number) =>
    known.reduce((total, stats) => total + part(stats), 0);
  const attempts = sum(({ deliveries }) => deliveries.delivered + deliveries.failed);
  const spentMs = sum(
    ({ deliveries }) => deliveries.mean_duration_ms * (deliveries.delivered + deliveries.failed),
  );
  return {
    received: sum(({ messages }) => messages.received),
    sent: sum(({ messages }) => messages.sent),
    attempts,
    meanMs: attempts === 0 ? 0 : spentMs / attempts,
    successRate: attempts === 0 ? 1 : sum(({ deliveries }) => deliveries.delivered) / attempts,
  };
}

function Tile(props: { name: string; value: string; note?: string }) {
  return (
    <div className={css.tile}>
      <div className={css.tileName}>{props.name}</div>
      <div className={`${css.tileValue} tabular`}>{props.value}</div>
      <div className={css.tileNote}>{props.note ?? ' '}</div>
    </div>
  );
}

function NoBots() {
  const { overview } = useT();
  return (
    <Panel flush>
      <EmptyState icon="bot" title={overview.noBots} hint={overview.noBotsHint}>
        <LinkButton to="/welcome">{overview.begin}</LinkButton>
      </EmptyState>
    </Panel>
  );
}
