// One file for each engine and schema version: the SQLite database itself, and the statements that
// make the PostgreSQL one.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import type { DialectName } from '../../src/store/engine.ts';
import type { Migration } from '../../src/store/migrations/migration.ts';

const folder = path.join(import.meta.dirname, 'databases');
const endings = { sqlite: 'db.gz', postgres: 'sql.gz' } as const;

export interface DatabaseFile {
  dialect: DialectName;
  version: number;
}

export function databaseFiles(): DatabaseFile[] {
  return readdirSync(folder)
    .sort()
    .map((name) => {
      const [, dialect, version] = /^(sqlite|postgres)-(\d{3})\./.exec(name) ?? [];
      if (!dialect) throw new Error(`test/upgrade/databases/${name} is not named as a database`);
      return { dialect: dialect as DialectName, version: Number(version) };
    });
}

export function readDatabaseFile(file: DatabaseFile): Buffer {
  return gunzipSync(readFileSync(pathOf(file)));
}

export function writeDatabaseFile(file: DatabaseFile, content: Buffer | string): void {
  writeFileSync(pathOf(file), gzipSync(content, { level: 9 }));
}

function pathOf({ dialect, version }: DatabaseFile): string {
  return path.join(folder, `${dialect}-${String(version).padStart(3, '0')}.${endings[dialect]}`);
}

/** A whole copy without free pages. */
export function copySqlite(from: string, to: string): Buffer {
  const db = new DatabaseSync(from);
  try {
    db.prepare('vacuum into ?').run(to);
  } finally {
    db.close();
  }
  return readFileSync(to);
}

/** The statements of the migrations, then every row, with triggers and references off. */
export async function dumpPostgres(url: string, migrations: readonly Migration[]): Promise<string> {
  return onPostgres(url, async (client) => {
    const lines = ['create table schema_migrations (id integer primary key, name text not null)'];
    for (const migration of migrations) lines.push(...migration.up('postgres'));
    lines.push(`set session_replication_role = replica`);
    for (const table of await tables(client)) lines.push(...(await rows(client, table)));
    lines.push(`set session_replication_role = origin`);
    return lines.map((line) => `${line};\n`).join('');
  });
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

async function tables(client: pg.Client): Promise<string[]> {
  const found = await client.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public' order by tablename`,
  );
  return found.rows.map(({ name }) => name);
}

async function rows(client: pg.Client, table: string): Promise<string[]> {
  const { rows: columns } = await client.query<{ name: string; identity: boolean }>(
    `select column_name as name, is_identity = 'YES' as identity from information_schema.columns
     where table_schema = 'public' and table_name = $1 and is_generated = 'NEVER'
     order by ordinal_position`,
    [table],
  );
  const names = columns.map(({ name }) => `"${name}"`);
  const values = names.map((name) => `quote_nullable(${name}::text)`).join(` || ', ' || `);
  const found = await client.query<{ line: string }>(
    `select ${values} as line from "${table}" order by 1`,
  );
  const lines = found.rows.map(
    ({ line }) => `insert into "${table}" (${names.join(', ')}) values (${line})`,
  );
  for (const { name, identity } of columns) {
    if (!identity || lines.length === 0) continue;
    lines.push(
      `select setval(pg_get_serial_sequence('"${table}"', '${name}'), (select max("${name}") from "${table}"))`,
    );
  }
  return lines;
}
