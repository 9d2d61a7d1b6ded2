import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { refreshOn } from '../../../api/client/refresh-on.ts';
import { botName } from '../../../api/bots.ts';
import { watchAttempts } from '../../../api/follow-attempts.ts';
import {
  type DeliveryAttempt,
  attemptsOf,
  attemptsPerPage,
  logOf,
  replay,
} from '../../../api/deliveries.ts';
import type { Bot } from '../../../api/client/types.ts';
import { useMay } from '../../../shared/use-session.ts';
import { reasonWords } from '../../../i18n/reasons.ts';
import { useFormat } from '../../../i18n/use-format.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { EmptyState } from '../../../ui/lists/empty-state.tsx';
import { ErrorBox } from '../../../shared/error-box.tsx';
import { FilteredPanel } from '../../../ui/lists/filtered-panel.tsx';
import { JsonView } from '../../../ui/text/json-view.tsx';
import { MessageLink } from '../../../shared/message-link.tsx';
import { PagedList } from '../../../shared/paged-list.tsx';
import css from '../../../ui/rows.module.css';
import { State } from '../../../ui/state.tsx';
import { TimeAgo } from '../../../ui/text/time-ago.tsx';
import { useAction } from '../../../shared/use-action.ts';
import { useRetryToast } from '../../../shared/use-retried.ts';
import { messageIn } from '../log/update-gist.ts';
import { useQueueName } from './use-queue-name.ts';

/** Every request to the backend, with its answer and its update. */
export function BotAttempts(props: { bot: Bot; app: string }) {
  const { app, bot } = props;
  const { deliveries } = useT();
  const queueName = useQueueName(bot.id);
  return (
    <FilteredPanel
      title={deliveries.attempts}
      hint={deliveries.attemptsHint}
      label={deliveries.attempts}
      choices={[
        { value: '', label: deliveries.all },
        { value: 'delivered', label: deliveries.delivered },
        { value: 'failed', label: deliveries.failed },
      ]}
    >
      {(status) => (
        <PagedList
          queryKey={['deliveries', bot.id, 'attempts', app, status]}
          meta={refreshOn(['delivery'], bot.id)}
          pageSize={attemptsPerPage}
          read={(before, signal) => attemptsOf(bot.id, { app, status, before_id: before }, signal)}
          numberOf={(attempt) => attempt.id}
          empty={
            <EmptyState
              icon="send"
              title={deliveries.noAttempts}
              hint={deliveries.noAttemptsHint}
            />
          }
          row={(attempt) => <AttemptLine attempt={attempt} name={queueName(attempt.queue)} />}
          detail={(attempt) => <AttemptDetail attempt={attempt} botName={botName(bot)} />}
        />
      )}
    </FilteredPanel>
  );
}

function AttemptLine(props: { attempt: DeliveryAttempt; name: string }) {
  const { attempt } = props;
  const { deliveries, reasons } = useT();
  const format = useFormat();
  const { error, error_detail } = attempt;
  // The status is already shown.
  const isTold = error === '' || error_detail?.code === 'backend_answered';
  return (
    <>
      <State tone={attempt.delivered ? 'ok' : 'bad'}>
        {attempt.status === 0 ? deliveries.noAnswer : attempt.status}
      </State>
      <span className={css.main}>
        <bdi>{props.name}</bdi>
        <span className={css.sub}>
          {' '}
          · {format.duration(attempt.duration_ms)}
          {attempt.replay ? ` · ${deliveries.replayed}` : ''}
        </span>
        {isTold ? null : (
          <span className={css.sub}> · {reasonWords(error, error_detail, reasons)}</span>
        )}
      </span>
      <span className={css.sub}>
        <TimeAgo at={attempt.started_at} />
      </span>
    </>
  );
}

function AttemptDetail(props: { attempt: DeliveryAttempt; botName: string }) {
  const { attempt } = props;
  const { common, deliveries } = useT();
  const may = useMay('bots', 'manage');
  const sayRetried = useRetryToast(props.botName);
  const update = useQuery({
    queryKey: ['updates', attempt.bot_id, 'at', attempt.position],
    meta: refreshOn(['received'], attempt.bot_id),
    queryFn: ({ signal }) =>
      logOf(attempt.bot_id, { after: attempt.position - 1, limit: 1 }, signal),
  });
  const again = useAction({
    run: () =>
      watchAttempts(attempt.bot_id, attempt.app, async () => {
        const { queued } = await replay({
          bot_id: attempt.bot_id,
          app: attempt.app,
          from_position: attempt.position,
          to_position: attempt.position,
        });
        return queued;
      }),
    done: sayRetried,
  });
  const [next] = update.data ?? [];
  const found = next?.position === attempt.position ? next : undefined;
  const message = found && messageIn(found);
  return (
    <>
      {attempt.answer === '' ? null : (
        <>
          <strong>{deliveries.answer}</strong>
          <JsonView value={attempt.answer} label={deliveries.answer} />
        </>
      )}
      <strong>{deliveries.update}</strong>
      {found ? (
        <JsonView value={found.raw} label={deliveries.update} />
      ) : update.isError ? (
        <ErrorBox error={update.error} onRetry={() => void update.refetch()} />
      ) : (
        <span className={css.sub}>{update.isPending ? common.loading : common.none}</span>
      )}
      {message ? <MessageLink botId={attempt.bot_id} {...message} /> : null}
      {may ? (
        <Button
          w="fit-content"
          size="compact-sm"
          variant="light"
          loading={again.isPending}
          onClick={() => again.mutate(undefined)}
        >
          {deliveries.replayOne}
        </Button>
      ) : null}
    </>
  );
}
