import type { ApiClient } from './api.ts';
import { type Reason, reason, reasonFrom } from './core/reasons/reason.ts';
import { type ErrorBody, type ErrorDetail, type FieldProblem, RelayError } from './errors.ts';

type Query = Record<string, string | number | boolean | undefined>;

export interface ApiRequest {
  method: 'GET' | 'POST';
  /** The path with the query. */
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
  signal: AbortSignal | undefined;
}

export interface ApiResponse {
  status: number;
  text: string;
}

export function createApiClient(
  key: string,
  exchange: (request: ApiRequest) => Promise<ApiResponse>,
): ApiClient {
  async function call(
    method: 'GET' | 'POST',
    path: string,
    query: Query = {},
    { body, idempotencyKey, signal }: Omit<PostOptions, 'query'> = {},
  ): Promise<unknown> {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) parameters.set(name, String(value));
    }
    const { status, text } = await exchange({
      method,
      path: parameters.size > 0 ? `${path}?${parameters.toString()}` : path,
      headers: {
        accept: 'application/json',
        'user-agent': 'bot-relay-cli',
        ...(key === '' ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal,
    });
    const answer = parseAnswer(status, text);
    if (status < 400) return answer;
    const { error, code, details, reason_code, params } = answer as Partial<ErrorBody>;
    const why =
      error === undefined
        ? reason('service_answered', { status })
        : reasonFrom({ code: reason_code, params, text: error });
    throw new RelayError(code ?? 'internal', why, {
      ...(details ? { details: details.map(fieldProblem) } : {}),
    });
  }

  return {
    get: (path: string, query?: Query, signal?: AbortSignal) =>
      call('GET', path, query, signal ? { signal } : {}),
    async post(path: string, options: PostOptions = {}) {
      // Check, because fields of a body that was passed directly would be dropped.
      const unknown = Object.keys(options).filter((name) => !postOptions.has(name));
      if (unknown.length > 0) {
        throw new TypeError(
          `post takes { body: {…} } or { query: {…} }, not ${unknown.join(', ')}.`,
        );
      }
      const { query, ...others } = options;
      return call('POST', path, query, others);
    },
  } as ApiClient;
}

interface PostOptions {
  query?: Query;
  body?: unknown;
  idempotencyKey?: string;
  signal?: AbortSignal;
}

const postOptions = new Set(['query', 'body', 'idempotencyKey', 'signal']);

/** No service answers at the address. */
export class ServiceUnreachable extends RelayError {
  constructor(why: Reason, cause?: unknown) {
    super('internal', why, { cause });
  }
}

function parseAnswer(status: number, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ServiceUnreachable(reason('service_not_json', { status }));
  }
}

const timeoutMs = 60_000;
/**
 * Long, because the service checks every new token with Telegram, and applies the file even if the
 * client gives up.
 */
const applyTimeoutMs = 300_000;

export function overHttp(baseUrl: string): (request: ApiRequest) => Promise<ApiResponse> {
  return async ({ method, path, headers, body, signal }) => {
    const timeout = AbortSignal.timeout(path === '/api/config/apply' ? applyTimeoutMs : timeoutMs);
    let response: Response;
    try {
      response = await fetch(`${baseUrl}${path}`, {
        method,
        headers,
        ...(body === undefined ? {} : { body }),
        redirect: 'manual',
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      });
    } catch (error) {
      signal?.throwIfAborted();
      throw new ServiceUnreachable(reason('service_silent', { url: baseUrl }), error);
    }
    return { status: response.status, text: await response.text() };
  };
}

function fieldProblem({ problem = '', reason_code, params, ...about }: ErrorDetail): FieldProblem {
  return { ...about, problem: reasonFrom({ code: reason_code, params, text: problem }) };
}
