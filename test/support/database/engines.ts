import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { inject } from 'vitest';
import type { DialectName, Engine } from '../../../src/store/engine.ts';
import { openPostgres } from '../../../src/store/postgres/engine.ts';
import { databaseFileName } from '../../../src/store/sqlite/database-file.ts';
import { openSqlite } from '../../../src/store/sqlite/engine.ts';
import type { Ready } from './postgres-keeper.ts';
import { serverAt } from './postgres-databases.ts';

/** A new, empty database; `open` may be called again to see what survived. */
export interface Database {
  dialect: DialectName;
  /** The settings for a service to use it. */
  settings: { RELAY_DATA_DIR: string; DATABASE_URL?: string };
  dataDir: string;
  databaseUrl: string;
  open(): Promise<Engine>;
  drop(): Promise<void>;
}

export const dialects: readonly DialectName[] = ['sqlite', 'postgres'];

/** For tests of code above the store: SQLite in `npm test`, PostgreSQL in `npm run test:slow`. */
export const eitherDialect: readonly DialectName[] = [
  process.env['TEST_DIALECT'] === 'postgres' ? 'postgres' : 'sqlite',
];

/** Where empty databases with the present schema come from. */
export type DatabaseSource = Pick<Ready, 'postgresUrl' | 'sqliteTemplate'>;

let known: Promise<string> | undefined;

/** The address of the PostgreSQL of this run. */
export function postgresUrl(): Promise<string> {
  known ??= fetch(inject('postgresAt')).then((response) => response.text());
  return known;
}

/** With the present schema; `empty` without any, for tests of the migrations themselves. */
export async function createDatabase(
  dialect: DialectName,
  options: { empty?: boolean; source?: DatabaseSource } = {},
): Promise<Database> {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'relay-data-'));
  const removeDataDir = () => rmSync(dataDir, { recursive: true, force: true });
  if (dialect === 'sqlite') {
    if (!options.empty) {
      const template = options.source?.sqliteTemplate ?? inject('sqliteTemplate');
      copyFileSync(template, path.join(dataDir, databaseFileName));
    }
    return {
      dialect,
      dataDir,
      databaseUrl: '',
      settings: { RELAY_DATA_DIR: dataDir },
      open: () => openSqlite(dataDir),
      drop: async () => removeDataDir(),
    };
  }
  const url = options.source?.postgresUrl ?? (await postgresUrl());
  const server = serverAt(url);
  const name = await (options.empty ? server.create('') : server.takeCopy());
  const databaseUrl = Object.assign(new URL(url), { pathname: `/${name}` }).href;
  return {
    dialect,
    dataDir,
    databaseUrl,
    settings: { RELAY_DATA_DIR: dataDir, DATABASE_URL: databaseUrl },
    open: () => openPostgres(databaseUrl),
    drop: async () => {
      server.drop(name);
      removeDataDir();
    },
  };
}
