import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { migrations } from '../../../src/store/migrations/index.ts';
import { databaseFileName } from '../../../src/store/sqlite/database-file.ts';
import type { Database } from './engines.ts';

/** Makes an empty database one of an earlier schema, and runs statements in it. */
export async function fillEarlier(
  database: Database,
  schema: number,
  statements: Iterable<string>,
): Promise<void> {
  const all = [...made(database.dialect, schema), ...statements];
  if (database.dialect === 'sqlite') {
    const db = new DatabaseSync(path.join(database.dataDir, databaseFileName));
    for (const sql of all) db.exec(sql);
    db.close();
    return;
  }
  const client = new pg.Client({ connectionString: database.databaseUrl });
  await client.connect();
  for (const sql of ['begin', ...all, 'commit']) await client.query(sql);
  await client.end();
}

function* made(dialect: Database['dialect'], schema: number): Generator<string> {
  yield 'create table schema_migrations (id integer primary key, name text not null)';
  for (const migration of migrations.filter(({ id }) => id <= schema)) {
    yield* migration.up(dialect);
    yield `insert into schema_migrations (id, name) values (${migration.id}, '${migration.name}')`;
  }
}
