import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { botsQuery } from '../../api/bots.ts';
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
          value={format.number(traffic.totalIn)}
          note={overview.sinceOpened}
        />
        <Tile
          name={overview.seenOut}
          value={format.number(traffic.totalOut)}
          note={overview.sinceOpened}
        />
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
