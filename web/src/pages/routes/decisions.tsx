import { refreshOn } from '../../api/client/refresh-on.ts';
import { type Decision, decisionsOf } from '../../api/routing.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useT } from '../../i18n/use-t.tsx';
import { EmptyState } from '../../ui/lists/empty-state.tsx';
import { sendErrorWords } from '../../shared/error-words.ts';
import { FilteredPanel } from '../../ui/lists/filtered-panel.tsx';
import { MessageLink } from '../../shared/message-link.tsx';
import { SendAgain } from '../../shared/send-again.tsx';
import { PagedList } from '../../shared/paged-list.tsx';
import rows from '../../ui/rows.module.css';
import { State, type Tone } from '../../ui/state.tsx';
import { TimeAgo } from '../../ui/text/time-ago.tsx';
import { askedRoutes } from './asked-routes.ts';
import { shortened } from '../../ui/text/shortened.ts';
import css from './decisions.module.css';
import type { RouteNames } from './route-names.ts';

const pageSize = 15;
const textLength = 80;

/** Past routing decisions and their reasons. */
export function Decisions(props: { names: RouteNames }) {
  const { names } = props;
  const { decisions, deliveries } = useT();
  const format = useFormat();
  return (
    <FilteredPanel
      title={decisions.title}
      hint={decisions.hint}
      label={decisions.title}
      choices={[
        { value: '', label: decisions.all },
        { value: 'routed', label: decisions.routed },
        { value: 'dropped', label: decisions.dropped },
        { value: 'none', label: decisions.none },
        { value: 'failed', label: decisions.failed },
      ]}
      searchLabel={deliveries.search}
    >
      {(outcome, q) => (
        <PagedList
          queryKey={['routes', 'decisions', outcome, q]}
          meta={refreshOn(['route'])}
          isSearch={q !== ''}
          pageSize={pageSize}
          read={async (before, signal) => {
            const page = await decisionsOf(
              {
                ...(outcome === 'failed' ? { failed: true } : { outcome }),
                ...(q === '' ? {} : { q }),
                limit: pageSize,
                before_id: before,
              },
              signal,
            );
            if (page.next === 0) return page.decisions;
            const reached = deliveries.reached(format.dateTime(page.searchedBackTo));
            return { items: page.decisions, next: page.next, reached };
          }}
          numberOf={(decision) => decision.id}
          empty={
            outcome === '' && q === '' ? (
              <EmptyState icon="route" title={decisions.empty} hint={decisions.emptyHint} />
            ) : (
              <EmptyState icon="route" title={decisions.noMatch} hint={decisions.noMatchHint} />
            )
          }
          row={(decision) => <DecisionLine decision={decision} names={names} />}
          detail={(decision) => <Detail decision={decision} names={names} />}
        />
      )}
    </FilteredPanel>
  );
}

/** A decision is successful only once everything it sent has arrived. */
const deliveryTones: Record<Decision['delivery'], Tone | undefined> = {
  sent: 'ok',
  pending: 'idle',
  unknown: 'warn',
  failed: 'bad',
  '': undefined,
};
const outcomeTones: Record<string, Tone> = { dropped: 'warn', failed: 'bad' };

/**
 * Counts deliveries of the messages that the decision was to send, including those that could not
 * be queued.
 */
function deliveredOf({ matched }: Decision): { some: number; all: number } {
  const states = matched
    .filter(({ action }) => action !== 'drop')
    .flatMap(({ sends }) => (sends.length === 0 ? [''] : sends.map(({ state }) => state)));
  return { some: states.filter((state) => state === 'sent').length, all: states.length };
}

function DecisionLine(props: { decision: Decision; names: RouteNames }) {
  const { decision } = props;
  const { decisions } = useT();
  const { delivery } = decision;
  const chat = decisions.inChat(props.names.chat(decision.chat_id));
  const outcome = decision.outcome as keyof typeof decisions.outcomes;
  const format = useFormat();
  const { all, some } = deliveredOf(decision);
  function words(): string {
    if (delivery === '' || delivery === 'sent') return decisions.outcomes[outcome] ?? outcome;
    if (delivery === 'pending' || some === 0) return decisions.deliveries[delivery];
    return decisions.someDelivered(format.number(some), format.number(all));
  }
  return (
    <>
      <State tone={deliveryTones[delivery] ?? outcomeTones[outcome] ?? 'idle'}>{words()}</State>
      <span className={rows.main}>
        <strong>
          <bdi>{props.names.bot(decision.bot_id)}</bdi>
        </strong>
        {decision.text === '' ? null : (
          <>
            {' '}
            <bdi>{shortened(decision.text, textLength)}</bdi>
          </>
        )}
        <span className={rows.sub}>
          {' '}
          ·{' '}
          {decision.person === '' ? null : (
            <>
              <bdi>{decision.person}</bdi>{' '}
            </>
          )}
          {chat} · {props.names.say(decision.reason, decision.reason_detail)}
        </span>
      </span>
      <span className={rows.sub}>
        <TimeAgo at={decision.created_at} />
      </span>
    </>
  );
}

const sendTones: Record<string, Tone> = { sent: 'ok', failed: 'bad', unknown: 'warn' };

function Detail(props: { decision: Decision; names: RouteNames }) {
  const { decision } = props;
  const t = useT();
  const { decisions } = t;
  const format = useFormat();
  const { matched, model } = decision;
  // If the user may not see the bot, the chat is left out.
  const chatWords = ({ target_bot_id, target_chat_id: chat }: Decision['matched'][number]) =>
    chat === 0
      ? props.names.bot(target_bot_id)
      : decisions.target(props.names.bot(target_bot_id), props.names.chat(chat));
  const wordOf = (state: string) => decisions.sends[state as keyof typeof decisions.sends] ?? state;
  return (
    <>
      {decision.asked === '' ? null : (
        <span className={rows.sub}>
          {decisions.asked(askedRoutes(decision.asked, { ...props.names, more: decisions.more }))}
        </span>
      )}
      {model ? (
        <span>
          {decisions.model(model.model || model.by, format.percent(model.confidence))}:{' '}
          {model.reason === ''
            ? props.names.say(model.failure, model.failure_detail)
            : props.names.say(model.reason, model.reason_detail)}
        </span>
      ) : null}
      <ul className={css.matches}>
        {matched.map((match, index) => (
          <li key={index}>
            <strong>
              {match.route_id === 0
                ? match.action
                : decisions.route(props.names.route(match.route_id))}
            </strong>
            {' · '}
            {props.names.say(match.reason, match.reason_detail)} →{' '}
            {match.action === 'drop' ? null : chatWords(match)}{' '}
            {match.result === 'queued' ? null : (
              <State tone={match.action === 'drop' ? 'warn' : 'bad'}>
                {props.names.say(match.result, match.result_detail)}
              </State>
            )}
            {match.sends.map((send, at) => (
              <span key={at} className={css.send}>
                <State tone={sendTones[send.state] ?? 'idle'}>{wordOf(send.state)}</State>{' '}
                {sendErrorWords(send.error, send.error_detail, t)}{' '}
                {send.state === 'failed' || send.state === 'unknown' ? (
                  <SendAgain id={send.id} botId={match.target_bot_id} state={send.state} />
                ) : null}
              </span>
            ))}
          </li>
        ))}
      </ul>
      <MessageLink
        botId={decision.bot_id}
        chatId={decision.chat_id}
        messageId={decision.message_id}
      />
    </>
  );
}
