import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createSandbox, type Sandbox } from '../../../sandbox/src/index.ts';
import { createDatabase, type Database, dialects } from '../../support/database/engines.ts';
import { advanceUntil, createManualClock } from '../../support/manual-clock.ts';
import {
  type RelayNode,
  type RelayNodeOptions,
  startRelayNode,
} from '../../support/rigs/relay-node.ts';

const until = <T>(check: () => Promise<T> | T) => vi.waitFor(check, { interval: 5 });

/** Whether a promise has settled. */
const isSettled = (work: Promise<unknown>) => {
  const pending = Symbol('pending');
  return Promise.race([work, Promise.resolve(pending)]).then((outcome) => outcome !== pending);
};

describe.each(dialects)('supervisor on %s', (dialect) => {
  let database: Database;
  let sandbox: Sandbox;
  let platformUrl: string;
  const nodes = new Set<RelayNode>();

  beforeEach(async () => {
    database = await createDatabase(dialect);
    sandbox = createSandbox({ seed: 7 });
    platformUrl = (await sandbox.listen()).url;
  });
  afterEach(async () => {
    for (const node of nodes) await node.stop();
    nodes.clear();
    await sandbox.close();
    await database.drop();
  });

  async function start(options: Partial<RelayNodeOptions> = {}): Promise<RelayNode> {
    const node = await startRelayNode({ database, platformUrl, ...options });
    nodes.add(node);
    return node;
  }
  async function stop(node: RelayNode): Promise<void> {
    nodes.delete(node);
    await node.stop();
  }
  async function addBot(node: RelayNode, settings: { webhook_mode?: boolean } = {}) {
    const made = sandbox.createBot();
    const bot = await node.store.bots.insert(
      { token: made.token, source: 'web', ...settings },
      Date.now(),
    );
    await node.supervisor.apply(bot.id);
    return { id: bot.id, platform: made };
  }
  const status = async (node: RelayNode, botId: number) =>
    (await node.supervisor.statusOf([botId])).get(botId);
  const texts = async (node: RelayNode, botId: number) =>
    (await node.log.read(botId, 0, 1_000)).map(
      (entry) => (JSON.parse(entry.raw) as { message?: { text?: string } }).message?.text,
    );

  it('runs a new bot at once and stores what comes', async () => {
    const node = await start();
    const bot = await addBot(node);
    await until(async () =>
      expect(await status(node, bot.id)).toMatchObject({ running: true, lastError: '' }),
    );
    const ann = sandbox.createUser();
    sandbox.say(ann.id, bot.platform.id, 'one');
    sandbox.say(ann.id, bot.platform.id, 'two');
    await until(async () => expect(await texts(node, bot.id)).toEqual(['one', 'two']));
    // Confirmed to the platform only with the next poll.
    await until(() => expect(bot.platform.updates.size).toBe(0));
    expect((await status(node, bot.id))?.lastActivity).toBeGreaterThan(0);
  });

  it('lets other work run while it starts many bots', async () => {
    const node = await start();
    let turn = 0;
    let isDone = false;
    const count = () => {
      turn++;
      if (!isDone) setImmediate(count);
    };
    onTestFinished(() => void (isDone = true));
    const startedIn = new Map<number, number>();
    node.supervisor.watch({ gained: (botId) => startedIn.set(botId, turn), lost() {} });
    count();
    const bots: { id: number }[] = [];
    for (let index = 0; index < 60; index++) {
      const { token } = sandbox.createBot();
      bots.push(await node.store.bots.insert({ token, source: 'web' }, Date.now()));
    }
    await Promise.all(bots.map((bot) => node.supervisor.apply(bot.id)));
    await until(() => expect(startedIn.size).toBe(bots.length));
    const perTurn = Map.groupBy(startedIn.values(), (at) => at);
    expect(Math.max(...[...perTurn.values()].map((bots) => bots.length))).toBeLessThanOrEqual(5);
  });

  it.each([false, true])(
    'learns who a bot is once the platform says, webhook mode %s',
    async (mode) => {
      const clock = createManualClock(Date.now());
      const node = await start({ clock, singleNode: true, webhooks: true });
      const named: number[] = [];
      node.supervisor.onNamed((botId) => named.push(botId));
      const made = sandbox.createBot();
      // Added while the platform could not be asked, and not well at first.
      sandbox.fault({ kind: 'server_error', botId: made.id, method: 'getMe', times: 1 });
      const insert = (token: string, name: string) =>
        node.store.bots.insert({ token, name, source: 'web', webhook_mode: mode }, clock.now());
      const bot = await insert(made.token, '');
      await node.supervisor.apply(bot.id);
      await advanceUntil(clock, () => named.length > 0, 100);
      expect(named).toEqual([bot.id]);
      const stored = await node.store.bots.get(bot.id);
      const { username, first_name: name } = made;
      expect(stored).toMatchObject({ username, name, platform_id: made.id });
      expect(stored?.updated_at).toBeGreaterThanOrEqual(bot.updated_at);

      // A name set by a person stays, and a known bot is not looked up again.
      const other = sandbox.createBot();
      const called = await insert(other.token, 'Ours');
      await node.supervisor.apply(called.id);
      await until(() => expect(named).toContain(called.id));
      expect(await node.store.bots.get(called.id)).toMatchObject({ name: 'Ours' });
      await node.store.bots.toggle(bot.id, clock.now());
      await node.supervisor.apply(bot.id);
      await node.store.bots.toggle(bot.id, clock.now());
      await node.supervisor.apply(bot.id);
      await until(async () => expect((await status(node, bot.id))?.running).toBe(true));
      expect(named).toEqual([bot.id, called.id]);
    },
  );

  it('stops a disabled bot in mid poll, for good, and loses nothing meanwhile', async () => {
    let node = await start();
    const bot = await addBot(node);
    const ann = sandbox.createUser();
    const startedAt = performance.now();
    await node.store.bots.toggle(bot.id, Date.now());
    await node.supervisor.apply(bot.id);
    // A poll lasts far longer.
    expect(performance.now() - startedAt).toBeLessThan(40_000);
    expect(await status(node, bot.id)).toMatchObject({ running: false, lastError: '' });
    sandbox.say(ann.id, bot.platform.id, 'while disabled');
    await stop(node);
    node = await start();
    expect(await status(node, bot.id)).toMatchObject({ running: false });
    expect(await texts(node, bot.id)).toEqual([]);

    await node.store.bots.toggle(bot.id, Date.now());
    await node.supervisor.apply(bot.id);
    await until(async () => expect(await texts(node, bot.id)).toEqual(['while disabled']));
    await until(async () => expect(await status(node, bot.id)).toMatchObject({ running: true }));
  });

  it('does not touch other bots while it disables one', async () => {
    const clock = createManualClock(Date.now());
    const node = await start({ clock, singleNode: true });
    const kept = await addBot(node);
    const disabled = await addBot(node);
    const epoch = node.supervisor.leaseEpochOf(kept.id);
    const { promise: slow, resolve: end } = Promise.withResolvers<void>();
    onTestFinished(() => end());
    const lost: number[] = [];
    node.supervisor.watch({
      gained: () => {},
      lost(botId) {
        lost.push(botId);
        return slow;
      },
    });
    // The keeper of the leases looks once a second, and so while the bot is being stopped.
    const survey = vi.spyOn(node.leases, 'survey');
    await clock.advance(600);
    await node.store.bots.toggle(disabled.id, clock.now());
    const applied = node.supervisor.apply(disabled.id);
    await until(() => expect(lost).toEqual([disabled.id]));
    await clock.advance(500);
    await until(() => expect(survey).toHaveBeenCalled());
    await survey.mock.results[0]?.value;
    await clock.advance(2_000);
    await applied;
    expect(lost).toEqual([disabled.id]);
    expect(node.supervisor.leaseEpochOf(kept.id)).toBe(epoch);
    expect(await status(node, kept.id)).toMatchObject({ running: true });
    end();
  });

  it('starts its bots again after a restart, storing nothing twice', async () => {
    const first = await start();
    const bot = await addBot(first);
    const ann = sandbox.createUser();
    sandbox.say(ann.id, bot.platform.id, 'before');
    await until(async () => expect(await texts(first, bot.id)).toEqual(['before']));
    await stop(first);
    sandbox.say(ann.id, bot.platform.id, 'between');
    const second = await start();
    await until(async () => expect(await texts(second, bot.id)).toEqual(['before', 'between']));
    await until(async () => expect(await status(second, bot.id)).toMatchObject({ running: true }));
  });

  it('stops a bot whose token is refused until it is brought in line again', async () => {
    const node = await start();
    const other = await addBot(node);
    const bot = await addBot(node);
    const fault = sandbox.fault({ kind: 'unauthorized', botId: bot.platform.id });
    sandbox.say(sandbox.createUser().id, bot.platform.id, 'kept');
    await until(async () =>
      expect((await status(node, bot.id))?.lastError).toMatch(/token.*Unauthorized/),
    );
    const refused = await status(node, bot.id);
    expect(refused?.running).toBe(false);
    expect(refused?.lastError).not.toContain(bot.platform.token);
    await until(async () =>
      expect(await status(node, other.id)).toMatchObject({ running: true, lastError: '' }),
    );
    sandbox.faults.remove(fault);
    await node.supervisor.apply(bot.id);
    await until(async () => expect(await texts(node, bot.id)).toEqual(['kept']));
    await until(async () =>
      expect(await status(node, bot.id)).toMatchObject({ running: true, lastError: '' }),
    );
  });

  it('retires a bot: nothing of it runs when its rows go', async () => {
    const clock = createManualClock(Date.now());
    const node = await start({ clock });
    const bot = await addBot(node);
    await until(async () => expect(await status(node, bot.id)).toMatchObject({ running: true }));
    await node.supervisor.retire(bot.id);
    expect(await status(node, bot.id)).toMatchObject({ running: false });
    await node.store.bots.remove(bot.id);
    sandbox.say(sandbox.createUser().id, bot.platform.id, 'too late');
    // The next check of its leases; too soon to release bots for lack of an answer.
    await clock.advance(1_500);
    await until(() => expect(node.supervisor.leaseEpochOf(bot.id)).toBeUndefined());
    expect(bot.platform.updates.size).toBe(1);
  });

  it('tells that it runs a bot again which was not deleted after all', async () => {
    // No time passes, so it lets no bot go for lack of an answer from the database.
    const node = await start({ clock: createManualClock(Date.now()) });
    const seen: string[] = [];
    const bot = await addBot(node);
    node.supervisor.watch({
      gained: () => seen.push('gained'),
      lost: () => void seen.push('lost'),
    });
    await node.supervisor.retire(bot.id);
    await node.supervisor.apply(bot.id);
    expect(seen).toEqual(['gained', 'lost', 'gained']);
    await until(async () => expect(await status(node, bot.id)).toMatchObject({ running: true }));
    await node.supervisor.apply(bot.id);
    expect(seen).toHaveLength(3);
  });

  it('runs a bot again that is still there long after it was to be deleted', async () => {
    const clock = createManualClock(Date.now());
    const node = await start({ clock, singleNode: true });
    const bot = await addBot(node);
    await until(async () => expect(await status(node, bot.id)).toMatchObject({ running: true }));
    const retired = node.supervisor.retire(bot.id);
    await advanceUntil(clock, () => isSettled(retired), 100);
    const { get } = node.store.bots;
    let failures = 0;
    // The node that asked died, and then the database was unavailable for a while.
    node.store.bots.get = async (id) => {
      if (failures++ < 3) throw new Error('the database is away');
      return get(id);
    };
    await clock.advance(200_000);
    expect(await status(node, bot.id)).toMatchObject({ running: false });
    expect(failures).toBe(0);
    await advanceUntil(clock, async () => (await status(node, bot.id))?.running === true, 1_000);
    expect(failures).toBeGreaterThan(3);
  });

  it('tells who runs a bot, and hands it on when it stops', async () => {
    const node = await start({ clock: createManualClock(Date.now()) });
    const seen: string[] = [];
    node.supervisor.watch({
      gained: (botId, epoch) => seen.push(`gained ${botId} ${epoch}`),
      lost: (botId) => void seen.push(`lost ${botId}`),
    });
    const bot = await addBot(node);
    const epoch = node.supervisor.leaseEpochOf(bot.id);
    expect(seen).toEqual([`gained ${bot.id} ${epoch}`]);
    await node.store.bots.toggle(bot.id, Date.now());
    await node.supervisor.apply(bot.id);
    expect(seen).toEqual([`gained ${bot.id} ${epoch}`, `lost ${bot.id}`]);
    expect(node.supervisor.leaseEpochOf(bot.id)).toBeUndefined();
  });

  it('starts many bots and keeps one that does not answer from costing the others', async () => {
    const node = await start();
    const made = Array.from({ length: 150 }, () => sandbox.createBot());
    for (const one of made.slice(0, 5)) {
      sandbox.fault({ kind: 'slow', delayMs: 60_000, botId: one.id });
    }
    const ids: number[] = [];
    for (const { token } of made) {
      ids.push((await node.store.bots.insert({ token, source: 'web' }, Date.now())).id);
    }
    await stop(node);
    const again = await start();
    await until(async () => {
      const statuses = [...(await again.supervisor.statusOf(ids)).values()];
      expect(statuses.filter((one) => one.running).length).toBe(145);
    });
  });

  it('says that it is not well when the database cannot be used', async () => {
    const clock = createManualClock();
    const node = await start({ clock });
    expect(node.supervisor.health()).toEqual({ ok: true, reason: '' });
    await node.engine.close();
    await clock.advance(1_000);
    await until(() => expect(node.supervisor.health()).toMatchObject({ ok: false }));
    nodes.delete(node);
    await node.kill();
  });
});
