/*
 * Compares the relay on PostgreSQL with the hand-written pipeline on the same server, in turns:
 * updates per second, processor time per update of the service and the database together, commits
 * and round trips. Chat management is on, and off in rows of their own; cold are the first 50,000
 * updates after a start.
 */
import { startPostgres } from '../test/support/database/start-postgres.ts';
import { countRoundTrips } from './relay/count-round-trips.ts';
import {
  ask,
  commitsOf,
  createDatabase,
  databaseSeconds,
  processOf,
} from './relay/database-server.ts';
import { median } from './relay/parts.ts';
import { flood, openPipeline, type Pipeline } from './relay/pipeline.ts';
import type { BenchRow } from './run.ts';

const bots = Array.from({ length: 10 }, (_, index) => index + 1);
const perBot = 5_000;
/** The updates for each process before anything is measured: by then the compiler has finished. */
const warmUpPerBot = 10_000;
/** Round trips do not depend on the compiler. */
const countedPerBot = 3_000;
const rounds = 5;

interface Measured {
  perSecond: number;
  /** Processor time per update, in microseconds. */
  own: number;
  database: number;
  /** Transactions, per thousand updates. */
  commits: number;
}

interface Result {
  cold: Measured;
  warm: Measured[];
}

interface Target extends Pipeline {
  databaseUrl: string;
}

export async function run(): Promise<BenchRow[]> {
  const { postgresUrl: server, restart, stop } = await startPostgres('durable');
  try {
    // Eight nodes hold up to 22 connections each.
    await ask(server, 'alter system set max_connections = 300');
    await restart();
    const postmaster = await processOf(server);
    const results = await inTurns(server, postmaster);
    return [
      ...summarize(results),
      await roundTrips(server, 'one node', 1),
      await roundTrips(server, 'three nodes', 3),
    ];
  } finally {
    await stop();
  }
}

const wanted = [
  ['limit written by hand', 'hand', false],
  ['one node', 1, true],
  ['one node, chat management off', 1, false],
  ['three nodes', 3, true],
  ['three nodes, chat management off', 3, false],
] as const;
type Results = Record<(typeof wanted)[number][0], Result>;

async function inTurns(server: string, postmaster: number): Promise<Results> {
  const targets: Target[] = [];
  try {
    for (const [index, [, by, isManaged]] of wanted.entries()) {
      const databaseUrl = await createDatabase(server, `bench_${index}`);
      const pipeline = await openPipeline({ by, bots, withPush: true, isManaged, databaseUrl });
      targets.push({ ...pipeline, databaseUrl });
    }
    const results: Result[] = [];
    for (const target of targets) {
      results.push({ cold: await measure(target, postmaster), warm: [] });
    }
    // Each process gets the same number: with less, compiling would count as work of three nodes.
    for (const target of targets) await flood(target, bots, warmUpPerBot * target.children.length);
    for (let round = 0; round < rounds; round++) {
      for (const [index, target] of targets.entries()) {
        results[index]?.warm.push(await measure(target, postmaster));
      }
    }
    return Object.fromEntries(wanted.map(([name], index) => [name, results[index]])) as Results;
  } finally {
    await Promise.all(targets.map((target) => target.close()));
  }
}

async function measure(target: Target, postmaster: number): Promise<Measured> {
  const total = bots.length * perBot;
  const before = {
    database: databaseSeconds(postmaster),
    commits: await commitsOf(target.databaseUrl),
  };
  const { perSecond, micros } = await flood(target, bots, perBot);
  return {
    perSecond,
    own: micros,
    database: ((databaseSeconds(postmaster) - before.database) / total) * 1e6,
    commits: (((await commitsOf(target.databaseUrl)) - before.commits) / total) * 1000,
  };
}

/** Counts round trips separately, because the proxy that counts them slows everything down. */
async function roundTrips(server: string, name: string, nodes: number): Promise<BenchRow> {
  const trips = await countRoundTrips(await createDatabase(server, `trips_${nodes}`));
  try {
    const relay = await openPipeline({ by: nodes, bots, withPush: true, databaseUrl: trips.url });
    try {
      await flood(relay, bots, countedPerBot);
      const before = trips.count();
      await flood(relay, bots, countedPerBot);
      const perUpdate = (trips.count() - before) / (bots.length * countedPerBot);
      return {
        name: `push, ${name}, round trips`,
        value: Math.round(perUpdate * 1000),
        unit: 'per 1,000 updates',
      };
    } finally {
      await relay.close();
    }
  } finally {
    trips.close();
  }
}

function summarize(results: Results): BenchRow[] {
  const total = ({ own, database }: Measured) => own + database;
  const rows = (name: string, { cold, warm }: Result): BenchRow[] => {
    const row = (what: string, unit: string, pick: (one: Measured) => number): BenchRow => ({
      name: `push, ${name}${what}`,
      value: Math.round(median(warm.map(pick))),
      unit,
    });
    return [
      { name: `push, ${name}, cold`, value: Math.round(cold.perSecond), unit: 'updates/s' },
      {
        name: `push, ${name}, cold, processor`,
        value: Math.round(total(cold)),
        unit: 'µs per update',
      },
      row('', 'updates/s', ({ perSecond }) => perSecond),
      row(', processor', 'µs per update', total),
      row(', processor of the database', 'µs per update', ({ database }) => database),
      row(', commits', 'per 1,000 updates', ({ commits }) => commits),
    ];
  };
  const ratios = (of: Result, to: Result, pick: (one: Measured) => number) =>
    of.warm.map((one, round) => pick(one) / pick(to.warm[round] as Measured));
  const one = results['one node'];
  const limit = results['limit written by hand'];
  const share = Math.round(median(ratios(one, limit, ({ perSecond }) => perSecond)) * 100);
  const growth = Math.round((median(ratios(results['three nodes'], one, total)) - 1) * 100);
  return [
    ...wanted.flatMap(([name]) => rows(name, results[name])),
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
