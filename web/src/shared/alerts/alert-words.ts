import type { Alert, AlertParams, OpenAlert, Severity } from '../../api/alerts.ts';
import type { Format } from '../../i18n/format.ts';
import type { Messages } from '../../i18n/messages.ts';
import { kindOf } from '../../api/alerts.ts';
import { seenAgo } from '../backend-words.ts';
import { sendErrorWords } from '../error-words.ts';

/** The fields that open and recorded alerts share. */
export type AnyAlert = Pick<OpenAlert, 'kind' | 'severity' | 'bot_id' | 'params' | 'seen_at'> &
  Partial<Pick<Alert, 'resolved_at'>>;

export const alertTones = {
  critical: 'bad',
  warning: 'warn',
  info: 'idle',
} as const satisfies Record<Severity, string>;

export const paramsOf = ({ params }: Pick<AnyAlert, 'params'>) => params as AlertParams;

/** Tells open alerts apart. */
export function alertKey(alert: Pick<AnyAlert, 'kind' | 'bot_id' | 'params'>): string {
  const params = paramsOf(alert);
  const { subject = 'route_id' } = kindOf(alert.kind);
  return [alert.kind, alert.bot_id, params[subject] ?? params.route_id ?? ''].join(':');
}

export const isMuted = ({ muted_until }: Pick<OpenAlert, 'muted_until'>, now = Date.now()) =>
  Date.parse(muted_until) > now;

/** Returns the name of what an alert is about: a bot, one of its apps, or the service. */
export function alertName(alert: Pick<AnyAlert, 'params'>, { alerts }: Messages): string {
  const { app, bot = alerts.service } = paramsOf(alert);
  return app === undefined ? bot : `${bot} · ${app}`;
}

/** Returns the sentence of an alert, with its cause in the user's language. */
export function alertWords(alert: AnyAlert, t: Messages, format: Format, now: number): string {
  const { kind, resolved_at = '', seen_at = '' } = alert;
  const { host = '', why: stored = '', why_detail, ...others } = paramsOf(alert);
  const why = stored === '' ? '' : sendErrorWords(stored, why_detail, t);
  const said = { ...others, why, ...(why.includes(host) ? {} : { host }) };
  if (resolved_at !== '') return t.alerts.pastSentences[kind](said);
  const tried = seenAgo(seen_at, now, format);
  const sentence = t.alerts.sentences[kind](said);
  return tried === '' ? sentence : `${sentence} ${t.alerts.lastAttempt(tried)}`;
}
