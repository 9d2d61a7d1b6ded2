/* PostgreSQL servers that a fault has for itself: it may kill them, slow them down or fill their disk. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, chownSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { openPostgres } from '../../../src/store/postgres/engine.ts';
import type { Database } from '../../support/database/engines.ts';
import { freePort } from '../../support/local-server.ts';

/** PostgreSQL and PgBouncer refuse to run as root. */
export const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

export interface OwnServer {
  data: string;
  port: number;
  /** Calls `pg_ctl`. */
  control(...args: string[]): void;
  set(settings: Record<string, string | number>): void;
  ask(sql: string): Promise<void>;
  /** Of the process that started all others. */
  pid(): number;
  isRunning(): boolean;
}

export interface ServerOptions {
  /** The folder of `initdb` and `pg_ctl`. */
  binaries: string;
  /** Where its data goes; others must be allowed to read it. */
  folder: string;
  name: string;
  env?: Record<string, string>;
}

const runAs = (binaries: string, env: Record<string, string>) => {
  return (binary: string, ...args: string[]) =>
    execFileSync(path.join(binaries, binary), args, {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, ...env },
      ...user,
    });
};

/** Not there yet: `initServer` makes it, or a copy of another one's data. */
export async function serverIn(options: ServerOptions): Promise<OwnServer> {
  const { binaries, folder, name, env = {} } = options;
  const run = runAs(binaries, env);
  const data = path.join(folder, name);
  const port = await freePort();
  const pid = () => Number(readFileSync(path.join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
  return {
    data,
    port,
    control: (...args) => run('pg_ctl', ...args, '--wait', `--pgdata=${data}`, `--log=${data}/log`),
    set: (settings) =>
      appendFileSync(
        path.join(data, 'postgresql.conf'),
        Object.entries(settings)
          .map(([key, value]) => `\n${key} = '${value}'`)
          .join(''),
      ),
    async ask(sql) {
      const client = new pg.Client({
        host: '127.0.0.1',
        port,
        user: 'relay',
        database: 'postgres',
      });
      await client.connect();
      try {
        await client.query(sql);
      } finally {
        await client.end();
      }
    },
    pid,
    isRunning() {
      try {
        return process.kill(pid(), 0);
      } catch {
        return false;
      }
    },
  };
}

/** Started, with an empty database `relay`. */
export async function initServer(
  options: ServerOptions,
  initOptions: string[] = [],
): Promise<OwnServer> {
  const server = await serverIn(options);
  mkdirSync(server.data, { mode: 0o700 });
  if (user.uid) chownSync(server.data, user.uid, user.gid);
  const run = runAs(options.binaries, {});
  const access = ['--username=relay', '--auth=trust', '--no-sync'];
  run('initdb', `--pgdata=${server.data}`, ...access, ...initOptions);
  const { port } = server;
  server.set({ port, listen_addresses: '127.0.0.1', unix_socket_directories: '' });
  server.control('start');
  try {
    await server.ask('create database relay');
  } catch (error) {
    stopServer(server);
    throw error;
  }
  return server;
}

export function stopServer(server: OwnServer): void {
  try {
    server.control('stop', '--mode=immediate');
  } catch {
    // It does not run.
  }
}

/** The database `relay` of the server at this port. */
export function databaseAt(database: Database, port: number): Database {
  const databaseUrl = `postgres://relay@127.0.0.1:${port}/relay`;
  return {
    ...database,
    databaseUrl,
    settings: { ...database.settings, DATABASE_URL: databaseUrl },
    open: () => openPostgres(databaseUrl),
  };
}
