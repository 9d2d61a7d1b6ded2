import { Button, Select } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type LoggedUpdate, logOf } from '../../api/deliveries.ts';
import type { Bot } from '../../api/types.ts';
import { useT } from '../../i18n/use-t.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorBox } from '../../ui/error-box.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { Panel } from '../../ui/page.tsx';
import { RowsSkeleton } from '../../ui/page-skeleton.tsx';
import { TimeAgo } from '../../ui/time-ago.tsx';
import css from './deliveries.module.css';

const pageSize = 50;
const kinds = [
  'message',
  'edited_message',
  'callback_query',
  'channel_post',
  'my_chat_member',
  'chat_member',
  'inline_query',
  'message_reaction',
  'poll',
];

/** The update log as it stands on disk. */
export function BotLog(props: { bot: Bot }) {
  const { bot } = props;
  const { common, deliveries } = useT();
  const [kind, setKind] = useState('');
  const [opened, setOpened] = useState(0);
  const query = useInfiniteQuery({
    queryKey: ['updates', bot.id, 'log', kind],
    initialPageParam: undefined as number | undefined,
    queryFn: ({ pageParam, signal }) =>
      logOf(bot.id, { kind, ...(pageParam === undefined ? {} : { before: pageParam }) }, signal),
    getNextPageParam: (page) => (page.length < pageSize ? undefined : page.at(-1)?.position),
  });
  const updates = query.data?.pages.flat() ?? [];
  return (
    <Panel
      flush
      title={deliveries.log}
      hint={deliveries.logHint}
      actions={
        <Select
          size="xs"
          aria-label={deliveries.kind}
          allowDeselect={false}
          data={[
            { value: '', label: deliveries.allKinds },
            ...kinds.map((one) => ({ value: one, label: one })),
          ]}
          value={kind}
          onChange={(value) => setKind(value ?? '')}
        />
      }
    >
      {query.isPending ? <RowsSkeleton rows={6} /> : null}
      {query.isError ? <ErrorBox error={query.error} onRetry={() => void query.refetch()} /> : null}
      {query.isSuccess && updates.length === 0 ? (
        <EmptyState icon="file" title={deliveries.emptyLog} hint={deliveries.emptyLogHint} />
      ) : null}
      <ul className={css.rows}>
        {updates.map((update) => (
          <li key={update.position}>
            <LogLine
              update={update}
              opened={opened === update.position}
              onToggle={() => setOpened(opened === update.position ? 0 : update.position)}
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

function LogLine(props: { update: LoggedUpdate; opened: boolean; onToggle: () => void }) {
  const { update } = props;
  return (
    <>
      <button
        type="button"
        className={css.row}
        aria-expanded={props.opened}
        onClick={props.onToggle}
      >
        <span className="mono">{update.kind}</span>
        <span className={`${css.main} ${css.sub} tabular`}>
          #{update.position} · {update.queue} · {gistOf(update)}
        </span>
        <span className={css.sub}>
          <TimeAgo at={update.received_at} />
        </span>
      </button>
      {props.opened ? (
        <div className={css.detail}>
          <JsonView value={update.raw} label={`#${update.position}`} />
        </div>
      ) : null}
    </>
  );
}

interface Gist {
  text?: string;
  caption?: string;
  data?: string;
}

/** The first words of what was said, if anything was. */
function gistOf(update: LoggedUpdate): string {
  try {
    const part = (JSON.parse(update.raw) as Record<string, Gist | undefined>)[update.kind];
    return (part?.text ?? part?.caption ?? part?.data ?? '').slice(0, 80);
  } catch {
    return '';
  }
}
