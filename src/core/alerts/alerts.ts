import type { Reason } from '../reasons/reason.ts';

/** Kinds of GET /api/attention, in the order of urgency. */
export const attentionKinds = [
  'bot_refused',
  'bot_conflict',
  'bot_trouble',
  'backend_down',
  'chats_in_retry',
  'backlog',
  'dead_letters',
  'reader_failing',
  'polling_stopped',
  'unknown_sends',
  'updates_dropped',
  'route_failing',
  'route_to_disabled',
  'weak_secret',
  'webhook_moved',
  'bot_disabled',
] as const;
export type AttentionKind = (typeof attentionKinds)[number];

/** Kinds that only alerts have: about the service itself, or beyond a threshold. */
export const alertKinds = [
  ...attentionKinds,
  'app_not_seen',
  'app_rate_limited',
  'pattern_undecided',
  'reader_lag',
  'failed_sends',
  'certificate_expiring',
  'disk_low',
  'database_unreachable',
  'node_lost',
  'model_budget',
  'backup_old',
  'channel_failing',
] as const;
export type AlertKind = (typeof alertKinds)[number];

export const severities = ['info', 'warning', 'critical'] as const;
export type Severity = (typeof severities)[number];

export const severityOf: Record<AlertKind, Severity> = {
  bot_refused: 'critical',
  bot_conflict: 'critical',
  bot_trouble: 'warning',
  backend_down: 'critical',
  chats_in_retry: 'warning',
  backlog: 'warning',
  dead_letters: 'warning',
  reader_failing: 'critical',
  polling_stopped: 'warning',
  unknown_sends: 'warning',
  updates_dropped: 'warning',
  route_failing: 'warning',
  route_to_disabled: 'info',
  weak_secret: 'info',
  webhook_moved: 'info',
  bot_disabled: 'info',
  app_not_seen: 'warning',
  app_rate_limited: 'warning',
  pattern_undecided: 'warning',
  reader_lag: 'warning',
  failed_sends: 'warning',
  certificate_expiring: 'warning',
  disk_low: 'critical',
  database_unreachable: 'critical',
  node_lost: 'critical',
  model_budget: 'warning',
  backup_old: 'warning',
  channel_failing: 'warning',
};

/** The parameters of an alert's sentence. Addresses in them are masked. */
export interface AlertParams {
  /** Name of the bot. */
  bot?: string;
  count?: number;
  app?: string;
  chat_id?: number;
  reader?: string;
  /** What the service or the platform said about it. */
  why?: string;
  /** The host of a backend or a webhook, without its path. */
  host?: string;
  route_id?: number;
  target_bot_id?: number;
  minutes?: number;
  days?: number;
  free_bytes?: number;
  total_bytes?: number;
  node?: string;
  channel_id?: number;
}

/** A problem that exists at the moment. */
export interface Condition {
  kind: AlertKind;
  /** 0 for the service itself. */
  botId: number;
  /** Tells conditions of one kind and bot apart: a reader, a route, a node. */
  subject: string;
  params: AlertParams;
  /** Milliseconds since the epoch; left out where only the time of its discovery is known. */
  since?: number;
}

/** The same key for everything that is known about one condition. */
export const conditionKey = ({
  kind,
  botId,
  subject,
}: Pick<Condition, 'kind' | 'botId' | 'subject'>): string => JSON.stringify([kind, botId, subject]);

export interface AlertRecord extends Omit<Condition, 'since'> {
  id: number;
  severity: Severity;
  /** When its condition began or, for an alert that came back, when it came back. */
  openedAt: number;
  changedAt: number;
  /** 0 while it is open. */
  resolvedAt: number;
  /** How often it came back within minutes. */
  occurrences: number;
  mutedUntil: number;
  /** Grows with each change. */
  version: number;
}

export type AlertEvent = 'alert.opened' | 'alert.changed' | 'alert.resolved';

/** A condition that needs attention. */
export interface Alert {
  kind: AttentionKind;
  botId: number;
  /** The number of things that the alert is about; 0 if nothing is counted. */
  count: number;
  /** Milliseconds since the epoch, 0 if not known. */
  since: number;
  /** What the service or the platform said about it, '' when nothing. */
  text: string;
  /** The same as a code for clients, if it is a reason of the service. */
  detail?: Reason;
  /** The app that it is about; missing if it is about the bot itself. */
  app?: string;
  /** The reader that is behind or has lost something: push, pull:<name> and the like. */
  reader?: string;
  /** Why the last delivery to the backend or its last check failed. */
  reason?: string;
  reasonDetail?: Reason;
  /** Time of that failure, in milliseconds since the epoch; 0 if not known. */
  seenAt?: number;
  routeId?: number;
  /** The bot that a route leads to. */
  targetBotId?: number;
}

/** Tells alerts of one kind and bot apart. */
export const subjectOf = ({ reader, routeId }: Pick<Alert, 'reader' | 'routeId'>): string =>
  String(reader ?? routeId ?? '');
