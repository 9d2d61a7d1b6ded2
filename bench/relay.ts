/*
 * The relay against the barest pipeline written by hand: a fake platform, the service as shipped
 * and a sink, each its own process; then the same platform and sink with bench/limit.ts between.
 */
import type { ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { runFacts } from '../test/support/run-facts.ts';
import {
  addBots,
  cpuSeconds,
  end,
  median,
  pause,
  residentMegabytes,
  root,
  startLimit,
  startPlatform,
  startService,
  startSink,
  stolenSeconds,
} from './relay/parts.ts';
import { isQuick, quick } from './quick.ts';
import type { BenchRow } from './run.ts';

const floodBots = Array.from({ length: 10 }, (_, index) => index + 1);
const pushedPerBot = quick(5_000, 3_000);
const ingestedPerBot = quick(20_000, 8_000);
/** Before each flood, so that it does not measure how fast the compiler warms up. */
const warmUpPerBot = 3_000;
const rounds = 3;
const warmUpSeconds = 3;
const latencyWindows = quick([10, 10, 10, 10, 10], [5, 5, 5]);
/** How long the relay asks the platform to hold a poll. */
const pollSeconds = 50;

export async function run(): Promise<BenchRow[]> {
  const push = await ratio(true);
  const ingest = await ratio(false);
  const half = push.relay.perSecond / 2;
  const latency = await latencyAt('relay', half);
  const bareLatency = await latencyAt('limit', half);
  const memory = await memoryOfIdleBots();
  const rows: BenchRow[] = [
    ...against('push', push, 85),
    ...against('ingest', ingest, 70),
    { name: 'added latency at half the rate, p50', value: latency.p50, unit: 'ms' },
    {
      name: 'added latency at half the rate, p99',
      value: latency.p99,
      unit: 'ms',
    },
    { name: 'its worst of all windows', value: latency.worstP99, unit: 'ms' },
    {
      name: 'p99 of the limit written by hand, at the same rate',
      value: bareLatency.p99,
      unit: 'ms',
    },
    atMost('p99, times that of the limit', latency.p99 / bareLatency.p99, 1.5),
    {
      name: 'processor time taken by other machines meanwhile',
      value: latency.stolenPercent,
      unit: '%',
    },
    ...memory,
  ];
  if (isQuick) return rows;
  const folder = path.join(root, 'bench', 'results');
  mkdirSync(folder, { recursive: true });
  const result = { ...runFacts(), rows };
  writeFileSync(path.join(folder, 'relay.json'), `${JSON.stringify(result, null, 2)}\n`);
  return rows;
}

interface Speed {
  perSecond: number;
  /** Processor time per update, in microseconds. */
  micros: number;
}

interface Flood extends Speed {
  /** Right after the start. */
  cold: Speed;
}

interface Ratio {
  limit: Flood;
  relay: Flood;
}

function against(name: string, { limit, relay }: Ratio, wanted: number): BenchRow[] {
  const share = Math.round((relay.perSecond / limit.perSecond) * 100);
  const rows = (who: string, flood: Flood): BenchRow[] => [
    { name: `${name}, ${who}`, value: Math.round(flood.perSecond), unit: 'updates/s' },
    { name: `${name}, ${who}, processor`, value: Math.round(flood.micros), unit: 'µs per update' },
    {
      name: `${name}, ${who}, processor in the first ${floodBots.length * warmUpPerBot} updates`,
      value: Math.round(flood.cold.micros),
      unit: 'µs per update',
    },
  ];
  return [
    ...rows('limit written by hand', limit),
    ...rows('relay', relay),
    {
      name: `${name}, share of the limit`,
      value: share,
      unit: '%',
      mark: `>= ${wanted}`,
      ok: share >= wanted,
    },
    atMost(`${name}, processor, times that of the limit`, relay.micros / limit.micros, 1.3),
  ];
}

function atMost(name: string, times: number, most: number): BenchRow {
  const value = Math.round(times * 100) / 100;
  return { name, value, unit: '×', mark: `<= ${most}`, ok: value <= most };
}

/** The limit and the relay, in turns; medians. */
async function ratio(withPush: boolean): Promise<Ratio> {
  const limits: Flood[] = [];
  const relays: Flood[] = [];
  for (let round = 0; round < rounds; round++) {
    limits.push(await floodThrough('limit', withPush));
    relays.push(await floodThrough('relay', withPush));
  }
  const middle = (speeds: Speed[]): Speed => ({
    perSecond: median(speeds.map(({ perSecond }) => perSecond)),
    micros: median(speeds.map(({ micros }) => micros)),
  });
  const middles = (floods: Flood[]): Flood => ({
    ...middle(floods),
    cold: middle(floods.map(({ cold }) => cold)),
  });
  return { limit: middles(limits), relay: middles(relays) };
}

/** From the first update dealt out to the last at its end, once warm. */
async function floodThrough(what: 'limit' | 'relay', withPush: boolean): Promise<Flood> {
  const setup = await setUp(what, floodBots, withPush);
  let sent = 0;
  const flood = async (perBot: number): Promise<Speed> => {
    const total = floodBots.length * perBot;
    sent += total;
    const cpuBefore = cpuSeconds(setup.child);
    const startedAt = performance.now();
    const confirmed = setup.platform.news((news) => news.kind === 'confirmed');
    setup.platform.order({ kind: 'flood', bots: floodBots, perBot });
    await confirmed;
    while (withPush && (await setup.sink.count()).distinct < sent) await pause(20);
    return {
      perSecond: total / ((performance.now() - startedAt) / 1000),
      micros: ((cpuSeconds(setup.child) - cpuBefore) / total) * 1e6,
    };
  };
  try {
    const cold = await flood(warmUpPerBot);
    return { ...(await flood(withPush ? pushedPerBot : ingestedPerBot)), cold };
  } finally {
    await setup.close();
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
  const setup = await setUp(what, floodBots, true);
  try {
    const windows: { p50: number; p99: number }[] = [];
    const stolenBefore = stolenSeconds();
    const startedAt = performance.now();
    for (const seconds of [warmUpSeconds, ...latencyWindows]) {
      await setup.sink.reset();
      setup.platform.order({ kind: 'rate', bots: floodBots, perSecond, seconds });
      await pause(seconds * 1000 + 1_000);
      windows.push(await setup.sink.count());
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
    await setup.close();
  }
}

async function memoryOfIdleBots(): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  const none = await idle(0);
  const counts = [
    [1_000, 40],
    [10_000, 250],
  ] as const;
  for (const [count, most] of counts.slice(0, quick(2, 1))) {
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
  const setup = await setUp('relay', bots, false);
  try {
    // Until every bot has made its first calls and the garbage of that is gone.
    await pause(15_000 + count * 2);
    const before = cpuSeconds(setup.child);
    // Usually as long as the longest poll: each bot asks once more meanwhile.
    const seconds = quick(pollSeconds, 20);
    await pause(seconds * 1000);
    const cpuPercent = ((cpuSeconds(setup.child) - before) / seconds) * 100;
    return { megabytes: residentMegabytes(setup.child), cpuPercent };
  } finally {
    await setup.close();
  }
}

async function setUp(what: 'limit' | 'relay', bots: number[], withPush: boolean) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'relay-bench-'));
  const platform = await startPlatform();
  const sink = await startSink();
  let child: ChildProcess;
  if (what === 'limit') {
    child = await startLimit(
      path.join(folder, 'limit.db'),
      platform.url,
      withPush ? sink.url : '',
      bots,
    );
  } else {
    await addBots(folder, bots, withPush ? sink.url : '');
    ({ child } = await startService(folder, platform.url));
  }
  // Until the first polls stand.
  await pause(1_000);
  return {
    platform,
    sink,
    child,
    async close() {
      await end(child, 'SIGKILL');
      platform.close();
      sink.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
