import { Button, Group } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import {
  checkBackend,
  deadQuery,
  discard,
  type DeadLetter,
  type Queues,
  queuesQuery,
  replay,
  retryNow,
} from '../../api/deliveries.ts';
import type { Bot } from '../../api/types.ts';
import { useMay } from '../../app/shell/use-session.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useT } from '../../i18n/use-t.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Panel } from '../../ui/page.tsx';
import { RowsSkeleton } from '../../ui/page-skeleton.tsx';
import { State } from '../../ui/state.tsx';
import { TimeAgo } from '../../ui/time-ago.tsx';
import { toast } from '../../ui/toast.tsx';
import { useAction } from '../../ui/use-action.ts';
import { BotAttempts } from './bot-attempts.tsx';
import css from '../../ui/rows.module.css';

export function BotDeliveries(props: { bot: Bot }) {
  const { bot } = props;
  const t = useT();
  const queues = useQuery({ ...queuesQuery(bot.id), refetchInterval: 5_000 });
  return (
    <div className={css.stack}>
      <Panel
        flush
        title={t.deliveries.readers}
        hint={t.deliveries.readersHint}
        actions={bot.backend_url === '' ? null : <CheckButton bot={bot} />}
      >
        <Loaded query={queues} skeleton={<RowsSkeleton rows={2} />}>
          {(known) => <Readers queues={known} />}
        </Loaded>
      </Panel>
      {queues.data && queues.data.parked.length > 0 ? (
        <Parked bot={bot} queues={queues.data} />
      ) : null}
      <DeadLetters bot={bot} />
      <BotAttempts bot={bot} />
    </div>
  );
}

function CheckButton(props: { bot: Bot }) {
  const t = useT();
  const format = useFormat();
  const check = useAction({
    run: () => checkBackend(props.bot.id),
    done: (result) => {
      if (result.error !== '') toast(result.error, { tone: 'bad' });
      else toast(t.deliveries.checkOk(result.status, format.duration(result.duration_ms)));
    },
  });
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

function Readers(props: { queues: Queues }) {
  const { queues } = props;
  const { deliveries } = useT();
  const format = useFormat();
  const own: Record<string, string> = { push: deliveries.push, routing: deliveries.routing };
  if (queues.readers.length === 0) return <p className={css.none}>{deliveries.noReaders}</p>;
  return (
    <ul className={css.rows}>
      {queues.readers.map((reader) => (
        <li key={reader.name} className={css.row}>
          <strong>{own[reader.name] ?? reader.name}</strong>
          <span className={`${css.sub} tabular`}>
            {deliveries.position(
              format.number(reader.position),
              format.number(queues.last_position),
            )}
          </span>
          <State tone={reader.lag > 0 ? 'warn' : 'ok'}>
            {reader.lag > 0 ? deliveries.behind(format.number(reader.lag)) : deliveries.upToDate}
          </State>
        </li>
      ))}
    </ul>
  );
}

function Parked(props: { bot: Bot; queues: Queues }) {
  const { bot, queues } = props;
  const { deliveries } = useT();
  const format = useFormat();
  const may = useMay('manage');
  const client = useQueryClient();
  const retry = useAction({
    run: () => retryNow(bot.id),
    done: () => {
      void client.invalidateQueries({ queryKey: ['deliveries', bot.id] });
      return deliveries.retried;
    },
  });
  return (
    <Panel
      flush
      title={deliveries.parked}
      hint={deliveries.parkedHint}
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
      <ul className={css.rows}>
        {queues.parked.map((queue) => (
          <li key={queue.queue} className={css.row}>
            <span className="mono">{queue.queue}</span>
            <span className={css.main}>
              {queue.reason}
              <span className={css.sub}>
                {' '}
                · {deliveries.next} <TimeAgo at={queue.next_attempt_at} />
              </span>
            </span>
            <span className="tabular">{deliveries.waiting(format.number(queue.waiting))}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function DeadLetters(props: { bot: Bot }) {
  const { bot } = props;
  const { deliveries } = useT();
  const format = useFormat();
  const may = useMay('manage');
  const client = useQueryClient();
  const query = useQuery(deadQuery(bot.id));
  const refresh = () => void client.invalidateQueries({ queryKey: ['deliveries', bot.id] });
  const again = useAction({
    run: replay,
    done: ({ queued }) => {
      refresh();
      return deliveries.replayed(format.number(queued));
    },
  });
  const drop = useAction({
    run: discard,
    done: ({ discarded }) => {
      refresh();
      return deliveries.discarded(format.number(discarded));
    },
  });
  const count = query.data?.length ?? 0;
  return (
    <Panel
      flush
      title={deliveries.dead}
      hint={deliveries.deadHint}
      actions={
        may && count > 0 ? (
          <Button
            size="compact-sm"
            loading={again.isPending}
            onClick={() => again.mutate({ bot_id: bot.id, all_dead: true })}
          >
            {deliveries.replayAll}
          </Button>
        ) : null
      }
    >
      <Loaded query={query} skeleton={<RowsSkeleton rows={1} />}>
        {(letters) =>
          letters.length === 0 ? (
            <p className={css.none}>{deliveries.noDead}</p>
          ) : (
            <ul className={css.rows}>
              {letters.map((letter) => (
                <Letter
                  key={letter.id}
                  letter={letter}
                  may={may}
                  onReplay={() => again.mutate({ bot_id: bot.id, ids: [letter.id] })}
                  onDiscard={() => drop.mutate({ bot_id: bot.id, ids: [letter.id] })}
                />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  );
}

function Letter(props: {
  letter: DeadLetter;
  may: boolean;
  onReplay: () => void;
  onDiscard: () => void;
}) {
  const { letter } = props;
  const { deliveries } = useT();
  return (
    <li className={css.row}>
      <span>
        <span className="mono">{letter.kind}</span> <TimeAgo at={letter.died_at} />
      </span>
      <span className={css.main}>{letter.reason}</span>
      {props.may ? (
        <Group gap={6}>
          <Button size="compact-xs" variant="light" onClick={props.onReplay}>
            {deliveries.replay}
          </Button>
          <Button size="compact-xs" variant="default" onClick={props.onDiscard}>
            {deliveries.discard}
          </Button>
        </Group>
      ) : null}
    </li>
  );
}
