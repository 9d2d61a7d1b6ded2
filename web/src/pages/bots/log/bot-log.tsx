import { refreshOn } from '../../../api/client/refresh-on.ts';
import { attemptsPerPage, type LoggedUpdate, logOf } from '../../../api/deliveries.ts';
import type { Bot } from '../../../api/client/types.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { EmptyState } from '../../../ui/lists/empty-state.tsx';
import { FilteredPanel } from '../../../ui/lists/filtered-panel.tsx';
import { JsonView } from '../../../ui/text/json-view.tsx';
import { PagedList } from '../../../shared/paged-list.tsx';
import css from '../../../ui/rows.module.css';
import { TimeAgo } from '../../../ui/text/time-ago.tsx';
import { gistOf } from './update-gist.ts';
import { useQueueName } from '../delivery/use-queue-name.ts';

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

/** The stored update log. */
export function BotLog(props: { bot: Bot }) {
  const { bot } = props;
  const { deliveries } = useT();
  const queueName = useQueueName(bot.id);
  return (
    <FilteredPanel
      title={deliveries.log}
      hint={deliveries.logHint}
      label={deliveries.kind}
      choices={[
        { value: '', label: deliveries.allKinds },
        ...kinds.map((one) => ({ value: one, label: one })),
      ]}
    >
      {(kind) => (
        <PagedList
          queryKey={['updates', bot.id, 'log', kind]}
          meta={refreshOn(['received'], bot.id)}
          pageSize={attemptsPerPage}
          read={(before, signal) => logOf(bot.id, { kind, before }, signal)}
          numberOf={(update) => update.position}
          leadWidth={170}
          empty={
            <EmptyState icon="file" title={deliveries.emptyLog} hint={deliveries.emptyLogHint} />
          }
          row={(update) => <LogLine update={update} name={queueName(update.queue)} />}
          detail={(update) => <JsonView value={update.raw} label={`#${update.position}`} />}
        />
      )}
    </FilteredPanel>
  );
}

function LogLine(props: { update: LoggedUpdate; name: string }) {
  const { update } = props;
  const gist = gistOf(update);
  const who = gist.who || props.name;
  return (
    <>
      <span className="mono">{update.kind}</span>
      <span className={`${css.main} ${css.sub} tabular`}>
        #{update.position} · <bdi>{who}</bdi>
        {gist.words === '' ? null : (
          <>
            {' · '}
            <bdi>{gist.words}</bdi>
          </>
        )}
      </span>
      <span className={css.sub}>
        <TimeAgo at={update.received_at} />
      </span>
    </>
  );
}
