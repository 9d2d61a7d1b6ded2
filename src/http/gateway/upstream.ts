/*
 * Streams a request to Telegram and the response back: a slow side slows down the other, and
 * neither is ever held in memory as a whole.
 *
 * The path contains the token, so it must not appear in any message.
 */
import { codeOf } from '../../errors.ts';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { PassThrough, Transform } from 'node:stream';
import { type buildConnector, type Dispatcher, Pool } from 'undici';
import type { TokenMask } from './token-mask.ts';

export interface PassRequest {
  client: IncomingMessage;
  answer: ServerResponse;
  /** Headers that every response has. */
  ownHeaders: OutgoingHttpHeaders;
  /** Telegram's base URL, without a trailing slash. */
  baseUrl: string;
  /** The path below the base URL, with the query. */
  path: string;
  /** The body, if it was already read completely. */
  body: Buffer | undefined;
  /** The content type of a body that the relay wrote; undefined if it is the client's. */
  writtenType?: string | undefined;
  /** Copies a response of up to this many bytes; 0 for none. */
  copyBytes: number;
  /** The call may take as long as the client likes, so it uses a separate connection pool. */
  isTransfer: boolean;
  /** The last chunk of the request is sent when this has resolved. */
  beforeWhole?: () => Promise<void>;
  /** The client gets the response when this has resolved, unless the response is too large for a copy. */
  beforeAnswer?: (answered: Answered) => Promise<void>;
  /** A 429 is returned as `refused`, and the client gets no response. */
  withholds429: boolean;
  /** True for a download: its content is passed on unchanged, an error is not. */
  isFile: boolean;
  /** Undefined for a client that may see the bot's token. */
  mask: TokenMask | undefined;
}

/** Telegram's response, as far as the relay reads it. */
export interface Answered {
  status: number;
  retryAfter: string | undefined;
  copy: Buffer | undefined;
}

export type PassOutcome =
  | ({ kind: 'answered' } & Answered)
  /** Telegram answered 429, which the client has not seen. */
  | ({ kind: 'refused' } & Answered)
  /** Nothing reached Telegram, and the client has no response yet. */
  | { kind: 'unreachable'; code: string }
  /** The request was written and no response came; the client has no response yet. */
  | { kind: 'unknown'; code: string }
  /** The client disconnected, or the response was cut off. */
  | { kind: 'broken' };

export interface Upstream {
  pass(request: PassRequest): Promise<PassOutcome>;
  close(): Promise<void>;
}

const requestHeaders = [
  'content-type',
  'content-encoding',
  'accept',
  'user-agent',
  'range',
  'if-range',
  'if-none-match',
  'if-modified-since',
];
// Telegram's headers about the content. Other headers do not apply to this service's address.
const answerHeaders = [
  'content-type',
  'content-length',
  'content-encoding',
  'content-disposition',
  'content-range',
  'accept-ranges',
  'cache-control',
  'etag',
  'expires',
  'last-modified',
  'retry-after',
];

const refusalBytes = 4_096;

export function createUpstream(
  options: { maxConnections?: number; connect?: buildConnector.connector } = {},
): Upstream {
  const pools = new Map<string, Pool>();

  function poolFor(origin: string, kind: string): Pool {
    const name = `${kind} ${origin}`;
    let pool = pools.get(name);
    if (!pool) {
      pool = new Pool(origin, {
        connections: options.maxConnections ?? 256,
        pipelining: 1,
        // Shorter than Telegram's own timeout, so that a call rarely uses a connection that was
        // just closed.
        keepAliveTimeout: 15_000,
        connect: options.connect ?? { timeout: 10_000 },
        headersTimeout: 300_000,
        bodyTimeout: 300_000,
        allowH2: false,
      });
      pools.set(name, pool);
    }
    return pool;
  }

  return {
    pass(request) {
      const { origin, pathname } = new URL(request.baseUrl);
      const path = (pathname === '/' ? '' : pathname) + request.path;
      const pool = poolFor(origin, request.isTransfer ? 'transfers' : 'calls');
      return pass(pool, path, request);
    },
    async close() {
      await Promise.all([...pools.values()].map((pool) => pool.destroy()));
    },
  };
}

