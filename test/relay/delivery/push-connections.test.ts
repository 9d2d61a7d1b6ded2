import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { buildConnector, Client } from 'undici';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLogger } from '../../../src/logger.ts';
import {
  ConnectionPool,
  type OpenConnection,
} from '../../../src/relay/delivery/connection-pool.ts';
import {
  type Arrival,
  createPushRig,
  message,
  openConnection,
  type PushRig,
  startBackend,
  type TestBackend,
} from '../../support/rigs/delivery-rig.ts';

interface Bot {
  id: number;
  backend: TestBackend;
}

describe('connections of all bots together', () => {
  let rig: PushRig;
  let backends: TestBackend[];
  /** Sockets to backends. */
  let sockets: { now: number; most: number; opened: number };
  /** Resolves once so many are open at the same time. */
  let enough = { count: Infinity, ...Promise.withResolvers<void>() };
  const connected = (news: unknown) => {
    // A socket of the test before may close during this one.
    const counted = sockets;
    counted.now++;
    counted.opened++;
    counted.most = Math.max(counted.most, counted.now);
    if (counted.now >= enough.count) enough.resolve();
    (news as { socket: Socket }).socket.once('close', () => counted.now--);
  };

  beforeEach(() => {
    backends = [];
    sockets = { now: 0, most: 0, opened: 0 };
    subscribe('undici:client:connected', connected);
  });
  afterEach(async () => {
    await rig.close();
    await Promise.all(backends.map((backend) => backend.close()));
    unsubscribe('undici:client:connected', connected);
  });

  /** Each with a backend of its own, or all with the same. */
  async function addBots(count: number, shared?: TestBackend): Promise<Bot[]> {
    const bots: Bot[] = [];
    for (let n = 0; n < count; n++) {
      const backend = shared ?? (await startBackend());
      if (!shared) backends.push(backend);
      const token = `${n + 2}:rig`;
      const record = await rig.store.bots.insert(
        { token, source: 'web', proxy_enabled: true, backend_url: `${backend.url}/${n}` },
        rig.clock.now(),
      );
      await rig.pushers.apply(record);
      bots.push({ id: record.id, backend });
    }
    return bots;
  }

  /** No backend answers before so many connections are open. */
  function answerOnceOpen(count: number): void {
    enough = { count, ...Promise.withResolvers<void>() };
    const { promise } = enough;
    for (const backend of [rig.backend, ...backends]) {
      backend.answer = () => promise.then(() => ({}));
    }
  }

  const receive = (bots: readonly Bot[], updates: object[]) =>
    Promise.all(bots.map(({ id }) => rig.receive(updates, id)));
  const inChats = (chats: number, perChat: number) =>
    Array.from({ length: chats * perChat }, (_, n) => message(n + 1, (n % chats) + 1));
  const ids = (arrivals: readonly Arrival[], chatId: number) =>
    arrivals.filter((one) => one.chatId === chatId).map(({ updateId }) => updateId);
  const arrived = () => backends.reduce((sum, { arrivals }) => sum + arrivals.length, 0);
  const attempts = (botId: number) =>
    rig.deliveries.attempts({ botIds: [botId], reader: 'push', limit: 100 });
  const never = () => new Promise<never>(() => {});
  const oneTo = (last: number) => Array.from({ length: last }, (_, n) => n + 1);
  const hasStored = async (botId: number) =>
    (await rig.retryQueues.first(botId, 'push', 1)).length > 0;
  const poolOf = (most: number, open: OpenConnection) =>
    new ConnectionPool({
      open: (...host) => rig.observe(open(...host)),
      most,
      clock: rig.clock,
      logger: createLogger({ level: 'silent' }),
    });

  it('delivers for 40 bots over 8 connections, each chat in order', async () => {
    rig = await createPushRig('sqlite', { mostConnections: 8 });
    const bots = await addBots(40);
    answerOnceOpen(8);
    await receive(bots, inChats(3, 4));
    await rig.until(() => arrived() === 40 * 12, 10);
    for (const { arrivals } of backends) {
      for (const chat of [1, 2, 3]) {
        expect(ids(arrivals, chat)).toEqual([chat, chat + 3, chat + 6, chat + 9]);
      }
    }
    expect(sockets.most).toBe(8);
  });

  it('lets bots with the same host use the same connections', async () => {
    rig = await createPushRig('sqlite', { mostConnections: 8 });
    const bots = await addBots(40, rig.backend);
    answerOnceOpen(8);
    await receive(bots, inChats(3, 4));
    await rig.until(() => rig.backend.arrivals.length === 40 * 12, 10);
    const ofBot = Map.groupBy(rig.backend.arrivals, ({ path }) => path);
    expect(ofBot.size).toBe(40);
    for (const arrivals of ofBot.values()) expect(ids(arrivals, 1)).toEqual([1, 4, 7, 10]);
    expect(sockets.opened).toBe(8);
  });

  it('closes connections that are idle when another bot needs one', async () => {
    rig = await createPushRig('sqlite', { mostConnections: 4 });
    const [late, ...early] = (await addBots(5)) as [Bot, ...Bot[]];
    await receive(early, [message(1, 1)]);
    await rig.until(() => arrived() === 4, 10);
    await rig.quiet();
    expect(sockets.now).toBe(4);
    await receive([late], [message(1, 1)]);
    await rig.until(() => late.backend.arrivals.length === 1);
    expect(sockets.most).toBe(4);
  });

  it('takes turns while there are too few', async () => {
    rig = await createPushRig('sqlite', { mostConnections: 1 });
    const bots = (await addBots(3)) as [Bot, Bot, Bot];
    const order: number[] = [];
    for (const [index, { backend }] of bots.entries()) {
      backend.answer = () => {
        order.push(index);
        return {};
      };
    }
    await receive(bots, inChats(1, 60));
    await rig.until(() => order.length === 180, 10);
    for (const { backend } of bots) {
      expect(ids(backend.arrivals, 1)).toEqual(oneTo(60));
    }
    // Nobody had a second turn before everybody had the first one.
    expect(new Set(order.slice(0, 3 * 17)).size).toBe(3);
    expect(sockets.most).toBe(1);
  });

  it('keeps some for bots that have none while backends hang', async () => {
    rig = await createPushRig('sqlite', { mostConnections: 8 });
    const [hanging, other, ...rest] = (await addBots(6)) as [Bot, Bot, ...Bot[]];
    hanging.backend.answer = never;
    other.backend.answer = never;
    await receive([hanging, other], inChats(20, 1));
    await rig.until(() => arrived() >= 6);
    rig.seen.held = 7;
    await receive(rest, inChats(2, 10));
    await rig.until(() => rest.every(({ backend }) => backend.arrivals.length === 20), 10);
    expect(sockets.most).toBe(8);
  });

  it('does not count the wait for a connection as an attempt', async () => {
    rig = await createPushRig('sqlite', { mostConnections: 1 });
    const [hanging, waiting] = (await addBots(2)) as [Bot, Bot];
    hanging.backend.answer = never;
    await receive([hanging], [message(1, 1)]);
    await rig.until(() => arrived() === 1);
    hanging.backend.answer = () => ({});
    await receive([waiting], inChats(15, 1));
    await rig.clock.advance(59_000);
    expect(await attempts(waiting.id)).toEqual([]);
    await rig.clock.advance(2_000);
    await rig.until(() => waiting.backend.arrivals.length === 15, 10);
    await rig.until(async () => (await attempts(waiting.id)).length === 15, 10);
    const all = await attempts(waiting.id);
    expect(all.every(({ status, duration_ms }) => status === 200 && duration_ms < 5_000)).toBe(
      true,
    );
    expect(rig.pushers.statusHere(waiting.id)).toBe('ok');
  });

  it('stops a bot that waits at once, and loses nothing', async () => {
    rig = await createPushRig('sqlite', { mostConnections: 1 });
    const [hanging, waiting] = (await addBots(2)) as [Bot, Bot];
    const held = Promise.withResolvers<object>();
    hanging.backend.answer = () => held.promise;
    await receive([hanging], [message(1, 1)]);
    await rig.until(() => arrived() === 1);
    await receive([waiting], inChats(2, 2));
    await rig.pushers.stop(waiting.id);
    held.resolve({});
    await rig.quiet();
    expect(waiting.backend.arrivals).toEqual([]);
    const record = await rig.store.bots.get(waiting.id);
    if (record) await rig.pushers.apply(record);
    await rig.until(() => waiting.backend.arrivals.length === 4, 10);
    expect(ids(waiting.backend.arrivals, 1)).toEqual([1, 3]);
  });

  it.each(['EMFILE', 'ENFILE'])(
    'waits after %s, which is no failure of the backend',
    async (code) => {
      rig = await createPushRig('sqlite');
      const connect = buildConnector({});
      let refusals = 0;
      const open = (origin: string) =>
        new Client(origin, {
          connect: (options, done) => {
            if (refusals++ >= 30) connect(options, done);
            else setImmediate(done, Object.assign(new Error('connect'), { code }), null);
          },
        });
      await rig.crash({ connections: poolOf(40, open) });
      await rig.apply();
      await rig.receive(inChats(20, 2));
      await rig.until(() => refusals === 20);
      expect(rig.backend.arrivals).toEqual([]);
      await rig.until(() => rig.backend.arrivals.length === 40, 100);
      for (let chat = 1; chat <= 20; chat++) expect(rig.arrivedOf(chat)).toEqual([chat, chat + 20]);
      await rig.until(async () => (await attempts(rig.bot)).length === 40, 100);
      expect((await attempts(rig.bot)).every(({ status }) => status === 200)).toBe(true);
      expect(rig.pushers.statusHere(rig.bot)).toBe('ok');
    },
  );

  it('keeps the order when the rest of a queue went to the store while its head waited', async () => {
    rig = await createPushRig('sqlite', { mostConnections: 1, mostUnfinished: 8 });
    const [hanging, waiting] = (await addBots(2)) as [Bot, Bot];
    const held = Promise.withResolvers<object>();
    hanging.backend.answer = () => held.promise;
    await receive([hanging], [message(1, 1)]);
    await rig.until(() => arrived() === 1);
    await receive([waiting], inChats(1, 12));
    rig.seen.held = 1;
    await rig.until(() => hasStored(waiting.id), 100);
    rig.seen.held = 0;
    const record = await rig.store.bots.update(waiting.id, { secret_token: 'o' }, rig.clock.now());
    if (record) await rig.pushers.apply(record);
    held.resolve({});
    await rig.until(() => waiting.backend.arrivals.length === 12, 100);
    expect(ids(waiting.backend.arrivals, 1)).toEqual(oneTo(12));
  });

  it('keeps the order when it went there before EMFILE', async () => {
    rig = await createPushRig('sqlite', { mostUnfinished: 8 });
    const connect = buildConnector({});
    const held: buildConnector.Callback[] = [];
    let isFull = true;
    const open = (origin: string) =>
      new Client(origin, {
        connect: (options, done) => (isFull ? held.push(done) : connect(options, done)),
      });
    await rig.crash({ connections: poolOf(40, open) });
    await rig.apply();
    await rig.receive(inChats(1, 12));
    rig.seen.held = 1;
    await rig.until(() => hasStored(rig.bot), 100);
    rig.seen.held = 0;
    isFull = false;
    for (const done of held) done(Object.assign(new Error('connect'), { code: 'EMFILE' }), null);
    await rig.until(() => rig.backend.arrivals.length === 12, 100);
    expect(rig.arrivedOf(1)).toEqual(oneTo(12));
  });

  it('keeps some for bots that have none where all have the same host', async () => {
    rig = await createPushRig('sqlite', { mostConnections: 8 });
    const bots = await addBots(10, rig.backend);
    const all = Promise.withResolvers<object>();
    rig.backend.answer = () => all.promise;
    await receive(bots.slice(0, 8), [message(1, 1)]);
    await rig.until(() => rig.backend.arrivals.length === 8);
    all.resolve({});
    await rig.quiet();
    const of = (path: string) => rig.backend.arrivals.filter((one) => one.path.endsWith(path));
    rig.backend.answer = ({ path }) => (path.endsWith('/8') ? never() : {});
    await receive(bots.slice(8, 9), inChats(20, 1));
    await rig.until(() => of('/8').length >= 6);
    await receive(bots.slice(9), [message(1, 1)]);
    await rig.until(() => of('/9').length === 1);
    expect(of('/8')).toHaveLength(6);
  });

  it('sends nothing but probes of what waits once the backend is paused', async () => {
    rig = await createPushRig('sqlite', { mostConnections: 4 });
    const [down] = (await addBots(1)) as [Bot];
    down.backend.answer = never;
    rig.seen.held = 40;
    await receive([down], inChats(40, 1));
    await rig.until(() => rig.pushers.statusHere(down.id) === 'paused', 1_000);
    const before = arrived();
    const endsAt = rig.clock.now() + 12 * 60_000;
    await rig.until(() => rig.clock.now() >= endsAt, 1_000);
    // A probe takes a minute to fail; three were on their way.
    expect(arrived() - before).toBeLessThan(14);
  });

  it('closes no idle connection for a bot that may not open more', async () => {
    rig = await createPushRig('sqlite', { mostConnections: 8 });
    const [hanging, other] = (await addBots(2)) as [Bot, Bot];
    hanging.backend.answer = never;
    await receive([hanging], inChats(20, 1));
    await rig.until(() => arrived() === 6);
    for (const n of oneTo(20)) {
      await receive([other], [message(n, 1)]);
      await rig.answered(n);
    }
    expect(sockets.opened).toBe(7);
  });

  it('counts connections that are given up while they are opened', async () => {
    rig = await createPushRig('sqlite');
    const opening: buildConnector.Callback[] = [];
    const open = (origin: string) =>
      new Client(origin, { connect: (_options, done) => opening.push(done) });
    await rig.crash({ connections: poolOf(4, open) });
    await rig.apply();
    await rig.receive(inChats(20, 1));
    await rig.until(() => opening.length === 3);
    await rig.pushers.stop(rig.bot, 0);
    await rig.apply();
    await rig.until(() => opening.length > 3);
    expect(opening).toHaveLength(4);
    await rig.pushers.stop(rig.bot, 0);
    for (const done of opening.splice(0)) done(new Error('too late'), null);
    await rig.apply();
    await rig.until(() => opening.length === 3);
  });

  it('goes on with other bots when no connection can be opened for one', async () => {
    rig = await createPushRig('sqlite');
    let broken = '';
    const open: OpenConnection = (origin, certificate) => {
      if (origin === broken) throw new Error('cannot be opened');
      return openConnection(origin, certificate);
    };
    await rig.crash({ connections: poolOf(1, open) });
    const [hanging, bad, other] = (await addBots(3)) as [Bot, Bot, Bot];
    broken = new URL(bad.backend.url).origin;
    const held = Promise.withResolvers<object>();
    hanging.backend.answer = () => held.promise;
    await receive([hanging], [message(1, 1)]);
    await rig.until(() => arrived() === 1);
    await receive([bad, other], [message(1, 1)]);
    held.resolve({});
    await rig.until(() => other.backend.arrivals.length === 1, 10);
    await rig.until(async () => (await attempts(bad.id)).length > 0, 10);
    expect((await attempts(bad.id)).at(-1)).toMatchObject({ status: 0, update_id: 1 });
  });
});
