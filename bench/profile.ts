/*
 * What the main threads of the relay and of the pipeline written by hand spend their time on, per update,
 * once they are warm. The profiler slows both down.
 */
import type { ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { startPostgres } from '../test/support/database/start-postgres.ts';
import { runFacts } from '../test/support/run-facts.ts';
import { pause } from './relay/parts.ts';
import {
  prepareProfiling,
  type Profile,
  profileParts,
  type ProfileResult,
} from './relay/cpu-profile.ts';
import { flood, openPipeline } from './relay/pipeline.ts';
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
  /** At a steady rate instead of a flood. */
  isSteady?: boolean;
  onPostgres?: boolean;
}

const cases: readonly Case[] = [
  { name: 'push, SQLite', withPush: true },
  { name: `push at ${ratePerSecond} updates/s, SQLite`, withPush: true, isSteady: true },
  { name: 'ingest, SQLite', withPush: false },
  { name: 'push, PostgreSQL', withPush: true, onPostgres: true },
];

export async function run(): Promise<BenchRow[]> {
  const { postgresUrl, stop } = await startPostgres('durable');
  const result: ProfileResult = { ...runFacts(), cases: [] };
  try {
    for (const one of cases) {
      const databaseUrl = one.onPostgres ? postgresUrl : undefined;
      result.cases.push({
        name: one.name,
        relay: await profileOf(one, 1, databaseUrl),
        limit: await profileOf(one, 'hand', databaseUrl),
      });
    }
  } finally {
    await stop();
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
  { withPush, isSteady }: Case,
  by: 'hand' | number,
  databaseUrl: string | undefined,
): Promise<Profile> {
  const { env, during } = await prepareProfiling();
  const pipeline = await openPipeline({ by, bots, withPush, databaseUrl, env });
  try {
    await flood(pipeline, bots, warmUpPerBot);
    const [child] = pipeline.children as [ChildProcess];
    const steady = async () => {
      await pipeline.sink?.reset();
      const order = { kind: 'rate', bots, perSecond: ratePerSecond, seconds: rateSeconds } as const;
      pipeline.platform.order(order);
      await pause(rateSeconds * 1_000);
    };
    const spent = await during(child, isSteady ? steady : () => flood(pipeline, bots, perBot));
    // Those that were delivered meanwhile: under the profiler that may be fewer than were offered.
    const updates = isSteady
      ? ((await pipeline.sink?.count())?.distinct ?? 0)
      : bots.length * perBot;
    return Object.fromEntries(
      profileParts.map((part) => [part, Math.round((spent[part] / updates) * 10) / 10]),
    ) as Profile;
  } finally {
    await pipeline.close();
  }
}
