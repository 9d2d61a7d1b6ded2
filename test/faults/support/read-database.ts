import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { databaseFileName } from '../../../src/store/sqlite/database-file.ts';
import type { Database } from '../../support/database/engines.ts';

/** Looks into a database that a service may be using. */
export async function read<Row>(database: Database, sql: string): Promise<Row[]> {
  if (database.dialect === 'sqlite') {
    const file = path.join(database.dataDir, databaseFileName);
    using db = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
    return db.prepare(sql).all() as Row[];
  }
  const client = new pg.Client({ connectionString: database.databaseUrl });
  await client.connect();
  try {
    return (await client.query(sql)).rows as Row[];
  } finally {
    await client.end();
  }
}
