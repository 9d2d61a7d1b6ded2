import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ApiResponse, Message, Update } from '@grammyjs/types';
import { onTestFinished } from 'vitest';
import type { BotRecord } from '../../sandbox/src/world/bot-records.ts';
import { createSandbox, type Sandbox, type SandboxOptions } from '../../sandbox/src/sandbox.ts';

export interface Answer<T> {
  status: number;
  headers: Headers;
  body: ApiResponse<T> & { description?: string };
}

export interface Api {
  call<T = unknown>(method: string, params?: object): Promise<Answer<T>>;
  /** The result, or an error that names the refusal. */
  ok<T = Message>(method: string, params?: object): Promise<T>;
  /** The description of the refusal. */
  refused(method: string, params?: object): Promise<string>;
}

export function apiOf(apiRoot: string, token: string): Api {
  async function call<T>(method: string, params: object = {}): Promise<Answer<T>> {
    const response = await fetch(`${apiRoot}/bot${token}/${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(params),
    });
    const body = (await response.json()) as Answer<T>['body'];
    return { status: response.status, headers: response.headers, body };
  }
  return {
    call,
    async ok<T>(method: string, params?: object) {
      const { body } = await call<T>(method, params);
      if (!body.ok) throw new Error(`${method}: ${body.description}`);
      return body.result;
    },
    async refused(method, params) {
      const { status, body } = await call(method, params);
      if (body.ok) throw new Error(`${method} succeeded: ${JSON.stringify(body.result)}`);
      if (body.error_code !== status) throw new Error('status and error_code differ');
      return body.description;
    },
  };
}

export interface Scene {
  sandbox: Sandbox;
  url: string;
  bot: BotRecord;
  api: Api;
}

/** A running sandbox with one bot; gone when the test is. */
export async function scene(
  options: SandboxOptions = {},
  bot: Parameters<Sandbox['createBot']>[0] = {},
): Promise<Scene> {
  const sandbox = createSandbox({ seed: 7, ...options });
  onTestFinished(() => sandbox.close());
  const { url } = await sandbox.listen();
  const record = sandbox.createBot({ username: 'scene_bot', ...bot });
  return { sandbox, url, bot: record, api: apiOf(url, record.token) };
}

/** Updates waiting for the bot, confirming nothing. */
export const pending = (api: Api, params: object = {}): Promise<Update[]> =>
  api.ok<Update[]>('getUpdates', params);

export interface Hit {
  update: Update;
  headers: IncomingHttpHeaders;
  respond(status: number, body?: string, headers?: Record<string, string>): void;
}

export interface Receiver {
  url: string;
  /** The next request, now or when it comes. */
  next(): Promise<Hit>;
  /** Requests that no test has taken yet. */
  waiting(): number;
}

/** A webhook whose answers the test controls. */
export async function receiver(): Promise<Receiver> {
  const hits: Hit[] = [];
  const takers: ((hit: Hit) => void)[] = [];
  const server = createServer((req: IncomingMessage, res: ServerResponse) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const hit: Hit = {
        update: JSON.parse(Buffer.concat(chunks).toString()) as Update,
        headers: req.headers,
        respond: (status, body = '', headers = {}) => res.writeHead(status, headers).end(body),
      };
      const taker = takers.shift();
      if (taker) taker(hit);
      else hits.push(hit);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    next: () => {
      const hit = hits.shift();
      return hit ? Promise.resolve(hit) : new Promise((resolve) => takers.push(resolve));
    },
    waiting: () => hits.length,
  };
}

/** Waits for a condition that something outside the test brings about. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}
