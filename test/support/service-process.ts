import { onTestFinished } from 'vitest';
import type { Database } from './database/engines.ts';
import { type RelayProcess, startRelay } from './relay-process.ts';

export const adminKey = `brs_${'a'.repeat(40)}`;

export interface CallOptions {
  body?: unknown;
  key?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** The service as shipped, in a separate process, with an admin key to control it. */
export interface ServiceProcess extends RelayProcess {
  request(path: string, options?: CallOptions): Promise<Response>;
  /** Calls the API and demands success. */
  call<T>(path: string, body?: unknown): Promise<T>;
  /** Kills it like a power cut: nothing is finished or reported. */
  crash(): Promise<void>;
}

/** The same, killed when the test ends. */
export async function startServiceProcess(
  database: Pick<Database, 'settings'>,
  env: Record<string, string>,
): Promise<ServiceProcess> {
  const service = await launchService(database, env);
  onTestFinished(() => service.crash());
  return service;
}

export async function launchService(
  database: Pick<Database, 'settings'>,
  env: Record<string, string>,
  options: { killed?: AbortSignal } = {},
): Promise<ServiceProcess> {
  const service = await startRelay(
    {
      ...database.settings,
      RELAY_SANDBOX: 'off',
      RELAY_ADMIN_KEY: adminKey,
      RELAY_SECRET_KEY: 'the master key of all services in these tests',
      RELAY_LOG_LEVEL: 'error',
      ...env,
    },
    options,
  );

  async function request(path: string, options: CallOptions = {}): Promise<Response> {
    const { body, key = adminKey, headers = {}, signal } = options;
    return await fetch(service.address + path, {
      headers: {
        ...(key === '' ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    });
  }

  return {
    ...service,
    request,
    async call<T>(path: string, body?: unknown) {
      const answer = await request(path, body === undefined ? {} : { body });
      const text = await answer.text();
      if (answer.status !== 200) throw new Error(`${path} gave ${answer.status}: ${text}`);
      return JSON.parse(text) as T;
    },
    crash: async () => void (await service.stop('SIGKILL')),
  };
}
