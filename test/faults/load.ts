/* Faults 5 and 6: more updates than the backend takes, and a steady load for a long time. */
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../support/database/engines.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import { atMost, counted, type FaultOptions, type FaultResult, type Mark } from './result.ts';
import { type Stage, underLoad } from './under-load.ts';
import { read } from './world.ts';

const timesTooMany = 10;
const apiMs = 1_000;
/** As much more memory as an overload may take. */
const overloadMb = 150;
const warmUpMs = 5_000;
const soakBots = 300;
const soakPerSecond = 300;
const slopeMbPerHour = 60;
/** What a reader has not read by then is dropped. */
const keptMinutes = 10;
/** How often retention runs. */
const trimmedEveryMinutes = 5;

interface Measured {
  /** Resident memory in MB and when, in hours. */
  memory: { at: number; mb: number }[];
  /** Times of API requests in ms. */
  answers: number[];
  failed: number;
  slowest: { path: string; ms: number };
}

/** Measures the service from outside until `isOver`. */
async function measure(node: ServiceProcess, isOver: () => boolean): Promise<Measured> {
  const slowest = { path: '', ms: 0 };
  const measured: Measured = { memory: [], answers: [], failed: 0, slowest };
  const paths = ['/api/bots', '/api/routes', '/api/deliveries?bot_id=1', '/api/attention'];
  const startedAt = performance.now();
  for (let turn = 0; !isOver(); turn++) {
    const askedAt = performance.now();
    const asked = paths[turn % paths.length] as string;
    const status = await node.request(asked).then(
      async (answer) => {
        await answer.arrayBuffer();
        return answer.status;
      },
      () => 0,
    );
    const ms = performance.now() - askedAt;
    measured.answers.push(ms);
    if (ms > slowest.ms) Object.assign(slowest, { path: asked, ms });
    if (status !== 200) measured.failed++;
    if (turn % 10 === 0) {
      const text = await node.request('/metrics').then(
        (answer) => answer.text(),
        () => '',
      );
      const bytes = /^process_resident_memory_bytes (\S+)/m.exec(text)?.[1];
      const at = (performance.now() - startedAt) / 3_600_000;
      if (bytes) measured.memory.push({ at, mb: Number(bytes) / 2 ** 20 });
    }
    await pause(100);
  }
  return measured;
}

function apiMarks({ answers, failed, slowest }: Measured): Mark[] {
  const sorted = answers.toSorted((a, b) => a - b);
  const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? Number.POSITIVE_INFINITY;
  return [
    atMost(`API: p99 of ${answers.length} requests`, p99, apiMs, ' ms'),
    atMost('API: failed requests', failed, 0),
    counted('API: slowest request', `${slowest.path}, ${Math.round(slowest.ms)} ms`),
  ];
}

const most = (of: Measured['memory']) => Math.max(...of.map(({ mb }) => mb));

/** MB an hour, by least squares. */
function slope(of: Measured['memory']): number {
  const mean = (pick: (one: { at: number; mb: number }) => number) =>
    of.reduce((sum, one) => sum + pick(one), 0) / of.length;
  const [at, mb] = [mean((one) => one.at), mean((one) => one.mb)];
  const above = of.reduce((sum, one) => sum + (one.at - at) * (one.mb - mb), 0);
  return above / of.reduce((sum, one) => sum + (one.at - at) ** 2, 0);
}

export function runOverload(options: FaultOptions): Promise<FaultResult> {
  const forMs = options.minutes * 60_000;
  // Updates keep coming meanwhile.
  const catchUpMs = forMs + 60_000;
  return underLoad(options, {
    fault: `5: ${timesTooMany} times what the backend takes, for ${options.minutes} min`,
    world: { maxBehind: Number.POSITIVE_INFINITY },
    maxDelayMs: forMs + catchUpMs,
    async during({ world, node, say }: Stage) {
      const perSecond = options.perSecond / timesTooMany;
      const usual = world.sink.respond;
      let freeAt = 0;
      let isOver = false;
      const warmUntil = performance.now() + warmUpMs;
      const warm = await measure(node(), () => performance.now() > warmUntil);
      const before = most(warm.memory);
      world.sink.respond = (arrival, response) => {
        freeAt = Math.max(freeAt, performance.now()) + 1_000 / perSecond;
        setTimeout(() => usual(arrival, response), freeAt - performance.now());
      };
      const measuring = measure(node(), () => isOver);
      await pause(forMs);
      isOver = true;
      const measured = await measuring;
      const behind = world.offered() - world.pushes.length;
      world.sink.respond = usual;
      say(`${behind} updates behind`);
      const backAt = performance.now();
      const goal = world.offered();
      while (world.pushes.length < goal && performance.now() - backAt < catchUpMs) await pause(50);
      return [
        counted('updates waiting at the end of the overload', behind),
        counted('memory before', `${Math.round(before)} MB`),
        atMost('memory at most', most(measured.memory), before + overloadMb, ' MB'),
        ...apiMarks(measured),
        atMost('caught up', performance.now() - backAt, catchUpMs, ' ms'),
      ];
    },
  });
}

export function runSoak(options: FaultOptions): Promise<FaultResult> {
  const { minutes, database } = options;
  return underLoad(
    { ...options, bots: soakBots, perSecond: soakPerSecond },
    {
      fault: `6: ${soakPerSecond} updates/s over ${soakBots} bots for ${minutes} min`,
      maxDelayMs: 30_000,
      env: { RELAY_RETENTION_AGE: `${keptMinutes}m` },
      isTrimmed: true,
      async during({ node, world }) {
        let isOver = false;
        const measuring = measure(node(), () => isOver);
        await pause(minutes * 60_000);
        isOver = true;
        const measured = await measuring;
        const half = measured.memory.slice(Math.floor(measured.memory.length / 2));
        const mbPerHour = slope(half);
        return [
          counted('memory at most', `${Math.round(most(measured.memory))} MB`),
          // Shorter ones have not warmed up.
          minutes < 30
            ? counted('memory: slope of the second half', `${Math.round(mbPerHour)} MB/h`)
            : atMost('memory: slope of the second half', mbPerHour, slopeMbPerHour, ' MB/h'),
          atMost(
            `updates in the log, of ${world.offered()}`,
            await rowsOfLog(database),
            soakPerSecond * 60 * (keptMinutes + trimmedEveryMinutes + 1),
          ),
          counted('data directory', `${Math.round(sizeOf(database.dataDir) / 2 ** 20)} MB`),
          ...apiMarks(measured),
        ];
      },
    },
  );
}

async function rowsOfLog(database: Database): Promise<number> {
  const [row] = await read<{ count: number }>(database, 'select count(*) as count from log');
  return Number(row?.count);
}

const sizeOf = (folder: string) =>
  readdirSync(folder).reduce((sum, name) => sum + statSync(path.join(folder, name)).size, 0);
