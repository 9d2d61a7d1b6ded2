/*
 * Stores alerts: conditions with a beginning and an end.
 *
 * Invariants: a condition has one open alert, on all nodes; each change of an alert raises its
 * version; a condition that comes back within minutes continues the alert that it had.
 */
import {
  type AlertKind,
  type Alert,
  type Condition,
  kindOf,
  severities,
  type Severity,
} from '../../core/alerts/alerts.ts';
import { type Engine, raw } from '../engine.ts';
import { wordsOf } from '../sql/dialect.ts';
import { filter, ofBots } from '../sql/filter.ts';
import { type AlertHandlingRepository, createAlertHandling } from './alert-handling.ts';
import { type AlertRow, toAlert } from './alert-row.ts';
import { type AlertTransition, settleAlerts } from './settle-alerts.ts';

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

const urgency = `case severity ${severities.map((name, at) => `when '${name}' then ${at}`).join(' ')} end`;

export function createAlertLogRepository(engine: Engine): AlertLogRepository {
  const { isIn, list } = wordsOf[engine.dialect];
  const read = async (sql: string, parameters: unknown[]) =>
    (await engine.readRaw<AlertRow>(sql, parameters)).map(toAlert);

  return {
    settle: (found, nowMs) => engine.write(() => settleAlerts(engine.dialect, found, nowMs)),
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
