/*
 * The relay against the barest pipeline written by hand: a fake platform, the service as shipped
 * and a sink, each its own process; then the same platform and sink with bench/limit.ts between.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createVault } from '../src/core/access/vault.ts';
import { createBotRepository } from '../src/store/bots/bots.ts';
import { openSqlite } from '../src/store/sqlite/engine.ts';
import { runFacts } from '../test/support/run-facts.ts';
import type { PlatformNews, PlatformOrder } from './relay/fake-platform.ts';
import type { SinkNews } from './relay/sink.ts';
import type { BenchRow } from './run.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const masterKey = 'a master key for the benchmark only, 32+';
const floodBots = Array.from({ length: 10 }, (_, index) => index + 1);
// Each flood lasts some seconds: shorter ones measure how fast the compiler warms up.
const pushedPerBot = 5_000;
const ingestedPerBot = 20_000;
const rounds = 3;
const warmUpSeconds = 3;
const latencyWindows = [10, 10, 10, 10, 10];
/** How long the relay asks the platform to hold a poll. */
const pollSeconds = 50;

export async function run(): Promise<BenchRow[]> {
  const push = await ratio(true);
  const ingest = await ratio(false);
  const latency = await latencyAt('relay', push.relay / 2);
  const bareLatency = await latencyAt('limit', push.relay / 2);
  const memory = await memoryOfIdleBots();
  const rows: BenchRow[] = [
    { name: 'push, limit written by hand', value: Math.round(push.limit), unit: 'updates/s' },
    { name: 'push, relay', value: Math.round(push.relay), unit: 'updates/s' },
    percent('push, share of the limit', push.relay / push.limit, 70),
    { name: 'ingest, limit written by hand', value: Math.round(ingest.limit), unit: 'updates/s' },
    { name: 'ingest, relay', value: Math.round(ingest.relay), unit: 'updates/s' },
    percent('ingest, share of the limit', ingest.relay / ingest.limit, 70),
    { name: 'added latency at half the rate, p50', value: latency.p50, unit: 'ms' },
    {
      name: 'added latency at half the rate, p99',
      value: latency.p99,
      unit: 'ms',
      mark: '< 25',
      ok: latency.p99 < 25,
    },
    { name: 'its worst of five windows', value: latency.worstP99, unit: 'ms' },
    {
      name: 'p99 of the limit written by hand, at the same rate',
      value: bareLatency.p99,
      unit: 'ms',
    },
    {
      name: 'processor time taken by other machines meanwhile',
      value: latency.stolenPercent,
      unit: '%',
    },
    ...memory,
  ];
  const folder = path.join(root, 'bench', 'results');
  mkdirSync(folder, { recursive: true });
  const result = { ...runFacts(), rows };
  writeFileSync(path.join(folder, 'relay.json'), `${JSON.stringify(result, null, 2)}\n`);
  return rows;
}

function percent(name: string, share: number, wanted: number): BenchRow {
  const value = Math.round(share * 100);
  return { name, value, unit: '%', mark: `>= ${wanted}`, ok: value >= wanted };
}

/** Rates of the limit and of the relay, in turns; medians. */
async function ratio(withPush: boolean): Promise<{ limit: number; relay: number }> {
  const limits: number[] = [];
  const relays: number[] = [];
  for (let round = 0; round < rounds; round++) {
    limits.push(await floodThrough('limit', withPush));
    relays.push(await floodThrough('relay', withPush));
  }
  return { limit: median(limits), relay: median(relays) };
}

