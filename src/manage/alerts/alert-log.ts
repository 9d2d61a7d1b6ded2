import type { Clock } from '../../clock.ts';
import { type Caller, callerName, requireBot, requireEveryBot } from '../../core/access/access.ts';
import {
  type Alert,
  alertText,
  bySeverityAndAge,
  type Condition,
  conditionKey,
  kindOf,
} from '../../core/alerts/alerts.ts';
import { alertUrl } from '../../core/alerts/alert-url.ts';
import { reason } from '../../core/reasons/reason.ts';
import { RelayError } from '../../errors.ts';
import type { TakenAction } from '../../store/alerts/alert-handling.ts';
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
  /** What is wrong at the moment: the most severe first, then what lasts longest. */
  open(caller: Caller): Promise<OpenAlert[]>;
  /** If somebody else acknowledged it before, their name stays. */
  acknowledge(caller: Caller, id: number, isAcknowledged: boolean): Promise<AlertView>;
  /** Channels are told nothing new about it for so many minutes; 0 ends that. */
  mute(caller: Caller, id: number, minutes: number): Promise<AlertView>;
  /** Records on open alerts that the caller did something about them. */
  acted(caller: Caller, what: Omit<TakenAction, 'by'>): Promise<void>;
}

const minuteMs = 60_000;

export function createAlertLogService(deps: {
  store: Pick<Store, 'alertLog' | 'alertMessages'>;
  /** Finds the conditions of live kinds. */
  findLive(botIds: readonly number[] | null): Promise<Condition[]>;
  publicUrl: string;
  clock: Pick<Clock, 'now'>;
  /** Tells others that somebody took care of an alert. */
  onHandled(alert: Alert): void;
}): AlertLogService {
  const { clock } = deps;
  const { alertLog, alertMessages } = deps.store;

  const viewOf = (alert: Alert, messages: AlertMessage[] = []): AlertView => ({
    alert,
    text: alertText(alert),
    url: alertUrl(deps.publicUrl, alert),
    messages,
  });

  async function handle(
    caller: Caller,
    id: number,
    change: (by: string) => Promise<Alert | undefined>,
  ): Promise<AlertView> {
    const known = await alertLog.get(id);
    if (known?.botId === 0) requireEveryBot(caller);
    else if (known) requireBot(caller, known.botId);
    const alert = known && (await change(callerName(caller)));
    if (!alert) throw new RelayError('not_found', reason('no_open_alert', { alert_id: id }));
    deps.onHandled(alert);
    return viewOf(alert, caller.botIds === null ? await alertMessages.ofAlerts([id]) : []);
  }

  return {
    acknowledge: (caller, id, isAcknowledged) =>
      handle(caller, id, (by) =>
        isAcknowledged ? alertLog.acknowledge(id, by, clock.now()) : alertLog.takeBack(id),
      ),
    mute: (caller, id, minutes) =>
      handle(caller, id, (by) =>
        alertLog.mute(id, minutes === 0 ? 0 : clock.now() + minutes * minuteMs, by),
      ),
    async acted(caller, what) {
      const by = callerName(caller);
      for (const alert of await alertLog.acted({ ...what, by }, clock.now())) deps.onHandled(alert);
    },
    async list(caller, { botId, ...filter }) {
      if (botId !== undefined) requireBot(caller, botId);
      const botIds = botId === undefined ? caller.botIds : [botId];
      const alerts = await alertLog.list({ ...filter, botIds });
      const told =
        caller.botIds === null ? await alertMessages.ofAlerts(alerts.map(({ id }) => id)) : [];
      const byAlert = Map.groupBy(told, ({ alertId }) => alertId);
      return alerts.map((alert) => viewOf(alert, byAlert.get(alert.id)));
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
        .toSorted(bySeverityAndAge);
    },
  };
}
