/* What webhooks of alerts are told. */
import { webhookKey } from '../../core/delivery/webhook-signature.ts';
import type { AlertChannel } from '../../core/alerts/alert-channel.ts';
import { alertUrl } from '../../core/alerts/alert-url.ts';
import { type Alert, type AlertEvent, alertText } from '../../core/alerts/alerts.ts';
import type { Reason } from '../../core/reasons/reason.ts';
import { callWebhook, type WebhookDeps } from '../delivery/call-webhook.ts';

/** Returns the data of an event about an alert. */
export function alertData(alert: Alert, publicUrl: string) {
  const { id, kind, severity, params } = alert;
  const url = alertUrl(publicUrl, alert);
  return { id, kind, severity, bot_id: alert.botId, params, text: alertText(alert), url };
}

export function alertBody(
  type: AlertEvent,
  alert: Alert,
  publicUrl: string,
  nowMs: number,
): string {
  const timestamp = new Date(nowMs).toISOString();
  return JSON.stringify({ type, timestamp, data: alertData(alert, publicUrl) });
}

/** Makes one call; null if the other side accepted it. */
export function postAlert(
  deps: WebhookDeps,
  { url, secret }: Pick<AlertChannel, 'url' | 'secret'>,
  call: { id: string; body: string },
): Promise<Reason | null> {
  return callWebhook(deps, { url, key: webhookKey(secret) }, call);
}
