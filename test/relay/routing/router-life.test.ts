import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { alertAuthor } from '../../../src/core/messages/author.ts';
import { localCaller } from '../../../src/core/access/access.ts';
import { createVault } from '../../../src/core/access/vault.ts';
import { type IncomingUpdate, readUpdate } from '../../../src/core/log/update-facts.ts';
import { storesForRouters } from '../../../src/main/routing.ts';
import { createRouteService } from '../../../src/manage/routing/routes.ts';
import { createRouters, type Routers } from '../../../src/relay/routing/routers.ts';
import { createUpdateLog, type UpdateLog } from '../../../src/relay/log/update-log.ts';
import { raw } from '../../../src/store/engine.ts';
import { enqueueIntent } from '../../../src/store/outbox/outbox.ts';
import { openRoutingReader } from '../../../src/store/routing/routing.ts';
import { createStore, type Store } from '../../../src/store/store.ts';
import { createDatabase, dialects } from '../../support/database/engines.ts';
import { gateEngine, type GatedEngine } from '../../support/database/gated-engine.ts';
import { advanceUntil, createManualClock, type ManualClock } from '../../support/manual-clock.ts';
import { addBotRow, plainRoute } from '../../support/database/store.ts';
import { routingReader } from '../../../src/core/log/reader-kinds.ts';

