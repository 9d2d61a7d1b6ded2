/* Makes the stored alerts match the conditions that were found, in one transaction. */
import {
  type Alert,
  type AlertEvent,
  type AlertParams,
  type Condition,
  conditionKey,
  kindOf,
  unhandled,
} from '../../core/alerts/alerts.ts';
import { type DialectName, raw, type Step } from '../engine.ts';
import { wordsOf } from '../sql/dialect.ts';
import { type AlertRow, toAlert } from './alert-row.ts';

export interface AlertTransition {
  type: AlertEvent;
  alert: Alert;
}

/** A condition that comes back within this time is the same alert. */
export const flapMs = 15 * 60_000;

/** Returns the changes. */
export function* settleAlerts(
  dialect: DialectName,
  found: readonly Condition[],
  nowMs: number,
): Step<AlertTransition[]> {
  const rows = yield* raw<AlertRow>(
    `select * from alerts where resolved_at = 0 or resolved_at > $1 or muted_until > $2
     order by id ${wordsOf[dialect].lock('for update')}`,
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
    } else if (said(before.params) !== said(condition.params)) {
      const alert = yield* change(before.id, 'params = $2, changed_at = $3', [params, nowMs]);
      transitions.push({ type: 'alert.changed', alert });
    } else if (JSON.stringify(before.params) !== params) {
      yield* raw('update alerts set params = $2 where id = $1', [before.id, params]);
    }
  }
  for (const [key, { id, resolvedAt }] of known) {
    if (resolvedAt !== 0 || wrong.has(key)) continue;
    const alert = yield* change(id, 'resolved_at = $2, changed_at = $2', [nowMs]);
    transitions.push({ type: 'alert.resolved', alert });
  }
  return transitions;
}

/** What the sentence tells. Nobody is told that another message is the oldest that waits. */
const said = ({ cause: _cause, ...params }: AlertParams) => JSON.stringify(params);

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
