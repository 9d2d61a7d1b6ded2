// A service wrote these databases after it had made the schema of the base by the migrations that the base replaces:
// the SQLite file itself, and the statements that make the PostgreSQL database.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import { onTestFinished } from 'vitest';
import { databaseFileName } from '../../src/store/sqlite/database-file.ts';
import { createDatabase, type Database } from '../support/database/engines.ts';

const files = { sqlite: 'sqlite-031.db.gz', postgres: 'postgres-031.sql.gz' } as const;

export function readBase(dialect: Database['dialect']): Buffer {
  return gunzipSync(readFileSync(path.join(import.meta.dirname, 'databases', files[dialect])));
}

/** Loads it for one test. */
export async function loadBase(dialect: Database['dialect']): Promise<Database> {
  const database = await createDatabase(dialect, { empty: true });
  onTestFinished(() => database.drop());
  const content = readBase(dialect);
  if (dialect === 'sqlite') {
    writeFileSync(path.join(database.dataDir, databaseFileName), content, { mode: 0o600 });
  } else {
    await onPostgres(database.databaseUrl, (client) => client.query(content.toString()));
  }
  return database;
}

export async function onPostgres<T>(url: string, work: (client: pg.Client) => Promise<T>) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

export const masterKey = 'the master key of the databases of earlier versions';
export const annaId = 980_000_000_001;

/** Both contain two bots, a route between them, and a person who wrote to the first bot and got an answer. */
export const story = {
  shop: { name: 'Tea shop', description: 'Sells tea', secret: 'a-secret-for-the-backend' },
  desk: { name: 'Stock desk' },
  lines: ['Do you have green tea?', 'And black tea?', 'What about coffee?'],
  answer: 'Always.',
  tag: 'regular',
  note: 'Likes it strong',
  keyword: 'tea',
  consumer: 'reports',
} as const;