describe.each(dialects)('the life of routing readers on %s', (dialect) => {
  const front = 1;
  const back = 2;
  let clock: ManualClock;
  let gates: GatedEngine;
  let store: Store;
  let log: UpdateLog;
  let routers: Routers;
  let failures: unknown[];

  beforeEach(async () => {
    const database = await createDatabase(dialect);
    const engine = await database.open();
    gates = gateEngine(engine);
    clock = createManualClock();
    store = createStore(gates.engine, createVault(['a key for tests that is long enough']));
    log = createUpdateLog(store.log);
    failures = [];
    routers = createNode();
    for (const id of [front, back]) await addBotRow(engine, id);
    onTestFinished(async () => {
      await routers.stopAll();
      await engine.close();
      await database.drop();
      expect(failures).toEqual([]);
    });
  });

  function createNode(more: Partial<Parameters<typeof createRouters>[0]> = {}): Routers {
    return createRouters({
      ...storesForRouters(store),
      clock,
      log,
      bots: {
        get: async (id) => ((await isThere(id)) ? ({ id, username: '' } as never) : undefined),
      },
      onQueued: () => {},
      isForumAdmin: async () => false,
      onQuestion: () => {},
      onError: (error) => failures.push(error),
      ...more,
    });
  }

  const isThere = async (id: number) =>
    (await store.engine.readRaw('select 1 from bots where id = $1', [id])).length > 0;

  const addRoute = () =>
    createRouteService({ store, clock }).add(localCaller, {
      source_bot_id: front,
      target_bot_id: back,
      action: 'copy',
    });

  let updates = 0;
  async function receive(text: string): Promise<void> {
    const update = {
      update_id: ++updates,
      message: {
        message_id: updates,
        date: 1,
        chat: { id: 7, type: 'private', first_name: 'Ann' },
        from: { id: 7, is_bot: false, first_name: 'Ann' },
        text,
      },
    };
    const incoming = readUpdate(JSON.stringify(update), update, clock.now()) as IncomingUpdate;
    await log.append(front, [incoming], { receivedAt: clock.now() });
  }

  const decided = () => store.routing.decisions.list({ botIds: [front], limit: 50 });
  const decidedCount = (count: number) =>
    vi.waitFor(async () => expect(await decided()).toHaveLength(count), {
      interval: 5,
    });
  const readerOf = async (botId: number) =>
    (await store.log.readers(botId)).find(({ name }) => name === routingReader);

  it('a route that is made while its bot starts misses nothing', async () => {
    await receive('before there are routes');
    const looked = gates.holdAnswer('source_bot_id = $1');
    const started = routers.start(front);
    await looked.reached;
    await addRoute();
    await receive('after the route was made');
    looked.open();
    await started;
    await routers.reload(front);
    await decidedCount(1);
  });

  it('a route that is made on one node while another is about to end the reader misses nothing', async () => {
    await store.log.openReader(front, routingReader, clock.now());
    const ends = gates.holdWrite();
    const started = routers.start(front);
    await ends.reached;
    await addRoute();
    await receive('after the route was made');
    ends.open();
    await started;
    await routers.reload(front);
    await decidedCount(1);
  });

  it('a bot that is lost while it starts keeps its position in the log', async () => {
    await addRoute();
    const looked = gates.holdAnswer('source_bot_id = $1');
    const started = routers.start(front);
    await looked.reached;
    const stopped = routers.stop(front);
    await receive('while the bot changes nodes');
    looked.open();
    await Promise.all([started, stopped]);
    expect(await readerOf(front)).toMatchObject({ position: 0 });
    expect(await decided()).toEqual([]);
    const next = createNode();
    onTestFinished(() => next.stopAll());
    await next.start(front);
    await decidedCount(1);
  });

  it('a node from which a bot was taken decides nothing more for it', async () => {
    await addRoute();
    const lease = (owner: string, epoch: number) =>
      store.engine.write(() =>
        raw(
          `insert into leases (bot_id, owner, epoch, expires_at) values ($1, $2, $3, 0)
           on conflict (bot_id) do update set owner = excluded.owner, epoch = excluded.epoch`,
          [front, owner, epoch],
        ),
      );
    await lease('this', 1);
    let epoch: number | undefined = 1;
    const node = createNode({ leaseEpochOf: () => epoch });
    onTestFinished(() => node.stopAll());
    await node.start(front);
    await receive('one');
    await decidedCount(1);
    await lease('other', 2);
    await receive('two');
    // Long enough to read and to decide it.
    for (let passedMs = 0; passedMs < 10_000; passedMs += 100) {
      await clock.advance(100);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    expect(await decided()).toHaveLength(1);
    expect(await readerOf(front)).toMatchObject({ position: 1 });
    // Owned again, at the stored position.
    await lease('this', 3);
    epoch = 3;
    await advanceUntil(clock, async () => (await decided()).length === 2, 100);
    expect(await readerOf(front)).toMatchObject({ position: 2 });
  });

  it('a bot that is stopped and started again is read by one loop', async () => {
    await addRoute();
    await Promise.all([routers.start(front), routers.stop(front), routers.start(front)]);
    await receive('once');
    await decidedCount(1);
    await routers.stop(front);
    await receive('nobody reads');
    await clock.advance(10_000);
    expect(await decided()).toHaveLength(1);
  });

  it('a change of the routes that comes while they are read is heeded', async () => {
    await addRoute();
    await receive('has the routes read');
    const read = gates.holdAnswer('select * from routes');
    await routers.start(front);
    await read.reached;
    await addRoute();
    await routers.reload(front);
    read.open();
    await decidedCount(1);
    await receive('by both routes');
    await decidedCount(2);
    const [newest] = await decided();
    expect(JSON.parse(newest?.matched ?? '[]')).toHaveLength(2);
  });

  it('a change of the routes without a notification is found before long', async () => {
    await addRoute();
    await routers.start(front);
    await receive('by one route');
    await decidedCount(1);
    await store.routes.insert(
      { ...plainRoute, source_bot_id: front, target_bot_id: back },
      clock.now(),
    );
    await clock.advance(6_000);
    await receive('by both routes');
    await decidedCount(2);
    const [newest] = await decided();
    expect(JSON.parse(newest?.matched ?? '[]')).toHaveLength(2);
  });

  it('both ends of a new route read from the moment it is there', async () => {
    await receive('the past');
    await addRoute();
    expect(await readerOf(front)).toMatchObject({ position: 1 });
    expect(await readerOf(back)).toMatchObject({ position: 0 });
  });

  it('a bot without routes forgets its position, so that old messages are not routed later', async () => {
    const route = await addRoute();
    await store.routes.remove(route.id);
    await routers.start(front);
    expect(await readerOf(front)).toBeUndefined();
  });

  it('a bot that is deleted while it is read ends its loop, and nothing fails', async () => {
    await addRoute();
    await routers.start(front);
    await receive('the last');
    await decidedCount(1);
    const looked = gates.holdAnswer('source_bot_id = $1');
    const reloaded = createNode().reload(front);
    await looked.reached;
    await store.bots.remove(front);
    looked.open();
    await reloaded;
    await routers.reload(front);
    await clock.advance(10_000);
    expect(await store.log.readers(front)).toEqual([]);
  });

  it('a bot that began to take part unheard is found', async () => {
    await routers.start(front);
    await addRoute();
    await receive('nobody told of the route');
    await routers.ensureAll();
    await decidedCount(1);
  });

  it('a bot that sends for the model keeps the reader that was opened for it', async () => {
    await store.engine.write(function* () {
      yield* enqueueIntent(
        {
          botId: back,
          chatId: 7,
          method: 'sendMessage',
          params: {},
          origin: 'routed',
          intentKey: null,
          priority: 'bulk',
          author: alertAuthor,
        },
        clock.now(),
      );
      yield* openRoutingReader(back, clock.now());
    });
    await routers.start(back);
    expect(await readerOf(back)).toMatchObject({ position: 0 });
  });

  it('nothing starts after all were stopped, and work in flight has ended', async () => {
    await addRoute();
    const looked = gates.holdAnswer('source_bot_id = $1');
    const started = routers.start(front);
    await looked.reached;
    let isStopped = false;
    const stopped = routers.stopAll().then(() => {
      isStopped = true;
    });
    await clock.advance(1);
    expect(isStopped).toBe(false);
    looked.open();
    await Promise.all([started, stopped]);
    await receive('too late');
    await Promise.all([routers.start(front), routers.reload(front), routers.ensure(front)]);
    await clock.advance(10_000);
    expect(await decided()).toEqual([]);
  });
});
