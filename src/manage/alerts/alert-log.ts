import { type Caller, requireBot } from '../../core/access/access.ts';
import {
  type Alert,
  alertText,
  byUrgency,
  type Condition,
  conditionKey,
  kindOf,
} from '../../core/alerts/alerts.ts';
import { alertUrl } from '../../core/alerts/alert-url.ts';
import type { AlertFilter } from '../../store/alerts/alert-log.ts';
import type { AlertMessage } from '../../store/alerts/alert-message-row.ts';
import type { Store } from '../../store/store.ts';

export interface AlertView {
  alert: Alert;
  text: string;
  /** '' without a public address. */
  url: string;
  /** The sent messages; only for callers who see all bots. */
  messages: AlertMessage[];
}

/** A condition, with its alert once that is recorded. */
export interface OpenAlert extends Condition {
  alert?: Alert;
}

export interface AlertLogService {
  /** Newest first. */
  list(
    caller: Caller,
    query: Omit<AlertFilter, 'botIds'> & { botId?: number },
  ): Promise<AlertView[]>;
  /** What is wrong at the moment, the most severe first. */
  open(caller: Caller): Promise<OpenAlert[]>;
}

export function createAlertLogService(deps: {
  store: Pick<Store, 'alertLog' | 'alertMessages'>;
  /** Finds the conditions of live kinds. */
  findLive(botIds: readonly number[] | null): Promise<Condition[]>;
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
    async open({ botIds }) {
      const [live, recorded] = await Promise.all([deps.findLive(botIds), alertLog.open(botIds)]);
      const alertOf = new Map(recorded.map((alert) => [conditionKey(alert), alert]));
      const watched = recorded.filter(({ kind }) => kindOf(kind).found === 'watched');
      /** Callers who see the alert about the disabled bot get none for its routes. */
      const isCaused = ({ kind, params: { target_bot_id: target = 0 } }: Condition) =>
        kind === 'route_to_disabled' && (botIds === null || botIds.includes(target));
      return [...live, ...watched]
        .filter((condition) => !isCaused(condition))
        .map((condition) => {
          const alert = alertOf.get(conditionKey(condition));
          // The time of a condition may change while it lasts, such as that of the oldest waiting
          // update, so the recorded start wins.
          return { ...condition, ...(alert ? { alert, since: alert.openedAt } : {}) };
        })
        .toSorted(byUrgency);
    },
  };
}
