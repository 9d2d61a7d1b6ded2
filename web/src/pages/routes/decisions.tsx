import { type Decision, decisionsOf } from '../../api/routing.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useT } from '../../i18n/use-t.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { FilteredPanel } from '../../ui/filtered-panel.tsx';
import { LinkButton } from '../../ui/link-button.tsx';
import { PagedList } from '../../ui/paged-list.tsx';
import rows from '../../ui/rows.module.css';
import { State, type Tone } from '../../ui/state.tsx';
import { TimeAgo } from '../../ui/time-ago.tsx';
import css from './decisions.module.css';
import type { RouteNames } from './route-names.ts';

const pageSize = 15;

/** What was decided about messages of the past, and why. */
export function Decisions(props: { names: RouteNames }) {
  const { names } = props;
  const { decisions } = useT();
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
    >
      {(outcome) => (
        <PagedList
          queryKey={['routes', 'decisions', outcome]}
          pageSize={pageSize}
          read={(before, signal) =>
            decisionsOf({ outcome, limit: pageSize, before_id: before }, signal)
          }
          numberOf={(decision) => decision.id}
          empty={<EmptyState icon="route" title={decisions.empty} hint={decisions.emptyHint} />}
          row={(decision) => <DecisionLine decision={decision} names={names} />}
          detail={(decision) => <Detail decision={decision} names={names} />}
        />
      )}
    </FilteredPanel>
  );
}

const tones: Record<string, Tone> = {
  routed: 'ok',
  returned: 'ok',
  edited: 'ok',
  deleted: 'ok',
  dropped: 'warn',
  failed: 'bad',
};

function DecisionLine(props: { decision: Decision; names: RouteNames }) {
  const { decision } = props;
  const { decisions } = useT();
  const outcome = decision.outcome as keyof typeof decisions.outcomes;
  return (
    <>
      <State tone={tones[outcome] ?? 'idle'}>{decisions.outcomes[outcome] ?? outcome}</State>
      <span className={rows.main}>
        <strong>
          <bdi>{props.names.bot(decision.bot_id)}</bdi>
        </strong>
        <span className={rows.sub}> · {props.names.say(decision.reason)}</span>
      </span>
      <span className={rows.sub}>
        <TimeAgo at={decision.created_at} />
      </span>
    </>
  );
}

function Detail(props: { decision: Decision; names: RouteNames }) {
  const { decision } = props;
  const { decisions } = useT();
  const format = useFormat();
  const { matched, model } = decision;
  const wordOf = (state: string) => decisions.sends[state as keyof typeof decisions.sends] ?? state;
  return (
    <>
      {decision.asked === '' ? null : (
        <span className={rows.sub}>{decisions.asked(routesIn(decision.asked, props.names))}</span>
      )}
      {model ? (
        <span>
          {decisions.model(model.model || model.by, format.percent(model.confidence))}:{' '}
          {props.names.say(model.reason || model.failure)}
        </span>
      ) : null}
      <ul className={css.matches}>
        {matched.map((match, index) => (
          <li key={index}>
            <strong>
              {match.route_id === 0
                ? match.action
                : decisions.route(props.names.route(match.route_id))}
            </strong>{' '}
            {props.names.say(match.reason)} →{' '}
            {match.action === 'drop'
              ? props.names.say(match.result)
              : props.names.bot(match.target_bot_id)}
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
    </>
  );
}

function routesIn(list: string, names: RouteNames): string {
  return list.replace(/\d+/g, (id) => names.route(Number(id))).replace(/,(?=\S)/g, ', ');
}
