/*
 * Passes a request on to the platform and its answer back, both as streams: a slow side slows the
 * other down, and neither is ever held as a whole.
 *
 * The path has the token in it, so it must not get into any message.
 */
import { codeOf } from '../../errors.ts';
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { type Dispatcher, Pool } from 'undici';

export interface PassRequest {
  client: IncomingMessage;
  answer: ServerResponse;
  /** Headers that our own answer carries whatever the platform says. */
  ownHeaders: OutgoingHttpHeaders;
  /** Where the platform is, without a trailing slash. */
  baseUrl: string;
  /** Below the base, with the query. */
  path: string;
  /** What was read of the body already, when all of it was. */
  body: Buffer | undefined;
  /** Keeps a copy of an answer of up to this many bytes; 0 for none. */
  copyBytes: number;
  /** It lasts as long as the client likes: it takes no connection from those that are quick. */
  isTransfer: boolean;
}

export type PassOutcome =
  | { kind: 'answered'; status: number; retryAfter: string | undefined; copy: Buffer | undefined }
  /** Nothing of it reached the platform, and the client was told nothing yet. */
  | { kind: 'unreachable'; code: string }
  /** It was written and no answer came; the client was told nothing yet. */
  | { kind: 'unknown'; code: string }
  /** The client went away, or the answer broke off half-way. */
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
// What the platform says about the content. Nothing else of it is meant for our own address.
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

export function createUpstream(options: { maxConnections?: number } = {}): Upstream {
  const pools = new Map<string, Pool>();

  function poolFor(origin: string, kind: string): Pool {
    const name = `${kind} ${origin}`;
    let pool = pools.get(name);
    if (!pool) {
      pool = new Pool(origin, {
        connections: options.maxConnections ?? 256,
        pipelining: 1,
        // Shorter than the platform's own, so that a call rarely meets a connection just closed.
        keepAliveTimeout: 15_000,
        connect: { timeout: 10_000 },
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
  const { client, answer, copyBytes } = request;
  const body = bodyFor(request);
  return new Promise((resolve) => {
    let controller: Dispatcher.DispatchController | undefined;
    let status = 0;
    let retryAfter: string | undefined;
    let copied = 0;
    let copy: Buffer[] | undefined = copyBytes > 0 ? [] : undefined;
    let over = false;

    const finish = (outcome: PassOutcome): void => {
      if (over) return;
      over = true;
      answer.off('close', onClose);
      // What the platform did not take runs out here: unread, it would keep the connection busy.
      if (body instanceof PassThrough) client.unpipe(body).resume();
      resolve(outcome);
    };
    const onClose = (): void => {
      finish({ kind: 'broken' });
      controller?.abort(new Error('the client went away'));
    };
    answer.once('close', onClose);

    pool.dispatch(
      {
        path,
        method: client.method as Dispatcher.HttpMethod,
        headers: headersFor(request),
        body,
      },
      {
        onRequestStart(started) {
          controller = started;
          if (over) started.abort(new Error('the client went away'));
        },
        onResponseStart(_controller, code, headers) {
          if (over || code < 200) return;
          status = code;
          const after = headers['retry-after'];
          if (typeof after === 'string') retryAfter = after;
          answer.writeHead(code, { ...request.ownHeaders, ...pick(headers) });
        },
        onResponseData(responding, chunk) {
          if (over) return;
          if (copy) {
            copied += chunk.length;
            if (copied > copyBytes) copy = undefined;
            else copy.push(chunk);
          }
          if (answer.write(chunk)) return;
          responding.pause();
          answer.once('drain', () => responding.resume());
        },
        onResponseEnd() {
          if (over) return;
          answer.end();
          finish({ kind: 'answered', status, retryAfter, copy: copy && Buffer.concat(copy) });
        },
        onResponseError(_controller, error) {
          if (over) return;
          if (status !== 0) {
            // The client has the beginning of an answer: breaking off is the only way to say no.
            finish({ kind: 'broken' });
            answer.destroy();
            return;
          }
          const kind = controller ? 'unknown' : 'unreachable';
          finish({ kind, code: codeOf(error) });
        },
      },
    );
  });
}

function headersFor({ client, body, copyBytes }: PassRequest): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of requestHeaders) {
    const value = client.headers[name];
    if (typeof value === 'string') headers[name] = value;
  }
  const length = client.headers['content-length'];
  if (body === undefined && length !== undefined) headers['content-length'] = length;
  // An answer that is read here as well has to be readable.
  const encoding = client.headers['accept-encoding'];
  if (copyBytes === 0 && typeof encoding === 'string') headers['accept-encoding'] = encoding;
  return headers;
}

function bodyFor({ client, body }: PassRequest): Buffer | PassThrough | null {
  if (body) return body.length > 0 ? body : null;
  const { 'content-length': length, 'transfer-encoding': encoding } = client.headers;
  if (encoding === undefined && (length === undefined || length === '0')) return null;
  // Handed over itself, the request would be destroyed with its socket when the platform fails, and
  // the client would never learn why.
  return client.pipe(new PassThrough());
}

function pick(headers: Record<string, string | string[] | undefined>): OutgoingHttpHeaders {
  const picked: OutgoingHttpHeaders = {};
  for (const name of answerHeaders) {
    if (headers[name] !== undefined) picked[name] = headers[name];
  }
  return picked;
}
