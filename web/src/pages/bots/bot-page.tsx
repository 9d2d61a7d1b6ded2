import { Skeleton, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { botName, botsQuery } from '../../api/bots.ts';
import type { Bot } from '../../api/client/types.ts';
import { useMay } from '../../shared/use-session.ts';
import { useT } from '../../i18n/use-t.tsx';
import { Avatar } from '../../ui/avatar.tsx';
import { BotState } from '../../shared/bot-state.tsx';
import { lazyPart } from '../../ui/feedback/lazy-dialog.tsx';
import { RowsSkeleton } from '../../ui/page-skeleton.tsx';
import { EmptyState } from '../../ui/lists/empty-state.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Loaded } from '../../shared/loaded.tsx';
import { useWindowTitle } from '../../ui/page.tsx';
import ui from '../../ui/ui.module.css';
import { type BotTab, botTabs } from './bot-tabs.ts';
import css from './bots.module.css';
import { ToggleBot } from './toggle-bot.tsx';
import { LinkButton } from '../../ui/link-button.tsx';

const rows = <RowsSkeleton rows={5} />;
const BotSettings = lazyPart(
  async () => (await import('./settings/bot-settings.tsx')).BotSettings,
  <Skeleton height={340} radius={14} />,
);
const BotApps = lazyPart(async () => (await import('./apps/bot-apps.tsx')).BotApps, rows);
const BotDeliveries = lazyPart(
  async () => (await import('./delivery/bot-deliveries.tsx')).BotDeliveries,
  rows,
);
const BotSends = lazyPart(async () => (await import('./delivery/bot-sends.tsx')).BotSends, rows);
const BotLog = lazyPart(async () => (await import('./log/bot-log.tsx')).BotLog, rows);
const BotDanger = lazyPart(async () => (await import('./settings/bot-danger.tsx')).BotDanger, rows);

export function BotPage() {
  const t = useT();
  const { botId } = useParams({ from: '/frame/bots/$botId' });
  const query = useQuery(botsQuery);
  return (
    <div className={ui.page}>
      <Link to="/bots" className={css.crumb}>
        <Icon name="left" size={15} />
        {t.bot.back}
      </Link>
      <Loaded query={query} skeleton={<BotSkeleton />}>
        {(bots) => {
          const bot = bots.find((one) => one.id === Number(botId));
          return bot ? <OneBot key={bot.id} bot={bot} /> : <NoSuchBot />;
        }}
      </Loaded>
    </div>
  );
}

function OneBot(props: { bot: Bot }) {
  const { bot } = props;
  const t = useT();
  const may = useMay('bots', 'manage');
  const navigate = useNavigate();
  const { tab: asked = 'settings' } = useSearch({ from: '/frame/bots/$botId' });
  const shown = botTabs.filter((name) => may || name !== 'danger');
  const tab = shown.includes(asked) ? asked : 'settings';
  useWindowTitle(botName(bot));
  const labels: Record<BotTab, string> = {
    settings: t.bot.tabSettings,
    apps: t.bot.tabApps,
    deliveries: t.bot.tabDeliveries,
    sends: t.bot.tabOutbox,
    log: t.bot.tabLog,
    danger: t.bot.tabDanger,
  };
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // On a narrow screen the open tab may be outside the view.
    const opened = list.current?.querySelector('[aria-selected=true]');
    opened?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [tab]);
  function show(next: string | null): void {
    void navigate({
      to: '/bots/$botId',
      params: { botId: String(bot.id) },
      search: { tab: (next ?? 'settings') as BotTab },
      replace: true,
    });
  }
  return (
    <>
      <Head bot={bot} />
      <Tabs value={tab} onChange={show} keepMounted={false}>
        <div className={css.tabs}>
          <Tabs.List ref={list}>
            {shown.map((name) => (
              <Tabs.Tab key={name} value={name}>
                {labels[name]}
              </Tabs.Tab>
            ))}
          </Tabs.List>
        </div>
        <Tabs.Panel value="settings">
          <BotSettings bot={bot} />
        </Tabs.Panel>
        <Tabs.Panel value="apps">
          <BotApps bot={bot} />
        </Tabs.Panel>
        <Tabs.Panel value="deliveries">
          <BotDeliveries bot={bot} />
        </Tabs.Panel>
        <Tabs.Panel value="sends">
          <BotSends bot={bot} />
        </Tabs.Panel>
        <Tabs.Panel value="log">
          <BotLog bot={bot} />
        </Tabs.Panel>
        <Tabs.Panel value="danger">
          <BotDanger bot={bot} />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

function Head(props: { bot: Bot }) {
  const { bot } = props;
  const t = useT();
  const may = useMay('bots', 'manage');
  return (
    <header className={css.head}>
      <Avatar id={bot.id} name={bot.name || bot.username} size={54} square />
      <div className={css.headText}>
        <h1>{botName(bot)}</h1>
        <div className={css.meta}>
          <span>{bot.username ? `@${bot.username}` : t.bots.unnamed}</span>
          <span>{bot.webhook_mode ? t.bots.webhook : t.bots.polling}</span>
          <BotState bot={bot} />
        </div>
      </div>
      {may ? <ToggleBot bot={bot} /> : null}
    </header>
  );
}

function NoSuchBot() {
  const t = useT();
  return (
    <EmptyState icon="bot" title={t.bot.gone} hint={t.bot.goneHint}>
      <LinkButton to="/bots">{t.bot.back}</LinkButton>
    </EmptyState>
  );
}

function BotSkeleton() {
  return (
    <>
      <div className={css.head}>
        <Skeleton height={54} width={54} radius={16} />
        <div className={css.headText}>
          <Skeleton height={24} width={200} mb={8} />
          <Skeleton height={14} width={160} />
        </div>
      </div>
      <Skeleton height={340} radius={14} />
    </>
  );
}
