import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import {
  type Alert,
  type AlertChannelUse,
  alertEvents,
  alertsPerPage,
  type OpenAlert,
  openAlertsQuery,
  recordedAlertsQuery,
  resolvedAlerts,
} from '../../api/alerts.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useT } from '../../i18n/use-t.tsx';
import { AlertCauseLink } from '../../shared/alerts/alert-cause.tsx';
import { AlertDo } from '../../shared/alerts/alert-do.tsx';
import { AlertHandling, handlingWords } from '../../shared/alerts/alert-handling.tsx';
import {
  alertKey,
  alertTones,
  alertWords,
  type AnyAlert,
  paramsOf,
} from '../../shared/alerts/alert-words.ts';
import { Loaded } from '../../shared/loaded.tsx';
import { sendErrorWords } from '../../shared/error-words.ts';
import { PagedList } from '../../shared/paged-list.tsx';
import { useLostSince } from '../../shared/use-lost-since.ts';
import { useMayAddBots } from '../../shared/use-session.ts';
import { Warning } from '../../ui/feedback/warning.tsx';
import { LinkButton } from '../../ui/link-button.tsx';
import { OpeningRows } from '../../ui/lists/opening-rows.tsx';
import { RowsSkeleton } from '../../ui/page-skeleton.tsx';
import { Panel } from '../../ui/page.tsx';
import css from '../../ui/rows.module.css';
import { State, type Tone } from '../../ui/state.tsx';
import { TimeAgo, useNow } from '../../ui/text/time-ago.tsx';
import own from './alerts.module.css';
import { useChannels } from './use-channel-name.ts';

const minuteMs = 60_000;
const rounded = (ms: number) => (ms < minuteMs ? ms : Math.round(ms / minuteMs) * minuteMs);

const toldTones: Record<AlertChannelUse['state'], Tone> = {
  sending: 'idle',
  sent: 'ok',
  failed: 'bad',
  skipped: 'warn',
};

/** An alert in the list, open or resolved. */
type ListedAlert = AnyAlert & Omit<Alert, 'id' | 'text' | 'url' | 'changed_at'>;
type ListedOpen = ListedAlert & OpenAlert;

const rows = {
  leadWidth: 150,
  row: (alert: ListedAlert) => <AlertLine alert={alert} />,
  detail: (alert: ListedAlert) => <AlertDetail alert={alert} />,
};

/** Lists the open alert; its record comes seconds after it. */
function asListed(alert: OpenAlert, record: Alert | undefined): ListedOpen {
  const { channels = [], occurrences = 1 } = record ?? {};
  return { ...alert, opened_at: alert.since, resolved_at: '', channels, occurrences };
}

/** The open alerts, the most severe first and of these the oldest, each with its actions. */
export function OpenAlerts() {
  const { alerts, overview } = useT();
  const query = useQuery(openAlertsQuery);
  const { data: records } = useQuery(recordedAlertsQuery);
  const isLost = useLostSince() !== undefined;
  const { alert: asked } = useSearch({ from: '/frame/alerts' });
  return (
    <Panel flush title={alerts.openTitle}>
      <Loaded query={query} skeleton={<RowsSkeleton rows={1} />}>
        {(open) =>
          open.length === 0 ? (
            <p className={css.none}>{isLost ? overview.notKnown : alerts.noneOpen}</p>
          ) : (
            <OpeningRows
              items={open.map((alert) => asListed(alert, records?.get(alert.alert_id)))}
              {...rows}
              keyOf={alertKey}
              asked={asked}
              actions={(alert) => (
                <>
                  <AlertCauseLink alert={alert} />
                  <AlertDo alert={alert} />
                  <AlertHandling alert={alert} />
                </>
              )}
            />
          )
        }
      </Loaded>
    </Panel>
  );
}

