/*
 * Stores alerts: conditions with a beginning and an end.
 *
 * Invariants: a condition has one open alert, on all nodes; each change of an alert raises its
 * version; a condition that comes back within minutes continues the alert that it had.
 */
import {
  type AlertAction,
  type AlertEvent,
  type AlertKind,
  type AlertParams,
  type Alert,
  type Condition,
  conditionKey,
  kindOf,
  kindsWith,
  severities,
  type Severity,
  unhandled,
} from '../../core/alerts/alerts.ts';
import { defaultApp } from '../../core/apps/app.ts';
import { type Engine, raw, type Step } from '../engine.ts';
import { wordsOf } from '../sql/dialect.ts';
import { filter, ofBots } from '../sql/filter.ts';

export interface AlertTransition {
  type: AlertEvent;
  alert: Alert;
}

export interface AlertFilter {
  /** Null for all alerts, including those of the service. */
  botIds: readonly number[] | null;
  state?: 'open' | 'resolved';
  /** All kinds if left out or empty. */
  kinds?: readonly AlertKind[];
  minSeverity?: Severity;
  /** Orders by severity first, then newest first. */
  isBySeverity?: boolean;
  beforeId?: number;
  limit: number;
}

export interface AlertLogRepository {
  /** Makes the open alerts match the found conditions, in one transaction; returns the changes. */
  settle(found: readonly Condition[], nowMs: number): Promise<AlertTransition[]>;
  /** Adds an alert that could not be stored while it lasted. */
  addResolved(condition: Condition, openedAt: number, resolvedAt: number): Promise<Alert>;
  list(filter: AlertFilter): Promise<Alert[]>;
  /** Returns all open alerts of these bots; null for all, and those of the service. */
  open(botIds: readonly number[] | null): Promise<Alert[]>;
  get(id: number): Promise<Alert | undefined>;
  /** Mutes an open alert until then; 0 ends that. Undefined if it is not open. */
  mute(id: number, untilMs: number, by: string): Promise<Alert | undefined>;
  /** If somebody else acknowledged it before, their name stays. Undefined if it is not open. */
  acknowledge(id: number, by: string, nowMs: number): Promise<Alert | undefined>;
  /** Takes the acknowledgement back, whose ever it is. Undefined if it is not open. */
  takeBack(id: number): Promise<Alert | undefined>;
  /** Records an action on the open alerts that it helps with; returns these. */
  acted(what: TakenAction, nowMs: number): Promise<Alert[]>;
  removeResolved(beforeMs: number): Promise<void>;
}

export interface TakenAction {
  action: AlertAction;
  /** The bot that the alert is about, or the target bot of its route. */
  botId: number;
  /** The app to whose backend updates were sent again. */
  app?: string;
  by: string;
}

export interface AlertRow {
  id: number;
  kind: string;
  bot_id: number;
  subject: string;
  severity: string;
  params: string;
  opened_at: number;
  changed_at: number;
  resolved_at: number;
  occurrences: number;
  muted_until: number;
  muted_by: string;
  acknowledged_by: string;
  acknowledged_at: number;
  acted: string;
  acted_by: string;
  acted_at: number;
  version: number;
}

/** A condition that comes back within this time is the same alert. */
export const flapMs = 15 * 60_000;

export function toAlert(row: AlertRow): Alert {
  return {
    id: row.id,
    kind: row.kind as AlertKind,
    botId: row.bot_id,
    subject: row.subject,
    severity: row.severity as Severity,
    params: JSON.parse(row.params) as AlertParams,
    openedAt: row.opened_at,
    changedAt: row.changed_at,
    resolvedAt: row.resolved_at,
    occurrences: row.occurrences,
    mutedUntil: row.muted_until,
    mutedBy: row.muted_by,
    acknowledgedBy: row.acknowledged_by,
    acknowledgedAt: row.acknowledged_at,
    acted: row.acted as AlertAction | '',
    actedBy: row.acted_by,
    actedAt: row.acted_at,
    version: row.version,
  };
}

const urgency = `case severity ${severities.map((name, at) => `when '${name}' then ${at}`).join(' ')} end`;

