import { Button, Progress } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { botName, botsQuery } from '../../api/bots.ts';
import {
  actOnBroadcast,
  type Broadcast,
  type BroadcastAction,
  broadcastsQuery,
  type RecipientState,
  resultsQuery,
} from '../../api/broadcasts.ts';
import { useT } from '../../i18n/use-t.tsx';
import { sendErrorWords } from '../../shared/error-words.ts';
import { Loaded } from '../../shared/loaded.tsx';
import { LoadMore } from '../../shared/paged-list.tsx';
import { useAction } from '../../shared/use-action.ts';
import { useMay } from '../../shared/use-session.ts';
import { Confirm } from '../../ui/feedback/confirm.tsx';
import { RowsSkeleton } from '../../ui/page-skeleton.tsx';
import { lazyPart } from '../../ui/feedback/lazy-dialog.tsx';
import { State, type Tone } from '../../ui/state.tsx';
import { TimeAgo } from '../../ui/text/time-ago.tsx';
import ui from '../../ui/ui.module.css';
import css from './broadcasts.module.css';

const dialogs = () => import('./broadcast-dialogs.tsx');
const EditBroadcast = lazyPart(async () => (await dialogs()).EditBroadcast);
const StartBroadcast = lazyPart(async () => (await dialogs()).StartBroadcast);
const TestBroadcast = lazyPart(async () => (await dialogs()).TestBroadcast);

const tones: Record<Broadcast['state'], Tone> = {
  draft: 'idle',
  running: 'ok',
  paused: 'warn',
  done: 'ok',
  canceled: 'idle',
};
const shownStates: readonly RecipientState[] = [
  'sent',
  'queued',
  'blocked',
  'gone',
  'failed',
  'unknown',
  'opted_out',
];
type Asked = 'start' | 'test' | 'edit' | 'cancel' | 'delete';

/** A broadcast with its progress, its results and what can be done with it. */
export function BroadcastCard({ broadcast }: { broadcast: Broadcast }) {
  const t = useT();
  const { broadcasts: words } = t;
  const { counts, state, task, task_counts: ofTask } = broadcast;
  const bot = useQuery(botsQuery).data?.find(({ id }) => id === broadcast.bot_id);
  const [shown, setShown] = useState<RecipientState>();
  const total = shownStates.reduce((sum, one) => sum + counts[one], 0);
  const isSending = task === 'send';
  const done = isSending ? total - counts.queued : ofTask.done + ofTask.failed + ofTask.unknown;
  const all = isSending ? total : ofTask.total;
  return (
    <section className={`${ui.panel} ${css.card}`} aria-label={broadcast.name}>
      <div className={css.head}>
        <h2 className={css.name}>
          <bdi>{broadcast.name}</bdi>
        </h2>
        <span>{bot ? botName(bot) : broadcast.bot_id}</span>
        <State tone={tones[state]}>{words.states[state]}</State>
        {broadcast.started_at === '' ? null : <TimeAgo at={broadcast.started_at} />}
      </div>
      {broadcast.reason === '' ? null : (
        <p>{sendErrorWords(broadcast.reason, broadcast.reason_detail, t)}</p>
      )}
      <div className={css.text} dir="auto">
        {broadcast.text}
      </div>
      {state === 'draft' ? (
        <p>{words.recipients(broadcast.recipients)}</p>
      ) : (
        <>
          <Progress
            value={all === 0 ? 0 : (100 * done) / all}
            aria-label={words.tasks[task](done, all)}
          />
          <p>
            {words.tasks[task](done, all)}
            {counts.blocked > 0 ? ` · ${words.blockedShare(broadcast.blocked_percent)}` : ''}
          </p>
          <div className={css.counts}>
            {shownStates
              .filter((one) => counts[one] > 0)
              .map((one) => (
                <Button
                  key={one}
                  size="compact-sm"
                  variant={shown === one ? 'filled' : 'light'}
                  aria-expanded={shown === one}
                  onClick={() => setShown(shown === one ? undefined : one)}
                >
                  {words.results[one]}: {counts[one]}
                </Button>
              ))}
          </div>
          {shown && counts[shown] > 0 ? <Results broadcast={broadcast} state={shown} /> : null}
        </>
      )}
      <Actions broadcast={broadcast} />
    </section>
  );
}

function Results(props: { broadcast: Broadcast; state: RecipientState }) {
  const t = useT();
  const { ended_at, id } = props.broadcast;
  const query = useInfiniteQuery(resultsQuery(id, props.state));
  return (
    <Loaded query={query} skeleton={<RowsSkeleton rows={2} />}>
      {(rows) => (
        <div className={css.results}>
          {rows.length === 0 && ended_at !== '' ? <div>{t.broadcasts.noResults}</div> : null}
          {rows.map((row) => (
            <div key={row.chat_id}>
              <bdi>{row.title || row.chat_id}</bdi>
              {row.error === '' ? null : <> · {sendErrorWords(row.error, row.error_detail, t)}</>}
              {row.task_error === '' ? null : <> · {row.task_error}</>}
            </div>
          ))}
          <LoadMore query={query} />
        </div>
      )}
    </Loaded>
  );
}

function Actions({ broadcast }: { broadcast: Broadcast }) {
  const { id, state } = broadcast;
  const { broadcasts: words } = useT();
  const may = useMay('bots', 'manage');
  const [asked, setAsked] = useState<Asked>();
  const close = () => setAsked(undefined);
  const act = useAction({
    run: (action: BroadcastAction) => actOnBroadcast(id, action),
    refreshes: [broadcastsQuery.queryKey],
    done: close,
  });
  if (!may) return null;
  const button = (label: string, onClick: () => void) => (
    <Button size="compact-md" variant="default" loading={act.isPending} onClick={onClick}>
      {label}
    </Button>
  );
  const isOver = state === 'done' || state === 'canceled';
  const wasSent = broadcast.counts.sent > 0;
  return (
    <div className={css.actions}>
      {state === 'draft' ? (
        <>
          <Button size="compact-md" onClick={() => setAsked('start')}>
            {words.start}
          </Button>
          {button(words.test, () => setAsked('test'))}
        </>
      ) : null}
      {state === 'running' ? button(words.pause, () => act.mutate('pause')) : null}
      {state === 'paused' ? button(words.resume, () => act.mutate('resume')) : null}
      {isOver ? null : button(words.cancel, () => setAsked('cancel'))}
      {isOver && wasSent ? (
        <>
          {button(words.edit, () => setAsked('edit'))}
          {button(words.delete, () => setAsked('delete'))}
        </>
      ) : null}
      {asked === 'start' ? <StartBroadcast broadcast={broadcast} onClose={close} /> : null}
      {asked === 'test' ? <TestBroadcast broadcast={broadcast} onClose={close} /> : null}
      {asked === 'edit' ? <EditBroadcast broadcast={broadcast} onClose={close} /> : null}
      {asked === 'cancel' || asked === 'delete' ? (
        <Confirm
          opened
          onClose={close}
          title={words.ask[asked]}
          confirmLabel={words[asked]}
          busy={act.isPending}
          onConfirm={() => act.mutate(asked)}
        >
          {words.means[asked]}
        </Confirm>
      ) : null}
    </div>
  );
}
