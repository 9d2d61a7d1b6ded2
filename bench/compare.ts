/*
 * Compares two checkouts of this repository, in turns over the same fake platform, sink and
 * hand-written limit. A machine's speed drifts by more than the differences looked for, so only
 * figures of one pair are compared, and the order within a pair changes each time.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { commitOf, runFacts } from '../test/support/run-facts.ts';
import {
  adminKey,
  end,
  median,
  pause,
  privateMegabytes,
  quantile,
  root,
  startPlatform,
  startService,
  startSink,
  stolenSeconds,
} from './relay/parts.ts';
import { type Flood, flood, openPipeline, type Stage } from './relay/pipeline.ts';
import type { BenchOptions, BenchRow } from './run.ts';

const pushBots = Array.from({ length: 10 }, (_, index) => index + 1);
const ingestBots = pushBots.map((id) => id + pushBots.length);
const pushedPerBot = 5_000;
const ingestedPerBot = 10_000;
const warmUpSeconds = 2;
const windowSeconds = 8;
const idleBots = 1_000;
/** The share of processor time given to other machines: above it, a pair says more about the host. */
const quietPercent = 2;
/**
 * Longer than a held poll of 50 s: by then each bot has polled a second time, and the garbage of
 * the start is collected.
 */
const settleMs = 60_000;

type Speed = Pick<Flood, 'perSecond' | 'micros'>;

interface Floods {
  push: Speed;
  ingest: Speed;
}

interface Measured extends Floods {
  p50: number;
  p99: number;
}

interface Pair {
  limit: Floods;
  here: Measured;
  other: Measured;
  stolenPercent: number;
}

interface IdleMemory {
  none: number;
  bots: number;
}

export async function run(options: BenchOptions): Promise<BenchRow[]> {
  if (options.with === undefined) throw new Error('name the other checkout: --with <path>');
  const other = path.resolve(options.with);
  const pairs: Pair[] = [];
  // Half of the other checkout's push rate, the same for both and for every pair.
  const perSecond = (await measure(other, 0)).push.perSecond / 2;
  const wanted = Number(options.pairs ?? 10);
  for (let tried = 0; pairs.length < wanted && tried < wanted * 3; tried++) {
    const pair = await measurePair(other, perSecond, pairs.length % 2 === 0);
    const isQuiet = pair.stolenPercent <= quietPercent;
    if (isQuiet) pairs.push(pair);
    console.log(describe(pair, pairs.length), isQuiet ? '' : '(not counted: the host was busy)');
  }
  if (pairs.length === 0) throw new Error('the host was never quiet');
  const memory = await Promise.all([idleMemory(root), idleMemory(other)]);
  const counted: BenchRow = {
    name: `pairs with at most ${quietPercent} % stolen by other machines`,
    value: pairs.length,
    unit: '',
    mark: `>= ${wanted}`,
    ok: pairs.length >= wanted,
  };
  const rows = [counted, ...summarize(pairs, memory)];
  const facts = runFacts();
  const result = { ...facts, other: commitOf(other), latencyPerSecond: perSecond, rows, pairs };
  writeFileSync(
    path.join(root, 'bench', 'results', 'compare.json'),
    `${JSON.stringify(result, null, 2)}\n`,
  );
  return rows;
}

async function measurePair(other: string, perSecond: number, hereFirst: boolean): Promise<Pair> {
  const stolenBefore = stolenSeconds();
  const startedAt = performance.now();
  const limit = await measureLimit();
  const first = await measure(hereFirst ? root : other, perSecond);
  const second = await measure(hereFirst ? other : root, perSecond);
  const seconds = (performance.now() - startedAt) / 1000;
  const stolen = (stolenSeconds() - stolenBefore) / (seconds * os.cpus().length);
  return {
    limit,
    here: hereFirst ? first : second,
    other: hereFirst ? second : first,
    stolenPercent: stolen * 100,
  };
}

async function measureLimit(): Promise<Floods> {
  const through = async (bots: number[], withPush: boolean) => {
    const limit = await openPipeline({ by: 'hand', bots, withPush });
    try {
      return await floodThrough(limit, bots);
    } finally {
      await limit.close();
    }
  };
  return { push: await through(pushBots, true), ingest: await through(ingestBots, false) };
}

/** Measures both floods and, with a rate, a window of latency, in one start of the service. */
async function measure(checkout: string, perSecond: number): Promise<Measured> {
  return await withProcesses(async ({ folder, platform, sink }) => {
    const { child, address } = await startService(folder, platform.url, { checkout });
    try {
      await addBots(address, pushBots, sink.url);
      await addBots(address, ingestBots, '');
      // Wait until the first polls are open.
      await pause(1_000);
      const children = [child];
      const push = await floodThrough({ children, platform, sink }, pushBots);
      const ingest = await floodThrough({ children, platform }, ingestBots);
      if (perSecond === 0) return { push, ingest, p50: 0, p99: 0 };
      const seconds = warmUpSeconds + windowSeconds;
      platform.order({ kind: 'rate', bots: pushBots, perSecond, seconds });
      await pause(warmUpSeconds * 1000);
      await sink.reset();
      await pause(windowSeconds * 1000 + 500);
      const { p50, p99 } = await sink.count();
      return { push, ingest, p50, p99 };
    } finally {
      await end(child, 'SIGKILL');
    }
  });
}

type Platform = Awaited<ReturnType<typeof startPlatform>>;
type Sink = Awaited<ReturnType<typeof startSink>>;

