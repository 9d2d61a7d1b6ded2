import type { Bot } from '../../../api/client/types.ts';
import { useFormat } from '../../../i18n/use-format.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { alertKey, alertWords } from '../../../shared/alerts/alert-words.ts';
import { useOpenAlerts } from '../../../shared/alerts/use-open-alerts.ts';
import { conditionOf } from '../../../shared/bot-condition.ts';
import { useMay } from '../../../shared/use-session.ts';
import { lazyPart } from '../../../ui/feedback/lazy-dialog.tsx';
import { useNow } from '../../../ui/text/time-ago.tsx';
import css from '../chats.module.css';

const AlertDo = lazyPart(async () => (await import('../../../shared/alerts/alert-do.tsx')).AlertDo);

/** Says in a chat that the backend of its bot is down, so that its messages wait. */
export function BackendDown(props: { bot: Bot }) {
  const { bot } = props;
  const t = useT();
  const format = useFormat();
  const now = useNow(60_000);
  const { data: alerts = [] } = useOpenAlerts();
  const seesAlerts = useMay('bots', 'read');
  const down = alerts.filter(({ bot_id, kind }) => kind === 'backend_down' && bot_id === bot.id);
  if (!seesAlerts && bot.proxy_enabled && conditionOf(bot) === 'backendDown') {
    return (
      <div className={css.notice} role="status">
        {t.inbox.backendDown}
      </div>
    );
  }
  return down.map((alert) => (
    <div key={alertKey(alert)} className={css.notice} role="status">
      <span>{alertWords(alert, t, format, now)}</span>
      <AlertDo alert={alert} />
    </div>
  ));
}
