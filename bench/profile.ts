/*
 * Profiles the main threads of the relay and of the hand-written pipeline, per update, once they
 * are warm, with chat management; for several nodes the sum. Cold are the first 50,000 updates after
 * a start. The profiler slows both down.
 */
import { writeFileSync } from 'node:fs';
import { startPostgres } from '../test/support/database/start-postgres.ts';
import { runFacts } from '../test/support/run-facts.ts';
import { pause } from './relay/parts.ts';
import {
  prepareProfiling,
  type Profile,
  type Profiling,
  profileParts,
  type ProfileResult,
} from './relay/cpu-profile.ts';
import { flood, openPipeline, settle } from './relay/pipeline.ts';
import { resultFiles } from './report/files.ts';
import type { BenchRow } from './run.ts';

const bots = Array.from({ length: 10 }, (_, index) => index + 1);
const warmUpPerBot = 12_000;
const perBot = 5_000;
const ratePerSecond = 4_000;
const rateSeconds = 10;

interface Case {
  name: string;
  withPush: boolean;
  /** Updates arrive at a steady rate instead of a flood. */
  isSteady?: boolean;
  isCold?: boolean;
  /** Includes what the search index and the statistics catch up on afterwards. */
  isSettled?: boolean;
  isManaged?: boolean;
  onPostgres?: boolean;
  /** The number of nodes of the relay. */
  nodes?: number;
}

const cases: readonly Case[] = [
  { name: 'push, SQLite', withPush: true },
  { name: 'push, SQLite, cold', withPush: true, isCold: true },
  { name: 'push, search and statistics, SQLite', withPush: true, isSettled: true },
  {
    name: 'push, search and statistics, SQLite, cold',
    withPush: true,
    isCold: true,
    isSettled: true,
  },
  { name: 'push, SQLite, off', withPush: true, isManaged: false },
  { name: 'push, SQLite, off, cold', withPush: true, isCold: true, isManaged: false },
  { name: `push at ${ratePerSecond} updates/s, SQLite`, withPush: true, isSteady: true },
  { name: 'ingest, SQLite', withPush: false },
  { name: 'push, PostgreSQL', withPush: true, onPostgres: true },
  { name: 'push, PostgreSQL, three nodes', withPush: true, onPostgres: true, nodes: 3 },
];

export async function run(): Promise<BenchRow[]> {
  const result: ProfileResult = { ...runFacts(), cases: [] };
  for (const one of cases) {
    // Each case gets an empty server.
    const server = one.onPostgres ? await startPostgres('durable') : undefined;
    try {
      result.cases.push({
        name: one.name,
        relay: await profileOf(one, one.nodes ?? 1, server?.postgresUrl),
        limit: await profileOf(one, 'hand', server?.postgresUrl),
      });
    } finally {
      await server?.stop();
    }
  }
  writeFileSync(resultFiles.profile, `${JSON.stringify(result, null, 2)}\n`);
  return result.cases.flatMap(({ name, relay, limit }) =>
    profileParts.flatMap((part): BenchRow[] => [
      { name: `${name}, relay: ${part}`, value: relay[part], unit: 'µs per update' },
      { name: `${name}, limit: ${part}`, value: limit[part], unit: 'µs per update' },
    ]),
  );
}

async function profileOf(
  { withPush, isSteady, isCold, isSettled, isManaged = true }: Case,
  by: 'hand' | number,
  databaseUrl: string | undefined,
): Promise<Profile> {
  const count = by === 'hand' ? 1 : by;
  const profilings = await Promise.all(Array.from({ length: count }, prepareProfiling));
  const envOf = (process: number) => ({ ...profilings[process]?.env });
  const pipeline = await openPipeline({ by, bots, withPush, isManaged, databaseUrl, envOf });
  try {
    if (!isCold) {
      await flood(pipeline, bots, warmUpPerBot * count);
      // The profile begins without what the first flood left.
      await settle(pipeline);
    }
    const steady = async () => {
      await pipeline.sink?.reset();
      const order = { kind: 'rate', bots, perSecond: ratePerSecond, seconds: rateSeconds } as const;
      pipeline.platform.order(order);
      await pause(rateSeconds * 1_000);
    };
    const ends = await Promise.all(
      pipeline.children.map((child, index) => (profilings[index] as Profiling).begin(child)),
    );
    await (isSteady ? steady() : flood(pipeline, bots, perBot));
    if (isSettled) await settle(pipeline);
    const spent = await Promise.all(ends.map((end) => end()));
    // Count the updates delivered meanwhile: under the profiler that may be fewer than were
    // offered.
    const updates = isSteady
      ? ((await pipeline.sink?.count())?.distinct ?? 0)
      : bots.length * perBot;
    return Object.fromEntries(
      profileParts.map((part) => {
        const micros = spent.reduce((sum, profile) => sum + profile[part], 0);
        return [part, Math.round((micros / updates) * 10) / 10];
      }),
    ) as Profile;
  } finally {
    await pipeline.close();
  }
}
