import { describe, expect, it } from 'vitest';
import { readUpdate } from '../../../src/core/log/update-facts.ts';
import { LeaseLost, requireEpoch } from '../../../src/store/cluster/leases.ts';
import { nodesOnPostgres, until } from '../../support/rigs/nodes-on-postgres.ts';

describe('bots shared by nodes on one PostgreSQL', () => {
  const {
    sandbox,
    clock,
    start,
    stop,
    kill,
    addBots,
    owned,
    advanceUntil,
    advanceWhile,
    running,
    updateIds,
  } = nodesOnPostgres();

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
    const ann = sandbox().createUser();
    const say = (text: string) =>
      bots.forEach((bot) => sandbox().say(ann.id, bot.platform.id, text));
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
    // Late writes of the dead node are rejected.
    for (const id of dying) {
      const late = readUpdate('{"update_id":1}', { update_id: 1 }, clock().now());
      const epoch = epochs.get(id) ?? 0;
      const updates = late ? [late] : [];
      expect(
        await two.log.append(id, updates, { receivedAt: clock().now(), leaseEpoch: epoch }),
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

  it('hands its bots on at once when it stops in order', async () => {
    const one = await start('node-one');
    const bots = await addBots(one, 3);
    const two = await start('node-two');
    await stop(one);
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
    // From here on no time passes, so no node checks by itself.
    await until(() => expect(owned(two, bots).length).toBe(1));
    await stop(one);
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

  it('stops a bot that another node runs, and starts it again', async () => {
    const one = await start('node-one');
    const bots = await addBots(one, 1);
    const [bot] = bots as [(typeof bots)[0]];
    const two = await start('node-two');
    await until(async () => expect(await running(two, bots)).toBe(1));
    await two.store.bots.toggle(bot.id, clock().now());
    const applied = two.supervisor.apply(bot.id);
    // It hears of it in real time; the one that waits for it looks every now and then.
    await until(() => expect(owned(one, bots)).toEqual([]));
    await advanceWhile(applied, 1_000);
    expect(await running(two, bots)).toBe(0);
    expect(await running(one, bots)).toBe(0);
    await two.store.bots.toggle(bot.id, clock().now());
    await two.supervisor.apply(bot.id);
    await until(async () => expect(await running(one, bots)).toBe(1));
  });

  it('answers a change once the node that runs the bot follows it', async () => {
    const one = await start('node-one');
    const bots = await addBots(one, 1);
    const [bot] = bots as [(typeof bots)[0]];
    await until(async () => expect((await one.store.bots.get(bot.id))?.username).not.toBe(''));
    const two = await start('node-two');
    const follows = [Promise.withResolvers<boolean>(), Promise.withResolvers<boolean>()] as const;
    let asked = 0;
    one.supervisor.watch({
      gained: () => {},
      lost: () => {},
      changed: () => (follows[asked++] ?? follows[1]).promise,
    });
    let isAnswered = false;
    const change = async (description: string) => {
      isAnswered = false;
      await clock().advance(5);
      await two.store.bots.update(bot.id, { description }, clock().now());
      await two.supervisor.apply(bot.id);
      isAnswered = true;
    };
    const first = change('first');
    await until(() => expect(asked).toBe(1));
    // It could not: it is asked again.
    follows[0].resolve(false);
    await clock().advance(1_000);
    await until(() => expect(asked).toBe(2));
    expect(isAnswered).toBe(false);
    follows[1].resolve(true);
    await until(() => expect(isAnswered).toBe(true));
    await first;
  });

  it.each(['that hangs', 'that died'])(
    'answers a change after a few seconds where a node %s runs the bot',
    async (what) => {
      const one = await start('node-one');
      const bots = await addBots(one, 1);
      const [bot] = bots as [(typeof bots)[0]];
      const two = await start('node-two');
      const hangs = Promise.withResolvers<boolean>();
      one.supervisor.watch({ gained: () => {}, lost: () => {}, changed: () => hangs.promise });
      if (what === 'that died') await kill(one);
      await two.store.bots.update(bot.id, { description: 'new' }, clock().now());
      let isAnswered = false;
      void two.supervisor.apply(bot.id).then(() => {
        isAnswered = true;
      });
      expect(await advanceUntil(() => isAnswered, 5_000)).toBeLessThan(4_000);
      hangs.resolve(true);
    },
  );

  it('notices a change without having been told of it', async () => {
    const one = await start('node-one');
    const bots = await addBots(one, 1);
    const [bot] = bots as [(typeof bots)[0]];
    // Parts that depend on the bot, such as push, are notified as well.
    const changed: number[] = [];
    one.supervisor.watch({
      gained: () => {},
      lost: () => {},
      changed: (botId) => void changed.push(botId),
    });
    await until(async () => expect((await one.store.bots.get(bot.id))?.username).not.toBe(''));
    await clock().advance(5);
    await one.store.bots.update(bot.id, { description: 'new' }, clock().now());
    await advanceUntil(() => changed.length > 0, 3_000);
    expect(changed).toContain(bot.id);
    await clock().advance(5);
    await one.store.bots.toggle(bot.id, clock().now());
    await advanceUntil(async () => (await running(one, bots)) === 0, 3_000);
  });

  it('removes a bot that another node runs', async () => {
    const one = await start('node-one');
    const bots = await addBots(one, 1);
    const [bot] = bots as [(typeof bots)[0]];
    const two = await start('node-two');
    const retired = two.supervisor.retire(bot.id);
    await until(async () => expect(await running(one, bots)).toBe(0));
    await advanceWhile(retired, 1_000);
    expect(await running(two, bots)).toBe(0);
    await two.store.bots.remove(bot.id);
    sandbox().say(sandbox().createUser().id, bot.platform.id, 'nobody listens');
    expect(bot.platform.updates.size).toBe(1);
  });
});
