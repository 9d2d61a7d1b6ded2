/*
 * Faults 5 and 6: more updates than the backend takes, a machine that is busy with other work, and a
 * steady load for a long time.
 */
import { spawn } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { databaseFileName } from '../../src/store/sqlite/database-file.ts';
import type { Database } from '../support/database/engines.ts';
import { type Measured, watchApi } from './support/api-watch.ts';
import {
  atMost,
  counted,
  type FaultOptions,
  type FaultResult,
  type Mark,
  percentile,
} from './result.ts';
import { heldAgain, type Stage, underLoad, timesReleased } from './under-load.ts';
import { read } from './support/read-database.ts';

const timesTooMany = 10;
const apiMs = 1_000;
/** As much more memory as an overload may take. */
const overloadMb = 150;
const warmUpMs = 5_000;
const busyMs = 60_000;
/** Busy processes for each processor: the service gets about a fifth of what it had. */
const busyPerProcessor = 3;
const recoverMs = 60_000;
/** What does not wait for the backend goes on. */
const othersDelayMs = 15_000;
const soakOfBots = { bots: 300, perSecond: 300 };
/** Every fourth bot has three apps: 42 in all. */
const soakOfApps = { bots: 56, perSecond: 150, withApps: true };
const slopeMbPerHour = 60;
/** What grew without limit would double in the second half. */
const logGrowth = 1.5;
/** A thread copies it into the database from 32 MB on; at 160 MB a commit does. */
const walMb = 192;
/** How long updates stay in the log, so that a run sees several times that much; unread ones stay twice as long. */
const keptMinutesOf = (minutes: number) => Math.min(10, Math.max(1, Math.floor(minutes / 5)));
/** As long as libraries wait: clients that give up early come back with new connections. */
const patienceMs = 60_000;
/** How often retention runs. */
const trimmedEveryMinutes = 5;

function apiMarks({ reads, sends, failed, slowest, slowMinutes, ...service }: Measured): Mark[] {
  return [
    atMost(`API: p99 of ${reads.length} reads`, percentile(reads, 0.99), apiMs, ' ms'),
    atMost(`API: p99 of ${sends.length} sends`, percentile(sends, 0.99), apiMs, ' ms'),
    atMost('API: failed requests', failed, 0),
    counted('API: slowest request', `${slowest.path}, ${Math.round(slowest.ms)} ms`),
    counted(
      'API: requests above 1 s, by minute (processors of the machine busy)',
      slowMinutes
        .map(({ minute, requests, busyPercent }) => `${minute}: ${requests} (${busyPercent} %)`)
        .join(', ') || 'none',
    ),
    counted('service: longest time without a pause', `${Math.round(service.blockedMs)} ms`),
    counted('service: processor time', `${Math.round(service.cpuSeconds)} s`),
  ];
}

const most = (of: Measured['memory']) => Math.max(...of.map(({ mb }) => mb));

/** MB an hour, by least squares. */
function slope(of: Measured['memory'], memory: 'mb' | 'residentMb'): number {
  const mean = (pick: (one: Measured['memory'][number]) => number) =>
    of.reduce((sum, one) => sum + pick(one), 0) / of.length;
  const [at, mb] = [mean((one) => one.at), mean((one) => one[memory])];
  const above = of.reduce((sum, one) => sum + (one.at - at) * (one[memory] - mb), 0);
  return above / of.reduce((sum, one) => sum + (one.at - at) ** 2, 0);
}

export function runOverload(options: FaultOptions): Promise<FaultResult> {
  const forMs = options.minutes * 60_000 * options.pace;
  // Updates keep coming meanwhile.
  const catchUpMs = forMs + 60_000;
  return underLoad(options, {
    fault: `5: ${timesTooMany} times what the backend takes, for ${options.minutes} min`,
    world: { maxBehind: Number.POSITIVE_INFINITY, patienceMs },
    maxDelayMs: forMs + catchUpMs,
    othersDelayMs,
    async during({ world, node, say }: Stage) {
      const perSecond = options.perSecond / timesTooMany;
      const usual = world.sink.respond;
      let freeAt = 0;
      const warmingUp = watchApi(node());
      await pause(warmUpMs);
      const before = most((await warmingUp.stop()).memory);
      world.sink.respond = (arrival, response) => {
        freeAt = Math.max(freeAt, performance.now()) + 1_000 / perSecond;
        setTimeout(() => usual(arrival, response), freeAt - performance.now());
      };
      const watch = watchApi(node());
      await pause(forMs);
      const measured = await watch.stop();
      const behind = world.offered() - world.pushes.length;
      world.sink.respond = usual;
      say(`${behind} updates behind`);
      const backAt = performance.now();
      const goal = world.offered();
      while (world.pushes.length < goal && performance.now() - backAt < catchUpMs) await pause(50);
      return [
        counted('updates waiting at the end of the overload', behind),
        counted('private memory before', `${Math.round(before)} MB`),
        atMost('private memory at most', most(measured.memory), before + overloadMb, ' MB'),
        ...apiMarks(measured),
        atMost('caught up', performance.now() - backAt, catchUpMs, ' ms'),
      ];
    },
  });
}

