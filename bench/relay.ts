/*
 * Compares the relay with the hand-written pipeline: a fake platform, the service as shipped and a
 * sink, each in its own process; then the same platform and sink with bench/limit.ts between them.
 * The bots of the relay have chat management on, as most users have; a second one has it off.
 */
import type { ChildProcess } from 'node:child_process';
import { cpuSeconds, median, pause, residentMegabytes, withStolen } from './relay/parts.ts';
import { flood, type Flood, openPipeline, type Pipeline } from './relay/pipeline.ts';
import type { SinkNews } from './relay/sink.ts';
import { quick } from './quick.ts';
import type { BenchRow } from './run.ts';

const floodBots = Array.from({ length: 10 }, (_, index) => index + 1);
const pushedPerBot = quick(5_000, 3_000);
const ingestedPerBot = quick(20_000, 8_000);
/*
 * Updates before anything is measured. The compiler needs 100,000 updates to finish, and the index
 * pages of a database spread in its first 200,000 messages: the figures after that are those of a
 * service in months of use. The first part is reported too.
 */
const coldPerBot = 5_000;
const warmUpPerBot = 15_000;
const rounds = 5;
const latencySeconds = quick(10, 5);
const latencyWindows = quick(5, 3);
/** How long the relay asks the platform to hold a poll. */
const pollSeconds = 50;

export async function run(): Promise<BenchRow[]> {
  const push = await compared(true, async (trio) => {
    const ratios = await floods(trio, pushedPerBot);
    const latency = await latencies(trio, ratios.relay.perSecond / 2);
    return { ...ratios, latency };
  });
  const ingest = await compared(false, (trio) => floods(trio, ingestedPerBot));
  const memory = await memoryOfIdleBots();
  const { limit, relay } = push.latency;
  return [
    ...against('push', push, 85),
    ...against('ingest', ingest, 70),
    {
      name: 'added latency at half the rate, limit written by hand, p50',
      value: limit.p50,
      unit: 'ms',
    },
    {
      name: 'added latency at half the rate, limit written by hand, p99',
      value: limit.p99,
      unit: 'ms',
    },
    { name: 'added latency at half the rate, relay, p50', value: relay.p50, unit: 'ms' },
    { name: 'added latency at half the rate, relay, p99', value: relay.p99, unit: 'ms' },
    { name: '  its worst of all windows', value: relay.worstP99, unit: 'ms' },
    atMost('p99, times that of the limit', relay.p99 / limit.p99, 1.5),
    {
      name: 'processor time taken by other machines meanwhile',
      value: push.latency.stolenPercent,
      unit: '%',
    },
    ...memory,
  ];
}

type Speed = Pick<Flood, 'perSecond' | 'micros'>;

interface Warm extends Speed {
  /** The speed right after the start. */
  cold: Speed;
}

interface Trio<T> {
  limit: T;
  relay: T;
  /** The relay with chat management off. */
  off: T;
}

interface Ratios extends Trio<Warm> {
  /** Divided by the limit, for runs right after each other. */
  times: Pick<Trio<Speed>, 'relay' | 'off'>;
}

const offWords = 'chat management off';

function against(name: string, { limit, relay, off, times }: Ratios, wanted: number): BenchRow[] {
  const share = Math.round(times.relay.perSecond * 100);
  const rows = (who: string, speed: Warm): BenchRow[] => [
    { name: `${name}, ${who}`, value: Math.round(speed.perSecond), unit: 'updates/s' },
    { name: `${name}, ${who}, processor`, value: Math.round(speed.micros), unit: 'µs per update' },
    {
      name: `${name}, ${who}, processor in the first ${floodBots.length * coldPerBot} updates`,
      value: Math.round(speed.cold.micros),
      unit: 'µs per update',
    },
  ];
  return [
    ...rows('limit written by hand', limit),
    ...rows('relay', relay),
    ...rows(`relay, ${offWords}`, off),
    {
      name: `${name}, share of the limit`,
      value: share,
      unit: '%',
      mark: `>= ${wanted}`,
      ok: share >= wanted,
    },
    atMost(`${name}, processor, times that of the limit`, times.relay.micros, 1.3),
    {
      name: `${name}, share of the limit, ${offWords}`,
      value: Math.round(times.off.perSecond * 100),
      unit: '%',
    },
    {
      name: `${name}, processor, times that of the limit, ${offWords}`,
      value: Math.round(times.off.micros * 100) / 100,
      unit: '×',
    },
  ];
}

