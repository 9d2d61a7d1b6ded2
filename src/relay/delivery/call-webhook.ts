/* Calls addresses that users gave, by the Standard Webhooks specification. */
import type { Dispatcher } from 'undici';
import type { Clock } from '../../clock.ts';
import { webhookSignature } from '../../core/delivery/webhook-signature.ts';
import { type Reason, verbatim } from '../../core/reasons/reason.ts';
import { unpackReason } from '../../core/reasons/stored.ts';
import { createBackend } from './backend.ts';
import { connectionWords, statusWords, timeoutWords } from './failure-words.ts';

export interface WebhookDeps {
  /** Must be guarded, because users choose the address. */
  connections: Dispatcher;
  clock: Clock;
}

const timeoutMs = 10_000;

/**
 * Makes one call; null if the other side accepted it. Redirects are not followed. Without a key, the
 * call is not signed.
 */
export async function callWebhook(
  { clock, connections }: WebhookDeps,
  { url, key }: { url: string; key: string | Buffer },
  { id, body }: { id: string; body: string },
): Promise<Reason | null> {
  const { origin, pathname, search } = new URL(url);
  const seconds = Math.floor(clock.now() / 1_000);
  try {
    const answer = await connections.request({
      origin,
      path: pathname + search,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'bot-relay',
        'webhook-id': id,
        'webhook-timestamp': String(seconds),
        ...(key.length === 0
          ? {}
          : { 'webhook-signature': webhookSignature(key, id, seconds, body) }),
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