function median(values: number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** Updates a second from the first dealt out to the last at its end. */
async function floodThrough(what: 'limit' | 'relay', withPush: boolean): Promise<number> {
  const place = await setUp(what, floodBots, withPush);
  try {
    const perBot = withPush ? pushedPerBot : ingestedPerBot;
    const total = floodBots.length * perBot;
    const startedAt = performance.now();
    const confirmed = place.platform.news((news) => news.kind === 'confirmed');
    place.platform.order({ kind: 'flood', bots: floodBots, perBot });
    await confirmed;
    while (withPush && (await place.sink.count()).distinct < total) await pause(20);
    return total / ((performance.now() - startedAt) / 1000);
  } finally {
    await place.close();
  }
}

interface AddedLatency {
  p50: number;
  p99: number;
  worstP99: number;
  /** What a shared host gave to others; with much of it the figures tell of the host. */
  stolenPercent: number;
}

/** Of several windows the one in the middle, as a single stall of a shared disk spoils a whole one. */
async function latencyAt(what: 'limit' | 'relay', perSecond: number): Promise<AddedLatency> {
  const place = await setUp(what, floodBots, true);
  try {
    const windows: { p50: number; p99: number }[] = [];
    const stolenBefore = stolenSeconds();
    const startedAt = performance.now();
    for (const seconds of [warmUpSeconds, ...latencyWindows]) {
      await place.sink.reset();
      place.platform.order({ kind: 'rate', bots: floodBots, perSecond, seconds });
      await pause(seconds * 1000 + 1_000);
      windows.push(await place.sink.count());
    }
    const seconds = (performance.now() - startedAt) / 1000;
    const stolen = (stolenSeconds() - stolenBefore) / (seconds * os.cpus().length);
    const [, ...measured] = windows;
    const p99s = measured.map(({ p99 }) => p99);
    return {
      p50: median(measured.map(({ p50 }) => p50)),
      p99: median(p99s),
      worstP99: Math.max(...p99s),
      stolenPercent: Math.round(stolen * 1000) / 10,
    };
  } finally {
    await place.close();
  }
}

async function memoryOfIdleBots(): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  const none = await idle(0);
  for (const [count, most] of [
    [1_000, 40],
    [10_000, 250],
  ] as const) {
    const some = await idle(count);
    const added = Math.round(some.megabytes - none.megabytes);
    rows.push({
      name: `${count} idle polled bots, memory added`,
      value: added,
      unit: 'MB',
      mark: `<= ${most}`,
      ok: added <= most,
    });
    const cpu = Math.round(some.cpuPercent * 10) / 10;
    rows.push({
      name: `${count} idle polled bots, processor`,
      value: cpu,
      unit: '% of a core',
      mark: '< 5',
      ok: cpu < 5,
    });
  }
  return rows;
}

async function idle(count: number): Promise<{ megabytes: number; cpuPercent: number }> {
  const bots = Array.from({ length: count }, (_, index) => index + 1);
  const place = await setUp('relay', bots, false);
  try {
    // Until every bot has made its first calls and the garbage of that is gone.
    await pause(15_000 + count * 2);
    const before = place.cpuSeconds();
    // As long as the longest poll: each bot asks once more meanwhile.
    await pause(pollSeconds * 1000);
    const cpuPercent = ((place.cpuSeconds() - before) / pollSeconds) * 100;
    return { megabytes: place.residentMegabytes(), cpuPercent };
  } finally {
    await place.close();
  }
}

async function setUp(what: 'limit' | 'relay', bots: number[], withPush: boolean) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'relay-bench-'));
  const platform = await startPlatform();
  const sink = await startSink();
  let child: ChildProcess;
  if (what === 'limit') {
    child = fork(
      path.join(root, 'bench', 'limit.ts'),
      [platform.url, withPush ? sink.url : '', path.join(folder, 'limit.db'), bots.join(',')],
      { stdio: 'inherit' },
    );
    await new Promise((resolve) => child.once('message', resolve));
  } else {
    await registerBots(folder, bots, withPush ? sink.url : '');
    child = await startRelay(folder, platform.url);
  }
  // Until the first polls stand.
  await pause(1_000);
  const pid = child.pid ?? 0;
  return {
    platform,
    sink,
    cpuSeconds: () => cpuSecondsOf(pid),
    residentMegabytes: () => residentOf(pid),
    async close() {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await gone;
      platform.close();
      sink.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function registerBots(folder: string, bots: number[], sink: string): Promise<void> {
  const engine = await openSqlite(folder);
  const store = createBotRepository(engine, createVault([masterKey]));
  await Promise.all(
    bots.map((id) =>
      store.insert(
        {
          token: `${id}:benchbenchbench`,
          source: 'cli',
          name: `Bot ${id}`,
          username: `bench_${id}_bot`,
          proxy_enabled: sink !== '',
          backend_url: sink === '' ? '' : `${sink}/b/${id}`,
        },
        Date.now(),
      ),
    ),
  );
  await engine.close();
}

async function startRelay(folder: string, platform: string): Promise<ChildProcess> {
  // As `npm start` does, without npm in between.
  const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const [, ...command] = scripts.start.split(' ') as string[];
  const child = spawn(process.execPath, command, {
    cwd: root,
    env: {
      ...process.env,
      PORT: '0',
      RELAY_DATA_DIR: folder,
      RELAY_SECRET_KEY: masterKey,
      RELAY_SANDBOX: 'off',
      RELAY_LOG_LEVEL: 'warn',
      TELEGRAM_API_URL: platform,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise<void>((resolve, reject) => {
    child.once('exit', () => reject(new Error('the service did not start')));
    child.stdout?.on('data', (chunk: Buffer) => {
      if (chunk.toString().includes('is ready at')) resolve();
    });
  });
  return child;
}

async function startPlatform() {
  const child = fork(path.join(root, 'bench', 'relay', 'fake-platform.ts'));
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

async function startSink() {
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

function residentOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

function stolenSeconds(): number {
  const [all = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
  return Number(all.split(/\s+/)[8] ?? 0) / 100;
}

function cpuSecondsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  // User and system time, in hundredths of a second on Linux.
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
