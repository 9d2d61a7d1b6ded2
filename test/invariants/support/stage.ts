import { onTestFinished } from 'vitest';
import type { DialectName } from '../../../src/store/engine.ts';
import { createDatabase, type Database } from '../../support/database/engines.ts';
import { type ServiceProcess, startServiceProcess } from '../../support/service-process.ts';
import { type HeldPlatform, startHeldPlatform } from './held-platform.ts';
import { type Sink, startSink } from './sink.ts';

/** All that surrounds a service: its database, a platform and a backend. Ends with the test. */
export interface Stage {
  database: Database;
  platform: HeldPlatform;
  sink: Sink;
  start(env?: Record<string, string>): Promise<ServiceProcess>;
}

export async function createStage(dialect: DialectName): Promise<Stage> {
  const [database, platform, sink] = await Promise.all([
    createDatabase(dialect),
    startHeldPlatform(),
    startSink(),
  ]);
  onTestFinished(async () => {
    await Promise.all([platform.close(), sink.close(), database.drop()]);
  });
  return {
    database,
    platform,
    sink,
    start: (env = {}) =>
      startServiceProcess(database, {
        TELEGRAM_API_URL: platform.url,
        RELAY_PUBLIC_URL: 'http://relay.example.com',
        ...env,
      }),
  };
}

export const addBot = (service: ServiceProcess, settings: object) =>
  service.call<{ id: number }>('/api/bots/add', settings);

/** The updates that a client gets by a poll through the gateway. */
export async function pull(
  service: ServiceProcess,
  token: string,
  offset: number,
  timeoutSeconds = 10,
): Promise<number[]> {
  const path = `/bot${token}/getUpdates?timeout=${timeoutSeconds}&offset=${offset}`;
  const answer = await service.request(path, { key: '' });
  const { result } = (await answer.json()) as { result: { update_id: number }[] };
  return result.map(({ update_id }) => update_id);
}
