/*
 * Measures writes and reads as the database and the number of bots grow, on SQLite: `--gigabytes
 * 0.3,1` and `--bots 10,1000` choose other steps. The hand-written pipeline runs within each step
 * on a separate empty database, so that the machine's changing speed does not look like growth.
 */
import { mkdtempSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createVault } from '../src/core/access/vault.ts';
import { databaseFileName } from '../src/store/sqlite/database-file.ts';
import { openSqlite } from '../src/store/sqlite/engine.ts';
import { createStore } from '../src/store/store.ts';
import { runFacts } from '../test/support/run-facts.ts';
import {
  addBots,
  end,
  masterKey,
  median,
  pause,
  privateMegabytes,
  startPlatform,
  startService,
  startSink,
  withStolen,
} from './relay/parts.ts';
import { flood, type Flood, openPipeline, type Stage } from './relay/pipeline.ts';
import { resultFiles } from './report/files.ts';
import { isQuick, quick } from './quick.ts';
import type { BenchOptions, BenchRow } from './run.ts';
import { fill } from './scale/fill.ts';
import { type ScaleResult, type Step, summarizeScale } from './scale/result.ts';
import { botReads, messageReads, timeReads } from './scale/reads.ts';

const range = (from: number, count: number) => Array.from({ length: count }, (_, i) => from + i);
const pushBots = range(1, 10);
const ingestBots = range(11, 10);
const managedBots = range(21, 10);
/** Like the bots that push, with chat management off. */
const offBots = range(31, 10);
/** Messages of each managed bot in the smallest database, so that its pages are full. */
const leastPerBot = 6_000;
/** Measured with this generator; the report shows the real size of the file. */
const bytesPerMessage = 1_020;
const numbersPerStep = 100_000_000;
const roomForLargest = 50e9;
const pushed = 15_000;
const ingested = 30_000;
/** These updates are reported as cold, because the compiler warms up. */
const warmUp = 15_000;

