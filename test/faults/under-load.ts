import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../support/database/engines.ts';
import type { ServiceProcess } from '../support/service-process.ts';
import {
  atMost,
  counted,
  type FaultOptions,
  type FaultResult,
  isSo,
  type Limits,
  loggedAt,
  type Mark,
  takeStock,
} from './result.ts';
import { createWorld, type World, type WorldBot } from './support/world.ts';

const settleMs = 120_000;
const warmUpMs = 3_000;

export interface Stage {
  world: World;
  /** The node that runs at present. */
  node(): ServiceProcess;
  /** Stops it, does something, and starts the next one. */
  restart(between: () => Promise<void>): Promise<void>;
  /** How long until a new update of every bot is delivered; measured until `limitMs` have passed. */
  recover(limitMs: number): Promise<number>;
  say(line: string): void;
}

export interface Scenario extends Omit<Limits, 'begunAgain'> {
  fault: string;
  /** Where it is not the one of the options. */
  database?: Database;
  env?: Record<string, string>;
  /** Of the world, where it differs. */
  world?: Partial<Parameters<typeof createWorld>[0]>;
  /** Never, where it is left out. */
  begunAgain?: () => number;
  /** Breaks something while updates come, and repairs it. */
  during(stage: Stage): Promise<Mark[]>;
}

/** One node under a steady load, with a fault in the middle; every update is reconciled. */
export async function underLoad(options: FaultOptions, scenario: Scenario): Promise<FaultResult> {
  const { seed, perSecond, say } = options;
  const database = scenario.database ?? options.database;
  const beganAt = performance.now();
  const world = await createWorld({ ...options, database, ...scenario.world });
  const launch = () => world.launch(database.settings, { env: scenario.env ?? {} });
  let isOver = false;

  async function recover(limitMs: number): Promise<number> {
    const startedAt = performance.now();
    const last = world.bots.map((bot): [WorldBot, number] => {
      world.offer(bot);
      return [bot, bot.unclaimed.at(-1)?.id ?? 0];
    });
    while (last.some(([bot, id]) => !bot.arrived.has(id))) {
      if (performance.now() - startedAt > limitMs) return Number.POSITIVE_INFINITY;
      await pause(10);
    }
    return performance.now() - startedAt;
  }

  try {
    let service = await launch();
    world.up(service);
    await world.begin(service);
    const offering = world.offerAtRate(
      perSecond,
      () => Number.POSITIVE_INFINITY,
      () => isOver,
    );
    await pause(warmUpMs * options.pace);
    const marks = await scenario.during({
      world,
      node: () => service,
      async restart(between) {
        world.down(service);
        await service.stop();
        await between();
        service = await launch();
        world.up(service);
      },
      recover,
      say,
    });
    for (const { name, value, ok } of marks) say(`${name}: ${value}${ok ? '' : ' MISSED'}`);
    isOver = true;
    await offering;
    const isSettled = await world.settle(settleMs);
    await world.end();
    const { code, stdout, stderr } = await service.stop();
    const stock = await takeStock(world, database, {
      ...scenario,
      begunAgain: scenario.begunAgain?.() ?? 0,
    });
    return {
      fault: scenario.fault,
      engine: database.dialect,
      seed,
      seconds: (performance.now() - beganAt) / 1_000,
      readers: stock.readers,
      marks: [
        ...marks,
        ...stock.marks,
        isSo('everything settled', isSettled, `within ${settleMs / 1_000} s`),
        // On a fast clock the five seconds of a stop are a moment.
        ...(scenario.world?.speed
          ? []
          : [{ name: 'exit', value: String(code), limit: '0', ok: code === 0 }]),
        counted('warnings in the log', loggedAt(40, stdout + stderr)),
      ],
    };
  } finally {
    isOver = true;
    await world.close();
  }
}

/** How often a node was too late with its heartbeats, by its log. */
export const timesReleased = (node: ServiceProcess): number =>
  (node.stdout() + node.stderr()).match(/released all bots/g)?.length ?? 0;

/** A recovery as a mark. */
export const heldAgain = (ms: number, limitMs: number): Mark =>
  atMost('bots held and updates delivered again', ms, limitMs, ' ms');
