import type {
  Alert,
  AlertAction,
  AlertKind,
  AlertParams,
  Severity,
} from '../../core/alerts/alerts.ts';

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
