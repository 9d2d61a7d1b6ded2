import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { databaseFileName } from '../../src/store/sqlite/database-file.ts';
import { createDatabase, type Database } from '../support/database/engines.ts';
import { type DatabaseFile, onPostgres, readDatabaseFile } from './database-files.ts';

/** The database of an earlier version, for one test. */
export async function loadDatabase(file: DatabaseFile): Promise<Database> {
  const database = await createDatabase(file.dialect, { empty: true });
  onTestFinished(() => database.drop());
  const content = readDatabaseFile(file);
  if (file.dialect === 'sqlite') {
    writeFileSync(path.join(database.dataDir, databaseFileName), content, { mode: 0o600 });
  } else {
    await onPostgres(database.databaseUrl, (client) => client.query(content.toString()));
  }
  return database;
}
