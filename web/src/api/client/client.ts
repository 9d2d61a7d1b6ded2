import type { ApiClient } from '../../../../src/api.ts';
import type { Gets } from '../../../../src/api-types.ts';
import { ApiError, type ErrorAnswer, isStopped, unreachable } from './error.ts';

type Query = Record<string, string | number | boolean | undefined>;

interface PostOptions {
  query?: Query;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

let csrfToken = '';

/** The CSRF token of the session; every POST sends it. */
export function rememberCsrfToken(token: string): void {
  csrfToken = token;
}

/** The API client of the web UI: it uses the session, and responses that were requested early. */
const client = {
  get: (path: string, query?: Query, signal?: AbortSignal) =>
    call(withQuery(path, query), { ...(signal ? { signal } : {}) }),
  post(path: string, { query, body, headers: own, signal }: PostOptions = {}) {
    const headers: Record<string, string> = { ...csrfHeaders(), ...own };
    if (body !== undefined) headers['content-type'] = 'application/json';
    return call(withQuery(path, query), {
      method: 'POST',
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    });
  },
} as ApiClient;

export const { get, post } = client;

/** Like `get`, with the headers of the response. */
export async function getWithHeaders<P extends keyof Gets>(
  path: P,
  query: Gets[P] extends { query: infer Q } ? Q : Gets[P]['query'],
  signal?: AbortSignal,
): Promise<{ answer: Gets[P]['response']; headers: Headers }> {
  const found = await exchange(withQuery(path, query as Query), { ...(signal ? { signal } : {}) });
  return { ...found, answer: found.answer as Gets[P]['response'] };
}

/** For URLs that the browser itself reads, such as a picture or an export. */
export function addressOf<P extends keyof Gets>(path: P, query: Gets[P]['query']): string {
  return withQuery(path, query);
}

function withQuery(path: string, query: Query = {}): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') params.set(name, String(value));
  }
  const text = params.toString();
  return text === '' ? path : `${path}?${text}`;
}

export function csrfHeaders(): Record<string, string> {
  return { 'x-csrf-token': csrfToken };
}

async function call(url: string, init: RequestInit): Promise<unknown> {
  return (await exchange(url, init)).answer;
}

async function exchange(url: string, init: RequestInit) {
  const response = (await askedBefore(url, init)) ?? (await request(url, init));
  const answer = answerOf(response.status, await reached(response.text()));
  return { answer, headers: response.headers };
}

declare global {
  /** Responses by path that first.js requested while this code was loading; undefined if it did not. */
  var relayAsked: Map<string, Promise<Response | undefined>> | undefined;
}

/** Returns an early response. Each is used once; a failed one is requested again. */
async function askedBefore(url: string, init: RequestInit): Promise<Response | undefined> {
  const answer = init.method === undefined ? globalThis.relayAsked?.get(url) : undefined;
  globalThis.relayAsked?.delete(url);
  return answer?.catch(() => undefined);
}

/** Sends a request; it throws only if the service was not reached. */
export function request(url: string, init: RequestInit): Promise<Response> {
  return reached(fetch(url, { credentials: 'same-origin', ...init }));
}

/** Turns network errors before and during a response into one kind of error. */
export async function reached<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw isStopped(error) ? error : unreachable();
  }
}

export function answerOf(status: number, text: string): unknown {
  const answer = parse(text);
  if (status < 200 || status > 299) throw new ApiError(status, asErrorAnswer(answer, status));
  return answer;
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