/** Resolved alerts, newest first. */
export function ResolvedAlerts() {
  const { alerts } = useT();
  return (
    <Panel flush title={alerts.resolvedTitle} hint={alerts.resolvedHint}>
      <PagedList
        queryKey={['alerts', 'resolved']}
        meta={alertEvents}
        pageSize={alertsPerPage}
        read={resolvedAlerts}
        {...rows}
        numberOf={({ id }) => id}
        empty={<p className={css.none}>{alerts.noneResolved}</p>}
      />
    </Panel>
  );
}

function AlertLine(props: { alert: ListedAlert }) {
  const { alert } = props;
  const { channels, occurrences, opened_at, resolved_at, severity } = alert;
  const t = useT();
  const { alerts } = t;
  const format = useFormat();
  const now = useNow();
  const isOver = resolved_at !== '';
  const { nameById } = useChannels();
  const facts = [
    ...handlingWords(alert, t, format),
    ...(occurrences > 1 ? [alerts.times(occurrences)] : []),
    ...channels.map((one) => `${nameById(one.channel_id)}: ${alerts.sent[one.state]}`),
  ];
  return (
    <>
      <State tone={isOver ? 'ok' : alertTones[severity]}>
        {isOver ? alerts.resolved : alerts.severityOf[severity]}
      </State>
      <span className={css.main}>
        <span className={css.name}>
          <bdi>{paramsOf(alert).bot ?? alerts.service}</bdi>
        </span>{' '}
        {alertWords(alert, t, format, now)}
        {facts.length === 0 ? null : (
          <span className={`${css.sub} ${own.facts}`}>{facts.join(' · ')}</span>
        )}
      </span>
      <span className={css.sub}>
        <TimeAgo at={opened_at} />
      </span>
    </>
  );
}

function AlertDetail(props: { alert: ListedAlert }) {
  const { alert } = props;
  const { alerts } = useT();
  const format = useFormat();
  const isForAll = useMayAddBots();
  const { bot_id, opened_at, resolved_at, severity } = alert;
  const tookMs = Date.parse(resolved_at) - Date.parse(opened_at);
  const facts = [
    alerts.kindNames[alert.kind],
    alerts.severityOf[severity],
    `${alerts.opened} ${format.dateTime(opened_at)}`,
    ...(resolved_at === '' ? [] : [alerts.resolvedAfter(format.duration(rounded(tookMs)))]),
  ];
  return (
    <>
      <span className={css.sub}>{facts.join(' · ')}</span>
      {isForAll ? <Told alert={alert} /> : null}
      {bot_id === 0 ? null : (
        <Group gap="xs">
          <LinkButton
            to="/bots/$botId"
            params={{ botId: String(bot_id) }}
            size="compact-sm"
            variant="light"
          >
            {alerts.openBot}
          </LinkButton>
          {resolved_at === '' ? null : <AlertCauseLink alert={alert} />}
        </Group>
      )}
    </>
  );
}

/** Shows which channels were notified, and which could not be. */
function Told(props: { alert: ListedAlert }) {
  const { bot_id, channels } = props.alert;
  const t = useT();
  const { alerts } = t;
  const { find, nameById } = useChannels();
  if (channels.length === 0) return <span>{alerts.notSent}</span>;

  function insteadOf({ channel_id, used_channel_id }: AlertChannelUse): string {
    if (used_channel_id === 0) return alerts.usedNone;
    const isOwn = bot_id !== 0 && find(channel_id)?.bot_id === bot_id;
    const other = nameById(used_channel_id);
    return isOwn ? alerts.ownBot(other) : alerts.usedInstead(other);
  }
  return (
    <ul className={own.told}>
      {channels.map((one) => (
        <li key={one.channel_id}>
          <State tone={toldTones[one.state]}>
            {nameById(one.channel_id)}: {alerts.sent[one.state]}
          </State>
          {one.error === '' ? null : (
            <span className={css.sub}>{sendErrorWords(one.error, one.error_detail, t)}</span>
          )}
          {one.state === 'failed' || one.state === 'skipped' ? (
            <Warning>{insteadOf(one)}</Warning>
          ) : null}
        </li>
      ))}
    </ul>
  );
}
