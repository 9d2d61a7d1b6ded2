import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import {
  allReaderKinds,
  type Reader,
  readerKinds,
  readersQuery,
  removeConsumer,
} from '../../../api/readers.ts';
import type { Bot } from '../../../api/client/types.ts';
import { useMay } from '../../../shared/use-session.ts';
import { useFormat } from '../../../i18n/use-format.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { lazyPart } from '../../../ui/feedback/lazy-dialog.tsx';
import { Entry, type EntryAction, EntryList } from '../../../ui/lists/entry-list.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { Loaded } from '../../../shared/loaded.tsx';
import { Panel } from '../../../ui/page.tsx';
import { RowsSkeleton } from '../../../ui/page-skeleton.tsx';
import css from '../../../ui/rows.module.css';
import { State } from '../../../ui/state.tsx';
import { TimeAgo } from '../../../ui/text/time-ago.tsx';
import { useAction } from '../../../shared/use-action.ts';
import { readerName } from './reader-name.ts';

const RewindDialog = lazyPart(async () => (await import('./rewind-dialog.tsx')).RewindDialog);

const lookAgainMs = 5_000;
const order = allReaderKinds;

/** The readers of a bot's log, their positions, and what each has lost. */
export function BotReaders(props: { bot: Bot; actions: ReactNode }) {
  const { bot } = props;
  const { deliveries } = useT();
  const query = useQuery({ ...readersQuery(bot.id), refetchInterval: lookAgainMs });
  const [moved, setMoved] = useState<Reader>();
  return (
    <Panel flush title={deliveries.readers} hint={deliveries.readersHint} actions={props.actions}>
      <Loaded query={query} skeleton={<RowsSkeleton rows={2} />}>
        {({ log_end, readers }) =>
          readers.length === 0 ? (
            <p className={css.none}>{deliveries.noReaders}</p>
          ) : (
            <EntryList>
              {readers.toSorted(byKind).map((reader) => (
                <ReaderRow
                  key={reader.reader}
                  botId={bot.id}
                  reader={reader}
                  logEnd={log_end}
                  onMove={() => setMoved(reader)}
                />
              ))}
            </EntryList>
          )
        }
      </Loaded>
      {moved ? (
        <RewindDialog botId={bot.id} reader={moved} onClose={() => setMoved(undefined)} />
      ) : null}
    </Panel>
  );
}

function byKind(left: Reader, right: Reader): number {
  return (
    order.indexOf(left.kind) - order.indexOf(right.kind) || left.name.localeCompare(right.name)
  );
}

function ReaderRow(props: { botId: number; reader: Reader; logEnd: number; onMove: () => void }) {
  const { botId, reader } = props;
  const t = useT();
  const { deliveries } = t;
  const format = useFormat();
  const may = useMay('bots', 'manage');
  const name = readerName(reader, t);
  const remove = useAction({
    run: () => removeConsumer(botId, reader.name),
    refreshes: [['deliveries', botId]],
    done: () => deliveries.consumerRemoved(name),
  });
  const actions: EntryAction[] = [
    { label: deliveries.rewind, icon: 'replay', run: props.onMove },
    ...(reader.removable
      ? [
          {
            label: deliveries.removeConsumer,
            icon: 'trash' as const,
            run: () => remove.mutate(undefined),
            ask: {
              title: deliveries.removeConsumerAsk(name),
              means: deliveries.removeConsumerMeans,
              confirm: deliveries.removeConsumer,
            },
          },
        ]
      : []),
  ];
  return (
    <Entry
      name={name}
      lead={<Icon name={readerKinds[reader.kind].icon} />}
      sub={
        <>
          {readerKinds[reader.kind].retries && reader.active && reader.behind > 0
            ? deliveries.pushWaits(
                format.number(reader.behind - reader.in_retry),
                format.number(reader.in_retry),
              )
            : reader.position === 0
              ? deliveries.atStart
              : deliveries.position(format.number(reader.position), format.number(props.logEnd))}
          {/* For a reader that has read nothing, the time would be that of its creation. */}
          {reader.position === 0 ? null : (
            <>
              {' · '}
              {deliveries.moved} <TimeAgo at={reader.last_moved_at} />
            </>
          )}
          {reader.waiting ? ` · ${deliveries.clientPolls}` : ''}
          {reader.failure === '' ? null : (
            <div className={css.bad}>{deliveries.fails(reader.failure)}</div>
          )}
          {reader.dropped > 0 ? (
            <div className={css.bad}>{deliveries.dropped(reader.dropped)}</div>
          ) : null}
        </>
      }
      side={<ReaderState reader={reader} />}
      actions={may ? actions : []}
    />
  );
}

function ReaderState(props: { reader: Reader }) {
  const { active, behind, kind, oldest_waiting_seconds } = props.reader;
  const { deliveries } = useT();
  const format = useFormat();
  if (!active) return <State tone="idle">{deliveries.inactive(behind)}</State>;
  if (behind === 0) return <State tone="ok">{deliveries.upToDate}</State>;
  return (
    <>
      {/* Updates in retry queues were read, so they are not behind, but not delivered either. */}
      <State tone="warn">
        {(readerKinds[kind].retries ? deliveries.waiting : deliveries.behind)(behind)}
      </State>
      <div>{deliveries.oldest(format.duration(oldest_waiting_seconds * 1_000))}</div>
    </>
  );
}
