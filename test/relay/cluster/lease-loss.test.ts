import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { reason } from '../../../src/core/reasons/reason.ts';
import { RelayError } from '../../../src/errors.ts';
import { createLogger } from '../../../src/logger.ts';
import { createNodeLease } from '../../../src/relay/cluster/lease.ts';
import { createLeaseRepository } from '../../../src/store/cluster/leases.ts';
import { raw } from '../../../src/store/engine.ts';
import { newestSchema } from '../../../src/store/migrations/index.ts';
import { behindProxy } from '../../support/database/cuttable-proxy.ts';
import { serve } from '../../support/local-server.ts';
import { nodesOnPostgres, until } from '../../support/rigs/nodes-on-postgres.ts';

describe('nodes that may have lost their bots', () => {
  const {
    database,
    sandbox,
    clock,
    start,
    kill,
    openEngine,
    addBots,
    owned,
    advanceUntil,
    running,
    updateIds,
  } = nodesOnPostgres();

  it('takes no node for dead because it was held up itself', async () => {
    const engine = await openEngine();
    const leases = createLeaseRepository(engine);
    await leases.enter('other', 'a', clock().now());
    const shutdown = new AbortController();
    const nodeLease = createNodeLease({
      leases,
      clock: clock(),
      logger: createLogger({ level: 'silent' }),
      nodeId: 'held-up',
      singleNode: false,
      gained() {},
      lost() {},
      handOff() {},
    });
    await nodeLease.start(shutdown.signal);
    expect([...nodeLease.known()].sort()).toEqual(['held-up', 'other']);
    // While this one saw nothing, the other went on.
    await leases.heartbeat('other', 'a', clock().now());
    const late = clock().advance(20_000);
    expect(nodeLease.dead()).toEqual([]);
    await late;
    expect(nodeLease.dead()).toEqual([]);
    await advanceUntil(() => nodeLease.dead().length > 0, 15_000);
    expect(nodeLease.dead()).toEqual(['other']);
    shutdown.abort();
    await nodeLease.leave();
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
    const paused = { ...clock(), monotonic: () => clock().monotonic() + pausedMs.now };
    const one = await start('node-one', { clock: paused, platformUrl: platform.url });
    const bots = [
      await one.store.bots.insert({ token: '77:paused', source: 'web' }, clock().now()),
    ];
    const [bot] = bots as [(typeof bots)[0]];
    void one.supervisor.apply(bot.id);
    for (const count of [1, 2]) {
      await until(() => expect(polls).toHaveLength(count));
      if (count === 1) polls[0]?.end('{"ok":true,"result":[]}');
    }
    // Stopped for so long that another node took its bot over.
    pausedMs.now = 40_000;
    await one.leases.enter('another', 'its only start', clock().now());
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
    const shifted = { ...clock(), now: () => clock().now() + wall.aheadMs };
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
    expect(one.supervisor.health().reason).toBe(
      `A newer Bot Relay has upgraded the database to schema 9999. This node supports up to schema ${newestSchema()}. Start the newer version on it.`,
    );
    const [bot] = bots as [(typeof bots)[0]];
    await one.supervisor.apply(bot.id);
    let passedMs = 0;
    await advanceUntil(() => (passedMs += 250) > 10_000, 15_000);
    expect(owned(one, bots)).toEqual([]);
  });

  it('says that a newer version took over, even when it could not sign off', async () => {
    const engine = await openEngine();
    const newer = reason('database_upgraded', { schema: 9999, known: 1 });
    const nodeLease = createNodeLease({
      leases: {
        ...createLeaseRepository(engine),
        newerSchema: async () => new RelayError('database_unavailable', newer),
        leave: () => Promise.reject(new Error('the database went away')),
      },
      clock: clock(),
      logger: createLogger({ level: 'silent' }),
      nodeId: 'older',
      singleNode: false,
      gained() {},
      lost() {},
      handOff() {},
    });
    const shutdown = new AbortController();
    await nodeLease.start(shutdown.signal);
    await advanceUntil(() => nodeLease.problem() !== undefined, 5_000);
    expect(nodeLease.problem()).toContain('A newer Bot Relay');
    await clock().advance(20_000);
    expect(nodeLease.problem()).toContain('A newer Bot Relay');
    shutdown.abort();
    await engine.close();
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

  it.each([
    ['out of reach', 'cut'],
    ['silent', 'freeze'],
  ] as const)(
    'releases its bots when the database is %s, says so, and recovers by itself',
    async (...how) => {
      const { proxy, behind } = await behindProxy(database());
      try {
        const one = await start('node-one', { database: behind, heldMs: 2_000 });
        const bots = await addBots(one, 2);
        const [bot] = bots as [(typeof bots)[0]];
        proxy[how[1]]();
        sandbox().say(sandbox().createUser().id, bot.platform.id, 'during the outage');
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
        // The shutdown does not wait for a silent database.
        proxy.cut();
      }
    },
  );

  it('goes on through new connections when the old ones went silent', async () => {
    const { proxy, behind } = await behindProxy(database(), { quickMs: 300, statementMs: 300 });
    const one = await start('node-one', { database: behind, heldMs: 2_000 });
    const bots = await addBots(one, 2);
    const [bot] = bots as [(typeof bots)[0]];
    await until(async () => expect(await running(one, bots)).toBe(2));
    proxy.strand();
    sandbox().say(sandbox().createUser().id, bot.platform.id, 'meanwhile');
    const moveOn = setInterval(() => void clock().advance(250), 25);
    try {
      await until(async () => {
        expect(one.supervisor.health().ok).toBe(true);
        expect(owned(one, bots)).toHaveLength(2);
        expect(await updateIds(one, bot.id)).toHaveLength(1);
      });
      await until(() => expect(bot.platform.updates.size).toBe(0));
    } finally {
      // The shutdown does not wait for silent connections; timers get their time.
      proxy.cut();
      await kill(one);
      clearInterval(moveOn);
    }
  });
});
