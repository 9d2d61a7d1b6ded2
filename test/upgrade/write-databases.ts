// `npm run databases`: writes the story into a new database of each engine with the service of this
// checkout (or of the one named as the argument) and keeps both as that schema version's files.
import { fork, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import type { Migration } from '../../src/store/migrations/migration.ts';
import type { Ready } from '../support/database/postgres-keeper.ts';
import { copySqlite, dumpPostgres, writeDatabaseFile } from './database-files.ts';
import { adminKey, masterKey, tellStory } from './story.ts';

const checkout = path.resolve(process.argv[2] ?? path.join(import.meta.dirname, '../..'));
const migrationsFile = path.join(checkout, 'src/store/migrations/index.ts');
const { migrations } = (await import(pathToFileURL(migrationsFile).href)) as {
  migrations: readonly Migration[];
};
const version = migrations.at(-1)?.id ?? 0;
const folder = mkdtempSync(path.join(os.tmpdir(), 'relay-databases-'));
const keeper = fork(path.join(import.meta.dirname, '../support/database/postgres-keeper.ts'));
try {
  const { postgresUrl } = await new Promise<Ready>((resolve) => {
    keeper.once('message', (sent) => resolve(sent as Ready));
  });
  await writeStory({ RELAY_DATA_DIR: path.join(folder, 'sqlite') });
  const copy = copySqlite(path.join(folder, 'sqlite/relay.db'), path.join(folder, 'copy.db'));
  writeDatabaseFile({ dialect: 'sqlite', version }, copy);

  const url = new URL(postgresUrl);
  url.pathname = '/story';
  const client = new pg.Client({ connectionString: postgresUrl });
  await client.connect();
  await client.query('create database story');
  await client.end();
  await writeStory({ RELAY_DATA_DIR: path.join(folder, 'postgres'), DATABASE_URL: url.href });
  writeDatabaseFile({ dialect: 'postgres', version }, await dumpPostgres(url.href, migrations));
  process.stdout.write(`Wrote the databases of schema ${version}.\n`);
} finally {
  keeper.disconnect();
  rmSync(folder, { recursive: true, force: true });
}

async function writeStory(settings: Record<string, string>): Promise<void> {
  const env = {
    PATH: process.env['PATH'],
    PORT: '0',
    RELAY_SECRET_KEY: masterKey,
    RELAY_ADMIN_KEY: adminKey,
    RELAY_LOG_LEVEL: 'error',
    ...settings,
  };
  const service = spawn(process.execPath, [path.join(checkout, 'bin/bot-relay.js'), 'start'], {
    env,
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => service.once('exit', () => resolve()));
  const address = await new Promise<string>((resolve, reject) => {
    let printed = '';
    service.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
      const found = /ready at (http:\/\/\S+)\n/.exec(printed)?.[1];
      if (found) resolve(found);
    });
    void ended.then(() => reject(new Error(`the service did not start: ${printed}`)));
  });
  await tellStory(async <T>(to: string, body?: object) => {
    const answer = await fetch(address + to, {
      headers: {
        authorization: `Bearer ${adminKey}`,
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
    });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${to} answered ${answer.status}: ${text}`);
    return JSON.parse(text) as T;
  });
  service.kill('SIGTERM');
  await ended;
}
