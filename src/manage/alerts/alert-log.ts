import { type Caller, requireBot } from '../../core/access/access.ts';
import type { AlertRecord } from '../../core/alerts/alerts.ts';
import { alertText } from '../../core/reasons/alert-sentences.ts';
import { alertUrl } from '../../core/alerts/alert-url.ts';
import type { AlertFilter } from '../../store/alerts/alert-log.ts';
import type { AlertMessage } from '../../store/alerts/alert-messages.ts';
import type { Store } from '../../store/store.ts';

export interface AlertView {
  alert: AlertRecord;
  text: string;
  /** '' without a public address. */
  url: string;
  /** The sent messages; only for callers who see all bots. */
  messages: AlertMessage[];
}

export interface AlertLogService {
  /** Newest first. */
  list(
    caller: Caller,
    query: Omit<AlertFilter, 'botIds'> & { botId?: number },
  ): Promise<AlertView[]>;
}

export function createAlertLogService(deps: {
  store: Pick<Store, 'alertLog' | 'alertMessages'>;
  publicUrl: string;
}): AlertLogService {
  const { alertLog, alertMessages } = deps.store;
  return {
    async list(caller, { botId, ...filter }) {
      if (botId !== undefined) requireBot(caller, botId);
      const botIds = botId === undefined ? caller.botIds : [botId];
      const alerts = await alertLog.list({ ...filter, botIds });
      const told =
        caller.botIds === null ? await alertMessages.ofAlerts(alerts.map(({ id }) => id)) : [];
      const byAlert = Map.groupBy(told, ({ alertId }) => alertId);
      return alerts.map((alert) => ({
        alert,
        text: alertText(alert),
        url: alertUrl(deps.publicUrl, alert),
        messages: byAlert.get(alert.id) ?? [],
      }));
    },
  };
}
