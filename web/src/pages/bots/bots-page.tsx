import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useMayAddBots } from '../../shared/use-session.ts';
import { botName, botsQuery } from '../../api/bots.ts';
import type { Bot } from '../../api/client/types.ts';
import { reasonWords } from '../../i18n/reasons.ts';
import type { Format } from '../../i18n/format.ts';
import type { Messages } from '../../i18n/messages.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useT } from '../../i18n/use-t.tsx';
import { Avatar } from '../../ui/avatar.tsx';
import { backendProblem, seenAgo } from '../../shared/backend-words.ts';
import { conditionOf } from '../../shared/bot-condition.ts';
import { BotState } from '../../shared/bot-state.tsx';
import { EmptyState } from '../../ui/lists/empty-state.tsx';
import { SearchField } from '../../ui/forms/search-field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Loaded } from '../../shared/loaded.tsx';
import { Page, Panel } from '../../ui/page.tsx';
import { RowsSkeleton } from '../../ui/page-skeleton.tsx';
import { TimeAgo, useNow } from '../../ui/text/time-ago.tsx';
import { AddBotDialog } from './add-bot-dialog.tsx';
import css from './bots.module.css';
import { usePracticeBot, usePracticeToast } from './practice-bot.ts';

export function BotsPage() {
  const t = useT();
  const may = useMayAddBots();
  const navigate = useNavigate();
  const { add } = useSearch({ from: '/frame/bots' });
  const query = useQuery(botsQuery);
  const [text, setText] = useState('');
  const many = (query.data?.length ?? 0) > 8;
  return (
    <Page
      title={t.bots.title}
      lead={t.bots.lead}
      actions={
        <div className={css.toolbar}>
          {many ? (
            <SearchField
              label={t.bots.searchLabel}
              placeholder={t.common.search}
              value={text}
              onChange={setText}
            />
          ) : null}
          {may ? (
            <Button
              leftSection={<Icon name="plus" />}
              onClick={() => void navigate({ to: '/bots', search: { add: true } })}
            >
              {t.bots.add}
            </Button>
          ) : null}
        </div>
      }
    >
      <Panel flush>
        <Loaded query={query} skeleton={<RowsSkeleton rows={5} height={52} />}>
          {(bots) => <BotList bots={bots} text={text} />}
        </Loaded>
      </Panel>
      <AddBotDialog
        opened={may && add === true}
        onClose={() => void navigate({ to: '/bots', search: {} })}
      />
    </Page>
  );
}

function BotList(props: { bots: Bot[]; text: string }) {
  const t = useT();
  const wanted = props.text.toLowerCase();
  const found = props.bots.filter((bot) =>
    `${bot.name} ${bot.username} ${bot.description}`.toLowerCase().includes(wanted),
  );
  if (props.bots.length === 0) return <NoBots />;
  if (found.length === 0) {
    return <EmptyState icon="search" title={t.bots.noMatch} hint={t.bots.noMatchHint} />;
  }
  return (
    <ul data-rows className={css.list}>
      {found.map((bot) => (
        <li key={bot.id}>
          <BotRow bot={bot} />
        </li>
      ))}
    </ul>
  );
}

function NoBots() {
  const t = useT();
  const navigate = useNavigate();
  const may = useMayAddBots();
  const sayAdded = usePracticeToast();
  const practice = usePracticeBot((bot) => {
    void navigate({ to: '/bots/$botId', params: { botId: String(bot.id) } });
    sayAdded(bot);
  });
  return (
    <EmptyState icon="bot" title={t.bots.empty} hint={may ? t.bots.emptyHint : t.bots.notYours}>
      {may ? (
        <div className={`${css.toolbar} ${css.centred}`}>
          <Button onClick={() => void navigate({ to: '/bots', search: { add: true } })}>
            {t.bots.add}
          </Button>
          <Button
            variant="default"
            loading={practice.isPending}
            onClick={() => practice.mutate(undefined)}
          >
            {t.bots.practice}
          </Button>
        </div>
      ) : null}
    </EmptyState>
  );
}

function BotRow(props: { bot: Bot }) {
  const { bot } = props;
  const t = useT();
  const format = useFormat();
  const now = useNow(10_000);
  const isBackendProblem = conditionOf(bot).startsWith('backend');
  const mode = bot.webhook_mode ? t.bots.webhook : t.bots.polling;
  const problems = [
    reasonWords(bot.last_error, bot.last_error_detail, t.reasons),
    backendProblem(bot, now, t, format),
  ];
  return (
    <Link to="/bots/$botId" params={{ botId: String(bot.id) }} className={css.row}>
      <Avatar id={bot.id} name={bot.name || bot.username} square />
      <span style={{ minWidth: 0 }}>
        <span className={css.name}>{botName(bot)}</span>
        <span className={css.sub}>
          {[bot.username ? `@${bot.username}` : t.bots.unnamed, bot.description]
            .filter(Boolean)
            .join(' · ')}
        </span>
      </span>
      <BotState bot={bot} />
      <span className={`${css.sub} ${css.side} tabular`}>
        {[
          mode,
          // If the state already shows the problem, only the backlog is added.
          isBackendProblem ? '' : backendWords(bot, now, t, format),
          bot.pending_updates > 0 ? t.bots.pending(bot.pending_updates) : '',
        ]
          .filter(Boolean)
          .join(' · ')}
      </span>
      <span className={`${css.sub} ${css.side} ${css.when}`}>
        <TimeAgo at={bot.last_activity} />
      </span>
      {bot.disabled || !problems.some(Boolean) ? null : (
        <span className={css.trouble}>{problems.filter(Boolean).join(' · ')}</span>
      )}
    </Link>
  );
}

function backendWords(bot: Bot, now: number, t: Messages, format: Format): string {
  const { backend_seen_at, backend_status: status, backend_url, proxy_enabled } = bot;
  if (status === 'ok') return t.bots.backendAnswered(seenAgo(backend_seen_at, now, format));
  if (status !== '') return t.bots.backendUnchecked;
  if (backend_url === '') return t.bots.noBackend;
  return proxy_enabled ? '' : t.bots.forwardingOff;
}
