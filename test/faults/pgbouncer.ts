/* Fault 3: PgBouncer in transaction mode stands between the service and PostgreSQL, and is killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { type FaultOptions, type FaultResult, isSo, NotRun } from './result.ts';
import { freePort } from '../support/local-server.ts';
import { user } from './support/own-postgres.ts';
import { heldAgain, underLoad } from './under-load.ts';

const heldAgainMs = 30_000;
const awayMs = 3_000;
/** Fewer than the connections of a node, so that they have to be shared. */
const serverConnections = 8;

interface Pooler {
  url: string;
  start(): Promise<void>;
  kill(): Promise<void>;
  connections(): Promise<{ clients: number; servers: number }>;
  close(): Promise<void>;
}

async function openPooler(databaseUrl: string): Promise<Pooler> {
  const target = new URL(databaseUrl);
  const url = new URL(databaseUrl);
  const port = await freePort();
  url.port = String(port);
  const folder = mkdtempSync(path.join(os.tmpdir(), 'relay-pgbouncer-'));
  chmodSync(folder, 0o755);
  const settings = path.join(folder, 'pgbouncer.ini');
  const name = target.pathname.slice(1);
  const { hostname, username, password } = target;
  writeFileSync(
    settings,
    `[databases]
${name} = host=${hostname} port=${target.port} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
admin_users = ${username}
pool_mode = transaction
default_pool_size = ${serverConnections}
`,
  );
  let child: ChildProcess | undefined;

  async function kill(): Promise<void> {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  return {
    url: url.href,
    kill,
    async start() {
      child = spawn('pgbouncer', ['--quiet', settings], { stdio: 'ignore', ...user });
      const isThere = await once(child, 'spawn').then(
        () => true,
        () => false,
      );
      if (!isThere) {
        rmSync(folder, { recursive: true });
        throw new NotRun('there is no pgbouncer on the PATH');
      }
    },
    async connections() {
      const console = new URL(url);
      console.pathname = '/pgbouncer';
      const client = new pg.Client({ connectionString: console.href });
      await client.connect();
      try {
        const count = async (what: string) => {
          const { rows } = await client.query<{ database: string }>(`show ${what}`);
          return rows.filter(({ database }) => database === name).length;
        };
        return { clients: await count('clients'), servers: await count('servers') };
      } finally {
        await client.end();
      }
    },
    async close() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export async function runPgBouncer(options: FaultOptions): Promise<FaultResult> {
  const { database } = options;
  const pooler = await openPooler(database.databaseUrl);
  await pooler.start();
  const settings = { ...database.settings, DATABASE_URL: pooler.url };
  try {
    return await underLoad(options, {
      fault: '3: PgBouncer in transaction mode, killed',
      database: { ...database, settings },
      env: { RELAY_LOG_LEVEL: 'warn' },
      maxDelayMs: awayMs + heldAgainMs,
      begunAgain: () => 1,
      async during({ node, recover }) {
        await pause(10_000 * options.pace);
        const said = node().stdout() + node().stderr();
        const { clients, servers } = await pooler.connections();
        await pooler.kill();
        await pause(awayMs);
        await pooler.start();
        return [
          isSo('the service says that the mode is transaction', said.includes('transaction mode')),
          isSo(
            `${clients} connections of the service share ${servers} to PostgreSQL`,
            servers > 0 && servers <= serverConnections && clients > serverConnections,
          ),
          heldAgain(await recover(heldAgainMs), heldAgainMs),
        ];
      },
    });
  } finally {
    await pooler.close();
  }
}
