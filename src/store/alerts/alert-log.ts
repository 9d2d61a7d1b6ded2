/*
 * Stores alerts: conditions with a beginning and an end.
 *
 * Invariants: a condition has one open alert, on all nodes; each change of an alert raises its
 * version; a condition that comes back within minutes continues the alert that it had.
 */
import {
  type AlertEvent,
  type AlertKind,
  type Alert,
  type Condition,
  conditionKey,
  kindOf,
  severities,
  type Severity,
  unhandled,
} from '../../core/alerts/alerts.ts';
import { type Engine, raw, type Step } from '../engine.ts';
import { wordsOf } from '../sql/dialect.ts';
import { filter, ofBots } from '../sql/filter.ts';
import { type AlertHandlingRepository, createAlertHandling } from './alert-handling.ts';
import { type AlertRow, toAlert } from './alert-row.ts';

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

export interface AlertLogRepository extends AlertHandlingRepository {
  /** Makes the open alerts match the found conditions, in one transaction; returns the changes. */
  settle(found: readonly Condition[], nowMs: number): Promise<AlertTransition[]>;
  /** Adds an alert that could not be stored while it lasted. */
  addResolved(condition: Condition, openedAt: number, resolvedAt: number): Promise<Alert>;
  list(filter: AlertFilter): Promise<Alert[]>;
  /** Returns all open alerts of these bots; null for all, and those of the service. */
  open(botIds: readonly number[] | null): Promise<Alert[]>;
  get(id: number): Promise<Alert | undefined>;
  removeResolved(beforeMs: number): Promise<void>;
}

/** A condition that comes back within this time is the same alert. */
export const flapMs = 15 * 60_000;

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
    ...createAlertHandling(engine),
    async removeResolved(beforeMs) {
      await engine.write(() =>
        raw('delete from alerts where resolved_at > 0 and resolved_at < $1', [beforeMs]),
      );
    },
  };
}