function atMost(name: string, times: number, most: number): BenchRow {
  const value = Math.round(times * 100) / 100;
  return { name, value, unit: '×', mark: `<= ${most}`, ok: value <= most };
}

/** Starts all of them at once; each rests while another works. */
async function compared<T>(
  withPush: boolean,
  measure: (trio: Trio<Pipeline>) => Promise<T>,
): Promise<T> {
  const opened: Pipeline[] = [];
  const open = async (by: 'hand' | 1, isManaged = true) => {
    const pipeline = await openPipeline({ by, bots: floodBots, withPush, isManaged });
    opened.push(pipeline);
    return pipeline;
  };
  try {
    return await measure({
      limit: await open('hand'),
      relay: await open(1),
      off: await open(1, false),
    });
  } finally {
    for (const pipeline of opened) await pipeline.close();
  }
}

/** Runs all in turns, once they are warm; returns medians. */
async function floods(trio: Trio<Pipeline>, perBot: number): Promise<Ratios> {
  const inTurn = async (each: number): Promise<Trio<Speed>> => ({
    limit: await flood(trio.limit, floodBots, each),
    relay: await flood(trio.relay, floodBots, each),
    off: await flood(trio.off, floodBots, each),
  });
  const cold = await inTurn(coldPerBot);
  await inTurn(warmUpPerBot);
  const warm: Trio<Speed>[] = [];
  for (let round = 0; round < rounds; round++) warm.push(await inTurn(perBot));
  const middle = (pick: (round: Trio<Speed>) => Speed): Speed => ({
    perSecond: median(warm.map((round) => pick(round).perSecond)),
    micros: median(warm.map((round) => pick(round).micros)),
  });
  const times = (who: 'relay' | 'off') =>
    middle(({ limit, [who]: { perSecond, micros } }) => ({
      perSecond: perSecond / limit.perSecond,
      micros: micros / limit.micros,
    }));
  return {
    limit: { ...middle(({ limit }) => limit), cold: cold.limit },
    relay: { ...middle(({ relay }) => relay), cold: cold.relay },
    off: { ...middle(({ off }) => off), cold: cold.off },
    times: { relay: times('relay'), off: times('off') },
  };
}

type SinkCount = Extract<SinkNews, { kind: 'count' }>;

interface AddedLatency {
  p50: number;
  p99: number;
  worstP99: number;
}

interface Latencies {
  limit: AddedLatency;
  relay: AddedLatency;
  /** Processor time that a shared host gave to others; if it is high, the figures describe the host. */
  stolenPercent: number;
}

/**
 * Measures both in turns. It takes the median of several windows, as a single stall of a shared
 * disk spoils a whole one; the first is not counted, because a flood came before it.
 */
async function latencies({ limit, relay }: Trio<Pipeline>, perSecond: number): Promise<Latencies> {
  const { value, stolen } = await withStolen(async () => {
    const windows: { limit: SinkCount; relay: SinkCount }[] = [];
    for (let window = 0; window <= latencyWindows; window++) {
      windows.push({
        limit: await latency(limit, perSecond),
        relay: await latency(relay, perSecond),
      });
    }
    return windows.slice(1);
  });
  const middle = (of: SinkCount[]): AddedLatency => ({
    p50: median(of.map(({ p50 }) => p50)),
    p99: median(of.map(({ p99 }) => p99)),
    worstP99: Math.max(...of.map(({ p99 }) => p99)),
  });
  return {
    limit: middle(value.map((window) => window.limit)),
    relay: middle(value.map((window) => window.relay)),
    stolenPercent: stolen,
  };
}

async function latency({ platform, sink }: Pipeline, perSecond: number): Promise<SinkCount> {
  if (!sink) throw new Error('there is no backend to measure at');
  await sink.reset();
  platform.order({ kind: 'rate', bots: floodBots, perSecond, seconds: latencySeconds });
  await pause(latencySeconds * 1000 + 1_000);
  return sink.count();
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
  const relay = await openPipeline({ by: 1, bots, withPush: false });
  const [child] = relay.children as [ChildProcess];
  try {
    // Wait until every bot has made its first calls and the garbage of that is collected.
    await pause(15_000 + count * 2);
    const before = cpuSeconds(child);
    // Usually as long as the longest poll, so that each bot polls again meanwhile.
    const seconds = quick(pollSeconds, 20);
    await pause(seconds * 1000);
    const cpuPercent = ((cpuSeconds(child) - before) / seconds) * 100;
    return { megabytes: residentMegabytes(child), cpuPercent };
  } finally {
    await relay.close();
  }
}
