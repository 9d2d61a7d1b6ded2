/*
 * Measures what docs/performance.md shows: the limit written by hand, and the relay with chat
 * management on and off, in turns; on PostgreSQL with one node and with three. Cold are the first
 * 50,000 updates after a start, warm are floods after that. Each rests while another works, and has
 * caught up with search and statistics before the next begins. Writes bench/results/headline.json;
 * `--engine sqlite` or `--engine postgres` measures one part and keeps the other, `--rounds 9`
 * chooses the number of floods.
 */
import { writeFileSync } from 'node:fs';
import { startPostgres } from '../test/support/database/start-postgres.ts';
import { runFacts } from '../test/support/run-facts.ts';
import { ask, createDatabase, databaseSeconds, processOf } from './relay/database-server.ts';
import { cpuSeconds, median, pause, withStolen } from './relay/parts.ts';
import { flood, openPipeline, type Pipeline, settle } from './relay/pipeline.ts';
import { readResults, resultFiles } from './report/files.ts';
import {
  type HeadlineResult,
  type Measured,
  type Part,
  type Side,
  type Speed,
  summarizeHeadline,
} from './report/headline.ts';
import type { BenchOptions, BenchRow } from './run.ts';

const bots = Array.from({ length: 10 }, (_, index) => index + 1);
const coldPerBot = 5_000;
/** Further updates of each process before a warm flood: then the compiler has finished. */
const warmUpPerBot = { sqlite: 15_000, postgres: 3_500 };
const perBot = { sqlite: 3_000, postgres: 2_000 };
const usualRounds = 9;
const windows = 4;
const windowSeconds = 4;

type Engine = keyof typeof warmUpPerBot;

const sides: Record<Engine, readonly Side[]> = {
  sqlite: ['limit', 'on', 'off'],
  postgres: ['limit', 'on', 'off', 'threeOn', 'threeOff'],
};
const options: Record<Side, { by: 'hand' | number; isManaged?: boolean }> = {
  limit: { by: 'hand' },
  on: { by: 1 },
  off: { by: 1, isManaged: false },
  threeOn: { by: 3 },
  threeOff: { by: 3, isManaged: false },
};

interface Target extends Pipeline {
  side: Side;
}

interface Server {
  url: string;
  postmaster: number;
}

export async function run({ engine, rounds }: BenchOptions): Promise<BenchRow[]> {
  const wanted = engine === undefined ? (['sqlite', 'postgres'] as const) : [engine as Engine];
  const result: HeadlineResult = { ...readResults().headline };
  for (const one of wanted) {
    result[one] = await measureEngine(one, Number(rounds ?? usualRounds));
    writeFileSync(resultFiles.headline, `${JSON.stringify(result, null, 1)}\n`);
  }
  return summarizeHeadline(result);
}

async function measureEngine(engine: Engine, rounds: number): Promise<Part> {
  const facts = runFacts();
  const server = engine === 'postgres' ? await startPostgres('durable') : undefined;
  try {
    const url = server?.postgresUrl;
    if (server) {
      // Eight nodes hold up to 22 connections each.
      await ask(server.postgresUrl, 'alter system set max_connections = 300');
      await server.restart();
    }
    const known = url === undefined ? undefined : { url, postmaster: await processOf(url) };
    const { value, stolen } = await withStolen(() => measureAll(engine, known, rounds));
    return { ...facts, ...value, stolen };
  } finally {
    await server?.stop();
  }
}

async function measureAll(
  engine: Engine,
  server: Server | undefined,
  rounds: number,
): Promise<Pick<Part, 'sides' | 'latencyPerSecond'>> {
  const names = sides[engine];
  const found = Object.fromEntries(
    names.map((side) => [side, { cold: [], warm: [], p99: [] } as Measured]),
  ) as Record<Side, Measured>;
  const open: Target[] = [];
  try {
    for (const side of names) open.push(await openTarget(side, server));
    for (const target of open) {
      found[target.side].cold.push(await measure(target, server, coldPerBot));
    }
    for (const target of open) {
      await measure(target, server, warmUpPerBot[engine] * target.children.length);
    }
    for (let round = 0; round < rounds; round++) {
      for (const target of open) {
        found[target.side].warm.push(await measure(target, server, perBot[engine]));
      }
    }
    const perSecond = Math.round(median(found.on.warm.map((speed) => speed.perSecond)) / 2);
    for (let window = 0; window < windows; window++) {
      for (const target of open) {
        found[target.side].p99.push(await latency(target, perSecond));
        await settle(target);
      }
    }
    return { sides: found, latencyPerSecond: perSecond };
  } finally {
    await Promise.all(open.map((target) => target.close()));
  }
}

async function openTarget(side: Side, server: Server | undefined): Promise<Target> {
  const databaseUrl = server && (await createDatabase(server.url, `bench_${side.toLowerCase()}`));
  return { side, ...(await openPipeline({ ...options[side], bots, withPush: true, databaseUrl })) };
}

/** Measures a flood, and what search and statistics catch up on after it. */
async function measure(target: Target, server: Server | undefined, each: number): Promise<Speed> {
  const total = bots.length * each;
  const ofServer = () => (server ? databaseSeconds(server.postmaster) : 0);
  const ofAll = () =>
    ofServer() + target.children.reduce((sum, child) => sum + cpuSeconds(child), 0);
  const before = ofServer();
  const { perSecond, micros: service } = await flood(target, bots, each);
  console.log(`  ${target.side}: ${Math.round(perSecond)}/s, ${Math.round(service)} µs`);
  const database = ((ofServer() - before) / total) * 1e6;
  const left = ofAll();
  await settle(target);
  return { perSecond, service, database, later: ((ofAll() - left) / total) * 1e6 };
}

async function latency({ platform, sink }: Pipeline, perSecond: number): Promise<number> {
  if (!sink) throw new Error('there is no backend to measure at');
  await sink.reset();
  platform.order({ kind: 'rate', bots, perSecond, seconds: windowSeconds });
  await pause(windowSeconds * 1000 + 1_000);
  return (await sink.count()).p99;
}
