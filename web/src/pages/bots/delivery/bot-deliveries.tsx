import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { defaultApp } from '../../../api/apps.ts';
import { botName } from '../../../api/bots.ts';
import { watchAttempts } from '../../../api/follow-attempts.ts';
import { type Queues, queuesQuery, retryNow } from '../../../api/deliveries.ts';
import type { Bot } from '../../../api/client/types.ts';
import { useMay } from '../../../shared/use-session.ts';
import { reasonWords } from '../../../i18n/reasons.ts';
import { useFormat } from '../../../i18n/use-format.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { Panel } from '../../../ui/page.tsx';
import { TimeAgo, useNow } from '../../../ui/text/time-ago.tsx';
import { useAction } from '../../../shared/use-action.ts';
import { useRetryToast } from '../../../shared/use-retried.ts';
import { AppChoice, useChosenApp } from './app-choice.tsx';
import { BotUpdates } from './bot-updates.tsx';
import { BotReaders } from '../log/bot-readers.tsx';
import { DeadLetters } from './dead-letters.tsx';
import { OneUpdate } from './one-update.tsx';
import { useBackendCheck } from './use-backend-check.ts';
import { useQueueName } from './use-queue-name.ts';
import css from '../../../ui/rows.module.css';

const lookAgainMs = 5_000;

/** Refetches right after the next attempt, as no event announces it. */
function untilNextAttempt(queues: Queues | undefined): number {
  if (!queues || queues.backend_status === 'paused') return lookAgainMs;
  const next = queues.retry_queues.map((queue) => Date.parse(queue.next_attempt_at));
  return Math.min(lookAgainMs, Math.max(1_000, Math.min(...next) - Date.now()));
}

export function BotDeliveries(props: { bot: Bot }) {
  const { bot } = props;
  const may = useMay('bots', 'manage');
  const { app, apps } = useChosenApp(bot.id);
  const { update } = useSearch({ from: '/frame/bots/$botId' });
  const queues = useQuery({
    ...queuesQuery(bot.id, app),
    refetchInterval: ({ state }) => untilNextAttempt(state.data),
  });
  const hasBackend = app !== defaultApp || bot.backend_url !== '';
  return (
    <div className="stack">
      {apps.length > 1 ? <AppChoice bot={bot} app={app} apps={apps} /> : null}
      <BotReaders
        bot={bot}
        actions={may && hasBackend ? <CheckButton key={app} bot={bot} app={app} /> : null}
      />
      {queues.data && queues.data.retry_queues.length > 0 ? (
        <RetryQueues bot={bot} app={app} queues={queues.data} />
      ) : null}
      {update === undefined ? null : (
        <OneUpdate bot={bot} app={app} apps={apps} position={update} />
      )}
      <DeadLetters bot={bot} app={app} />
      <BotUpdates key={app} bot={bot} app={app} apps={apps} />
    </div>
  );
}

function CheckButton(props: { bot: Bot; app: string }) {
  const t = useT();
  const check = useBackendCheck(props.bot.id, { app: props.app });
  return (
    <Button
      size="compact-sm"
      variant="light"
      loading={check.isPending}
      onClick={() => check.mutate(undefined)}
    >
      {t.deliveries.check}
    </Button>
  );
}

function RetryQueues(props: { bot: Bot; app: string; queues: Queues }) {
  const { app, bot, queues } = props;
  const { deliveries, reasons } = useT();
  const format = useFormat();
  const may = useMay('bots', 'manage');
  const queueName = useQueueName(bot.id);
  const now = useNow();
  const sayRetried = useRetryToast(botName(bot));
  const retry = useAction({
    run: () => watchAttempts(bot.id, app, async () => (await retryNow(bot.id, app)).queues),
    refreshes: [['deliveries', bot.id]],
    done: (followed) => sayRetried(followed),
  });
  return (
    <Panel
      flush
      title={deliveries.retryQueues}
      hint={
        queues.backend_status === 'paused'
          ? deliveries.retryQueuesPaused
          : deliveries.retryQueuesHint
      }
      actions={
        may ? (
          <Button
            size="compact-sm"
            variant="light"
            loading={retry.isPending}
            onClick={() => retry.mutate(undefined)}
          >
            {deliveries.retryAll}
          </Button>
        ) : null
      }
    >
      <ul data-rows className={css.rows}>
        {queues.retry_queues.map((queue) => (
          <li key={queue.queue} className={css.row}>
            <span className={css.name}>{queueName(queue.queue)}</span>
            <span className={css.main}>
              {queue.reason === ''
                ? deliveries.noAttemptYet
                : reasonWords(queue.reason, queue.reason_detail, reasons)}
              <span className={css.sub}>
                {' '}
                ·{' '}
                {queues.backend_status === 'paused' ? (
                  deliveries.breakerOpen
                ) : queue.due || Date.parse(queue.next_attempt_at) <= now ? (
                  deliveries.dueNow
                ) : (
                  <>
                    {deliveries.next} <TimeAgo at={queue.next_attempt_at} ahead />
                  </>
                )}
              </span>
            </span>
            <span className="tabular">{deliveries.waiting(queue.waiting)}</span>
          </li>
        ))}
      </ul>
      {queues.queues > queues.retry_queues.length ? (
        <p className={css.none}>
          {deliveries.firstQueues(
            format.number(queues.retry_queues.length),
            format.number(queues.queues),
          )}
        </p>
      ) : null}
    </Panel>
  );
}
