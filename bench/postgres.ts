/*
 * The relay on PostgreSQL against the pipeline written by hand on the same server, in turns: updates
 * a second, and processor time per update of the service and the database together.
 */
import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { createVault } from '../src/core/access/vault.ts';
import { createBotRepository } from '../src/store/bots/bots.ts';
import { openPostgres } from '../src/store/postgres/engine.ts';
import { startPostgres } from '../test/support/database/start-postgres.ts';
import {
  cpuSeconds,
  end,
  masterKey,
  median,
  pause,
  startLimit,
  startPlatform,
  startService,
  startSink,
} from './relay/parts.ts';
import type { BenchRow } from './run.ts';

const bots = Array.from({ length: 10 }, (_, index) => index + 1);
const perBot = 5_000;
/** For each process, before anything is measured: so long the compiler works. */
const warmUpPerBot = 10_000;
const rounds = 3;

interface Flood {
  perSecond: number;
  /** Processor time per update, in microseconds. */
  own: number;
  database: number;
  /** Transactions, per thousand updates. */
  commits: number;
}

export async function run(): Promise<BenchRow[]> {
  const { postgresUrl, stop } = await startPostgres('durable');
  const opened: Pipeline[] = [];
  const open = async (name: string, nodes: 'limit' | number) => {
    const pipeline = await setUp(postgresUrl, name, nodes);
    opened.push(pipeline);
    return pipeline;
  };
  try {
    const limit = await open('by_hand', 'limit');
    const relay = await open('one_node', 1);
    const three = await open('three_nodes', 3);
    // As much for each process: with less, compiling would count as work of three nodes.
    for (const { push, children } of opened) await push(warmUpPerBot * children.length);
    const limits: Flood[] = [];
    const relays: Flood[] = [];
    const threes: Flood[] = [];
    for (let round = 0; round < rounds; round++) {
      limits.push(await measure(limit));
      relays.push(await measure(relay));
      threes.push(await measure(three));
    }
    return summarize(limits, relays, threes);
  } finally {
    await Promise.all(opened.map(({ close }) => close()));
    await stop();
  }
}

function summarize(limits: Flood[], relays: Flood[], threes: Flood[]): BenchRow[] {
  const of = (floods: Flood[], pick: (flood: Flood) => number) => median(floods.map(pick));
  const total = (flood: Flood) => flood.own + flood.database;
  const rows = (name: string, floods: Flood[]): BenchRow[] => [
    { name: `push, ${name}`, value: Math.round(of(floods, (f) => f.perSecond)), unit: 'updates/s' },
    {
      name: `push, ${name}, processor`,
      value: Math.round(of(floods, total)),
      unit: 'µs per update',
    },
    {
      name: `push, ${name}, processor of the database`,
      value: Math.round(of(floods, (f) => f.database)),
      unit: 'µs per update',
    },
    {
      name: `push, ${name}, commits`,
      value: Math.round(of(floods, (f) => f.commits)),
      unit: 'per 1,000 updates',
    },
  ];
  const share = Math.round(
    median(relays.map((relay, i) => relay.perSecond / (limits[i] as Flood).perSecond)) * 100,
  );
  const growth = Math.round(
    (median(threes.map((three, i) => total(three) / total(relays[i] as Flood))) - 1) * 100,
  );
  return [
    ...rows('limit written by hand', limits),
    ...rows('one node', relays),
    ...rows('three nodes', threes),
    {
      name: 'push, one node, share of the limit',
      value: share,
      unit: '%',
      mark: '>= 60',
      ok: share >= 60,
    },
    {
      name: 'processor per update, three nodes against one',
      value: growth,
      unit: '%',
      mark: '<= 15',
      ok: growth <= 15,
    },
  ];
}

type Pipeline = Awaited<ReturnType<typeof setUp>>;

async function setUp(server: string, name: string, nodes: 'limit' | number) {
  const url = await createDatabase(server, name);
  const folder = mkdtempSync(path.join(os.tmpdir(), 'relay-bench-'));
  const platform = await startPlatform();
  const sink = await startSink();
  const children: ChildProcess[] = [];
  const close = async () => {
    await Promise.all(children.map((child) => end(child, 'SIGKILL')));
    platform.close();
    sink.close();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    if (nodes === 'limit') children.push(await startLimit(url, platform.url, sink.url, bots));
    else {
      await registerBots(url, sink.url);
      for (let node = 0; node < nodes; node++) {
        const { child } = await startService(path.join(folder, `${node}`), platform.url, {
          databaseUrl: url,
        });
        children.push(child);
      }
    }
  } catch (error) {
    await close();
    throw error;
  }
  // Until the first polls stand; several nodes share the bots out first.
  await pause(children.length > 1 ? 15_000 : 1_000);
  return {
    url,
    server: await processOf(server),
    children,
    /** Sends so many updates through each bot and waits until the backend has them all. */
    async push(each: number): Promise<void> {
      await sink.reset();
      platform.order({ kind: 'flood', bots, perBot: each });
      while ((await sink.count()).distinct < bots.length * each) await pause(20);
    },
    close,
  };
}

async function measure({ url, server, children, push }: Pipeline): Promise<Flood> {
  const total = bots.length * perBot;
  const own = () => children.reduce((sum, child) => sum + cpuSeconds(child), 0);
  const before = { own: own(), database: databaseSeconds(server), commits: await commitsOf(url) };
  const startedAt = performance.now();
  await push(perBot);
  const seconds = (performance.now() - startedAt) / 1000;
  const perUpdate = (spent: number) => (spent / total) * 1e6;
  return {
    perSecond: total / seconds,
    own: perUpdate(own() - before.own),
    database: perUpdate(databaseSeconds(server) - before.database),
    commits: (((await commitsOf(url)) - before.commits) / total) * 1000,
  };
}

async function createDatabase(server: string, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

async function commitsOf(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(
    'select xact_commit as n from pg_stat_database where datname = current_database()',
  );
  await client.end();
  return Number(rows[0]?.n ?? 0);
}

/** Of all processes of the server, those that ended included. */
function databaseSeconds(server: number): number {
  let hundredths = 0;
  for (const pid of readdirSync('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1] ?? '';
      const fields = stat.split(' ').map(Number);
      const sum = (from: number, to: number) => fields.slice(from, to).reduce((a, b) => a + b, 0);
      if (Number(pid) === server) hundredths += sum(11, 15);
      else if (fields[1] === server) hundredths += sum(11, 13);
    } catch {
      // It ended meanwhile and counts with the server.
    }
  }
  return hundredths / 100;
}

async function processOf(server: string): Promise<number> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  const { rows } = await client.query('show data_directory');
  await client.end();
  const file = path.join(rows[0]?.data_directory, 'postmaster.pid');
  return Number(readFileSync(file, 'utf8').split('\n')[0]);
}

async function registerBots(url: string, sink: string): Promise<void> {
  const engine = await openPostgres(url);
  const store = createBotRepository(engine, createVault([masterKey]));
  for (const id of bots) {
    await store.insert(
      {
        token: `${id}:benchbenchbench`,
        source: 'cli',
        name: `Bot ${id}`,
        username: `bench_${id}_bot`,
        proxy_enabled: true,
        backend_url: `${sink}/b/${id}`,
      },
      Date.now(),
    );
  }
  await engine.close();
}
