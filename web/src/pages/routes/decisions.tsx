import { Button, SegmentedControl } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Decision, decisionsOf } from '../../api/routing.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useT } from '../../i18n/use-t.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorBox } from '../../ui/error-box.tsx';
import { LinkButton } from '../../ui/link-button.tsx';
import { Panel } from '../../ui/page.tsx';
import { RowsSkeleton } from '../../ui/page-skeleton.tsx';
import { State, type Tone } from '../../ui/state.tsx';
import { TimeAgo } from '../../ui/time-ago.tsx';
import css from './decisions.module.css';

const pageSize = 15;

/** What was decided about messages of the past, and why. */
export function Decisions(props: { nameOf: (botId: number) => string }) {
  const { common, decisions } = useT();
  const [outcome, setOutcome] = useState('');
  const [opened, setOpened] = useState(0);
  const query = useInfiniteQuery({
    queryKey: ['routes', 'decisions', outcome],
    initialPageParam: undefined as number | undefined,
    queryFn: ({ pageParam, signal }) =>
      decisionsOf(
        { outcome, limit: pageSize, ...(pageParam === undefined ? {} : { before_id: pageParam }) },
        signal,
      ),
    getNextPageParam: (page) => (page.length < pageSize ? undefined : page.at(-1)?.id),
  });
  const list = query.data?.pages.flat() ?? [];
  return (
    <Panel
      flush
      title={decisions.title}
      hint={decisions.hint}
      actions={
        <SegmentedControl
          size="xs"
          aria-label={decisions.title}
          data={[
            { value: '', label: decisions.all },
            { value: 'routed', label: decisions.routed },
            { value: 'dropped', label: decisions.dropped },
            { value: 'none', label: decisions.none },
            { value: 'failed', label: decisions.failed },
          ]}
          value={outcome}
          onChange={setOutcome}
        />
      }
    >
      {query.isPending ? <RowsSkeleton rows={3} /> : null}
      {query.isError ? <ErrorBox error={query.error} /> : null}
      {query.isSuccess && list.length === 0 ? (
        <EmptyState icon="route" title={decisions.empty} hint={decisions.emptyHint} />
      ) : null}
      <ul className={css.rows}>
        {list.map((decision) => (
          <li key={decision.id}>
            <DecisionLine
              decision={decision}
              nameOf={props.nameOf}
              opened={opened === decision.id}
              onToggle={() => setOpened(opened === decision.id ? 0 : decision.id)}
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

const tones: Record<string, Tone> = {
  routed: 'ok',
  returned: 'ok',
  edited: 'ok',
  dropped: 'warn',
  failed: 'bad',
};

function DecisionLine(props: {
  decision: Decision;
  nameOf: (botId: number) => string;
  opened: boolean;
  onToggle: () => void;
}) {
  const { decision } = props;
  const { decisions } = useT();
  const outcome = decision.outcome as keyof typeof decisions.outcomes;
  return (
    <>
      <button
        type="button"
        className={css.row}
        aria-expanded={props.opened}
        onClick={props.onToggle}
      >
        <State tone={tones[outcome] ?? 'idle'}>{decisions.outcomes[outcome] ?? outcome}</State>
        <span className={css.main}>
          <strong>{props.nameOf(decision.bot_id)}</strong>
          <span className={css.sub}> · {decision.reason}</span>
        </span>
        <span className={css.sub}>
          <TimeAgo at={decision.created_at} />
        </span>
      </button>
      {props.opened ? <Detail decision={decision} nameOf={props.nameOf} /> : null}
    </>
  );
}

function Detail(props: { decision: Decision; nameOf: (botId: number) => string }) {
  const { decision } = props;
  const { decisions } = useT();
  const format = useFormat();
  const { matched, model } = decision;
  const wordOf = (state: string) => decisions.sends[state as keyof typeof decisions.sends] ?? state;
  return (
    <div className={css.detail}>
      {decision.asked === '' ? null : (
        <span className={css.sub}>{decisions.asked(decision.asked)}</span>
      )}
      {model ? (
        <span>
          {decisions.model(model.model || model.by, format.percent(model.confidence))}:{' '}
          {model.reason || model.failure}
        </span>
      ) : null}
      <ul className={css.matches}>
        {matched.map((match, index) => (
          <li key={index}>
            <strong>
              {match.route_id === 0 ? match.action : decisions.route(`#${match.route_id}`)}
            </strong>{' '}
            {match.reason} →{' '}
            {match.action === 'drop' ? match.result : props.nameOf(match.target_bot_id)}
            {match.sends.map((send, at) => (
              <span key={at} className={css.send}>
                <State tone={send.state === 'sent' ? 'ok' : send.error ? 'bad' : 'idle'}>
                  {wordOf(send.state)}
                </State>{' '}
                {send.error}
              </span>
            ))}
          </li>
        ))}
      </ul>
      <LinkButton
        w="fit-content"
        size="compact-sm"
        variant="light"
        to="/chats/$botId/$chatId"
        params={{ botId: String(decision.bot_id), chatId: String(decision.chat_id) }}
        search={{ message: decision.message_id }}
      >
        {decisions.showMessage}
      </LinkButton>
    </div>
  );
}
