import { type Reason, reason } from '../core/reasons/reason.ts';
import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { Clock } from '../clock.ts';
import { RelayError } from '../errors.ts';
import { failureText, PlatformUnreachable } from './errors.ts';

export interface ExchangeRequest {
  origin: string;
  path: string;
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  body?: string | Readable;
}

export interface ExchangeLimits {
  clock: Clock;
  /** The timeout of the whole exchange, from the wait for a connection to the last byte. */
  timeoutMs: number;
  maxBytes: number;
  signal?: AbortSignal | undefined;
}

export interface ExchangeAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/**
 * Makes one request and reads its whole response. It uses undici's dispatch directly, because only
 * there it can be observed when a request begins to be written: before that moment a failure is
 * harmless, after it the outcome is unknown. No error message here contains the path, which has the
 * token in it.
 */
export function exchange(
  dispatcher: Dispatcher,
  request: ExchangeRequest,
  limits: ExchangeLimits,
): Promise<ExchangeAnswer> {
  const { clock, timeoutMs, maxBytes, signal } = limits;
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let settled = false;
    let status = 0;
    let headers: ExchangeAnswer['headers'] = {};
    let size = 0;
    const chunks: Buffer[] = [];

    const settle = (finish: () => void) => {
      if (settled) return;
      settled = true;
      cancelTimer();
      signal?.removeEventListener('abort', onAbort);
      finish();
    };
    const fail = (kind: PlatformUnreachable['reason'], why: Reason) => {
      const error = new PlatformUnreachable(kind, controller !== undefined, why);
      settle(() => {
        reject(error);
        controller?.abort(error);
        // The request still waits for a connection but is already settled, so its files are
        // released now.
        if (!controller && typeof request.body === 'object') request.body.destroy();
      });
    };
    const onAbort = () => fail('aborted', reason('platform_called_off'));
    const cancelTimer = clock.after(timeoutMs, () =>
      fail('timeout', reason('platform_no_answer', { seconds: Math.round(timeoutMs / 1000) })),
    );
    if (signal?.aborted) {
      onAbort();
      return;
    }
    signal?.addEventListener('abort', onAbort, { once: true });

    dispatcher.dispatch(
      // Undici's timeouts are off, because the timer above covers the exchange as a whole.
      { ...request, body: request.body ?? null, headersTimeout: 0, bodyTimeout: 0 },
      {
        onRequestStart(started) {
          if (settled) started.abort(new Error('called off'));
          else controller = started;
        },
        onResponseStart(_controller, code, fields) {
          status = code;
          headers = fields;
        },
        onResponseData(_controller, chunk) {
          size += chunk.length;
          if (size > maxBytes)
            fail('answer', reason('platform_answer_too_large', { most_bytes: maxBytes }));
          else chunks.push(chunk);
        },
        onResponseEnd() {
          settle(() => resolve({ status, headers, body: Buffer.concat(chunks) }));
        },
        onResponseError(_controller, error) {
          // The body itself broke off, and Telegram cannot act on half a body.
          if (error instanceof RelayError) settle(() => reject(error));
          fail('network', reason('platform_unreachable', { cause: failureText(error) }));
        },
      },
    );
  });
}