async function withProcesses<T>(
  work: (processes: { folder: string; platform: Platform; sink: Sink }) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'relay-compare-'));
  const platform = await startPlatform();
  const sink = await startSink();
  try {
    return await work({ folder, platform, sink });
  } finally {
    platform.close();
    sink.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Measures from the first update sent to the last one stored or, with a sink, received. */
async function floodThrough(stage: Stage, bots: number[]): Promise<Speed> {
  const { perSecond, micros } = await flood(
    stage,
    bots,
    stage.sink ? pushedPerBot : ingestedPerBot,
  );
  return { perSecond, micros };
}

async function addBots(address: string, ids: number[], sink: string): Promise<void> {
  const left = [...ids];
  const add = async () => {
    for (let id = left.shift(); id !== undefined; id = left.shift()) {
      const response = await fetch(`${address}/api/bots/add`, {
        method: 'POST',
        headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          token: `${id}:benchbenchbench`,
          proxy_enabled: sink !== '',
          backend_url: sink === '' ? '' : `${sink}/b/${id}`,
          manage_enabled: true,
        }),
      });
      const text = await response.text();
      if (response.status === 429) {
        left.push(id);
        await pause(1_000);
      } else if (!response.ok) {
        throw new Error(`bot ${id} was not added: ${text}`);
      }
    }
  };
  await Promise.all(Array.from({ length: 10 }, add));
}

/** Measures the private megabytes of a service without bots and of one with many, both freshly started. */
async function idleMemory(checkout: string): Promise<IdleMemory> {
  const bots = Array.from({ length: idleBots }, (_, index) => index + 1);
  const none = withProcesses(async ({ folder, platform }) => {
    const { child } = await startService(folder, platform.url, { checkout });
    await pause(settleMs);
    const megabytes = privateMegabytes(child);
    await end(child, 'SIGKILL');
    return megabytes;
  });
  const many = withProcesses(async ({ folder, platform }) => {
    const first = await startService(folder, platform.url, { checkout });
    await addBots(first.address, bots, '');
    await end(first.child, 'SIGTERM');
    const { child } = await startService(folder, platform.url, { checkout });
    await pause(settleMs);
    const megabytes = privateMegabytes(child);
    await end(child, 'SIGKILL');
    return megabytes;
  });
  return { none: await none, bots: await many };
}

type Side = 'here' | 'other';

function share(pair: Pair, side: Side, kind: keyof Floods): number {
  return (pair[side][kind].perSecond / pair.limit[kind].perSecond) * 100;
}

function describe(pair: Pair, number: number): string {
  const both = (tell: (side: Side) => string) => `${tell('here')} against ${tell('other')}`;
  return [
    `  pair ${String(number).padStart(2)}, share of the limit:`,
    `push ${both((side) => `${share(pair, side, 'push').toFixed(1)} %`)},`,
    `ingest ${both((side) => `${share(pair, side, 'ingest').toFixed(1)} %`)};`,
    `push ${both((side) => `${pair[side].push.micros.toFixed(1)} µs`)},`,
    `ingest ${both((side) => `${pair[side].ingest.micros.toFixed(1)} µs`)};`,
    `p99 ${both((side) => `${pair[side].p99} ms`)};`,
    `stolen ${pair.stolenPercent.toFixed(1)} %`,
  ].join(' ');
}

function summarize(pairs: Pair[], [here, other]: [IdleMemory, IdleMemory]): BenchRow[] {
  const rows: BenchRow[] = [];
  const add = (name: string, value: number, unit: string, mark?: string, ok?: boolean) => {
    const rounded = Math.round(value * 10) / 10;
    rows.push({
      name,
      value: rounded,
      unit,
      ...(mark === undefined ? {} : { mark }),
      ...(ok === undefined ? {} : { ok }),
    });
  };
  for (const kind of ['push', 'ingest'] as const) {
    for (const [side, words] of sides) {
      const shares = pairs.map((pair) => share(pair, side, kind));
      add(`${kind}, share of the limit, ${words}`, median(shares), '%', spread(shares));
    }
    const difference = (of: (speed: Speed) => number) =>
      pairs.map((pair) => (of(pair.here[kind]) / of(pair.other[kind]) - 1) * 100);
    const speeds = difference(({ perSecond }) => perSecond);
    const faster = median(speeds);
    add(`${kind}, difference`, faster, '%', `>= -5; ${spread(speeds)}`, faster >= -5);
    const costs = difference(({ micros }) => micros);
    const dearer = median(costs);
    add(`${kind}, processor, difference`, dearer, '%', `<= 5; ${spread(costs)}`, dearer <= 5);
  }
  for (const quantileName of ['p50', 'p99'] as const) {
    for (const [side, words] of sides) {
      const values = pairs.map((pair) => pair[side][quantileName]);
      add(
        `latency at half the rate, ${quantileName}, ${words}`,
        median(values),
        'ms',
        spread(values),
      );
    }
  }
  const slower = pairs.map((pair) => (pair.here.p99 / pair.other.p99 - 1) * 100);
  add('p99, difference', median(slower), '%', `<= 10; ${spread(slower)}`, median(slower) <= 10);
  for (const [memory, words] of [
    [here, 'here'],
    [other, 'the other'],
  ] as const) {
    add(`memory without bots, ${words}`, memory.none, 'MB');
    add(`memory with ${idleBots} idle bots, ${words}`, memory.bots, 'MB');
  }
  return rows;
}

const sides = [
  ['here', 'here'],
  ['other', 'the other'],
] as const;

function spread(values: number[]): string {
  const [min, low, high, max] = [0, 0.25, 0.75, 1].map((at) => quantile(values, at).toFixed(1));
  return `min ${min}, quartiles ${low} and ${high}, max ${max}`;
}
