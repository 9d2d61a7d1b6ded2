import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readUpdate } from '../../../src/core/log/update-facts.ts';
import { raw } from '../../../src/store/engine.ts';
import { createSandbox, type Sandbox } from '../../../sandbox/src/index.ts';
import { createLogger } from '../../../src/logger.ts';
import { createLeaseKeeper } from '../../../src/relay/cluster/lease.ts';
import {
  createLeaseRepository,
  LeaseLost,
  requireEpoch,
} from '../../../src/store/cluster/leases.ts';
import { behindProxy } from '../../support/database/cuttable-proxy.ts';
import { createDatabase, type Database } from '../../support/database/engines.ts';
import { serve } from '../../support/local-server.ts';
import { createManualClock, type ManualClock } from '../../support/manual-clock.ts';
import {
  type RelayNode,
  type RelayNodeOptions,
  startRelayNode,
} from '../../support/rigs/relay-node.ts';

const until = <T>(check: () => Promise<T> | T) =>
  vi.waitFor(check, { timeout: 10_000, interval: 5 });

describe('bots shared by nodes on one PostgreSQL', () => {
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
    bots.filter((bot) => node.supervisor.leaseEpochOf(bot.id) !== undefined).map((bot) => bot.id);
  /** Moves time in small steps, with moments for the database between; tells how far it went. */
  async function advanceUntil(check: () => boolean | Promise<boolean>, maxMs: number) {
    // However short, it is so many moments: nodes need those, not the time, on a busy machine.
    const stepMs = Math.min(250, Math.ceil(maxMs / 60));
    for (let passedMs = 0; passedMs <= maxMs; passedMs += stepMs) {
      if (await check()) return passedMs;
      await clock.advance(stepMs);
      await new Promise((resolve) => setTimeout(resolve, 10));
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

  it('spreads the bots, and every node knows the state of all', async () => {
    const one = await start('node-one');
    const bots = await addBots(one, 6);
    const two = await start('node-two');
    await advanceUntil(
      () => owned(one, bots).length === 3 && owned(two, bots).length === 3,
      10_000,
    );
    expect([...owned(one, bots), ...owned(two, bots)].sort()).toEqual(bots.map((bot) => bot.id));
    await until(async () => expect(await running(one, bots)).toBe(6));
    await until(async () => expect(await running(two, bots)).toBe(6));
  });

  it('moves the bots of a dead node within 15 s, losing and doubling nothing', async () => {
    const one = await start('node-one');
    const bots = await addBots(one, 4);
    const two = await start('node-two');
    await advanceUntil(() => owned(two, bots).length === 2, 10_000);
    await until(async () => expect(await running(one, bots)).toBe(4));
    const ann = sandbox.createUser();
    const say = (text: string) => bots.forEach((bot) => sandbox.say(ann.id, bot.platform.id, text));
    say('before');
    await until(async () => {
      for (const bot of bots) expect((await updateIds(two, bot.id)).length).toBe(1);
    });

    const dying = owned(one, bots);
    const epochs = new Map(dying.map((id) => [id, one.supervisor.leaseEpochOf(id)]));
    await kill(one);
    say('meanwhile');
    expect(await running(two, bots)).toBe(4);
    const tookMs = await advanceUntil(() => owned(two, bots).length === 4, 15_000);
    expect(tookMs).toBeGreaterThan(5_000);
    expect([...two.supervisor.nodes.known()].sort()).toEqual(['node-one', 'node-two']);
    expect(two.supervisor.nodes.dead()).toEqual(['node-one']);
    await until(async () => {
      for (const bot of bots) {
        const ids = await updateIds(two, bot.id);
        expect(ids.length).toBe(2);
        expect(new Set(ids).size).toBe(2);
      }
    });
    // What the dead node might still have had on its way is refused.
    for (const id of dying) {
      const late = readUpdate('{"update_id":1}', { update_id: 1 }, clock.now());
      const epoch = epochs.get(id) ?? 0;
      const updates = late ? [late] : [];
      expect(
        await two.log.append(id, updates, { receivedAt: clock.now(), leaseEpoch: epoch }),
      ).toEqual({
        status: 'stale',
      });
      await expect(
        two.engine.write(() => requireEpoch('postgres', id, epoch)),
      ).rejects.toBeInstanceOf(LeaseLost);
      const now = two.supervisor.leaseEpochOf(id) ?? 0;
      await two.engine.write(() => requireEpoch('postgres', id, now));
    }
  });

  it('takes nobody for dead because it was held up itself', async () => {
    const engine = await database.open();
    const leases = createLeaseRepository(engine);
    await leases.enter('other', 'a', clock.now());
    const life = new AbortController();
    const keeper = createLeaseKeeper({
      leases,
      clock,
      logger: createLogger({ level: 'silent' }),
      nodeId: 'held-up',
      singleNode: false,
      gained() {},
      lost() {},
      handOff() {},
    });
    await keeper.start(life.signal);
    expect([...keeper.known()].sort()).toEqual(['held-up', 'other']);
    // While this one saw nothing, the other went on.
    await leases.heartbeat('other', 'a', clock.now());
    const late = clock.advance(20_000);
    expect(keeper.dead()).toEqual([]);
    await late;
    expect(keeper.dead()).toEqual([]);
    await advanceUntil(() => keeper.dead().length > 0, 15_000);
    expect(keeper.dead()).toEqual(['other']);
    life.abort();
    await keeper.leave();
    await engine.close();
  });

  it('polls again after a pause only once it knows that it still holds the bot', async () => {
    const polls: ServerResponse[] = [];
    const platform = await serve((request, response) => {
      request.resume();
      if (request.url?.includes('/getUpdates')) polls.push(response);
      else response.end('{"ok":true,"result":true}');
    });
    const pausedMs = { now: 0 };
    const paused = { ...clock, monotonic: () => clock.monotonic() + pausedMs.now };
    const one = await start('node-one', { clock: paused, platformUrl: platform.url });
    const bots = [await one.store.bots.insert({ token: '77:paused', source: 'web' }, clock.now())];
    const [bot] = bots as [(typeof bots)[0]];
    void one.supervisor.apply(bot.id);
    for (const count of [1, 2]) {
      await until(() => expect(polls).toHaveLength(count));
      if (count === 1) polls[0]?.end('{"ok":true,"result":[]}');
    }
    // Stopped for so long that another node took its bot over.
    pausedMs.now = 40_000;
    await one.leases.enter('another', 'its only start', clock.now());
    expect(await one.leases.takeOne('another', ['another'], bot.id)).toHaveProperty('epoch');
    polls[1]?.end('{"ok":true,"result":[]}');
    // Long enough for a poll that waits for nothing.
    await new Promise((resolve) => setTimeout(resolve, 100));
    await advanceUntil(() => owned(one, bots).length === 0, 5_000);
    expect(polls).toHaveLength(2);
    await platform.close();
  });

  it.each([
    ['back', -3_600_000],
    ['forward', 3_600_000],
  ] as const)('keeps its bots when its wall clock is set %s', async (_, stepMs) => {
    const one = await start('node-one');
    const wall = { aheadMs: 0 };
    const shifted = { ...clock, now: () => clock.now() + wall.aheadMs };
    const two = await start('node-two', { clock: shifted });
    const bots = await addBots(one, 4);
    await advanceUntil(() => owned(two, bots).length === 2, 10_000);
    const epochs = () =>
      bots.map(({ id }) => one.supervisor.leaseEpochOf(id) ?? two.supervisor.leaseEpochOf(id));
    const before = epochs();
    wall.aheadMs = stepMs;
    let passedMs = 0;
    await advanceUntil(() => (passedMs += 250) > 20_000, 25_000);
    expect(epochs()).toEqual(before);
    expect([...one.supervisor.nodes.dead(), ...two.supervisor.nodes.dead()]).toEqual([]);
  });

  it('stops its bots when a newer version has migrated the database', async () => {
    const one = await start('node-one');
    const bots = await addBots(one, 2);
    await one.engine.write(() =>
      raw(`insert into schema_migrations (id, name) values (9999, 'of a newer version')`),
    );
    await advanceUntil(() => owned(one, bots).length === 0, 5_000);
    // The nodes of that version need not wait until this one counts as dead.
    await advanceUntil(async () => (await one.leases.nodes()).length === 0, 5_000);
    await advanceUntil(() => !one.supervisor.health().ok, 1_000);
    expect(one.supervisor.health().reason).toContain('newer version');
    const [bot] = bots as [(typeof bots)[0]];
    await one.supervisor.apply(bot.id);
    let passedMs = 0;
    await advanceUntil(() => (passedMs += 250) > 10_000, 15_000);
    expect(owned(one, bots)).toEqual([]);
  });

  it('says that a newer version took over, even when it could not sign off', async () => {
    const engine = await database.open();
    const keeper = createLeaseKeeper({
      leases: {
        ...createLeaseRepository(engine),
        isSchemaNewer: async () => true,
        leave: () => Promise.reject(new Error('the database went away')),
      },
      clock,
      logger: createLogger({ level: 'silent' }),
      nodeId: 'older',
      singleNode: false,
      gained() {},
      lost() {},
      handOff() {},
    });
    const life = new AbortController();
    await keeper.start(life.signal);
    await advanceUntil(() => keeper.problem() !== undefined, 5_000);
    expect(keeper.problem()).toContain('newer version');
    await clock.advance(20_000);
    expect(keeper.problem()).toContain('newer version');
    life.abort();
    await engine.close();
  });

  it('hands its bots on at once when it stops in order', async () => {
    const one = await start('node-one');
    const bots = await addBots(one, 3);
    const two = await start('node-two');
    nodes.delete(one);
    await one.stop();
    await advanceUntil(() => owned(two, bots).length === 3, 2_000);
    expect(two.supervisor.nodes.known()).toEqual(['node-two']);
    expect(two.supervisor.nodes.dead()).toEqual([]);
    await until(async () => expect(await running(two, bots)).toBe(3));
  });

  it('takes over without waiting for its next look when another node stops or gives bots away', async () => {
    const one = await start('node-one');
    const bots = await addBots(one, 3);
    const two = await start('node-two');
    await advanceUntil(() => owned(one, bots).length === 2, 5_000);
    // From here on no time passes, so nobody looks by itself.
    await until(() => expect(owned(two, bots).length).toBe(1));
    nodes.delete(one);
    await one.stop();
    await until(() => expect(owned(two, bots).length).toBe(3));
  });

  it('takes its own bots back at once after a crash', async () => {
    const one = await start('node-one');
    const bots = await addBots(one, 3);
    const before = bots.map((bot) => one.supervisor.leaseEpochOf(bot.id) ?? 0);
    await kill(one);
    const again = await start('node-one');
    expect(owned(again, bots).length).toBe(3);
    bots.forEach((bot, index) => {
      expect(again.supervisor.leaseEpochOf(bot.id)).toBeGreaterThan(before[index] ?? 0);
    });
    await until(async () => expect(await running(again, bots)).toBe(3));
  });

  it('goes on under another name when a second process uses its own', async () => {
    const one = await start('node-one');
    const bots = await addBots(one, 2);
    const twin = await start('node-one');
    expect(owned(twin, bots).length).toBe(2);
    await advanceUntil(
      () => owned(one, bots).length === 1 && owned(twin, bots).length === 1,
      15_000,
    );
  });

  it('stops a bot that another node runs, and starts it again', async () => {
    const one = await start('node-one');
    const bots = await addBots(one, 1);
    const [bot] = bots as [(typeof bots)[0]];
    const two = await start('node-two');
    await until(async () => expect(await running(two, bots)).toBe(1));
    await two.store.bots.toggle(bot.id, clock.now());
    await advanceWhile(two.supervisor.apply(bot.id), 1_000);
    expect(await running(two, bots)).toBe(0);
    expect(await running(one, bots)).toBe(0);
    await two.store.bots.toggle(bot.id, clock.now());
    await two.supervisor.apply(bot.id);
    await until(async () => expect(await running(one, bots)).toBe(1));
  });

  it('notices a change without having been told of it', async () => {
    const one = await start('node-one');
    const bots = await addBots(one, 1);
    const [bot] = bots as [(typeof bots)[0]];
    // What hangs on the bot, such as pushing, is told as well.
    const changed: number[] = [];
    one.supervisor.watch({
      gained: () => {},
      lost: () => {},
      changed: (botId) => void changed.push(botId),
    });
    await until(async () => expect((await one.store.bots.get(bot.id))?.username).not.toBe(''));
    await clock.advance(5);
    await one.store.bots.update(bot.id, { description: 'new' }, clock.now());
    await advanceUntil(() => changed.length > 0, 3_000);
    expect(changed).toContain(bot.id);
    await clock.advance(5);
    await one.store.bots.toggle(bot.id, clock.now());
    await advanceUntil(async () => (await running(one, bots)) === 0, 3_000);
  });

  it('retires a bot that another node runs', async () => {
    const one = await start('node-one');
    const bots = await addBots(one, 1);
    const [bot] = bots as [(typeof bots)[0]];
    const two = await start('node-two');
    await advanceWhile(two.supervisor.retire(bot.id), 1_000);
    expect(await running(two, bots)).toBe(0);
    await two.store.bots.remove(bot.id);
    sandbox.say(sandbox.createUser().id, bot.platform.id, 'nobody listens');
    expect(bot.platform.updates.size).toBe(1);
  });

  it.each([
    ['out of reach', 'cut'],
    ['silent', 'freeze'],
  ] as const)(
    'lets go when the database is %s, says so, and recovers by itself',
    async (...how) => {
      const { proxy, behind } = await behindProxy(database);
      try {
        const one = await start('node-one', { database: behind });
        const bots = await addBots(one, 2);
        const [bot] = bots as [(typeof bots)[0]];
        proxy[how[1]]();
        sandbox.say(sandbox.createUser().id, bot.platform.id, 'during the outage');
        await advanceUntil(
          () => owned(one, bots).length === 0 && !one.supervisor.health().ok,
          15_000,
        );
        // Nothing was confirmed that could not be stored.
        expect(bot.platform.updates.size).toBe(1);
        proxy.mend();
        await advanceUntil(
          () => owned(one, bots).length === 2 && one.supervisor.health().ok,
          30_000,
        );
        await advanceUntil(async () => (await updateIds(one, bot.id)).length === 1, 30_000);
        await until(() => expect(bot.platform.updates.size).toBe(0));
      } finally {
        // Nobody waits for a silent database to say farewell.
        proxy.cut();
      }
    },
  );

  it('goes on through new connections when the old ones went silent', async () => {
    const { proxy, behind } = await behindProxy(database, { quickMs: 300, statementMs: 300 });
    const one = await start('node-one', { database: behind });
    const bots = await addBots(one, 2);
    const [bot] = bots as [(typeof bots)[0]];
    await until(async () => expect(await running(one, bots)).toBe(2));
    proxy.strand();
    sandbox.say(sandbox.createUser().id, bot.platform.id, 'meanwhile');
    const moveOn = setInterval(() => void clock.advance(250), 25);
    try {
      await until(async () => {
        expect(one.supervisor.health().ok).toBe(true);
        expect(owned(one, bots)).toHaveLength(2);
        expect(await updateIds(one, bot.id)).toHaveLength(1);
      });
      await until(() => expect(bot.platform.updates.size).toBe(0));
    } finally {
      // Nobody waits for silent connections to say farewell, and what waits for time gets it.
      proxy.cut();
      await kill(one);
      clearInterval(moveOn);
    }
  });
});
