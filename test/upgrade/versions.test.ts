import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { readSettings, toConfig } from '../../src/config.ts';
import { createLogger } from '../../src/logger.ts';
import { startService } from '../../src/main.ts';
import { raw } from '../../src/store/engine.ts';
import { newestMigration as known } from '../../src/store/migrations/index.ts';
import { version } from '../../src/version.ts';
import { command } from '../support/command.ts';
import { createDatabase, type Database, dialects } from '../support/database/engines.ts';

const adminKey = `brs_${'v'.repeat(40)}`;
const headers = { authorization: `Bearer ${adminKey}` };

async function database(dialect: Database['dialect']) {
  const made = await createDatabase(dialect);
  onTestFinished(() => made.drop());
  const env = {
    ...made.settings,
    PORT: '0',
    RELAY_SECRET_KEY: 'a master key of more than 32 characters',
    RELAY_ADMIN_KEY: adminKey,
    RELAY_SANDBOX: 'off',
  };
  return { made, env };
}

/** As version 9.8.7 would leave it. */
async function migrateFurther(made: Database): Promise<void> {
  const engine = await made.open();
  await engine.write(function* () {
    yield* raw("insert into schema_migrations (id, name) values (9999, 'from the future')");
    yield* raw("update settings set value = '9.8.7' where name = 'schema_written_by'");
  });
  await engine.close();
}

describe.each(dialects)('a database of a newer version on %s', (dialect) => {
  it.each(['start', 'bots list', 'secrets rotate'])('is refused by "%s"', async (line) => {
    const { made, env } = await database(dialect);
    await migrateFurther(made);
    const previous = { RELAY_SECRET_KEY_PREVIOUS: 'p'.repeat(40) };
    expect(await command(line.split(' '), { env: { ...env, ...previous } })).toEqual({
      code: 1,
      stdout: '',
      stderr: `bot-relay: The database has schema 9999, written by Bot Relay 9.8.7. This is Bot Relay ${version}, which supports up to schema ${known}. Start the newer version, or restore a backup of schema ${known} or older.\n`,
    });
  });
});

it('a node that runs while a newer version migrates its database refuses everything', async () => {
  const { made, env } = await database('postgres');
  const config = toConfig(readSettings({ env, workingDir: made.dataDir }));
  const service = await startService(config, { logger: createLogger({ level: 'silent' }) });
  onTestFinished(() => service.close());
  const ask = async (path: string) => {
    const answer = await fetch(service.address + path, { headers });
    return { status: answer.status, body: (await answer.json()) as object };
  };
  expect(await ask('/api/bots')).toEqual({ status: 200, body: [] });
  await migrateFurther(made);
  const why = `A newer Bot Relay has upgraded the database to schema 9999. This node supports up to schema ${known}. Start the newer version on it.`;
  // It looks every two seconds, and stores what was in flight for two more.
  await vi.waitFor(
    async () =>
      expect(await ask('/readyz')).toMatchObject({
        body: { reasons: expect.arrayContaining([why]) as unknown },
      }),
    { interval: 100 },
  );
  const refused = { status: 503, body: { code: 'database_unavailable', error: why } };
  expect(await ask('/api/bots')).toMatchObject(refused);
  expect(await ask('/bot123:abc/getMe')).toMatchObject({ status: 503 });
  expect(await ask('/readyz')).toMatchObject({ status: 503 });
  expect(await ask('/healthz')).toMatchObject({ status: 200 });
});
