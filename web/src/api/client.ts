import { ApiError, type ErrorAnswer } from './error.ts';

type QueryValue = string | number | boolean | undefined;
export type QueryParams = Record<string, QueryValue>;

interface PostOptions {
  query?: QueryParams;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

let csrfToken = '';

/** The token of the signed-in session; every POST shows it. */
export function rememberCsrfToken(token: string): void {
  csrfToken = token;
}

export function withQuery(path: string, query: QueryParams = {}): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') params.set(name, String(value));
  }
  const text = params.toString();
  return text === '' ? path : `${path}?${text}`;
}

export function get<T>(path: string, query?: QueryParams, signal?: AbortSignal): Promise<T> {
  return call<T>(withQuery(path, query), { ...(signal ? { signal } : {}) });
}

export function post<T>(path: string, options: PostOptions = {}): Promise<T> {
  const isForm = options.body instanceof FormData;
  const headers: Record<string, string> = { 'x-csrf-token': csrfToken, ...options.headers };
  if (options.body !== undefined && !isForm) headers['content-type'] = 'application/json';
  return call<T>(withQuery(path, options.query), {
    method: 'POST',
    headers,
    ...(options.body === undefined
      ? {}
      : { body: isForm ? (options.body as FormData) : JSON.stringify(options.body) }),
    ...(options.signal ? { signal: options.signal } : {}),
  });
}

async function call<T>(url: string, init: RequestInit): Promise<T> {
  let response: Response;
  try {
    response = await fetch(url, { credentials: 'same-origin', ...init });
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ApiError(0, { error: 'The service cannot be reached.', code: 'offline' });
  }
  const text = await response.text();
  const answer = parse(text);
  if (!response.ok) throw new ApiError(response.status, asErrorAnswer(answer, response.status));
  return answer as T;
}

function parse(text: string): unknown {
  if (text === '') return {};
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function asErrorAnswer(answer: unknown, status: number): ErrorAnswer {
  if (answer !== null && typeof answer === 'object' && 'error' in answer && 'code' in answer) {
    return answer as ErrorAnswer;
  }
  return { error: `The service answered ${status}.`, code: 'internal' };
}