export function createAlertLogRepository(engine: Engine): AlertLogRepository {
  const { isIn, list, lock } = wordsOf[engine.dialect];
  const read = async (sql: string, parameters: unknown[]) =>
    (await engine.readRaw<AlertRow>(sql, parameters)).map(toAlert);

  function* change(id: number, set: string, values: unknown[]): Step<Alert> {
    const [row] = yield* raw<AlertRow>(
      `update alerts set ${set}, version = version + 1 where id = $1 returning *`,
      [id, ...values],
    );
    return toAlert(row as AlertRow);
  }

  function* open(
    { kind, botId, subject, params, since }: Condition,
    { mutedBy, mutedUntil }: Pick<Alert, 'mutedBy' | 'mutedUntil'>,
    nowMs: number,
  ): Step<Alert | undefined> {
    const [row] = yield* raw<AlertRow>(
      `insert into alerts (kind, bot_id, subject, severity, params, opened_at, changed_at, muted_until, muted_by)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict do nothing returning *`,
      [
        kind,
        botId,
        subject,
        kindOf(kind).severity,
        JSON.stringify(params),
        // The clocks of nodes differ a little.
        Math.min(since ?? nowMs, nowMs),
        nowMs,
        mutedUntil,
        mutedBy,
      ],
    );
    return row && toAlert(row);
  }

  function* settle(found: readonly Condition[], nowMs: number): Step<AlertTransition[]> {
    const rows = yield* raw<AlertRow>(
      `select * from alerts where resolved_at = 0 or resolved_at > $1 or muted_until > $2
       order by id ${lock('for update')}`,
      [nowMs - flapMs, nowMs],
    );
    // If a key occurs more than once, the newest alert counts.
    const known = new Map(rows.map(toAlert).map((alert) => [conditionKey(alert), alert]));
    const transitions: AlertTransition[] = [];
    const wrong = new Set<string>();
    for (const condition of found) {
      const key = conditionKey(condition);
      if (wrong.has(key)) continue;
      wrong.add(key);
      const before = known.get(key);
      const params = JSON.stringify(condition.params);
      if (!before || (before.resolvedAt !== 0 && before.resolvedAt <= nowMs - flapMs)) {
        const alert = yield* open(condition, before ?? unhandled, nowMs);
        if (alert) transitions.push({ type: 'alert.opened', alert });
      } else if (before.resolvedAt !== 0) {
        const set = `params = $2, opened_at = $3, changed_at = $3, resolved_at = 0,
          occurrences = occurrences + 1, acknowledged_by = '', acknowledged_at = 0, acted = '',
          acted_by = '', acted_at = 0`;
        const alert = yield* change(before.id, set, [params, nowMs]);
        transitions.push({ type: 'alert.opened', alert });
      } else if (JSON.stringify(before.params) !== params) {
        const alert = yield* change(before.id, 'params = $2, changed_at = $3', [params, nowMs]);
        transitions.push({ type: 'alert.changed', alert });
      }
    }
    for (const [key, { id, resolvedAt }] of known) {
      if (resolvedAt !== 0 || wrong.has(key)) continue;
      const alert = yield* change(id, 'resolved_at = $2, changed_at = $2', [nowMs]);
      transitions.push({ type: 'alert.resolved', alert });
    }
    return transitions;
  }

  /** Changes an open alert on behalf of a person. */
  async function handle(id: number, set: string, values: unknown[]): Promise<Alert | undefined> {
    const [row] = await engine.write(() =>
      raw<AlertRow>(`update alerts set ${set} where id = $1 and resolved_at = 0 returning *`, [
        id,
        ...values,
      ]),
    );
    return row && toAlert(row);
  }

  return {
    settle: (found, nowMs) => engine.write(() => settle(found, nowMs)),
    async addResolved({ kind, botId, subject, params }, openedAt, resolvedAt) {
      const [row] = await engine.write(() =>
        raw<AlertRow>(
          `insert into alerts (kind, bot_id, subject, severity, params, opened_at, changed_at, resolved_at)
           values ($1, $2, $3, $4, $5, $6, $7, $7) returning *`,
          [
            kind,
            botId,
            subject,
            kindOf(kind).severity,
            JSON.stringify(params),
            openedAt,
            resolvedAt,
          ],
        ),
      );
      return toAlert(row as AlertRow);
    },
    async list({ botIds, state, kinds = [], minSeverity = 'info', isBySeverity, beforeId, limit }) {
      if (botIds?.length === 0) return [];
      const least = severities.indexOf(minSeverity);
      const { where, parameters } = filter([
        ofBots(engine.dialect, botIds),
        state !== undefined && [state === 'open' ? 'resolved_at = 0' : 'resolved_at > 0'],
        beforeId !== undefined && ['id < ?', beforeId],
        kinds.length > 0 && [isIn('kind', '?', 'text'), list(kinds)],
        least > 0 && [isIn('severity', '?', 'text'), list(severities.slice(least))],
      ]);
      const order = isBySeverity ? `${urgency} desc, id desc` : 'id desc';
      return read(
        `select * from alerts ${where} order by ${order} limit $${parameters.push(limit)}`,
        parameters,
      );
    },
    async open(botIds) {
      if (botIds?.length === 0) return [];
      const { where, parameters } = filter([['resolved_at = 0'], ofBots(engine.dialect, botIds)]);
      return read(`select * from alerts ${where} order by id`, parameters);
    },
    get: async (id) => (await read('select * from alerts where id = $1', [id]))[0],
    mute: (id, untilMs, by) =>
      handle(id, 'muted_until = $2, muted_by = $3', [untilMs, untilMs === 0 ? '' : by]),
    acknowledge: (id, by, nowMs) =>
      handle(
        id,
        `acknowledged_by = case acknowledged_at when 0 then $2 else acknowledged_by end,
         acknowledged_at = case acknowledged_at when 0 then $3 else acknowledged_at end,
         version = version + case acknowledged_at when 0 then 1 else 0 end`,
        [by, nowMs],
      ),
    takeBack: (id) =>
      handle(id, `acknowledged_by = '', acknowledged_at = 0, version = version + 1`, []),
    acted: ({ action, app, botId, by }, nowMs) =>
      engine.write(function* () {
        const open = yield* raw<AlertRow>(
          `select * from alerts where resolved_at = 0 and ${isIn('kind', '$1', 'text')}`,
          [list(kindsWith(action))],
        );
        const helped = open.map(toAlert).filter((alert) => {
          const { app: ofApp = defaultApp, target_bot_id: target = alert.botId } = alert.params;
          return target === botId && (app === undefined || ofApp === app);
        });
        const rows = yield* raw<AlertRow>(
          `update alerts set acted = $2, acted_by = $3, acted_at = $4
           where ${isIn('id', '$1')} returning *`,
          [list(helped.map(({ id }) => id)), action, by, nowMs],
        );
        return rows.map(toAlert);
      }),
    async removeResolved(beforeMs) {
      await engine.write(() =>
        raw('delete from alerts where resolved_at > 0 and resolved_at < $1', [beforeMs]),
      );
    },
  };
}