function pass(pool: Pool, path: string, request: PassRequest): Promise<PassOutcome> {
  const { client, answer, copyBytes, mask } = request;
  const body = bodyFor(request);
  return new Promise((resolve) => {
    let controller: Dispatcher.DispatchController | undefined;
    let status = 0;
    let retryAfter: string | undefined;
    let copied = 0;
    let copy: Buffer[] | undefined = copyBytes > 0 ? [] : undefined;
    let hiding: ReturnType<TokenMask['hideInStream']> | undefined;
    let over = false;
    let isWithheld = false;

    const finish = (outcome: PassOutcome): void => {
      if (over) return;
      over = true;
      answer.off('close', onClose);
      // Read the rest of the body, because an unread body would keep the connection busy.
      if (body instanceof Transform) client.unpipe(body).resume();
      resolve(outcome);
    };
    const onClose = (): void => {
      finish({ kind: 'broken' });
      controller?.abort(new Error('the client went away'));
    };
    answer.once('close', onClose);
    /** The part of a delayed response that the client has not received yet. */
    let held: { status: number; headers: OutgoingHttpHeaders; chunks: Buffer[] } | undefined;
    const release = (): void => {
      if (!held) return;
      const { status: code, headers, chunks } = held;
      held = undefined;
      answer.writeHead(code, headers);
      for (const chunk of chunks) answer.write(chunk);
    };

    const dispatch = () =>
      pool.dispatch(
        {
          path,
          method: request.writtenType ? 'POST' : (client.method as Dispatcher.HttpMethod),
          headers: headersFor(request),
          body,
        },
        {
          onRequestStart(started) {
            controller = started;
            if (over) started.abort(new Error('the client went away'));
          },
          onResponseStart(responding, code, headers) {
            if (over || code < 200) return;
            if (mask && (!request.isFile || code >= 400)) hiding = mask.hideInStream();
            if (hiding && (headers['content-encoding'] ?? 'identity') !== 'identity') {
              // The relay did not ask for this encoding and cannot mask the token in it.
              finish({ kind: 'unknown', code: 'content-encoding' });
              responding.abort(new Error('the answer is encoded'));
              return;
            }
            status = code;
            const after = headers['retry-after'];
            if (typeof after === 'string') retryAfter = after;
            if (code === 429 && request.withholds429) {
              isWithheld = true;
              copy ??= [];
              return;
            }
            const shown = pick(headers, mask);
            if (hiding && !mask?.keepsLength) delete shown['content-length'];
            held = { status: code, headers: { ...request.ownHeaders, ...shown }, chunks: [] };
            if (!request.beforeAnswer) release();
          },
          onResponseData(responding, chunk) {
            if (over) return;
            if (copy) {
              copied += chunk.length;
              if (copied > (isWithheld ? refusalBytes : copyBytes)) copy = undefined;
              else copy.push(chunk);
            }
            if (isWithheld) return;
            const shown = hiding ? hiding.push(chunk) : chunk;
            if (held && copy) {
              held.chunks.push(shown);
              return;
            }
            release();
            if (shown.length === 0 || answer.write(shown)) return;
            responding.pause();
            answer.once('drain', () => responding.resume());
          },
          onResponseEnd() {
            if (over) return;
            const answered = { status, retryAfter, copy: copy && Buffer.concat(copy) };
            if (isWithheld) {
              finish({ kind: 'refused', ...answered });
              return;
            }
            const end = (): void => {
              release();
              answer.end(hiding?.end());
              finish({ kind: 'answered', ...answered });
            };
            if (!held || !request.beforeAnswer) {
              end();
              return;
            }
            // From here on, the result is the same if the client disconnects.
            answer.off('close', onClose);
            void request.beforeAnswer(answered).finally(end);
          },
          onResponseError(_controller, error) {
            if (over) return;
            if (isWithheld) {
              finish({ kind: 'refused', status, retryAfter, copy: undefined });
              return;
            }
            if (status !== 0) {
              release();
              // The client has part of an answer already: closing the connection is the only way to report the failure.
              finish({ kind: 'broken' });
              answer.destroy();
              return;
            }
            const kind = controller ? 'unknown' : 'unreachable';
            finish({ kind, code: codeOf(error) });
          },
        },
      );
    // A streamed body waits for `beforeWhole` at its end.
    const ready = body instanceof Transform ? undefined : request.beforeWhole?.();
    if (ready) void ready.then(() => (over ? undefined : dispatch()));
    else dispatch();
  });
}

function headersFor({
  client,
  body,
  writtenType,
  copyBytes,
  mask,
}: PassRequest): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of requestHeaders) {
    const value = client.headers[name];
    if (typeof value === 'string') headers[name] = value;
  }
  if (writtenType !== undefined) {
    headers['content-type'] = writtenType;
    delete headers['content-encoding'];
  }
  const length = client.headers['content-length'];
  if (body === undefined && length !== undefined) headers['content-length'] = length;
  // A copied response must not be compressed.
  const encoding = client.headers['accept-encoding'];
  if (mask) headers['accept-encoding'] = 'identity';
  else if (copyBytes === 0 && typeof encoding === 'string') headers['accept-encoding'] = encoding;
  return headers;
}

function bodyFor({ client, body, beforeWhole }: PassRequest): Buffer | Transform | null {
  if (body) return body.length > 0 ? body : null;
  const { 'content-length': length, 'transfer-encoding': encoding } = client.headers;
  if (encoding === undefined && (length === undefined || length === '0')) return null;
  // If the request were passed directly, it would be destroyed with its socket when Telegram fails,
  // and the client would get no response.
  return client.pipe(beforeWhole ? holdingLast(beforeWhole) : new PassThrough());
}

/** Passes chunks on, but holds the last one until `before` has resolved. */
function holdingLast(before: () => Promise<void>): Transform {
  let last: Buffer | undefined;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const earlier = last;
      last = chunk;
      done(null, earlier);
    },
    flush(done) {
      void before().finally(() => done(null, last));
    },
  });
}

function pick(
  headers: Record<string, string | string[] | undefined>,
  mask: TokenMask | undefined,
): OutgoingHttpHeaders {
  const picked: OutgoingHttpHeaders = {};
  for (const name of answerHeaders) {
    const value = headers[name];
    if (value !== undefined) picked[name] = mask ? mask.hide(String(value)) : value;
  }
  return picked;
}
