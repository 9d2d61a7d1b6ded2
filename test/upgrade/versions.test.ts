import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { readSettings, toConfig } from '../../src/config.ts';
import { createLogger } from '../../src/logger.ts';
import { startService } from '../../src/main.ts';
import { raw } from '../../src/store/engine.ts';
import { baseSchema, lastCommitBeforeBase } from '../../src/store/migrations/index.ts';
import { databaseFileName } from '../../src/store/sqlite/database-file.ts';
import { version } from '../../src/version.ts';
import { command } from '../support/command.ts';
import { createDatabase, type Database, dialects } from '../support/database/engines.ts';
import { loadBase, masterKey, onPostgres } from './base-database.ts';
import { addLaterMigration } from './later-migration.ts';

const adminKey = `brs_${'v'.repeat(40)}`;
const { id: known } = addLaterMigration();
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
  it.each([
    ['start', `Start the newer version, or restore a backup of schema ${known} or older.`],
    ['bots list', 'Use the command of that version, or --url with a running service.'],
    ['secrets rotate', 'Use the command of that version, or --url with a running service.'],
  ])('is refused by "%s"', async (line, advice) => {
    const { made, env } = await database(dialect);
    await migrateFurther(made);
    const previous = { RELAY_SECRET_KEY_PREVIOUS: 'p'.repeat(40) };
    expect(await command(line.split(' '), { env: { ...env, ...previous } })).toEqual({
      code: 1,
      stdout: '',
      stderr: `bot-relay: The database has schema 9999, written by Bot Relay 9.8.7. This is Bot Relay ${version}, which supports up to schema ${known}. ${advice}\n`,
    });
  });
});

describe.each(dialects)('a database of an older version on %s', (dialect) => {
  const older = baseSchema;
  const upgrade = `bot-relay: The database has schema ${older}, and Bot Relay ${version} needs schema ${known}. Upgrade the database with "bot-relay start", or use --url with a running service.\n`;

  async function olderDatabase() {
    const made = await loadBase(dialect);
    const relayYaml = path.join(made.dataDir, 'relay.yaml');
    writeFileSync(relayYaml, 'version: 1\nbots: []\n');
    const env = { ...made.settings, RELAY_SECRET_KEY: masterKey, RELAY_SANDBOX: 'off', PORT: '0' };
    return { made, env, relayYaml };
  }

  it('is changed by no command but start', async () => {
    const { made, env, relayYaml } = await olderDatabase();
    const before = await contentOf(made);
    for (const args of [
      ['bots', 'list'],
      ['bots', 'add', '--token-stdin'],
      ['apply', '-f', relayYaml, '--dry-run'],
      ['apply', '-f', relayYaml],
      ['export'],
      ['keys', 'create', 'x', '--scope', 'read'],
      ['secrets', 'rotate'],
    ]) {
      const previous = { RELAY_SECRET_KEY_PREVIOUS: 'p'.repeat(40) };
      const tried = await command(args, { env: { ...env, ...previous }, input: '1:abc\n' });
      expect(tried, args.join(' ')).toEqual({ code: 1, stdout: '', stderr: upgrade });
    }
    const { code, stdout } = await command(['doctor'], { env });
    expect(stdout).toContain(`The database has schema ${older}, and Bot Relay ${version} needs`);
    expect(code).toBe(1);
    expect(await contentOf(made)).toEqual(before);
  });

  it('is not changed by a start without its master key', async () => {
    const { made, env } = await olderDatabase();
    const before = await contentOf(made);
    const tried = await command(['start'], { env: { ...env, RELAY_SECRET_KEY: 'w'.repeat(40) } });
    expect(tried.stderr).toMatch(/^bot-relay: The database is encrypted with another master key/);
    expect(tried).toMatchObject({ code: 1, stdout: '' });
    expect(await contentOf(made)).toEqual(before);
  });
});

