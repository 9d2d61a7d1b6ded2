/*
 * Compares the relay on PostgreSQL with the hand-written pipeline on the same server, in turns:
 * updates per second, processor time per update of the service and the database together, commits
 * and round trips.
 */
import { startPostgres } from '../test/support/database/start-postgres.ts';
import { countRoundTrips } from './relay/count-round-trips.ts';
import { commitsOf, createDatabase, databaseSeconds, processOf } from './relay/database-server.ts';
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

interface Target extends Pipeline {
  databaseUrl: string;
}

export async function run(): Promise<BenchRow[]> {
  const { postgresUrl: server, stop } = await startPostgres('durable');
  try {
    const postmaster = await processOf(server);
    const [limits, relays, offs, threes] = await inTurns(
      server,
      [
        ['by_hand', 'hand', false],
        ['one_node', 1, true],
        ['one_node_off', 1, false],
        ['three_nodes', 3, true],
      ] as const,
      postmaster,
    );
    return [
      ...summarize(
        limits as Measured[],
        relays as Measured[],
        offs as Measured[],
        threes as Measured[],
      ),
      await roundTrips(server, 'one node', 1),
      await roundTrips(server, 'three nodes', 3),
    ];
  } finally {
    await stop();
  }
}

async function inTurns(
  server: string,
  wanted: readonly (readonly [database: string, by: 'hand' | number, isManaged: boolean])[],
  postmaster: number,
): Promise<Measured[][]> {
  const targets: Target[] = [];
  try {
    for (const [name, by, isManaged] of wanted) {
      const databaseUrl = await createDatabase(server, name);
      const pipeline = await openPipeline({ by, bots, withPush: true, isManaged, databaseUrl });
      targets.push({ ...pipeline, databaseUrl });
    }
    // Each process gets the same number: with less, compiling would count as work of three nodes.
    for (const target of targets) await flood(target, bots, warmUpPerBot * target.children.length);
    const results = targets.map((): Measured[] => []);
    for (let round = 0; round < rounds; round++) {
      for (const [index, target] of targets.entries()) {
        results[index]?.push(await measure(target, postmaster));
      }
    }
    return results;
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

function summarize(
  limits: Measured[],
  relays: Measured[],
  offs: Measured[],
  threes: Measured[],
): BenchRow[] {
  const total = ({ own, database }: Measured) => own + database;
  const rows = (name: string, all: Measured[]): BenchRow[] => {
    const row = (what: string, unit: string, pick: (one: Measured) => number): BenchRow => ({
      name: `push, ${name}${what}`,
      value: Math.round(median(all.map(pick))),
      unit,
    });
    return [
      row('', 'updates/s', ({ perSecond }) => perSecond),
      row(', processor', 'µs per update', total),
      row(', processor of the database', 'µs per update', ({ database }) => database),
      row(', commits', 'per 1,000 updates', ({ commits }) => commits),
    ];
  };
  const ratios = (of: Measured[], to: Measured[], pick: (one: Measured) => number) =>
    of.map((one, round) => pick(one) / pick(to[round] as Measured));
  const share = Math.round(median(ratios(relays, limits, ({ perSecond }) => perSecond)) * 100);
  const growth = Math.round((median(ratios(threes, relays, total)) - 1) * 100);
  return [
    ...rows('limit written by hand', limits),
    ...rows('one node', relays),
    ...rows('one node, chat management off', offs),
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
