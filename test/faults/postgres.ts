/* Fault 3: PostgreSQL restarts, stalls, goes silent, becomes read-only or is kept busy by slow reads. */
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { startProxy } from '../support/database/cuttable-proxy.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { atMost, type FaultOptions, type FaultResult, isSo, NotRun } from './result.ts';
import { withAdmin } from './support/admin.ts';
import { heldAgain, timesReleased, underLoad } from './under-load.ts';

const heldAgainMs = 30_000;
const stallMs = 30_000;
const readOnlyMs = 10_000;
const busyMs = 15_000;
const slowReads = 60;
/** Leases and intake have connections of their own; updates may only wait for the processor. */
const busyDelayMs = 5_000;
const answerMs = 12_000;

/** The API answers while the database does not. */
async function asksMeanwhile(node: ServiceProcess) {
  const startedAt = performance.now();
  const { status } = await node.request('/api/routes', { signal: AbortSignal.timeout(60_000) });
  return [
    atMost('API: time to answer meanwhile', performance.now() - startedAt, answerMs, ' ms'),
    { name: 'API: answer meanwhile', value: String(status), limit: '503', ok: status === 503 },
  ];
}

export function runRestart(options: FaultOptions): Promise<FaultResult> {
  const { restartPostgres } = options;
  if (!restartPostgres) throw new NotRun('other runs use the same PostgreSQL');
  return underLoad(options, {
    fault: '3: PostgreSQL restarted',
    maxDelayMs: heldAgainMs,
    begunAgain: () => 1,
    async during({ recover }) {
      await restartPostgres();
      return [heldAgain(await recover(heldAgainMs), heldAgainMs)];
    },
  });
}

export async function runStall(options: FaultOptions): Promise<FaultResult> {
  const { database } = options;
  if (!options.restartPostgres) throw new NotRun('others use this PostgreSQL as well');
  return underLoad(options, {
    fault: '3: PostgreSQL stalled for 30 s',
    maxDelayMs: stallMs + heldAgainMs,
    begunAgain: () => 1,
    async during({ node, recover }) {
      const pids = await withAdmin(database, async (client) => {
        const { rows } = await client.query(
          `select pid from pg_stat_activity union
           select split_part(pg_read_file('postmaster.pid'), e'\\n', 1)::integer`,
        );
        return rows.map(({ pid }: { pid: number }) => pid);
      });
      const signal = (name: NodeJS.Signals) => {
        for (const pid of pids) {
          try {
            process.kill(pid, name);
          } catch {
            // It ended meanwhile.
          }
        }
      };
      signal('SIGSTOP');
      try {
        const over = pause(stallMs);
        const marks = await asksMeanwhile(node());
        await over;
        signal('SIGCONT');
        return [...marks, heldAgain(await recover(heldAgainMs), heldAgainMs)];
      } finally {
        signal('SIGCONT');
      }
    },
  });
}

/** As when a server is lost without a word and another takes its address. */
export async function runDead(options: FaultOptions): Promise<FaultResult> {
  const url = new URL(options.database.databaseUrl);
  const proxy = await startProxy({ host: url.hostname, port: Number(url.port) });
  url.port = String(proxy.port);
  const settings = { ...options.database.settings, DATABASE_URL: url.href };
  try {
    return await underLoad(options, {
      fault: '3: connections to PostgreSQL silently dead',
      database: { ...options.database, settings },
      maxDelayMs: heldAgainMs,
      begunAgain: () => 1,
      async during({ recover }) {
        proxy.strand();
        return [heldAgain(await recover(heldAgainMs), heldAgainMs)];
      },
    });
  } finally {
    await proxy.close();
  }
}

/** As after a failover: connections end, and new ones lead to a server that refuses to write (25006). */
export function runReadOnly(options: FaultOptions): Promise<FaultResult> {
  const { database } = options;
  const name = new URL(database.databaseUrl).pathname.slice(1);
  const reconnect = (client: pg.Client) =>
    client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`,
    );
  return underLoad(options, {
    fault: '3: PostgreSQL read-only after a failover',
    maxDelayMs: readOnlyMs + heldAgainMs,
    begunAgain: () => 1,
    during: ({ node, recover }) =>
      withAdmin(database, async (client) => {
        const over = pause(readOnlyMs * options.pace);
        await client.query(`alter database ${name} set default_transaction_read_only = on`);
        await reconnect(client);
        const body = { name: 'refused', scope: 'read' };
        const { status } = await node().request('/api/auth/api-keys', { body });
        await over;
        const ready = await node().request('/readyz');
        await client.query(`alter database ${name} reset default_transaction_read_only`);
        // New connections only, as after the failover is complete; old ones are left by themselves.
        return [
          {
            name: 'API: writes meanwhile',
            value: String(status),
            limit: '503',
            ok: status === 503,
          },
          isSo('not ready meanwhile', ready.status === 503),
          heldAgain(await recover(heldAgainMs), heldAgainMs),
        ];
      }),
  });
}

/** Reads that wait for a lock take all connections for requests, while leases and intake go on. */
export function runSlowReads(options: FaultOptions): Promise<FaultResult> {
  const { database } = options;
  return underLoad(options, {
    fault: '3: pool exhausted by slow reads',
    maxDelayMs: busyDelayMs,
    during: ({ node, recover }) =>
      withAdmin(database, async (client) => {
        await client.query('begin; lock table audit in access exclusive mode');
        let isOver = false;
        const statuses = new Map<number, number>();
        const reads = Array.from({ length: slowReads }, async () => {
          while (!isOver) {
            const { status } = await node().request('/api/adminlog');
            statuses.set(status, (statuses.get(status) ?? 0) + 1);
          }
        });
        await pause(busyMs / 2);
        const ms = await recover(busyDelayMs);
        await pause(busyMs / 2);
        isOver = true;
        await client.query('commit');
        await Promise.all(reads);
        const refused = statuses.get(503) ?? 0;
        return [
          isSo(`slow reads ended with 503 (${refused})`, refused > 0),
          atMost('times that the node let all bots go', timesReleased(node()), 0),
          heldAgain(ms, busyDelayMs),
        ];
      }),
  });
}