describe.each(dialects)('a database of a schema before the base on %s', (dialect) => {
  const refusal = (what: string) =>
    `${what} has schema 30, and this version upgrades schema ${baseSchema} and later: upgrade it with Bot Relay at commit ${lastCommitBeforeBase} first.`;

  async function earlierDatabase() {
    const made = await loadBase(dialect);
    const forget = `delete from schema_migrations where id = ${baseSchema}`;
    if (dialect === 'postgres') {
      await onPostgres(made.databaseUrl, (client) => client.query(forget));
    } else {
      const db = new DatabaseSync(path.join(made.dataDir, databaseFileName));
      db.exec(forget);
      db.close();
    }
    const env = { ...made.settings, RELAY_SECRET_KEY: masterKey, RELAY_SANDBOX: 'off', PORT: '0' };
    return { made, env };
  }

  it('is refused by every command, which names the commit that upgrades it', async () => {
    const { made, env } = await earlierDatabase();
    const before = await contentOf(made);
    const stderr = `bot-relay: ${refusal('The database')}\n`;
    for (const args of [
      ['start'],
      ['bots', 'list'],
      ['export'],
      ['keys', 'create', 'x', '--scope', 'read'],
      ['secrets', 'rotate'],
    ]) {
      const previous = { RELAY_SECRET_KEY_PREVIOUS: 'p'.repeat(40) };
      const tried = await command(args, { env: { ...env, ...previous } });
      expect(tried, args.join(' ')).toEqual({ code: 1, stdout: '', stderr });
    }
    const { code, stdout } = await command(['doctor'], { env });
    expect(stdout).toContain(refusal('The database'));
    expect(code).toBe(1);
    expect(await contentOf(made)).toEqual(before);
  });

  it('is refused as a backup', async () => {
    const { made } = await earlierDatabase();
    if (dialect === 'postgres') {
      const env = { DATABASE_URL: made.databaseUrl };
      expect((await command(['restore', 'copy.db'], { env })).code).not.toBe(0);
      return;
    }
    const file = path.join(made.dataDir, databaseFileName);
    const elsewhere = path.join(made.dataDir, 'elsewhere');
    const expected = { code: 1, stdout: '', stderr: `bot-relay: ${refusal(file)}\n` };
    expect(await command(['restore', file], { env: { RELAY_DATA_DIR: elsewhere } })).toEqual(
      expected,
    );
    const copied = await command(['backup', path.join(made.dataDir, 'copy.db')], {
      env: { RELAY_DATA_DIR: made.dataDir },
    });
    expect(copied).toEqual(expected);
    expect(readdirSync(made.dataDir)).toEqual([databaseFileName]);
  });
});

it('a database is not changed by a start whose master.key is missing', async () => {
  const made = await loadBase('sqlite');
  const before = await contentOf(made);
  const tried = await command(['start'], {
    env: { ...made.settings, RELAY_SANDBOX: 'off', PORT: '0' },
  });
  expect(tried.stderr).toMatch(/^bot-relay: .*master/);
  expect(tried).toMatchObject({ code: 1, stdout: '' });
  expect(await contentOf(made)).toEqual(before);
  expect(readdirSync(made.dataDir).join()).not.toContain('schema-');
});

describe.each(dialects)('an empty database on %s', (dialect) => {
  async function emptyDatabase() {
    const made = await createDatabase(dialect, { empty: true });
    onTestFinished(() => made.drop());
    const env = { ...made.settings, RELAY_SECRET_KEY: masterKey, RELAY_SANDBOX: 'off' };
    return { made, env };
  }

  it('is left empty by a command that reads', async () => {
    const { made, env } = await emptyDatabase();
    const relayYaml = path.join(made.dataDir, 'relay.yaml');
    writeFileSync(relayYaml, 'version: 1\nbots: []\n');
    const listed = await command(['bots', 'list'], { env });
    expect(listed.stderr).toMatch(/^bot-relay: No Bot Relay data in .+ "bot-relay start"\.\n$/);
    expect(listed.code).toBe(1);
    const planned = await command(['apply', '-f', relayYaml, '--dry-run'], { env });
    expect(planned).toMatchObject({ code: 0, stdout: 'Nothing to change.\n' });
    expect((await command(['doctor'], { env })).stdout).toContain('created at the first start');
    if (dialect === 'postgres') expect(await contentOf(made)).toEqual([]);
  });

  it('is set up by a command that creates something', async () => {
    const { env } = await emptyDatabase();
    const created = await command(['keys', 'create', 'x', '--scope', 'read'], { env });
    expect(created).toMatchObject({ code: 0, stderr: '' });
    expect((await command(['keys', 'list'], { env })).stdout).toContain('x');
  });
});

/** Its migrations and settings, and which files are next to it. */
async function contentOf(made: Database): Promise<unknown[]> {
  const sql = 'select name from schema_migrations union all select name from settings order by 1';
  if (made.dialect === 'postgres') {
    return onPostgres(made.databaseUrl, async (client) => {
      const tables = `select tablename as name from pg_tables where schemaname = 'public'`;
      const { rows } = await client.query<{ name: string }>(tables);
      const names = rows.map(({ name }) => name);
      return names.includes('settings') ? [names, (await client.query(sql)).rows] : names;
    });
  }
  const db = new DatabaseSync(path.join(made.dataDir, databaseFileName), { readOnly: true });
  try {
    const files = readdirSync(made.dataDir).filter((name) => name.startsWith('relay.db.'));
    return [db.prepare(sql).all(), files];
  } finally {
    db.close();
  }
}

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
