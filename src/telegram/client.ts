import { reason } from '../core/reasons/reason.ts';
import { Readable } from 'node:stream';
import { type Dispatcher, Pool } from 'undici';
import type { Clock } from '../clock.ts';
import { traced } from '../tracing.ts';
import { PlatformRefused, PlatformUnreachable, type RefusalParameters } from './errors.ts';
import type { LocalFiles } from '../core/ports.ts';
import type { Connect } from './platform-connector.ts';
import { exchange, type ExchangeAnswer } from './exchange.ts';
import { isFileParam, multipartBody } from './multipart.ts';

export interface CallOptions {
  /** The timeout of the whole call; 30 s if omitted. */
  timeoutMs?: number;
  signal?: AbortSignal | undefined;
  /** Separate connections for calls that occupy them for long. */
  dispatcher?: Dispatcher;
}

export interface PlatformFile {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** The stream must be read to its end or destroyed. */
  body: Readable;
}

export interface TelegramClient {
  /** Returns the `result` of a call. Throws PlatformRefused or PlatformUnreachable. */
  call(
    token: string,
    method: string,
    params?: Record<string, unknown>,
    options?: CallOptions,
  ): Promise<unknown>;
  /** Returns the response as Telegram wrote it. */
  callForText(
    token: string,
    method: string,
    params?: Record<string, unknown>,
    options?: CallOptions,
  ): Promise<{ result: unknown; text: string }>;
  /** Downloads a file by the `file_path` that getFile returned. */
  getFileStream(token: string, filePath: string, options?: CallOptions): Promise<PlatformFile>;
  close(): Promise<void>;
}

export interface TelegramClientOptions {
  /** Returns the Bot API's base URL for this token, without a trailing slash. */
  baseUrlFor(token: string): string;
  clock: Clock;
  /** The limit per address. */
  maxConnections?: number;
  connectTimeoutMs?: number;
  /** The files of a Bot API server in local mode. */
  localFiles?: LocalFiles;
  /** Opens connections, for example through proxies. */
  connect?: Connect;
}

const defaultTimeoutMs = 30_000;
const maxAnswerBytes = 64 * 1024 * 1024;

export function createTelegramClient(options: TelegramClientOptions): TelegramClient {
  const { clock, baseUrlFor } = options;
  const pools = new Map<string, Pool>();

  /** Files are as slow as their sender or reader, so they use separate connections. */
  function poolFor(origin: string, kind: 'calls' | 'files'): Pool {
    const name = `${kind} ${origin}`;
    let pool = pools.get(name);
    if (!pool) {
      pool = new Pool(origin, {
        connections: options.maxConnections ?? 128,
        pipelining: 1,
        // Shorter than Telegram's own timeout, so that a call rarely uses a connection that was
        // just closed.
        keepAliveTimeout: 15_000,
        connect: options.connect ?? { timeout: options.connectTimeoutMs ?? 10_000 },
        allowH2: false,
      });
      pools.set(name, pool);
    }
    return pool;
  }

  async function callForText(
    token: string,
    method: string,
    params: Record<string, unknown> = {},
    { timeoutMs = defaultTimeoutMs, signal, dispatcher }: CallOptions = {},
  ) {
    const { origin, path } = addressOf(baseUrlFor(token), `bot${token}/${method}`);
    const { contentType, body } = encode(params);
    return tracedCall(token, method, async () => {
      const answer = await exchange(
        dispatcher ?? poolFor(origin, typeof body === 'string' ? 'calls' : 'files'),
        { origin, path, method: 'POST', headers: { 'content-type': contentType }, body },
        { clock, timeoutMs, signal, maxBytes: maxAnswerBytes },
      );
      const text = answer.body.toString('utf8');
      return { text, result: readEnvelope(answer, text, token) };
    });
  }

  return {
    callForText,
    call: async (token, method, params, callOptions) =>
      (await callForText(token, method, params, callOptions)).result,
    async getFileStream(token, filePath, { signal, dispatcher } = {}) {
      const local = await options.localFiles?.open(token, filePath);
      if (local === 'not found') return { status: 404, headers: {}, body: Readable.from([]) };
      if (local) return { status: 200, headers: {}, body: local.read() };
      const safePath = filePath.split('/').map(encodeURIComponent).join('/');
      const { origin, path } = addressOf(baseUrlFor(token), `file/bot${token}/${safePath}`);
      try {
        const { statusCode, headers, body } = await (
          dispatcher ?? poolFor(origin, 'files')
        ).request({
          origin,
          path,
          method: 'GET',
          signal: signal ?? null,
        });
        return { status: statusCode, headers, body };
      } catch {
        throw new PlatformUnreachable('network', false, reason('file_not_fetched'));
      }
    },
    async close() {
      await Promise.all([...pools.values()].map((pool) => pool.destroy()));
    },
  };
}

/** Adds a span, but not for a long poll: its waiting time is not useful in a trace. */
function tracedCall<T>(token: string, method: string, call: () => Promise<T>): Promise<T> {
  if (method === 'getUpdates') return call();
  const name = /^[A-Za-z]{1,64}$/.test(method) ? method : 'method';
  return traced(`telegram ${name}`, 'client', { platform_id: Number.parseInt(token, 10) }, call);
}

function addressOf(baseUrl: string, rest: string): { origin: string; path: string } {
  const url = new URL(baseUrl);
  const folder = url.pathname.endsWith('/') ? url.pathname : `${url.pathname}/`;
  return { origin: url.origin, path: folder + rest };
}

function encode(params: Record<string, unknown>): { contentType: string; body: string | Readable } {
  if (Object.values(params).some(isFileParam)) return multipartBody(params);
  return { contentType: 'application/json', body: JSON.stringify(params) };
}

interface Envelope {
  ok?: unknown;
  result?: unknown;
  error_code?: unknown;
  description?: unknown;
  parameters?: unknown;
}

function readEnvelope(answer: ExchangeAnswer, text: string, token: string): unknown {
  let envelope: Envelope | undefined;
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === 'object' && parsed !== null) envelope = parsed;
  } catch {
    // Reported below: the server at that address is not the Bot API.
  }
  if (envelope?.ok === true && 'result' in envelope) return envelope.result;
  if (envelope?.ok !== false) {
    throw new PlatformUnreachable(
      'answer',
      true,
      reason('platform_not_bot_api', { status: answer.status }),
    );
  }
  const { error_code: code, description } = envelope;
  throw new PlatformRefused(
    Number.isInteger(code) ? (code as number) : answer.status,
    typeof description === 'string' ? description.replaceAll(token, '***') : 'no reason given',
    parametersOf(envelope.parameters, answer.headers['retry-after']),
  );
}

function parametersOf(raw: unknown, retryAfter: unknown): RefusalParameters {
  const { retry_after, migrate_to_chat_id } = (raw ?? {}) as Record<string, unknown>;
  const parameters: RefusalParameters = {};
  const wait = Number.isInteger(retry_after) ? retry_after : Number(retryAfter);
  if (Number.isInteger(wait) && (wait as number) >= 0) parameters.retry_after = wait as number;
  if (Number.isSafeInteger(migrate_to_chat_id)) {
    parameters.migrate_to_chat_id = migrate_to_chat_id as number;
  }
  return parameters;
}
