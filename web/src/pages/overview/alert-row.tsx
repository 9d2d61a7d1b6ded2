import { CloseButton, Tooltip } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { botName } from '../../api/bots.ts';
import type { Alert } from '../../api/operation.ts';
import type { Bot } from '../../api/client/types.ts';
import { readerName, storedName } from '../../api/readers.ts';
import type { Messages } from '../../i18n/messages.ts';
import { reasonWords } from '../../i18n/reasons.ts';
import type { Format } from '../../i18n/format.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useT } from '../../i18n/use-t.tsx';
import { AlertDo, alertLink } from '../../shared/alerts/alert-do.tsx';
import { sendErrorWords } from '../../shared/error-words.ts';
import { isAnswer, seenAgo } from '../../shared/backend-words.ts';
import { hostOf } from '../../ui/text/host-of.ts';
import { Icon, type IconName } from '../../ui/icon.tsx';
import { TimeAgo, useNow } from '../../ui/text/time-ago.tsx';
import { toneOf } from './alert-tone.ts';
import css from './overview.module.css';

type Kind = Alert['kind'];

const icons: Record<Kind, IconName> = {
  bot_refused: 'key',
  bot_conflict: 'group',
  bot_trouble: 'warn',
  backend_down: 'bolt',
  chats_in_retry: 'pause',
  backlog: 'up',
  dead_letters: 'file',
  reader_failing: 'warn',
  polling_stopped: 'down',
  unknown_sends: 'send',
  updates_dropped: 'trash',
  route_failing: 'route',
  route_to_disabled: 'route',
  weak_secret: 'key',
  webhook_moved: 'info',
  bot_disabled: 'pause',
};

/** Alerts that do not resolve automatically and may need no action: they can be dismissed. */
const canBeDismissed = new Set<Kind>([
  'unknown_sends',
  'updates_dropped',
  'route_failing',
  'weak_secret',
  'webhook_moved',
  'bot_disabled',
]);

export function AlertRow(props: {
  alert: Alert;
  bot: Bot | undefined;
  target: Bot | undefined;
  onDismiss: () => void;
}) {
  const { bot, alert } = props;
  const t = useT();
  const format = useFormat();
  const now = useNow();
  const ofBot = bot ? botName(bot) : `#${alert.bot_id}`;
  const name = alert.app === undefined ? ofBot : `${ofBot} · ${alert.app}`;
  const target = props.target ? botName(props.target) : `#${alert.target_bot_id ?? 0}`;
  return (
    <li data-kind={alert.kind}>
      <span className={css.todoMark} data-tone={toneOf(alert.kind, bot)}>
        <Icon name={icons[alert.kind]} size={17} />
      </span>
      <div className={css.todoText}>
        <Link {...alertLink(alert)} className={css.todoName}>
          {name}
        </Link>
        <div className={css.todoWhy}>
          {alertText(alert, target, t, format, now)}
          {alert.since === '' ? null : (
            <div className={css.todoSince}>
              {t.overview.began} <TimeAgo at={alert.since} />
            </div>
          )}
        </div>
      </div>
      <div className={css.todoDo}>
        <AlertDo alert={alert} name={name} />
        {canBeDismissed.has(alert.kind) ? (
          <Tooltip label={t.overview.dismiss}>
            <CloseButton
              size="sm"
              aria-label={t.common.labelled(t.overview.dismiss, name)}
              onClick={props.onDismiss}
            />
          </Tooltip>
        ) : null}
      </div>
    </li>
  );
}

function alertText(alert: Alert, target: string, t: Messages, format: Format, now: number): string {
  const { alerts } = t.overview;
  const { count } = alert;
  switch (alert.kind) {
    case 'bot_refused':
    case 'bot_conflict':
    case 'bot_trouble':
      return reasonWords(alert.text, alert.text_detail, t.reasons);
    case 'backend_down':
    case 'chats_in_retry':
      return backendWords(alert, t, format, now);
    case 'backlog':
      return alerts.backlog(count);
    case 'dead_letters':
      return alerts.deadLetters(count);
    case 'reader_failing':
      return alerts.readerFailing(alert.reader ?? '', alert.text, count);
    case 'polling_stopped': {
      const consumer = consumerOf(alert.reader ?? '');
      return consumer === ''
        ? alerts.pollingStopped(count)
        : alerts.appStoppedPolling(consumer, count);
    }
    case 'unknown_sends':
      return alerts.unknownSends(count);
    case 'updates_dropped':
      return alerts.updatesDropped(alert.reader ?? '', count);
    case 'route_failing':
      return alerts.routeFailing(target, sendErrorWords(alert.text, alert.text_detail, t), count);
    case 'route_to_disabled':
      return alerts.routeToDisabled(target);
    case 'weak_secret':
      return alerts.weakSecret;
    case 'webhook_moved':
      return alerts.webhookMoved;
    default:
      return alert.count === 0 ? alerts.disabled : alerts.disabledRoutes(count);
  }
}

/** Returns the name of the consumer; '' without one. */
function consumerOf(reader: string): string {
  const stored = storedName(reader);
  return stored === undefined ? reader : readerName(stored);
}

/** Returns the backend's last result, its cause, the backlog and the last attempt. */
function backendWords(alert: Alert, t: Messages, format: Format, now: number): string {
  const { backendDown, backendRejects, chatsRejected } = t.overview.alerts;
  const { kind, reason = '', reason_detail: detail, seen_at = '' } = alert;
  const say =
    kind === 'chats_in_retry' ? chatsRejected : isAnswer(detail) ? backendRejects : backendDown;
  const why = reason === '' ? '' : reasonWords(reason, detail, t.reasons);
  const host = hostOf(alert.text);
  return say(why.includes(host) ? '' : host, why, alert.count, seenAgo(seen_at, now, format));
}
