import { useFormat } from '../../../i18n/use-format.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { AlertDo } from '../../../shared/alerts/alert-do.tsx';
import { alertKey, alertWords } from '../../../shared/alerts/alert-words.ts';
import { useOpenAlerts } from '../../../shared/alerts/use-open-alerts.ts';
import { useNow } from '../../../ui/text/time-ago.tsx';
import css from '../chats.module.css';

/** Says in a chat that the backend of its bot is down, so that its messages wait. */
export function BackendDown(props: { botId: number }) {
  const t = useT();
  const format = useFormat();
  const now = useNow(60_000);
  const { data: alerts = [] } = useOpenAlerts();
  const down = alerts.filter(
    ({ bot_id, kind }) => kind === 'backend_down' && bot_id === props.botId,
  );
  return down.map((alert) => (
    <div key={alertKey(alert)} className={css.notice} role="status">
      <span>{alertWords(alert, t, format, now)}</span>
      <AlertDo alert={alert} />
    </div>
  ));
}
