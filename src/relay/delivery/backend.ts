import type { Dispatcher } from 'undici';
import { webhookId, webhookSignature } from '../../core/delivery/webhook-signature.ts';

/** Holds the address of a bot's updates, and builds each request. */
export interface Backend {
  url: string;
  secretToken: string;
  /** Host and port are all that may be shown of the address, as the path may hold a secret. */
  host: string;
  request(update: {
    botId: number;
    position: number;
    raw: string;
    replay: boolean;
    nowMs: number;
    /** Names and values alternate. */
    traceHeaders?: readonly string[];
  }): Dispatcher.DispatchOptions;
  /** A request that only checks whether the backend is reachable. */
  head: Dispatcher.RequestOptions;
}

export function createBackend(url: string, secretToken: string): Backend {
  const { origin, pathname, search, host, port, protocol } = new URL(url);
  const path = pathname + search;
  const sender = ['user-agent', 'bot-relay'];
  if (secretToken !== '') sender.push('x-telegram-bot-api-secret-token', secretToken);
  const fixed = ['content-type', 'application/json', ...sender];

  return {
    url,
    secretToken,
    head: { origin, path, method: 'HEAD', headers: sender },
    host: port === '' ? `${host}:${protocol === 'https:' ? 443 : 80}` : host,
    request({ botId, position, raw, replay, nowMs, traceHeaders }) {
      const id = webhookId(botId, position);
      const seconds = Math.floor(nowMs / 1_000);
      const headers = [...fixed, 'webhook-id', id, 'webhook-timestamp', String(seconds)];
      if (secretToken !== '') {
        headers.push('webhook-signature', webhookSignature(secretToken, id, seconds, raw));
      }
      if (replay) headers.push('x-bot-relay-replay', 'true');
      if (traceHeaders) headers.push(...traceHeaders);
      // undici sets no timeouts, because the pusher checks all deliveries with one timer.
      return {
        origin,
        path,
        method: 'POST',
        headers,
        body: raw,
        headersTimeout: 0,
        bodyTimeout: 0,
      };
    },
  };
}
