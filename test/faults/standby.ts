/* Fault 3: the primary of a replicated PostgreSQL is killed, and its standby is promoted. */
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { openPostgres } from '../../src/store/postgres/engine.ts';
import { startProxy } from '../support/database/cuttable-proxy.ts';
import type { Database } from '../support/database/engines.ts';
import { serve } from '../support/local-server.ts';
import { type FaultOptions, type FaultResult, NotRun } from './result.ts';
import { heldAgain, underLoad } from './under-load.ts';

const promotedAfterMs = 3_000;
const heldAgainMs = 30_000;
/** PostgreSQL refuses to run as root. */
const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

interface Server {
  port: number;
  control(...args: string[]): void;
}

interface Pair {
  primary: Server;
  standby: Server;
  close(): void;
}

async function freePort(): Promise<number> {
  const { port, close } = await serve();
  await close();
  return port;
}

/** A primary with an empty database `relay`, and a standby that has every commit of it. */
async function startPair(binaries: string): Promise<Pair> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'relay-standby-'));
  chmodSync(folder, 0o755);
  const run = (binary: string, ...args: string[]) =>
    execFileSync(path.join(binaries, binary), args, { stdio: 'ignore', ...user });
  const [first, second] = await Promise.all([freePort(), freePort()]);
  const serverIn = (name: string, port: number) => {
    const data = path.join(folder, name);
    const control = (...args: string[]) =>
      run('pg_ctl', ...args, '--wait', `--pgdata=${data}`, `--log=${folder}/${name}/log`);
    const set = (settings: Record<string, string | number>) =>
      appendFileSync(
        path.join(data, 'postgresql.conf'),
        Object.entries(settings)
          .map(([key, value]) => `\n${key} = '${value}'`)
          .join(''),
      );
    return { data, port, control, set };
  };
  const primary = serverIn('primary', first);
  const standby = serverIn('standby', second);
  mkdirSync(primary.data, { mode: 0o700 });
  if (user.uid) chownSync(primary.data, user.uid, user.gid);
  run('initdb', `--pgdata=${primary.data}`, '--username=relay', '--auth=trust', '--no-sync');
  primary.set({
    port: first,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
  });
  primary.control('start');
  await ask(first, 'create database relay');
  primary.control('stop');
  cpSync(primary.data, standby.data, { recursive: true });
  standby.set({ port: second, primary_conninfo: `host=127.0.0.1 port=${first} user=relay` });
  writeFileSync(path.join(standby.data, 'standby.signal'), '');
  execFileSync('chown', ['-R', `${user.uid ?? process.getuid?.()}`, standby.data]);
  chmodSync(standby.data, 0o700);
  primary.control('start');
  standby.control('start');
  // From here on a commit is on both.
  await ask(first, `alter system set synchronous_standby_names = '*'`);
  await ask(first, 'select pg_reload_conf()');
  return {
    primary,
    standby,
    close() {
      for (const server of [primary, standby]) {
        try {
          server.control('stop', '--mode=immediate');
        } catch {
          // It does not run.
        }
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function ask(port: number, sql: string): Promise<void> {
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'relay', database: 'postgres' });
  await client.connect();
  await client.query(sql);
  await client.end();
}

export async function runStandby(options: FaultOptions): Promise<FaultResult> {
  const { postgresBinaries } = options;
  if (!postgresBinaries) throw new NotRun('needs PostgreSQL servers of its own');
  const { primary, standby, close } = await startPair(postgresBinaries);
  const target = { host: '127.0.0.1', port: primary.port };
  const proxy = await startProxy(target);
  const databaseUrl = `postgres://relay@127.0.0.1:${proxy.port}/relay`;
  const database: Database = {
    ...options.database,
    databaseUrl,
    settings: { ...options.database.settings, DATABASE_URL: databaseUrl },
    open: () => openPostgres(databaseUrl),
  };
  try {
    return await underLoad(options, {
      fault: '3: primary killed, standby promoted',
      database,
      maxDelayMs: heldAgainMs,
      begunAgain: () => 1,
      async during({ recover }) {
        primary.control('stop', '--mode=immediate');
        target.port = standby.port;
        await pause(promotedAfterMs);
        standby.control('promote');
        return [heldAgain(await recover(heldAgainMs), heldAgainMs)];
      },
    });
  } finally {
    await proxy.close();
    close();
  }
}
