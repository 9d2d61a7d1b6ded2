import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { botHealthQuery } from '../../api/bots.ts';
import type { Bot } from '../../api/client/types.ts';
import { useMay } from '../../shared/use-session.ts';
import { reasonWords } from '../../i18n/reasons.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useT } from '../../i18n/use-t.tsx';
import { backendProblem } from '../../shared/backend-words.ts';
import { BackendState } from '../../shared/bot-state.tsx';
import { ErrorBox } from '../../shared/error-box.tsx';
import { Panel } from '../../ui/page.tsx';
import { State } from '../../ui/state.tsx';
import { TimeAgo, useNow } from '../../ui/text/time-ago.tsx';
import css from './bots.module.css';
import { PreviousWebhook } from './settings/previous-webhook.tsx';
import { useBackendCheck } from './delivery/use-backend-check.ts';

/** The bot's state as the list shows it, and a check of Telegram and the backend on demand. */
export function BotHealth(props: { bot: Bot }) {
  const { bot } = props;
  const t = useT();
  const format = useFormat();
  const now = useNow();
  const may = useMay('bots', 'manage');
  const check = useQuery(botHealthQuery(bot.id));
  const backend = useBackendCheck(bot.id, { quiet: true });
  const asksBackend = may && bot.backend_status !== '';
  // The check runs at once, so the shown state is current.
  const { mutate } = backend;
  useEffect(() => {
    if (asksBackend) mutate(undefined);
  }, [asksBackend, mutate]);
  const problems = bot.disabled
    ? []
    : [
        reasonWords(bot.last_error, bot.last_error_detail, t.reasons),
        backendProblem(bot, now, t, format),
      ].filter(Boolean);
  const before = check.data?.previous_webhook;
  return (
    <div className="stack">
      <Panel
        title={t.bot.healthTitle}
        actions={
          <Button
            size="compact-sm"
            variant="light"
            loading={check.isFetching || backend.isPending}
            onClick={() => {
              void check.refetch();
              if (asksBackend) backend.mutate(undefined);
            }}
          >
            {t.bot.healthRun}
          </Button>
        }
      >
        <dl className={css.facts} aria-live="polite">
          <dt>Telegram</dt>
          <dd>
            {check.data === undefined ? (
              '–'
            ) : (
              <State tone={check.data.platform_ok ? 'ok' : 'bad'}>
                {check.data.platform_ok
                  ? format.duration(check.data.platform_latency_ms)
                  : reasonWords(check.data.last_error, check.data.last_error_detail, t.reasons)}
              </State>
            )}
          </dd>
          <dt>{t.bot.backend}</dt>
          <dd>
            <BackendState bot={bot} check={backend.data} />
          </dd>
          <dt>{t.bot.pending}</dt>
          <dd className="tabular">{format.number(bot.pending_updates)}</dd>
          <dt>{t.bots.active}</dt>
          <dd>
            <TimeAgo at={bot.last_activity} />
          </dd>
        </dl>
        {problems.length === 0 ? null : (
          <>
            <p style={{ margin: '14px 0 4px', fontWeight: 600 }}>{t.bot.lastError}</p>
            {problems.map((problem) => (
              <p key={problem} style={{ margin: 0, color: 'var(--bad)', overflowWrap: 'anywhere' }}>
                {problem}
              </p>
            ))}
          </>
        )}
        {check.error ? <ErrorBox error={check.error} /> : null}
        {backend.error ? <ErrorBox error={backend.error} /> : null}
      </Panel>
      {before ? <PreviousWebhook bot={bot} webhook={before} /> : null}
    </div>
  );
}