export async function run(options: BenchOptions): Promise<BenchRow[]> {
  const parent = options.folder ?? os.tmpdir();
  const gigabytes = numbers(options.gigabytes ?? quick(usualSizes(parent), '0.3'));
  const botCounts = numbers(options.bots ?? quick('10,100,1000,10000', '10,1000'));
  const rounds = Number(options.rounds ?? 2);
  const folder = mkdtempSync(path.join(parent, 'relay-scale-'));
  const result: ScaleResult = { ...runFacts(), sizes: [], bots: [] };
  try {
    for (const [index, size] of [0, ...gigabytes].entries()) {
      result.sizes.push(await sizeStep(path.join(folder, 'size'), index, size, rounds));
      console.log(`  ${describe(result.sizes.at(-1) as Step)}`);
    }
    rmSync(path.join(folder, 'size'), { recursive: true, force: true });
    for (const count of botCounts) {
      result.bots.push(await botStep(path.join(folder, `bots-${count}`), count, rounds));
      console.log(`  ${describe(result.bots.at(-1) as Step)}`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  if (!isQuick) writeFileSync(resultFiles.scale, `${JSON.stringify(result, null, 2)}\n`);
  return summarizeScale(result);
}

/** Returns the default sizes, with the largest one if there is room for it. */
function usualSizes(folder: string): string {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize > roomForLargest ? '0.3,1,5,20' : '0.3,1,5';
}

function numbers(list: string): number[] {
  return list.split(',').map((text) => {
    const value = Number(text);
    if (value > 0) return value;
    throw new Error(`a list of numbers above 0 is needed, not "${list}"`);
  });
}

/** Measures the database of the steps before, filled up to this size. */
async function sizeStep(
  folder: string,
  index: number,
  gigabytes: number,
  rounds: number,
): Promise<Step> {
  const platform = await startPlatform(index * numbersPerStep + numbersPerStep / 2);
  const sink = await startSink();
  try {
    if (index === 0) {
      await addBots(folder, pushBots, sink.url);
      await addBots(folder, [...ingestBots, ...managedBots], '');
      await addBots(folder, offBots, sink.url, false);
    }
    const { store, close } = await open(folder);
    await store.bots.list();
    for (const id of [...pushBots, ...offBots]) {
      await store.bots.update(id, { backend_url: `${sink.url}/b/${id}` }, Date.now());
    }
    const from = index * numbersPerStep + 1;
    const plain = index === 0 ? [] : offBots;
    const managed = index === 0 ? managedBots : [...pushBots, ...ingestBots, ...managedBots];
    const missing = gigabytes * 1e9 - fileBytes(folder);
    const perBot =
      index === 0
        ? leastPerBot
        : Math.max(
            leastPerBot,
            Math.ceil(missing / bytesPerMessage / (plain.length + managed.length)),
          );
    await fill(store, { plain, managed, from, to: from + perBot });
    await close();

    const size = fileBytes(folder);
    const { child, address } = await startService(folder, platform.url, {
      env: { RELAY_RATE_PER_KEY: '1000000' },
    });
    try {
      await pause(2_000);
      const children = [child];
      const measured = await withStolen(async () => {
        const reads = await timeReads(
          address,
          messageReads(managedBots, from + Math.floor(perBot / 2)),
        );
        const cold = await floodOf({ children, platform, sink }, pushBots, warmUp);
        const pushes: Flood[] = [];
        const offs: Flood[] = [];
        const ingests: Flood[] = [];
        const limits: Flood[] = [];
        for (let round = 0; round < rounds; round++) {
          pushes.push(await floodOf({ children, platform, sink }, pushBots, pushed));
          offs.push(await floodOf({ children, platform, sink }, offBots, pushed));
          ingests.push(await floodOf({ children, platform }, ingestBots, ingested));
          limits.push(await throughLimit(pushBots, pushed));
        }
        return {
          reads,
          cold: middle([cold]),
          push: middle(pushes),
          off: middle(offs),
          ingest: middle(ingests),
          limit: middle(limits),
        };
      });
      return {
        label: label(size),
        at: size / 1e9,
        ...measured.value,
        memory: Math.round(privateMegabytes(child)),
        stolen: measured.stolen,
      };
    } finally {
      await end(child, 'SIGTERM');
    }
  } finally {
    platform.close();
    sink.close();
  }
}

/**
 * Measures a new database with this many bots: floods of ten of them, while the others are idle,
 * and of all.
 */
async function botStep(folder: string, count: number, rounds: number): Promise<Step> {
  const platform = await startPlatform();
  const sink = await startSink();
  const all = range(1, count);
  try {
    await addBots(folder, all, sink.url);
    const { child, address } = await startService(folder, platform.url, {
      env: { RELAY_RATE_PER_KEY: '1000000' },
    });
    try {
      // Wait until each bot has made its first calls.
      await pause(3_000 + count * 2);
      const memory = Math.round(privateMegabytes(child));
      const stage = { children: [child], platform, sink };
      const measured = await withStolen(async () => {
        const reads = await timeReads(address, botReads);
        const cold = await floodOf(stage, pushBots, warmUp);
        const pushes: Flood[] = [];
        const spreads: Flood[] = [];
        const limits: Flood[] = [];
        for (let round = 0; round < rounds; round++) {
          pushes.push(await floodOf(stage, pushBots, pushed));
          spreads.push(await floodOf(stage, all, pushed));
          limits.push(await throughLimit(all, pushed));
        }
        return {
          reads,
          cold: middle([cold]),
          push: middle(pushes),
          spread: middle(spreads),
          limit: middle(limits),
        };
      });
      return {
        label: count.toLocaleString('en'),
        at: count,
        ...measured.value,
        memory,
        stolen: measured.stolen,
      };
    } finally {
      await end(child, 'SIGTERM');
    }
  } finally {
    platform.close();
    sink.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Measures the hand-written pipeline on a separate empty database. */
async function throughLimit(bots: number[], total: number): Promise<Flood> {
  const limit = await openPipeline({ by: 'hand', bots, withPush: true });
  try {
    await pause(bots.length);
    await floodOf(limit, bots.slice(0, 10), warmUp);
    return await floodOf(limit, bots, total);
  } finally {
    await limit.close();
  }
}

/** Sends this many updates, spread over the bots. */
const floodOf = (stage: Stage, bots: number[], total: number) =>
  flood(stage, bots, Math.max(1, Math.round(total / bots.length)));

/** Returns the median of each figure over the rounds. */
function middle(floods: Flood[]): Flood {
  const of = (pick: (flood: Flood) => number) => Math.round(median(floods.map(pick)));
  return {
    perSecond: of((flood) => flood.perSecond),
    micros: of((flood) => flood.micros),
    bytes: of((flood) => flood.bytes),
  };
}

async function open(folder: string) {
  const engine = await openSqlite(folder);
  return { store: createStore(engine, createVault([masterKey])), close: () => engine.close() };
}

function fileBytes(folder: string): number {
  return statSync(path.join(folder, databaseFileName)).size;
}

function label(bytes: number): string {
  return bytes < 1e9 ? `${Math.round(bytes / 1e6)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}

function describe(step: Step): string {
  const { label: name, cold, push, off, ingest, spread, limit, memory, stolen } = step;
  return [
    `${name}: push ${push.perSecond}/s ${push.micros} µs ${push.bytes} bytes`,
    cold ? `cold ${cold.perSecond}/s ${cold.micros} µs` : '',
    off ? `push without chat management ${off.perSecond}/s ${off.micros} µs` : '',
    ingest ? `ingest ${ingest.perSecond}/s ${ingest.micros} µs` : '',
    spread ? `over all bots ${spread.perSecond}/s ${spread.micros} µs` : '',
    `limit ${limit.perSecond}/s ${limit.micros} µs; ${memory} MB; stolen ${stolen} %`,
  ]
    .filter((part) => part !== '')
    .join('; ');
}
