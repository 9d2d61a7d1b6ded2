// Starts the processes of the relay's benchmarks, and reads figures about them.
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createVault } from '../../src/core/access/vault.ts';
import { createBotRepository } from '../../src/store/bots/bots.ts';
import { openPostgres } from '../../src/store/postgres/engine.ts';
import { openSqlite } from '../../src/store/sqlite/engine.ts';
import type { PlatformNews, PlatformOrder } from './fake-platform.ts';
import type { SinkNews } from './sink.ts';

/** This checkout of the repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url));
export const masterKey = 'a master key for the benchmark only, 32+';
export const adminKey = `brs_${'b'.repeat(40)}`;

/** Starts the service of a checkout from its sources, with the flags that `npm start` gives it. */
export async function startService(
  folder: string,
  platform: string,
  {
    checkout = root,
    databaseUrl,
    env = {},
  }: {
    checkout?: string;
    databaseUrl?: string | undefined;
    env?: Record<string, string>;
  } = {},
): Promise<{ child: ChildProcess; address: string }> {
  const { scripts } = JSON.parse(readFileSync(path.join(checkout, 'package.json'), 'utf8'));
  const [, ...command] = scripts.start.split(' ') as string[];
  const child = spawn(path.join(checkout, 'node_modules', '.bin', 'node'), command, {
    cwd: checkout,
    env: {
      ...process.env,
      PORT: '0',
      RELAY_DATA_DIR: folder,
      RELAY_SECRET_KEY: masterKey,
      RELAY_ADMIN_KEY: adminKey,
      RELAY_SANDBOX: 'off',
      RELAY_LOG_LEVEL: 'warn',
      TELEGRAM_API_URL: platform,
      ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const address = await new Promise<string>((resolve, reject) => {
    let printed = '';
    child.once('exit', () => reject(new Error('the service did not start')));
    child.stdout?.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
      const found = /ready at (http:\/\/\S+)\n/.exec(printed)?.[1];
      if (found) resolve(found);
    });
  });
  return { child, address };
}

/**
 * Adds bots that poll, each with a backend if there is a sink. `database` is a data directory or
 * the address of a PostgreSQL.
 */
export async function addBots(
  database: string,
  ids: number[],
  sink: string,
  isManaged = true,
): Promise<void> {
  const isServer = database.startsWith('postgres');
  const engine = await (isServer ? openPostgres(database) : openSqlite(database));
  const bots = createBotRepository(engine, createVault([masterKey]));
  await Promise.all(
    ids.map((id) =>
      bots.insert(
        {
          token: `${id}:benchbenchbench`,
          source: 'cli',
          name: `Bot ${id}`,
          username: `bench_${id}_bot`,
          proxy_enabled: sink !== '',
          backend_url: sink === '' ? '' : `${sink}/b/${id}`,
          manage_enabled: isManaged,
        },
        Date.now(),
      ),
    ),
  );
  await engine.close();
}

/**
 * Starts the hand-written pipeline; without a sink it only stores. `database` is a file of SQLite
 * or the address of a PostgreSQL.
 */
export async function startLimit(
  database: string,
  platform: string,
  sink: string,
  bots: number[],
  env: Record<string, string> = {},
): Promise<ChildProcess> {
  const child = fork(
    path.join(root, 'bench', 'limit.ts'),
    [platform, sink, database, bots.join(',')],
    { stdio: 'inherit', env: { ...process.env, ...env } },
  );
  await new Promise((resolve) => child.once('message', resolve));
  return child;
}

/**
 * Starts the fake platform, which numbers updates from `firstId` on. People write to
 * `botsWithTopics` in topics.
 */
export async function startPlatform(firstId = 1_000, botsWithTopics: readonly number[] = []) {
  const file = path.join(root, 'bench', 'relay', 'fake-platform.ts');
  const child = fork(file, [String(firstId), botsWithTopics.join(',')]);
  const news = (wanted: (news: PlatformNews) => boolean) =>
    new Promise<PlatformNews>((resolve) => {
      const listen = (heard: PlatformNews) => {
        if (!wanted(heard)) return;
        child.off('message', listen);
        resolve(heard);
      };
      child.on('message', listen);
    });
  const ready = await news((heard) => heard.kind === 'ready');
  return {
    url: `http://127.0.0.1:${ready.kind === 'ready' ? ready.port : 0}`,
    news,
    order: (order: PlatformOrder) => child.send(order),
    close: () => child.kill(),
  };
}

export async function startSink() {
  const child = fork(path.join(root, 'bench', 'relay', 'sink.ts'));
  const next = () => new Promise<SinkNews>((resolve) => child.once('message', resolve));
  const ready = await next();
  const ask = async (order: 'count' | 'reset') => {
    const answer = next();
    child.send(order);
    return (await answer) as Extract<SinkNews, { kind: 'count' }>;
  };
  return {
    url: `http://127.0.0.1:${ready.kind === 'ready' ? ready.port : 0}`,
    count: () => ask('count'),
    reset: () => ask('reset'),
    close: () => child.kill(),
  };
}

export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await gone;
}

export function residentMegabytes(child: ChildProcess): number {
  return statusMegabytes(child, 'VmRSS');
}

/** Excludes mapped files, of which the system keeps more or less as it likes. */
export function privateMegabytes(child: ChildProcess): number {
  return statusMegabytes(child, 'RssAnon');
}

function statusMegabytes({ pid }: ChildProcess, name: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024;
}

/** Returns user and system time, which Linux counts in hundredths of a second. */
export function cpuSeconds({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Returns the processor time that a shared host gave to others. */
export function stolenSeconds(): number {
  const [all = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
  return Number(all.split(/\s+/)[8] ?? 0) / 100;
}

/** Returns the share of the machine's processor time that others took while `work` ran, in percent. */
export async function withStolen<T>(work: () => Promise<T>): Promise<{ value: T; stolen: number }> {
  const before = stolenSeconds();
  const startedAt = performance.now();
  const value = await work();
  const seconds = (performance.now() - startedAt) / 1000;
  const share = (stolenSeconds() - before) / (seconds * os.cpus().length);
  return { value, stolen: Math.round(share * 1000) / 10 };
}

/** Returns how many bytes a process has written to disk. */
export function writtenBytes({ pid }: ChildProcess): number {
  const io = readFileSync(`/proc/${pid}/io`, 'utf8');
  return Number(/^write_bytes: (\d+)/m.exec(io)?.[1] ?? 0);
}

export function median(values: number[]): number {
  return quantile(values, 0.5);
}

export function quantile(values: number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const below = sorted[Math.floor(at)] ?? 0;
  return below + ((sorted[Math.ceil(at)] ?? 0) - below) * (at - Math.floor(at));
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
