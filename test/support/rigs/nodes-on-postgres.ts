import { afterEach, beforeEach, vi } from 'vitest';
import { createSandbox, type Sandbox } from '../../../sandbox/src/index.ts';
import type { Engine } from '../../../src/store/engine.ts';
import { createDatabase, type Database } from '../database/engines.ts';
import { watchEngine } from '../database/watched-engine.ts';
import { createManualClock, type ManualClock } from '../manual-clock.ts';
import { type RelayNode, type RelayNodeOptions, startRelayNode } from './relay-node.ts';

export const until = <T>(check: () => Promise<T> | T) => vi.waitFor(check, { interval: 5 });

/** Nodes on one PostgreSQL, with the sandbox as their platform and one clock that tests move. */
export function nodesOnPostgres() {
  let database: Database;
  let sandbox: Sandbox;
  let platformUrl: string;
  let clock: ManualClock;
  const nodes = new Set<RelayNode>();
  const watched = new Set<Pick<RelayNode, 'isBusy'>>();

  beforeEach(async () => {
    database = await createDatabase('postgres');
    sandbox = createSandbox({ seed: 3 });
    platformUrl = (await sandbox.listen()).url;
    clock = createManualClock(Date.now());
  });
  afterEach(async () => {
    for (const node of nodes) await node.kill();
    nodes.clear();
    watched.clear();
    await sandbox.close();
    await database.drop();
  });

  async function start(nodeId: string, more: Partial<RelayNodeOptions> = {}): Promise<RelayNode> {
    const node = await startRelayNode({ database, platformUrl, clock, nodeId, ...more });
    nodes.add(node);
    watched.add(node);
    return node;
  }
  /** For what is tested without a whole node. */
  async function openEngine(): Promise<Engine> {
    const opened = watchEngine(await database.open());
    watched.add(opened);
    return opened.engine;
  }
  async function kill(node: RelayNode): Promise<void> {
    nodes.delete(node);
    watched.delete(node);
    await node.kill();
  }
  async function stop(node: RelayNode): Promise<void> {
    nodes.delete(node);
    watched.delete(node);
    await node.stop();
  }
  async function addBots(node: RelayNode, count: number) {
    const added: { id: number; platform: ReturnType<Sandbox['createBot']> }[] = [];
    for (let index = 0; index < count; index++) {
      const platform = sandbox.createBot();
      const bot = await node.store.bots.insert(
        { token: platform.token, source: 'web' },
        clock.now(),
      );
      added.push({ id: bot.id, platform });
      await node.supervisor.apply(bot.id);
    }
    return added;
  }
  const owned = (node: RelayNode, bots: { id: number }[]) =>
    bots.filter((bot) => node.supervisor.leaseEpochOf(bot.id) !== undefined).map((bot) => bot.id);
  /** Lets everything begun go on until nobody waits for the database. */
  async function settle(): Promise<void> {
    do await new Promise((resolve) => setTimeout(resolve, 10));
    while ([...watched].some((one) => one.isBusy()));
  }
  /** Moves time in small steps, and never while somebody waits for the database; returns how far it went. */
  async function advanceUntil(check: () => boolean | Promise<boolean>, maxMs: number) {
    // However short, it is so many moments: nodes need those, not the time, on a busy machine.
    const stepMs = Math.min(250, Math.ceil(maxMs / 60));
    for (let passedMs = 0; passedMs <= maxMs; passedMs += stepMs) {
      if (await check()) return passedMs;
      await clock.advance(stepMs);
      await settle();
    }
    throw new Error(`it did not happen within ${maxMs} ms`);
  }
  async function advanceWhile(work: Promise<unknown>, maxMs: number) {
    let isDone = false;
    void work.finally(() => {
      isDone = true;
    });
    await advanceUntil(() => isDone, maxMs);
    await work;
  }
  const running = async (node: RelayNode, bots: { id: number }[]) => {
    const statuses = await node.supervisor.statusOf(bots.map((bot) => bot.id));
    return [...statuses.values()].filter((one) => one.running).length;
  };
  const updateIds = async (node: RelayNode, botId: number) =>
    (await node.store.log.read(botId, 0, 1_000)).map((entry) => entry.updateId);

  return {
    database: () => database,
    sandbox: () => sandbox,
    clock: () => clock,
    start,
    stop,
    kill,
    openEngine,
    addBots,
    owned,
    advanceUntil,
    advanceWhile,
    running,
    updateIds,
  };
}
