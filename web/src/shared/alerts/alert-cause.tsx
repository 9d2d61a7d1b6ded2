import { kindOf } from '../../api/alerts.ts';
import { useT } from '../../i18n/use-t.tsx';
import { LinkButton } from '../../ui/link-button.tsx';
import { useMay } from '../use-session.ts';
import { alertName, type AnyAlert, paramsOf } from './alert-words.ts';

/**
 * Leads to the message behind an alert and what became of it. An update without a message has a row
 * in Deliveries or in the log, and of a send that failed only the chat may be known.
 */
export function AlertCauseLink(props: { alert: AnyAlert }) {
  const { alert } = props;
  const t = useT();
  const { alerts, common } = t;
  const mayReadChats = useMay('chats', 'read');
  const { app, cause, reader = 'push' } = paramsOf(alert);
  if (!cause) return null;
  const { bot_id, chat_id, message_id, position } = cause;
  const name = alertName(alert, t);
  const look = (label: string) =>
    ({
      size: 'compact-sm',
      variant: 'default',
      'aria-label': common.labelled(label, name),
      children: label,
    }) as const;
  const params = { botId: String(bot_id) };
  if (mayReadChats && chat_id !== 0) {
    const shown = message_id === 0 ? {} : { message: message_id, timeline: message_id };
    return (
      <LinkButton
        to="/chats/$botId/$chatId"
        params={{ ...params, chatId: String(chat_id) }}
        search={shown}
        {...look(message_id === 0 ? alerts.showChat : common.showMessage)}
      />
    );
  }
  if (position === 0) return null;
  const isBackend = kindOf(alert.kind).page === 'deliveries' && reader.startsWith('push');
  const search = isBackend
    ? ({ tab: 'deliveries', update: position, ...(app === undefined ? {} : { app }) } as const)
    : ({ tab: 'log' } as const);
  return (
    <LinkButton to="/bots/$botId" params={params} search={search} {...look(alerts.showUpdate)} />
  );
}