/** Nothing but time is short: the service falls behind, keeps its bots and catches up. */
export function runBusyMachine(options: FaultOptions): Promise<FaultResult> {
  const count = availableParallelism() * busyPerProcessor;
  return underLoad(
    { ...options, ...soakOfBots },
    {
      fault: `5: ${busyPerProcessor} busy processes for each processor, for ${busyMs / 1_000} s`,
      world: { patienceMs },
      maxDelayMs: busyMs + recoverMs,
      async during({ node, recover, world }) {
        await pause(warmUpMs);
        const others = Array.from({ length: count }, () =>
          spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
        );
        try {
          await pause(busyMs * options.pace);
        } finally {
          for (const other of others) other.kill('SIGKILL');
        }
        const behind = world.offered() - world.pushes.length;
        return [
          // The embedded database has one node, which never does.
          ...(options.database.dialect === 'postgres'
            ? [atMost('times that the node let all bots go', timesReleased(node()), 0)]
            : []),
          counted('updates waiting at the end', Math.max(0, behind)),
          heldAgain(await recover(recoverMs), recoverMs),
        ];
      },
    },
  );
}

export const runSoak = (options: FaultOptions) => soak(options, soakOfBots);
export const runSoakOfApps = (options: FaultOptions) => soak(options, soakOfApps);

function soak(
  options: FaultOptions,
  load: { bots: number; perSecond: number; withApps?: boolean },
): Promise<FaultResult> {
  const { minutes, database } = options;
  const { bots, perSecond, withApps = false } = load;
  const halfMs = minutes * 30_000 * options.pace;
  const keptMinutes = keptMinutesOf(minutes);
  return underLoad(
    { ...options, bots, perSecond },
    {
      fault: `6: ${perSecond} updates/s over ${bots} bots${withApps ? ' with apps' : ''} for ${minutes} min`,
      maxDelayMs: 30_000,
      env: { RELAY_RETENTION_AGE: `${keptMinutes}m` },
      isTrimmed: true,
      world: { patienceMs, withApps },
      async during({ node, world }) {
        const watch = watchApi(node());
        const own = monitorEventLoopDelay();
        own.enable();
        await pause(halfMs);
        const [sizeAtHalf, logAtHalf] = [await sizeOf(database), await sizeOfLog(database)];
        await pause(halfMs);
        const measured = await watch.stop();
        own.disable();
        const half = measured.memory.slice(Math.floor(measured.memory.length / 2));
        const logInTheEnd = toMb(await sizeOfLog(database));
        // In a short run, memory has not warmed up, and the log has not reached its size by half time.
        const unlessShort = (name: string, value: number, limit: number, unit: string) =>
          minutes < 30
            ? counted(name, `${Math.round(value)}${unit}`)
            : atMost(name, value, limit, unit);
        return [
          counted('private memory at most', `${Math.round(most(measured.memory))} MB`),
          ...(['mb', 'residentMb'] as const).map((memory) =>
            unlessShort(
              `${memory === 'mb' ? 'private' : 'resident'} memory: slope of the second half`,
              slope(half, memory),
              slopeMbPerHour,
              ' MB/h',
            ),
          ),
          atMost(
            `updates in the log, of ${world.offered()}`,
            await rowsOfLog(database),
            perSecond * 60 * (keptMinutes + trimmedEveryMinutes + 1),
          ),
          counted('log on disk at half time', inMb(logAtHalf)),
          unlessShort('log on disk in the end', logInTheEnd, toMb(logAtHalf * logGrowth), ' MB'),
          // Messages stay: only the log is trimmed.
          counted('database at half time', inMb(sizeAtHalf)),
          counted('database in the end', inMb(await sizeOf(database))),
          ...walMarks(database),
          ...apiMarks(measured),
          // Sends wait for the platform, which is in this process.
          counted('this test: longest time without a pause', `${Math.round(own.max / 1e6)} ms`),
          counted('this test: memory', inMb(process.memoryUsage.rss())),
        ];
      },
    },
  );
}

async function rowsOfLog(database: Database): Promise<number> {
  const [row] = await read<{ count: number }>(database, 'select count(*) as count from log');
  return Number(row?.count);
}

async function sizeOf(database: Database): Promise<number> {
  if (database.dialect === 'sqlite') {
    const { dataDir } = database;
    const sizes = readdirSync(dataDir).map((name) => statSync(path.join(dataDir, name)).size);
    return sizes.reduce((sum, size) => sum + size, 0);
  }
  const sql = 'select pg_database_size(current_database()) as bytes';
  const [row] = await read<{ bytes: string }>(database, sql);
  return Number(row?.bytes);
}

function walMarks({ dialect, dataDir }: Database): Mark[] {
  if (dialect !== 'sqlite') return [];
  const { size } = statSync(path.join(dataDir, `${databaseFileName}-wal`));
  return [atMost('write-ahead log in the end', toMb(size), walMb, ' MB')];
}

/** With its indexes and what is free in them. */
async function sizeOfLog(database: Database): Promise<number> {
  const [row] = await read<{ bytes: number | string }>(
    database,
    database.dialect === 'sqlite'
      ? `select sum(pgsize) as bytes from dbstat
         where name in (select name from sqlite_schema where tbl_name = 'log')`
      : `select pg_total_relation_size('log') as bytes`,
  );
  return Number(row?.bytes);
}

const toMb = (bytes: number) => Math.round(bytes / 2 ** 20);
const inMb = (bytes: number) => `${toMb(bytes)} MB`;
