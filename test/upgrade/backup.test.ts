import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readSettings, toConfig } from '../../src/config.ts';
import { createLogger } from '../../src/logger.ts';
import { startService } from '../../src/main.ts';
import { backUpBeforeMigration } from '../../src/manage/service/backup.ts';
import { baseSchema as schema } from '../../src/store/migrations/index.ts';
import { databaseFileName, readSchema } from '../../src/store/sqlite/database-file.ts';
import { openSqlite } from '../../src/store/sqlite/engine.ts';
import { command } from '../support/command.ts';
import { temporaryFolder } from '../support/relay-process.ts';
import { masterKey, readBase, story } from './base-database.ts';
import { addLaterMigration } from './later-migration.ts';

const { id: newest } = addLaterMigration();
const backupName = /^relay\.db\.schema-31-\d{8}T\d{6}Z$/;

/** A data directory with the database of an earlier version. */
function earlierData(): {
  dataDir: string;
  file: string;
  env: Record<string, string>;
} {
  const folder = temporaryFolder();
  onTestFinished(() => folder.remove());
  const dataDir = path.join(folder.path, 'data');
  mkdirSync(dataDir, { mode: 0o700 });
  const file = path.join(dataDir, databaseFileName);
  writeFileSync(file, readBase('sqlite'), { mode: 0o600 });
  const env = {
    PORT: '0',
    RELAY_DATA_DIR: dataDir,
    RELAY_SECRET_KEY: masterKey,
    RELAY_SANDBOX: 'off',
  };
  return { dataDir, file, env };
}

/** Starts the service and stops it again; what it told the person who started it. */
async function startOnce(env: Record<string, string>): Promise<string[]> {
  const lines: string[] = [];
  const config = toConfig(readSettings({ env, workingDir: env['RELAY_DATA_DIR'] ?? '' }));
  const logger = createLogger({ level: 'silent' });
  const service = await startService(config, { logger, announce: (line) => lines.push(line) });
  await service.close();
  return lines;
}

const backupsIn = (dataDir: string) =>
  readdirSync(dataDir).filter((name) => name.startsWith('relay.db.'));

/** Its rows are in the write-ahead log only, as after a crash. */
function writeUnmoved(file: string): DatabaseSync {
  const db = new DatabaseSync(file);
  db.exec(`pragma journal_mode = wal; pragma wal_autocheckpoint = 0;
    insert into settings (name, value) values ('latest', 'in the log')`);
  return db;
}

const settingsIn = (file: string) => columnOf(file, 'settings', 'name');

function columnOf(file: string, table: string, column: string): unknown[] {
  // Leaves nothing next to it.
  const db = new DatabaseSync(`file:${file}?immutable=1`, { readOnly: true });
  try {
    return db
      .prepare(`select ${column} as value from ${table}`)
      .all()
      .map((row) => row['value']);
  } finally {
    db.close();
  }
}

describe('the backup before a migration', () => {
  it('is complete, for the owner alone, named in the output, and restores', async () => {
    const { dataDir, file, env } = earlierData();
    const db = writeUnmoved(file);
    expect(statSync(`${file}-wal`).size).toBeGreaterThan(0);
    const lines = await startOnce(env);
    const listed = await command(['bots', 'list', '--json'], { env });
    expect(JSON.parse(listed.stdout)).toMatchObject([
      { name: story.shop.name },
      { name: story.desk.name },
    ]);

    const [name = ''] = backupsIn(dataDir);
    expect(name).toMatch(backupName);
    const backup = path.join(dataDir, name);
    expect(lines).toContain(
      `Backed up the database to ${backup} before upgrading it from schema 31.`,
    );
    expect(statSync(backup).mode & 0o777).toBe(0o600);
    expect(readSchema(backup)).toBe(schema);
    expect(settingsIn(backup)).toContain('latest');

    expect((await startOnce(env)).join()).not.toContain('Backed up');
    expect(backupsIn(dataDir)).toEqual([name]);
    db.close();
    expect((await command(['restore', backup, '--force'], { env })).code).toBe(0);
    expect(readSchema(file)).toBe(schema);
    expect((await startOnce(env)).join()).toContain('before upgrading it from schema 31.');
  });

  it('has the schema before, and what is upgraded has the same messages', async () => {
    const { dataDir, file } = earlierData();
    const backups: string[] = [];
    const engine = await openSqlite(dataDir, {
      async beforeMigration({ schema: found }) {
        backups.push(await backUpBeforeMigration(dataDir, { schema: found, now: new Date(0) }));
      },
    });
    await engine.close();
    expect(readSchema(file)).toBe(newest);
    expect(backups.map(readSchema)).toEqual([schema]);
    const texts = [file, ...backups].map((one) => columnOf(one, 'messages', 'text').sort());
    expect(texts[0]).toEqual(expect.arrayContaining([...story.lines, story.answer]));
    expect(texts.at(-1)).toEqual(texts[0]);
  });

  it('is not made of a new database', async () => {
    const folder = temporaryFolder();
    onTestFinished(() => folder.remove());
    const env = { RELAY_DATA_DIR: path.join(folder.path, 'data'), RELAY_SANDBOX: 'off' };
    const made = await command(['keys', 'create', 'first', '--scope', 'read'], { env });
    expect(made).toMatchObject({ code: 0, stderr: '' });
    expect(backupsIn(env.RELAY_DATA_DIR)).toEqual([]);
  });

  it('stays with the two before it, and nothing else is deleted', async () => {
    const { dataDir } = earlierData();
    const others = ['relay.db.before-20200101T000000Z', 'relay.db.schema-31-mine'];
    for (const name of others) writeFileSync(path.join(dataDir, name), '');
    // Of a later schema, restored meanwhile: the time counts.
    writeFileSync(path.join(dataDir, 'relay.db.schema-99-20200101T000000Z'), '');
    const made: string[] = [];
    for (const day of [1, 2, 3, 4]) {
      const now = new Date(Date.UTC(2026, 0, day));
      made.push(path.basename(await backUpBeforeMigration(dataDir, { schema, now })));
    }
    expect(backupsIn(dataDir).sort()).toEqual([...others, ...made.slice(1)].sort());
  });

  it('needs room: without it nothing is changed', async () => {
    const { dataDir } = earlierData();
    await expect(
      backUpBeforeMigration(dataDir, { schema, now: new Date(0), freeBytes: () => 1_000_000 }),
    ).rejects.toThrow(
      `needs 18 MB in ${dataDir}, where 1 MB are free. Nothing was changed. Free some space`,
    );
    expect(backupsIn(dataDir)).toEqual([]);
  });

  it('must succeed before anything is changed', async () => {
    const { dataDir, file, env } = earlierData();
    const db = new DatabaseSync(file);
    const page = db.prepare("select rootpage from sqlite_master where name = 'tags'").get();
    db.close();
    const damaged = readFileSync(file);
    const from = (Number(page?.['rootpage']) - 1) * 4_096;
    writeFileSync(file, damaged.fill(0xff, from, from + 4_096));
    const tried = await command(['start'], { env });
    expect(tried).toMatchObject({ code: 1, stdout: '' });
    expect(tried.stderr).toMatch(/could not be written \(.+\)\. Nothing was changed\.\n$/);
    expect(backupsIn(dataDir)).toEqual([]);
    expect(existsSync(file)).toBe(true);
    const left = new DatabaseSync(file, { readOnly: true });
    onTestFinished(() => left.close());
    expect(left.prepare('select max(id) as id from schema_migrations').get()).toEqual({
      id: schema,
    });
  });
});
