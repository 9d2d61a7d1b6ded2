// Asks a PostgreSQL server of a benchmark for what it did, and creates databases there.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';

export async function ask(url: string, sql: string): Promise<Record<string, string>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows[0] ?? {};
  } finally {
    await client.end();
  }
}

export async function createDatabase(server: string, name: string): Promise<string> {
  await ask(server, `create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

export async function commitsOf(url: string): Promise<number> {
  const sql = 'select xact_commit as n from pg_stat_database where datname = current_database()';
  return Number((await ask(url, sql))['n']);
}

/** Sums up all processes of the server, including those that ended. */
export function databaseSeconds(postmaster: number): number {
  let hundredths = 0;
  for (const pid of readdirSync('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1] ?? '';
      const fields = stat.split(' ').map(Number);
      const sum = (from: number, to: number) => fields.slice(from, to).reduce((a, b) => a + b, 0);
      if (Number(pid) === postmaster) hundredths += sum(11, 15);
      else if (fields[1] === postmaster) hundredths += sum(11, 13);
    } catch {
      // The process has ended meanwhile and counts with the server.
    }
  }
  return hundredths / 100;
}

export async function processOf(server: string): Promise<number> {
  const { data_directory: folder = '' } = await ask(server, 'show data_directory');
  return Number(readFileSync(path.join(folder, 'postmaster.pid'), 'utf8').split('\n')[0]);
}
