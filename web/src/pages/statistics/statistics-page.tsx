import { SegmentedControl, Select, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { botName, botsQuery } from '../../api/bots.ts';
import { chatQuery } from '../../api/chats.ts';
import type { Stats } from '../../api/activity.ts';
import { statsQuery } from '../../api/stats.ts';
import type { Bot } from '../../api/client/types.ts';
import { useMayAddBots } from '../../shared/use-session.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useT } from '../../i18n/use-t.tsx';
import { ChartBoundary } from '../../ui/charts/chart-boundary.tsx';
import { EmptyState } from '../../ui/lists/empty-state.tsx';
import { LinkButton } from '../../ui/link-button.tsx';
import { Loaded } from '../../shared/loaded.tsx';
import { TopicField } from '../../shared/topic-field.tsx';
import { Page, Panel } from '../../ui/page.tsx';
import { Tile, Tiles } from '../../ui/tile.tsx';
import { EnableManagement } from '../chats/admin/management-off.tsx';
import { Facts } from './facts.tsx';
import { HeatMap } from './heat-map.tsx';
import { Ratings } from './ratings.tsx';
import css from './statistics.module.css';
import { TopPeople, TopTopics } from './top-list.tsx';

const TrendChart = lazy(async () => ({ default: (await import('./trend-chart.tsx')).TrendChart }));

const ranges = [1, 7, 14, 30];
const usualDays = 14;
/** The height of the chart with its legend. */
const trendHeight = 280;

export function StatisticsPage() {
  const { statistics } = useT();
  const query = useQuery(botsQuery);
  return (
    <Page title={statistics.title} lead={statistics.lead}>
      <Loaded query={query} skeleton={<Skeleton height={420} radius={14} />}>
        {(bots) => <Chosen bots={bots} />}
      </Loaded>
    </Page>
  );
}

/** Reads the selection from the URL, so that it can be shared. */
function Chosen(props: { bots: Bot[] }) {
  const { bots } = props;
  const { bots: words, nav, people, statistics, topics } = useT();
  const mayAdd = useMayAddBots();
  const navigate = useNavigate();
  const search = useSearch({ from: '/frame/statistics' });
  const bot =
    bots.find((one) => one.id === search.bot) ?? bots.find((one) => one.manage_enabled) ?? bots[0];
  const chatId = search.chat ?? 0;
  const topic = search.topic ?? 0;
  const days = ranges.includes(search.days ?? 0) ? (search.days ?? usualDays) : usualDays;
  const go = (next: typeof search) =>
    void navigate({ to: '/statistics', search: { ...search, ...next } });
  if (!bot) {
    return (
      <Panel flush>
        <EmptyState
          icon="chart"
          title={statistics.noBots}
          hint={mayAdd ? statistics.noBotsHint : words.notYours}
        >
          <LinkButton to="/bots">{nav.bots}</LinkButton>
        </EmptyState>
      </Panel>
    );
  }
  return (
    <>
      <div className={css.filters}>
        <Select
          label={statistics.bot}
          allowDeselect={false}
          data={bots.map((one) => ({ value: String(one.id), label: botName(one) }))}
          value={String(bot.id)}
          onChange={(value) => go({ bot: Number(value), chat: 0, topic: 0 })}
        />
        {chatId === 0 ? null : (
          <ChatChoice bot={bot} chatId={chatId} onAll={() => go({ chat: 0, topic: 0 })} />
        )}
        <TopicField
          label={topics.topic}
          zero={topics.back}
          bot={bot}
          chatId={chatId}
          value={topic}
          onChange={(id) => go({ topic: id })}
        />
        <SegmentedControl
          aria-label={statistics.range}
          data={ranges.map((count) => ({ value: String(count), label: statistics.days(count) }))}
          value={String(days)}
          onChange={(value) => go({ days: Number(value) })}
        />
      </div>
      {bot.manage_enabled ? (
        <Figures botId={bot.id} chatId={chatId} topic={topic} days={days} />
      ) : (
        <Panel flush>
          <EmptyState icon="chart" title={statistics.noBots} hint={people.managementOff}>
            <EnableManagement bot={bot} />
          </EmptyState>
        </Panel>
      )}
    </>
  );
}

function ChatChoice(props: { bot: Bot; chatId: number; onAll: () => void }) {
  const { bot, chatId } = props;
  const { statistics } = useT();
  const chat = useQuery({ ...chatQuery(bot.id, chatId), enabled: bot.manage_enabled });
  return (
    <Select
      label={statistics.chat}
      allowDeselect={false}
      data={[
        { value: '0', label: statistics.allChats },
        { value: String(chatId), label: chat.data?.title || String(chatId) },
      ]}
      value={String(chatId)}
      onChange={(value) => {
        if (value === '0') props.onAll();
      }}
    />
  );
}

function Figures(props: { botId: number; chatId: number; topic: number; days: number }) {
  const { botId, chatId, days, topic } = props;
  const { statistics } = useT();
  const query = useQuery(statsQuery({ botId, chatId, topic, days }));
  return (
    <Loaded query={query} skeleton={<Skeleton height={420} radius={14} />}>
      {(stats) => (
        <div className="stack">
          <Totals stats={stats} />
          {stats.messages.total === 0 ? (
            <>
              <Panel flush>
                <EmptyState icon="chart" title={statistics.nothing} hint={statistics.nothingHint} />
              </Panel>
              {chatId === 0 ? <Deliveries stats={stats} /> : null}
              <Ratings stats={stats} />
            </>
          ) : (
            <>
              <Panel title={days === 1 ? statistics.trendHours : statistics.trend}>
                <ChartBoundary>
                  <Suspense fallback={<Skeleton height={trendHeight} />}>
                    <TrendChart stats={stats} days={days} />
                  </Suspense>
                </ChartBoundary>
              </Panel>
              <div className={css.columns}>
                <div className="stack">
                  <Panel title={statistics.heat} hint={statistics.heatHint}>
                    <HeatMap stats={stats} />
                  </Panel>
                  {chatId === 0 ? <Deliveries stats={stats} /> : null}
                  <Ratings stats={stats} />
                </div>
                <div className="stack">
                  <Panel title={statistics.top}>
                    <TopPeople stats={stats} />
                  </Panel>
                  {stats.by_topic.length > 0 ? (
                    <Panel title={statistics.topTopics}>
                      <TopTopics stats={stats} />
                    </Panel>
                  ) : null}
                </div>
              </div>
            </>
          )}
        </div>
      )}
    </Loaded>
  );
}

function Totals(props: { stats: Stats }) {
  const { active_users, messages, responses } = props.stats;
  const { common, statistics } = useT();
  const format = useFormat();
  const median = responses.median_seconds;
  const medianWords =
    median === undefined
      ? common.none
      : median < 1
        ? statistics.lessThanSecond
        : format.duration(median * 1_000);
  return (
    <Tiles>
      <Tile name={statistics.received} value={format.number(messages.received)} />
      <Tile
        name={statistics.sent}
        value={format.number(messages.sent)}
        note={statistics.mediaShare(format.percent(messages.media_share))}
      />
      <Tile name={statistics.active} value={format.number(active_users)} />
      <Tile
        name={statistics.answerTime}
        value={medianWords}
        note={statistics.answers(responses.answers)}
      />
    </Tiles>
  );
}

function Deliveries(props: { stats: Stats }) {
  const { deliveries } = props.stats;
  const { statistics } = useT();
  const format = useFormat();
  const facts = [
    [statistics.delivered, format.number(deliveries.delivered)],
    [statistics.failed, format.number(deliveries.failed)],
    [statistics.meanTime, format.duration(deliveries.mean_duration_ms)],
    [statistics.waiting, format.number(deliveries.in_retry)],
    [statistics.deadLetters, format.number(deliveries.dead_letters)],
  ] as const;
  return (
    <Panel title={statistics.deliveries}>
      <Facts facts={facts} />
    </Panel>
  );
}
