import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type App, isDefault } from '../../../api/apps.ts';
import { botName } from '../../../api/bots.ts';
import type { Bot } from '../../../api/client/types.ts';
import {
  type DeliveredUpdate,
  replay,
  updateQuery,
  type WholeUpdate,
} from '../../../api/deliveries.ts';
import { watchAttempts } from '../../../api/follow-attempts.ts';
import { reasonWords } from '../../../i18n/reasons.ts';
import { useFormat } from '../../../i18n/use-format.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { Loaded } from '../../../shared/loaded.tsx';
import { MessageLink } from '../../../shared/message-link.tsx';
import { useAction } from '../../../shared/use-action.ts';
import { useRetryToast } from '../../../shared/use-retried.ts';
import { useMay } from '../../../shared/use-session.ts';
import { CopyButton } from '../../../ui/forms/copy-line.tsx';
import { RowsSkeleton } from '../../../ui/page-skeleton.tsx';
import rows from '../../../ui/rows.module.css';
import { State } from '../../../ui/state.tsx';
import { JsonView } from '../../../ui/text/json-view.tsx';
import css from './delivery.module.css';

interface DetailProps {
  update: DeliveredUpdate;
  bot: Bot;
  app: string;
  apps: readonly App[];
}

/** The requests and responses of one update, and where it can be sent again. */
export function UpdateDetail(props: DetailProps) {
  const { app, bot, update } = props;
  const { deliveries } = useT();
  const query = useQuery(updateQuery(bot.id, app, update.position));
  return (
    <>
      {update.state === 'unknown' ? (
        <span className={rows.sub}>{deliveries.unknownMeans}</span>
      ) : null}
      <Loaded query={query} skeleton={<RowsSkeleton rows={2} />}>
        {({ attempts, raw, url }) => (
          <>
            <strong>{deliveries.attempts}</strong>
            {attempts.length === 0 ? (
              <span className={rows.sub}>{deliveries.noAttempts}</span>
            ) : (
              <ol className={css.attempts}>
                {attempts.map((attempt, index) => (
                  <Attempt key={attempt.id} attempt={attempt} number={index + 1} url={url} />
                ))}
              </ol>
            )}
            <strong>{deliveries.update}</strong>
            <JsonView value={raw} label={deliveries.update} />
          </>
        )}
      </Loaded>
      {update.chat_id !== 0 && update.message_id !== 0 ? (
        <MessageLink botId={bot.id} chatId={update.chat_id} messageId={update.message_id} />
      ) : null}
      <Resend {...props} />
    </>
  );
}

function Attempt(props: { attempt: WholeUpdate['attempts'][number]; number: number; url: string }) {
  const { attempt } = props;
  const { deliveries, reasons } = useT();
  const format = useFormat();
  const { answer, curl, error, error_detail, headers, started_at, status } = attempt;
  return (
    <li>
      <div className={css.attempt}>
        <State tone={attempt.delivered ? 'ok' : 'bad'}>
          {status === 0 ? deliveries.noAnswer : status}
        </State>
        <time dateTime={started_at} className={`${rows.sub} tabular`}>
          {format.dateTime(started_at)}
        </time>
        <span className={`${rows.sub} tabular`}>
          {format.duration(attempt.duration_ms)}
          {attempt.replay ? ` · ${deliveries.replayed}` : ''}
        </span>
        {curl === '' ? null : <CopyButton text={curl} label={deliveries.copyCurl} />}
      </div>
      {error === '' || error_detail?.code === 'backend_answered' ? null : (
        <span className={rows.sub}>{reasonWords(error, error_detail, reasons)}</span>
      )}
      {answer === '' ? null : (
        <JsonView value={answer} label={`${deliveries.answer} ${props.number}`} />
      )}
      {headers.length === 0 ? null : (
        <details>
          <summary className={rows.sub}>{deliveries.headers}</summary>
          <dl className={css.headers}>
            {[{ name: deliveries.address, value: props.url }, ...headers].map(({ name, value }) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </li>
  );
}

/** Replays one update, to its own backend or to that of another app. */
function Resend(props: DetailProps) {
  const { app, bot, update } = props;
  const { deliveries } = useT();
  const may = useMay('bots', 'manage');
  const sayRetried = useRetryToast(botName(bot));
  const again = useAction({
    run: (to: string) =>
      watchAttempts(bot.id, to, async () => {
        const at = { from_position: update.position, to_position: update.position };
        return (await replay({ bot_id: bot.id, app: to, ...at })).queued;
      }),
    refreshes: [['deliveries', bot.id]],
    done: sayRetried,
  });
  if (!may) return null;
  const others = props.apps.filter(({ name, backend_url }) => name !== app && backend_url !== '');
  const button = (to: string, label: string) => (
    <Button
      key={to}
      {...(to === app ? { 'data-act': 'r' } : {})}
      size="compact-sm"
      variant={to === app ? 'light' : 'default'}
      loading={again.isPending && again.variables === to}
      onClick={() => again.mutate(to)}
    >
      {label}
    </Button>
  );
  return (
    <Group gap="xs">
      {button(app, deliveries.replayOne)}
      {others.map((other) =>
        button(
          other.name,
          `${deliveries.resend}: ${isDefault(other) ? deliveries.ownBackend : other.name}`,
        ),
      )}
    </Group>
  );
}
