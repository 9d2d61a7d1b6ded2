import pg from 'pg';
import { expect, it, onTestFinished, vi } from 'vitest';
import { readSettings, toConfig } from '../../src/config.ts';
import { createLogger } from '../../src/logger.ts';
import { startService } from '../../src/main.ts';
import { createDatabase } from '../support/database/engines.ts';

it('the service answers, audits and follows a stored change whose follow-up failed at first', async () => {
  const database = await createDatabase('postgres');
  onTestFinished(() => database.drop());
  const env = { ...database.settings, PORT: '0', RELAY_SECRET_KEY: 'k'.repeat(40) };
  const config = toConfig(readSettings({ env, workingDir: database.dataDir }));
  const service = await startService(config, { logger: createLogger({ level: 'silent' }) });
  onTestFinished(() => service.close());
  const direct = new pg.Client({ connectionString: database.databaseUrl });
  await direct.connect();
  onTestFinished(() => direct.end());
  async function call<T>(path: string, body?: object): Promise<T> {
    const answer = await fetch(service.address + path, {
      headers: {
        authorization: `Bearer ${service.localKey}`,
        'content-type': 'application/json',
      },
      ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
    });
    const json = await answer.json();
    expect(answer.status, JSON.stringify(json)).toBe(200);
    return json as T;
  }
  const { token } = await call<{ token: string }>('/api/sandbox/bots', {});
  const { id } = await call<{ id: number }>('/api/bots/add', { token });

  await direct.query(`create function refuse() returns trigger language plpgsql as
    $$ begin raise exception 'no reader can be opened'; end $$`);
  await direct.query(
    'create trigger refuse before insert on readers for each row execute function refuse()',
  );
  await call('/api/bots/update', { id, long_poll_enabled: true });
  const [entry] = await call<{ action: string; bot_id: number }[]>('/api/adminlog?limit=1');
  expect(entry).toMatchObject({ action: 'bots.update', bot_id: id });

  await direct.query('drop trigger refuse on readers');
  await vi.waitFor(
    async () => {
      const { rows } = await direct.query('select name from readers where bot_id = $1', [id]);
      expect(rows).toEqual([{ name: 'pull:' }]);
    },
    { interval: 20 },
  );
});
