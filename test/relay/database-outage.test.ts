import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openPostgres } from '../../src/store/postgres/engine.ts';
import { startProxy } from '../support/cuttable-proxy.ts';
import { createSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { createDatabase, type Database } from '../support/engines.ts';
import { createManualClock, type ManualClock } from '../support/manual-clock.ts';
import { type RelayNode, type RelayNodeOptions, startRelayNode } from '../support/relay-node.ts';

const until = <T>(check: () => Promise<T> | T) =>
  vi.waitFor(check, { timeout: 10_000, interval: 5 });

describe('a database out of reach', () => {
  let database: Database;
  let sandbox: Sandbox;
  let platformUrl: string;
  let clock: ManualClock;
  const nodes = new Set<RelayNode>();

  beforeEach(async () => {
    database = await createDatabase('postgres');
    sandbox = createSandbox({ seed: 3 });
    platformUrl = (await sandbox.listen()).url;
    clock = createManualClock(Date.now());
  });
  afterEach(async () => {
    for (const node of nodes) await node.kill();
    nodes.clear();
    await sandbox.close();
    await database.drop();
  });

  async function start(nodeId: string, more: Partial<RelayNodeOptions> = {}): Promise<RelayNode> {
    const node = await startRelayNode({ database, platformUrl, clock, nodeId, ...more });
    nodes.add(node);
    return node;
  }
  async function kill(node: RelayNode): Promise<void> {
    nodes.delete(node);
    await node.kill();
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
    bots.filter((bot) => node.supervisor.epochOf(bot.id) !== undefined).map((bot) => bot.id);
  /** Moves time in small steps, with moments for the database between; tells how far it went. */
  async function advanceUntil(check: () => boolean | Promise<boolean>, maxMs: number) {
    for (let passedMs = 0; passedMs <= maxMs; passedMs += 250) {
      if (await check()) return passedMs;
      await clock.advance(250);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error(`it did not happen within ${maxMs} ms`);
  }
  const updateIds = async (node: RelayNode, botId: number) =>
    (await node.store.log.read(botId, 0, 1_000)).map((entry) => entry.updateId);

  it('lets go when the database is out of reach, says so, and recovers by itself', async () => {
    const url = new URL(database.databaseUrl);
    const proxy = await startProxy({ host: url.hostname, port: Number(url.port) });
    url.port = String(proxy.port);
    const behind: Database = {
      ...database,
      databaseUrl: url.href,
      open: () => openPostgres(url.href),
    };
    try {
      const one = await start('node-one', { database: behind });
      const bots = await addBots(one, 2);
      const [bot] = bots as [(typeof bots)[0]];
      proxy.cut();
      sandbox.say(sandbox.createUser().id, bot.platform.id, 'during the outage');
      await advanceUntil(
        () => owned(one, bots).length === 0 && !one.supervisor.health().ok,
        15_000,
      );
      // Nothing was confirmed that could not be stored.
      expect(bot.platform.updates.size).toBe(1);
      proxy.mend();
      await advanceUntil(() => owned(one, bots).length === 2 && one.supervisor.health().ok, 30_000);
      await advanceUntil(async () => (await updateIds(one, bot.id)).length === 1, 30_000);
      await until(() => expect(bot.platform.updates.size).toBe(0));
      await kill(one);
    } finally {
      await proxy.close();
    }
  });
});
