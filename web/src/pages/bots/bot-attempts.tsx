import { Button, SegmentedControl } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Attempt, attemptsOf, logOf, replay } from '../../api/deliveries.ts';
import type { Bot } from '../../api/types.ts';
import { useMay } from '../../app/shell/use-session.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useT } from '../../i18n/use-t.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { Panel } from '../../ui/page.tsx';
import { RowsSkeleton } from '../../ui/page-skeleton.tsx';
import { State } from '../../ui/state.tsx';
import { TimeAgo } from '../../ui/time-ago.tsx';
import { useAction } from '../../ui/use-action.ts';
import css from './deliveries.module.css';

const pageSize = 50;

/** Every request to the backend, with its answer and the update it carried. */
export function BotAttempts(props: { bot: Bot }) {
  const { bot } = props;
  const { common, deliveries } = useT();
  const [status, setStatus] = useState('');
  const [opened, setOpened] = useState(0);
  const query = useInfiniteQuery({
    queryKey: ['deliveries', bot.id, 'attempts', status],
    initialPageParam: undefined as number | undefined,
    queryFn: ({ pageParam, signal }) =>
      attemptsOf(
        bot.id,
        { status, ...(pageParam === undefined ? {} : { before_id: pageParam }) },
        signal,
      ),
    getNextPageParam: (page) => (page.length < pageSize ? undefined : page.at(-1)?.id),
  });
  const attempts = query.data?.pages.flat() ?? [];
  return (
    <Panel
      flush
      title={deliveries.attempts}
      hint={deliveries.attemptsHint}
      actions={
        <SegmentedControl
          size="xs"
          aria-label={deliveries.attempts}
          data={[
            { value: '', label: deliveries.all },
            { value: 'delivered', label: deliveries.delivered },
            { value: 'failed', label: deliveries.failed },
          ]}
          value={status}
          onChange={setStatus}
        />
      }
    >
      {query.isPending ? <RowsSkeleton rows={4} /> : null}
      {query.isSuccess && attempts.length === 0 ? (
        <EmptyState icon="send" title={deliveries.noAttempts} hint={deliveries.noAttemptsHint} />
      ) : null}
      <ul className={css.rows}>
        {attempts.map((attempt) => (
          <li key={attempt.id}>
            <AttemptLine
              attempt={attempt}
              opened={opened === attempt.id}
              onToggle={() => setOpened(opened === attempt.id ? 0 : attempt.id)}
            />
          </li>
        ))}
      </ul>
      {query.hasNextPage ? (
        <div className={css.foot}>
          <Button
            variant="default"
            loading={query.isFetchingNextPage}
            onClick={() => void query.fetchNextPage()}
          >
            {common.loadMore}
          </Button>
        </div>
      ) : null}
    </Panel>
  );
}

function AttemptLine(props: { attempt: Attempt; opened: boolean; onToggle: () => void }) {
  const { attempt } = props;
  const { deliveries } = useT();
  const format = useFormat();
  return (
    <>
      <button
        type="button"
        className={css.row}
        aria-expanded={props.opened}
        onClick={props.onToggle}
      >
        <State tone={attempt.delivered ? 'ok' : 'bad'}>
          {attempt.status === 0 ? deliveries.noAnswer : attempt.status}
        </State>
        <span className={css.main}>
          <span className="mono">{attempt.queue}</span>
          <span className={css.sub}> · {format.duration(attempt.duration_ms)}</span>
          {attempt.error === '' ? null : <span className={css.sub}> · {attempt.error}</span>}
        </span>
        <span className={css.sub}>
          <TimeAgo at={attempt.started_at} />
        </span>
      </button>
      {props.opened ? <AttemptDetail attempt={attempt} /> : null}
    </>
  );
}

function AttemptDetail(props: { attempt: Attempt }) {
  const { attempt } = props;
  const { common, deliveries } = useT();
  const format = useFormat();
  const may = useMay('manage');
  const update = useQuery({
    queryKey: ['updates', attempt.bot_id, 'at', attempt.position],
    queryFn: ({ signal }) =>
      logOf(attempt.bot_id, { after: attempt.position - 1, limit: 1 }, signal),
  });
  const again = useAction({
    run: () =>
      replay({
        bot_id: attempt.bot_id,
        from_position: attempt.position,
        to_position: attempt.position,
      }),
    done: ({ queued }) => deliveries.replayed(format.number(queued)),
  });
  const [found] = update.data ?? [];
  return (
    <div className={css.detail}>
      {attempt.answer === '' ? null : (
        <>
          <strong>{deliveries.answer}</strong>
          <JsonView value={attempt.answer} label={deliveries.answer} />
        </>
      )}
      <strong>{deliveries.update}</strong>
      {found && found.position === attempt.position ? (
        <JsonView value={found.raw} label={deliveries.update} />
      ) : (
        <span className={css.sub}>{update.isPending ? common.loading : common.none}</span>
      )}
      {may ? (
        <Button
          w="fit-content"
          size="compact-sm"
          variant="light"
          loading={again.isPending}
          onClick={() => again.mutate(undefined)}
        >
          {deliveries.again}
        </Button>
      ) : null}
    </div>
  );
}
