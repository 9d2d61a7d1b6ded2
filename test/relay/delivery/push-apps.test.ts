import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AppSettings, defaultAppSettings } from '../../../src/core/apps/app.ts';
import { localCaller } from '../../../src/core/access/access.ts';
import { createLogger } from '../../../src/logger.ts';
import { createAppReaders } from '../../../src/relay/apps/app-readers.ts';
import { createDeliveryService } from '../../../src/relay/delivery/delivery-service.ts';
import { createPushReader, pushBotFor } from '../../../src/relay/delivery/push-reader.ts';
import type { PushersOptions } from '../../../src/relay/delivery/pushers.ts';
import { raw } from '../../../src/store/engine.ts';
import { longestTurn } from '../../support/cpu-time.ts';
import { dialects } from '../../support/database/engines.ts';
import {
  type Answer,
  createPushRig,
  message,
  openConnection,
  type PushRig,
  startBackend,
  type TestBackend,
} from '../../support/rigs/delivery-rig.ts';

/** The bot's own backend is the rig's; the apps `shop` and `stats` have their own. */
describe.each(dialects)('apps with webhooks on %s', (dialect) => {
  let rig: PushRig;
  let shop: TestBackend;
  let stats: TestBackend;
  const readers = () => createAppReaders(rig.store);
  const bots: PushersOptions['bots'] = {
    async get(id, reader) {
      const bot = await rig.store.bots.get(id);
      return bot && pushBotFor(readers(), bot, reader);
    },
  };

  async function apply(): Promise<void> {
    const bot = await rig.store.bots.get(rig.bot);
    if (!bot) throw new Error('the bot is gone');
    // Without leases there is no epoch to commit under.
    const noEpoch = undefined as unknown as number;
    await createPushReader({ pushers: rig.pushers, apps: readers() }).run?.apply(bot, noEpoch);
  }
  async function restart(): Promise<void> {
    await rig.crash({ bots });
    await apply();
  }
  async function add(name: string, settings: Partial<AppSettings> = {}) {
    const app = await rig.store.apps.insert(
      {
        botId: rig.bot,
        name,
        token: `1:${name}`,
        settings: { ...defaultAppSettings, mode: 'webhook', ...settings },
        patch: {},
      },
      rig.clock.now(),
    );
    await apply();
    return app;
  }
  async function change(id: number, patch: Partial<AppSettings>): Promise<void> {
    await rig.pushers.settle(rig.bot);
    await rig.store.apps.update(id, { patch }, rig.clock.now());
    await apply();
  }
  const idsOf = ({ arrivals }: TestBackend) => arrivals.map(({ updateId }) => updateId);
  const cursor = async (reader: string) =>
    (await rig.store.log.readers(rig.bot)).find(({ name }) => name === reader);
  const until = (check: () => boolean | Promise<boolean>) => rig.until(check, 50);

  beforeEach(async () => {
    [shop, stats] = await Promise.all([startBackend(), startBackend()]);
    rig = await createPushRig(dialect);
    await restart();
  });
  afterEach(async () => {
    await rig.close();
    await Promise.all([shop.close(), stats.close()]);
  });

  it('receive what their filters let through, in order, from the moment they are added', async () => {
    await rig.receive([message(1, 1, '/buy')]);
    await add('shop', {
      backend_url: shop.url,
      secret_token: 'shop-secret',
      filter: { commands: ['buy'] },
    });
    await add('stats', { backend_url: stats.url });
    await rig.receive([message(2, 1, '/buy 1'), message(3, 2, 'hi'), message(4, 1, '/buy 2')]);
    await until(() => rig.backend.arrivals.length === 4 && stats.arrivals.length === 3);
    await until(async () => (await cursor('push:shop'))?.position === 4);
    expect(idsOf(shop)).toEqual([2, 4]);
    expect(shop.arrivals[0]?.headers['x-telegram-bot-api-secret-token']).toBe('shop-secret');
    expect(idsOf(stats).toSorted()).toEqual([2, 3, 4]);
    expect(rig.pushers.statusHere(rig.bot, 'push:shop')).toBe('ok');
  });

  it('receive the types that their filter names although setWebhook did not ask for them', async () => {
    const filter = { kinds: ['message', 'message_reaction'] };
    const app = await add('shop', { filter });
    const reaction = (id: number) => ({
      update_id: id,
      message_reaction: { chat: { id: 1, type: 'private' }, message_id: 1, date: 1 },
    });
    async function setWebhook(allowedUpdates: readonly string[] | null): Promise<void> {
      const options = { maxConnections: 0, allowedUpdates };
      await rig.store.apps.update(
        app.id,
        { patch: { backend_url: shop.url }, options },
        rig.clock.now(),
      );
      await apply();
    }
    await setWebhook(null);
    await rig.receive([message(1, 1), reaction(2)]);
    await until(() => shop.arrivals.length === 2);
    await setWebhook(['message']);
    await rig.receive([reaction(3), message(4, 1)]);
    await until(() => shop.arrivals.length === 3);
    expect(idsOf(shop)).toEqual([1, 2, 4]);

    // Replayed are those that it asks for today.
    await until(async () => (await cursor('push:shop'))?.position === 4);
    await setWebhook(null);
    const service = createDeliveryService({
      store: rig.store,
      pushers: rig.pushers,
      apps: readers(),
      clock: rig.clock,
      openConnection,
    });
    const all = { bot_id: rig.bot, from_position: 1, app: 'shop' };
    expect(await service.replay(localCaller, all)).toMatchObject({ queued: 4 });
  });

  it('receives alone what it claims, and nobody else what another claimed', async () => {
    const own = await add('shop', {
      backend_url: shop.url,
      exclusive: true,
      filter: { keywords: ['refund'] },
    });
    await add('stats', { backend_url: stats.url });
    await rig.receive([message(1, 1, 'a refund'), message(2, 1, 'hi')]);
    await until(() => idsOf(rig.backend).includes(2) && idsOf(stats).includes(2));
    await until(() => shop.arrivals.length === 1);
    expect([rig.backend, stats, shop].map(idsOf)).toEqual([[2], [2], [1]]);

    // A claim stays with the update, whatever the settings are when it is read again.
    await change(own.id, { exclusive: false, filter: {} });
    await rig.store.readers.rewind(rig.bot, 'push', 0, rig.clock.now());
    await rig.pushers.onRemoteChange(rig.bot);
    await rig.receive([message(3, 1, 'a refund')]);
    await until(() => rig.backend.arrivals.length === 3 && shop.arrivals.length === 2);
    expect([rig.backend, stats, shop].map(idsOf)).toEqual([
      [2, 2, 3],
      [2, 3],
      [1, 3],
    ]);
  });

  it('reads what a slow filter has missed with turns for others in between', async () => {
    const regex = '(?i)[ab]*a[ab]{70}(?:d|e)';
    const app = await add('shop', { backend_url: shop.url, filter: { regex } });
    await rig.store.apps.toggle(app.id, rig.clock.now());
    await apply();
    const texts = Array.from({ length: 500 }, (_, index) =>
      (index + 512).toString(2).repeat(400).replaceAll('0', 'a').replaceAll('1', 'b'),
    );
    await rig.receive(texts.map((text, index) => message(index + 1, 1, text)));
    rig.store.patterns.live.take(rig.bot, 2_000);
    await rig.store.apps.toggle(app.id, rig.clock.now());
    await apply();
    expect(await longestTurn(() => until(() => shop.arrivals.length > 0))).toBeLessThan(50);
  });

  it('takes over a changed filter and address without missing or repeating anything', async () => {
    const app = await add('shop', { backend_url: shop.url, filter: { chat_ids: [1] } });
    await rig.receive([message(1, 1), message(2, 2)]);
    await until(() => shop.arrivals.length === 1);
    await change(app.id, { filter: { chat_ids: [2] } });
    await rig.receive([message(3, 1), message(4, 2)]);
    await until(() => shop.arrivals.length === 2);
    await change(app.id, { filter: {}, backend_url: stats.url });
    await rig.receive([message(5, 1)]);
    await until(() => stats.arrivals.length === 1);
    expect([idsOf(shop), idsOf(stats)]).toEqual([[1, 4], [5]]);
  });

  it('stops for one that is disabled, removed or polls, and goes on where it was', async () => {
    const app = await add('shop', { backend_url: shop.url });
    await rig.receive([message(1, 1)]);
    await until(() => shop.arrivals.length === 1);
    await until(async () => (await cursor('push:shop'))?.position === 1);
    await rig.store.apps.toggle(app.id, rig.clock.now());
    await apply();
    expect(rig.pushers.statusHere(rig.bot, 'push:shop')).toBeUndefined();
    await rig.receive([message(2, 1)]);
    await until(() => rig.backend.arrivals.length === 2);
    expect(idsOf(shop)).toEqual([1]);

    await rig.store.apps.toggle(app.id, rig.clock.now());
    await apply();
    await until(() => shop.arrivals.length === 2);
    await until(async () => (await cursor('push:shop'))?.position === 2);
    await change(app.id, { mode: 'poll' });
    await rig.receive([message(3, 1)]);
    await until(() => rig.backend.arrivals.length === 3);
    expect(await cursor('push:shop')).toBeUndefined();
    expect(await cursor('pull:shop')).toMatchObject({ position: 2 });
    await change(app.id, { mode: 'webhook' });
    await until(() => shop.arrivals.length === 3);

    await rig.store.apps.remove(app.id, rig.clock.now());
    await apply();
    await rig.receive([message(4, 1)]);
    await until(() => rig.backend.arrivals.length === 4);
    expect(idsOf(shop)).toEqual([1, 2, 3]);
    // A late start for one that is gone brings nothing back.
    await restart();
    expect((await rig.store.log.readers(rig.bot)).map(({ name }) => name)).toEqual(['push']);

    await add('shop', { backend_url: stats.url });
    await rig.receive([message(5, 1)]);
    await until(() => stats.arrivals.length === 1);
    expect([idsOf(shop), idsOf(stats)]).toEqual([[1, 2, 3], [5]]);
  });

  it('begins anew for an app that has the name of one that was removed', async () => {
    const app = await add('shop', { backend_url: shop.url });
    shop.answer = () => ({ status: 500 });
    await rig.receive([message(1, 1)]);
    await until(() => shop.arrivals.length > 0);
    await rig.store.apps.remove(app.id, rig.clock.now());
    await add('shop', { backend_url: shop.url });
    await rig.quiet();
    shop.arrivals.length = 0;
    shop.answer = () => ({});
    await rig.receive([message(2, 1)]);
    await until(() => shop.arrivals.length === 1);
    expect(idsOf(shop)).toEqual([2]);
  });

  it('ends the deliveries of a deleted app without a warning', async () => {
    const lines: string[] = [];
    const logger = createLogger({ level: 'warn', write: (line) => lines.push(line) });
    await rig.crash({ bots, logger });
    await apply();
    const app = await add('shop', { backend_url: shop.url });
    const { promise: deleted, resolve: answer } = Promise.withResolvers<Answer>();
    shop.answer = () => deleted;
    await rig.receive([message(1, 1)]);
    await until(() => shop.arrivals.length === 1);
    await rig.store.apps.remove(app.id, rig.clock.now());
    answer({});
    await until(() => rig.pushers.statusHere(rig.bot, 'push:shop') === undefined);
    expect(lines).toEqual([]);
  });

  it('fails for one app without delaying the others, over crashes', async () => {
    await add('shop', { backend_url: shop.url });
    await add('stats', { backend_url: stats.url, filter: { chat_ids: [2] } });
    shop.answer = () => ({ status: 500 });
    await rig.receive([message(1, 1), message(2, 2)]);
    await until(() => rig.backend.arrivals.length === 2 && stats.arrivals.length === 1);
    for (const reader of ['push', 'push:shop', 'push:stats']) {
      await until(async () => (await cursor(reader))?.position === 2);
    }
    await restart();
    await rig.receive([message(3, 1), message(4, 2)]);
    await until(() => rig.backend.arrivals.length === 4 && stats.arrivals.length === 2);
    shop.answer = () => ({});
    shop.arrivals.length = 0;
    await rig.until(() => shop.arrivals.length >= 4, 5_000);
    const ofChat = (chatId: number) =>
      shop.arrivals.filter((one) => one.chatId === chatId).map(({ updateId }) => updateId);
    expect([ofChat(1), ofChat(2)]).toEqual([
      [1, 3],
      [2, 4],
    ]);
    expect(idsOf(rig.backend).toSorted()).toEqual([1, 2, 3, 4]);
    expect(idsOf(stats)).toEqual([2, 4]);
  });

  it('writes down what it only skipped within a second, and when it stops', async () => {
    await add('shop', { backend_url: shop.url, filter: { chat_ids: [9] } });
    await rig.receive([message(1, 1)]);
    await rig.until(() => rig.backend.arrivals.length === 1);
    await rig.receive([message(2, 2)]);
    await rig.until(() => rig.backend.arrivals.length === 2);
    expect(await cursor('push:shop')).toMatchObject({ position: 0 });
    await rig.clock.advance(1_000);
    await rig.until(async () => (await cursor('push:shop'))?.position === 2, 10);
    await rig.receive([message(3, 3)]);
    await rig.pushers.stop(rig.bot);
    expect(await cursor('push:shop')).toMatchObject({ position: 3 });
    await apply();
    await rig.receive([message(4, 9)]);
    await until(() => shop.arrivals.length === 1);
    expect(idsOf(shop)).toEqual([4]);
  });

  it('shows, replays and discards the failures of one app without the others', async () => {
    const service = createDeliveryService({
      store: rig.store,
      pushers: rig.pushers,
      apps: readers(),
      clock: rig.clock,
      openConnection,
    });
    const states = async () =>
      (await service.backends(localCaller, undefined)).map(
        ({ app, backendStatus, pendingUpdates }) => [app, backendStatus, pendingUpdates],
      );
    const own = { bot_id: rig.bot, limit: 50 };
    const ofShop = { ...own, app: 'shop' };
    await add('shop', { backend_url: shop.url, filter: { chat_ids: [1] } });
    shop.answer = () => ({ status: 500 });
    await rig.receive([message(1, 1), message(2, 2)]);
    await until(() => rig.backend.arrivals.length === 2);
    await until(async () => (await cursor('push:shop'))?.position === 2);
    expect(await states()).toEqual([
      ['default', 'ok', 0],
      ['shop', 'failing', 1],
    ]);
    const queues = await service.queues(localCaller, rig.bot, 'shop');
    expect(queues).toMatchObject({ backendStatus: 'failing', pendingUpdates: 1 });
    expect(queues.retryQueues).toMatchObject([{ queue: 'c1', waiting: 1 }]);
    expect(await service.queues(localCaller, rig.bot)).toMatchObject({
      backendStatus: 'ok',
      retryQueues: [],
    });
    expect(await service.attempts(localCaller, { ...ofShop, status: 'failed' })).not.toEqual([]);
    expect(await service.attempts(localCaller, { ...own, status: 'failed' })).toEqual([]);
    expect((await service.check(localCaller, rig.bot, true, 'shop')).accepted).toBe(false);
    expect((await service.check(localCaller, rig.bot, true, 'default')).accepted).toBe(true);

    shop.answer = () => ({});
    shop.arrivals.length = 0;
    expect(await service.retryNow(localCaller, rig.bot, undefined, 'shop')).toBe(1);
    await until(() => idsOf(shop).includes(1));
    await until(async () => (await rig.retryQueues.list(rig.bot, 'push:shop', 9)).length === 0);

    // A stretch of the log is replayed as the app sees it.
    shop.arrivals.length = 0;
    const range = { bot_id: rig.bot, from_position: 1 };
    expect(await service.replay(localCaller, { ...range, app: 'shop' })).toMatchObject({
      queued: 1,
    });
    await until(() => shop.arrivals.length === 1);
    expect(idsOf(shop)).toEqual([1]);
    expect(
      idsOf(rig.backend)
        .filter((id) => id > 0)
        .toSorted(),
    ).toEqual([1, 2]);

    await rig.engine.write(() =>
      raw(
        `insert into dead_letters (bot_id, reader, position, update_id, kind, queue, raw, reason,
           attempts, received_at, died_at) values ($1, 'push:shop', 1, 1, 'message', 'c1', '{}', '', 1, 1, 1)`,
        [rig.bot],
      ),
    );
    expect(await service.deadLetters(localCaller, own)).toEqual([]);
    expect(await service.deadLetters(localCaller, { app: 'shop', limit: 9 })).toHaveLength(1);
    const all = { bot_id: rig.bot, all_dead: true };
    expect(await service.discard(localCaller, all)).toBe(0);
    expect(await service.discard(localCaller, { ...all, app: 'shop' })).toBe(1);
    await expect(service.queues(localCaller, rig.bot, 'nobody')).rejects.toMatchObject({
      code: 'app_not_found',
    });
  });
});
