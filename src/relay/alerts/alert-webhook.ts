/* Calls webhooks of alerts, by the Standard Webhooks specification. */
import type { Dispatcher } from 'undici';
import type { Clock } from '../../clock.ts';
import { webhookKey, webhookSignature } from '../../core/delivery/webhook-signature.ts';
import type { AlertChannel } from '../../core/alerts/alert-channel.ts';
import { alertUrl } from '../../core/alerts/alert-url.ts';
import { type Alert, type AlertEvent, alertText } from '../../core/alerts/alerts.ts';
import { type Reason, verbatim } from '../../core/reasons/reason.ts';
import { unpackReason } from '../../core/reasons/stored.ts';
import { createBackend } from '../delivery/backend.ts';
import { connectionWords, statusWords, timeoutWords } from '../delivery/failure-words.ts';

const timeoutMs = 10_000;

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

/** Makes one call; null if the other side accepted it. Redirects are not followed. */
export async function postAlert(
  deps: { connections: Dispatcher; clock: Clock },
  { url, secret }: Pick<AlertChannel, 'url' | 'secret'>,
  { id, body }: { id: string; body: string },
): Promise<Reason | null> {
  const { origin, pathname, search } = new URL(url);
  const seconds = Math.floor(deps.clock.now() / 1_000);
  try {
    const answer = await deps.connections.request({
      origin,
      path: pathname + search,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'bot-relay',
        'webhook-id': id,
        'webhook-timestamp': String(seconds),
        'webhook-signature': webhookSignature(webhookKey(secret), id, seconds, body),
      },
      body,
      signal: AbortSignal.timeout(timeoutMs),
    });
    const { statusCode } = answer;
    // Only the status matters; the rest is read within the same time only to keep the connection.
    void answer.body.dump({ limit: 64 * 1024 }).catch(() => {});
    return statusCode >= 200 && statusCode < 300 ? null : asReason(statusWords(statusCode));
  } catch (error) {
    const isLate = (error as Error).name === 'TimeoutError';
    const { host } = createBackend(url, '');
    return asReason(isLate ? timeoutWords(timeoutMs) : connectionWords(error, host));
  }
}

function asReason(stored: string): Reason {
  const { detail, text } = unpackReason(stored);
  return detail ?? verbatim(text);
}
