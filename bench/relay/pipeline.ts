/*
 * Runs the relay or the hand-written pipeline between a fake platform and a backend, and sends a
 * flood of updates through it.
 */
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { databaseFileName } from '../../src/store/sqlite/database-file.ts';
import { ask } from './database-server.ts';
import {
  addBots,
  adminKey,
  cpuSeconds,
  end,
  pause,
  startLimit,
  startPlatform,
  startService,
  startSink,
  writtenBytes,
} from './parts.ts';

export interface Stage {
  children: readonly ChildProcess[];
  platform: Awaited<ReturnType<typeof startPlatform>>;
  /** Omitted if updates are only stored. */
  sink?: Awaited<ReturnType<typeof startSink>> | undefined;
}

export interface Pipeline extends Stage {
  /** The file of SQLite or the address of a PostgreSQL. */
  database: string;
  /** The first node; '' for the hand-written pipeline. */
  address: string;
  close(): Promise<void>;
}

export interface Flood {
  perSecond: number;
  /** Processor time per update. */
  micros: number;
  /** Bytes written to disk per update. */
  bytes: number;
}

export async function openPipeline(options: {
  /** `hand` for the hand-written pipeline, or the number of nodes of the relay. */
  by: 'hand' | number;
  bots: number[];
  withPush: boolean;
  /** Whether the relay keeps messages and chats (chat management), as it does by default here. */
  isManaged?: boolean;
  /** The address of a PostgreSQL; SQLite if omitted. */
  databaseUrl?: string | undefined;
  /** The environment of each process, by its number. */
  envOf?: (process: number) => Record<string, string>;
}): Promise<Pipeline> {
  const { by, bots, databaseUrl, envOf = () => ({}) } = options;
  const folder = mkdtempSync(path.join(os.tmpdir(), 'relay-bench-'));
  const platform = await startPlatform();
  const sink = options.withPush ? await startSink() : undefined;
  const children: ChildProcess[] = [];
  let address = '';
  let database = databaseUrl ?? path.join(folder, databaseFileName);
  const close = async () => {
    await Promise.all(children.map((child) => end(child, 'SIGKILL')));
    platform.close();
    sink?.close();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const backend = sink?.url ?? '';
    if (by === 'hand') {
      database = databaseUrl ?? path.join(folder, 'limit.db');
      children.push(await startLimit(database, platform.url, backend, bots, envOf(0)));
    } else {
      await addBots(databaseUrl ?? folder, bots, backend, options.isManaged);
      for (let node = 0; node < by; node++) {
        const dataDir = databaseUrl === undefined ? folder : path.join(folder, `${node}`);
        const env = envOf(node);
        const started = await startService(dataDir, platform.url, { databaseUrl, env });
        children.push(started.child);
        address ||= started.address;
      }
    }
  } catch (error) {
    await close();
    throw error;
  }
  // Wait until all bots are polled; several nodes distribute them first.
  await pause(children.length > 1 ? 15_000 : 1_000);
  return { children, platform, sink, database, address, close };
}

/** Measures from the first update handed out to the end of the last one. */
export async function flood(
  { children, platform, sink }: Stage,
  bots: number[],
  perBot: number,
): Promise<Flood> {
  const total = bots.length * perBot;
  const sum = (of: (child: ChildProcess) => number) =>
    children.reduce((all, child) => all + of(child), 0);
  await sink?.reset();
  const before = { cpu: sum(cpuSeconds), written: sum(writtenBytes) };
  const startedAt = performance.now();
  const confirmed = platform.news((news) => news.kind === 'confirmed');
  platform.order({ kind: 'flood', bots, perBot });
  await confirmed;
  while (sink && (await sink.count()).distinct < total) await pause(20);
  const seconds = (performance.now() - startedAt) / 1000;
  return {
    perSecond: total / seconds,
    micros: ((sum(cpuSeconds) - before.cpu) / total) * 1e6,
    bytes: (sum(writtenBytes) - before.written) / total,
  };
}

const settledWithinMs = 15_000;
const queued = `select case when exists (select 1 from search_queue)
  or exists (select 1 from stats_pending) then 1 else 0 end as queued`;

/**
 * Waits until nothing is left for the search index and the statistics, which a request for
 * statistics counts at once.
 */
export async function settle({ address, database }: Pipeline): Promise<void> {
  if (address === '') return;
  const isQueued = async () => {
    if (database.startsWith('postgres')) return Number((await ask(database, queued))['queued']) > 0;
    const file = new DatabaseSync(database, { readOnly: true });
    try {
      return file.prepare(queued).get()?.['queued'] === 1;
    } finally {
      file.close();
    }
  };
  const until = performance.now() + settledWithinMs;
  const headers = { authorization: `Bearer ${adminKey}` };
  while (performance.now() < until && (await isQueued())) {
    const asked = fetch(`${address}/api/stats?bot_id=1`, { headers });
    await asked.then((answer) => answer.text()).catch(() => {});
    await pause(100);
  }
}
