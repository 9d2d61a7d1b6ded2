import { refreshOn } from '../../../api/client/refresh-on.ts';
import { type Send, sendsOf, sendsPerPage } from '../../../api/outbox.ts';
import type { Bot } from '../../../api/client/types.ts';
import { useFormat } from '../../../i18n/use-format.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { EmptyState } from '../../../ui/lists/empty-state.tsx';
import { sendErrorWords } from '../../../shared/error-words.ts';
import { FilteredPanel } from '../../../ui/lists/filtered-panel.tsx';
import { ScheduledList } from '../../../shared/scheduled/scheduled-list.tsx';
import { MessageLink } from '../../../shared/message-link.tsx';
import { PagedList } from '../../../shared/paged-list.tsx';
import { SendAgain } from '../../../shared/send-again.tsx';
import css from '../../../ui/rows.module.css';
import { Facts } from '../../../ui/side-panel.tsx';
import { shortened } from '../../../ui/text/shortened.ts';
import { State, type Tone } from '../../../ui/state.tsx';
import { TimeAgo } from '../../../ui/text/time-ago.tsx';
import { useChatNames } from '../../../shared/use-chat-names.ts';

const shortLength = 80;

const tones: Record<string, Tone> = { sent: 'ok', failed: 'bad', unknown: 'warn' };

/** The messages a bot sends, and their results. */
export function BotSends(props: { bot: Bot }) {
  const { bot } = props;
  const { deliveries } = useT();
  const titleOf = useChatNames([bot.id]);
  const nameOf = (chatId: number) =>
    chatId === 0 ? '' : (titleOf(chatId) ?? deliveries.chatQueue(String(chatId)));
  return (
    <>
      <ScheduledList botId={bot.id} isOpen />
      <FilteredPanel
        title={deliveries.outbox}
        hint={deliveries.outboxHint}
        label={deliveries.outbox}
        choices={[
          { value: '', label: deliveries.all },
          ...Object.entries(deliveries.sendStates).map(([value, label]) => ({ value, label })),
        ]}
      >
        {(state) => (
          <PagedList
            queryKey={['deliveries', bot.id, 'sends', state]}
            meta={refreshOn(['delivery', 'sent'], bot.id)}
            pageSize={sendsPerPage}
            read={(before, signal) => sendsOf(bot.id, { state, before_id: before }, signal)}
            numberOf={(send) => send.id}
            empty={
              <EmptyState
                icon="send"
                title={deliveries.emptyOutbox}
                hint={deliveries.emptyOutboxHint}
              />
            }
            row={(send) => <SendLine send={send} name={nameOf(send.chat_id)} />}
            detail={(send) => <SendDetail send={send} name={nameOf(send.chat_id)} />}
          />
        )}
      </FilteredPanel>
    </>
  );
}

function SendLine(props: { send: Send; name: string }) {
  const { send } = props;
  const t = useT();
  const { deliveries } = t;
  const state = send.state as keyof typeof deliveries.sendStates;
  const origin = send.origin as keyof typeof deliveries.origins;
  return (
    <>
      <State tone={tones[state] ?? 'idle'}>{deliveries.sendStates[state] ?? state}</State>
      <span className={css.main}>
        {props.name === '' ? null : (
          <>
            <bdi>{props.name}</bdi>
            {send.text === '' ? '' : ': '}
          </>
        )}
        {send.text === '' ? null : <bdi>{shortened(send.text, shortLength)}</bdi>}
        {props.name === '' && send.text === '' ? null : ' · '}
        <span className={css.sub}>
          <span className="mono">{send.method}</span> · {deliveries.origins[origin] ?? origin}
        </span>
        {send.error === '' ? null : (
          <span className={css.sub}> · {sendErrorWords(send.error, send.error_detail, t)}</span>
        )}
      </span>
      <span className={css.sub}>
        <TimeAgo at={send.updated_at} />
      </span>
    </>
  );
}

function SendDetail(props: { send: Send; name: string }) {
  const { send } = props;
  const t = useT();
  const { deliveries, statistics } = t;
  const format = useFormat();
  return (
    <>
      <Facts
        facts={[
          [statistics.chat, props.name],
          [deliveries.sendText, send.text || deliveries.sendNoText],
          [deliveries.sendRequested, format.dateTime(send.created_at)],
          [deliveries.sendAttempts, send.attempts === 0 ? '' : format.number(send.attempts)],
          [deliveries.sendError, sendErrorWords(send.error, send.error_detail, t)],
        ]}
      />
      {send.message_id === 0 || send.chat_id === 0 ? null : (
        <MessageLink botId={send.bot_id} chatId={send.chat_id} messageId={send.message_id} />
      )}
      {send.state === 'failed' || send.state === 'unknown' ? (
        <SendAgain id={send.id} botId={send.bot_id} state={send.state} />
      ) : null}
    </>
  );
}
