import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { alertAuthor } from '../../src/core/messages/author.ts';
import { type AppRecord, type AppSettings, defaultAppSettings } from '../../src/core/apps/app.ts';
import { seenByApp } from '../../src/core/apps/claims.ts';
import { type IncomingUpdate, readUpdate } from '../../src/core/log/update-facts.ts';
import { createPatternTimes } from '../../src/core/search/pattern-time.ts';
import { raw, type Statement, type Step } from '../../src/store/engine.ts';
import { append } from '../../src/store/log/append.ts';
import type { LogEntry } from '../../src/store/log/log-entry.ts';
import { dialects } from '../support/database/engines.ts';
import { appendParts, createTestStore, type TestStore } from '../support/database/store.ts';

describe.each(dialects)('apps on %s', (dialect) => {
  let test: TestStore;
  let botId: number;
  let updates = 0;
  beforeAll(async () => {
    test = await createTestStore(dialect);
  });
  afterAll(() => test.close());
  beforeEach(async () => {
    const token = `${++updates}00:secret`;
    botId = (await test.store.bots.insert({ token, source: 'web' }, 1)).id;
  });

  const add = (name: string, settings: Partial<AppSettings> = {}) =>
    test.store.apps.insert(
      {
        botId,
        name,
        token: `1:${botId}${name}`,
        settings: { ...defaultAppSettings, ...settings },
        patch: {},
      },
      5,
    );
  function offer(message: object = {}): IncomingUpdate {
    const update_id = ++updates;
    const payload = {
      message_id: update_id,
      date: 1,
      chat: { id: 7, type: 'private' },
      ...message,
    };
    return readUpdate(
      `{"update_id":${update_id},"message":${JSON.stringify(payload)}}`,
      {
        update_id,
        message: payload,
      },
      1,
    ) as IncomingUpdate;
  }
  async function receive(message: object = {}): Promise<number> {
    const update = offer(message);
    const [outcome] = await test.store.log.append(() => [
      { botId, updates: [update], receivedAt: 1 },
    ]);
    if (outcome?.status !== 'stored') throw new Error('not stored');
    const claimedBy = outcome.entries[0]?.claimedBy ?? -1;
    const [entry] = await test.store.log.read(botId, (outcome.entries[0]?.position ?? 0) - 1, 1);
    expect(entry?.claimedBy).toBe(claimedBy);
    return claimedBy;
  }
  const readers = async () => (await test.store.log.readers(botId)).map(({ name }) => name);

  it('begins with the default one', async () => {
    expect(await test.store.apps.list(botId)).toMatchObject([{ name: 'default', hasToken: false }]);
  });

  it('opens the queue of a new one, hands it over with its mode and removes it', async () => {
    const { apps } = test.store;
    const app = await add('shop');
    expect(await readers()).toEqual(['pull:shop']);
    await receive();
    await apps.update(app.id, { patch: { mode: 'webhook', backend_url: 'http://a.test/' } }, 6);
    expect(await readers()).toEqual(['push:shop']);
    expect((await test.store.log.readers(botId))[0]?.position).toBe(0);
    await apps.update(app.id, { patch: { mode: 'poll' } }, 7);
    expect(await readers()).toEqual(['pull:shop']);
    expect((await test.store.log.readers(botId))[0]?.position).toBe(0);
    await apps.update(app.id, { patch: { mode: 'send' } }, 8);
    expect(await readers()).toEqual([]);
    // After a pause it begins with what arrives then.
    await receive();
    await apps.update(app.id, { patch: { mode: 'webhook', backend_url: 'http://a.test/' } }, 9);
    expect((await test.store.log.readers(botId))[0]).toMatchObject({
      name: 'push:shop',
      position: 2,
    });
    await apps.update(app.id, { patch: { mode: 'send' } }, 10);
    const options = { maxConnections: 4 };
    const webhook = { mode: 'webhook', backend_url: 'http://a.test/' } as const;
    await apps.update(app.id, { patch: webhook, options }, 11);
    expect((await test.store.log.readers(botId))[0]).toMatchObject({
      name: 'push:shop',
      position: 2,
    });
    await expect(
      apps.update(app.id, { patch: { mode: 'webhook', backend_url: '' } }, 12),
    ).rejects.toMatchObject({ code: 'invalid_request' });
    expect(await apps.remove(app.id, 9)).toBe(true);
    expect(await apps.get(app.id)).toBeUndefined();
  });

  it('changes the bot as its other settings do, so that the node that runs it notices', async () => {
    const { apps, bots, consumers } = test.store;
    let before = (await bots.get(botId))?.updated_at ?? 0;
    const changes: (() => Promise<unknown>)[] = [
      () => add('shop'),
      async () => apps.update((await apps.byName(botId, 'shop'))?.id ?? 0, { patch: {} }, 5),
      async () => apps.toggle((await apps.byName(botId, 'shop'))?.id ?? 0, 5),
      async () => apps.remove((await apps.byName(botId, 'shop'))?.id ?? 0, 5),
      () => consumers.open(botId, 'guest', 5, 100),
      () => consumers.remove(botId, 'guest', 5),
    ];
    for (const change of changes) {
      await change();
      const after = (await bots.get(botId))?.updated_at ?? 0;
      expect(after).toBeGreaterThan(before);
      before = after;
    }
  });

  it('has nothing to do with a former app of its name', async () => {
    const { apps, consumers } = test.store;
    const former = await add('shop');
    const from = await consumers.find(botId, 'shop', former.id);
    if (!from) throw new Error('an app that polls has a cursor');
    await apps.remove(former.id, 6);
    const app = await add('shop');
    expect(await consumers.find(botId, 'shop')).toEqual(from);

    const to = { ...from, position: from.position + 1 };
    const move = (appId: number) => consumers.move(botId, 'shop', { from, to, appId }, 7);
    expect(await consumers.find(botId, 'shop', former.id)).toBeUndefined();
    expect(await consumers.open(botId, 'shop', 7, 100, former.id)).toBeUndefined();
    expect(await move(former.id)).toBe(false);
    expect(await move(app.id)).toBe(true);
    expect(await consumers.find(botId, 'shop', app.id)).toEqual(to);
    expect(await consumers.open(botId, 'shop', 7, 100, app.id)).toEqual(to);
  });

  it('is found by its token and name, with its secrets', async () => {
    const { apps } = test.store;
    const app = await add('shop', { secret_token: 's3cret', backend_url: 'http://a.test/x' });
    expect(await apps.byToken(`1:${botId}shop`)).toEqual(app);
    expect(await apps.byName(botId, 'shop')).toEqual(app);
    expect(app).toMatchObject({ secret_token: 's3cret', backend_url: 'http://a.test/x' });
    expect(await apps.byToken('1:other')).toBeUndefined();
    await apps.setToken(app.id, '1:new', 9);
    expect(await apps.byToken(`1:${botId}shop`)).toBeUndefined();
    expect((await apps.byToken('1:new'))?.id).toBe(app.id);
  });

  it('refuses a name twice and the 101st', async () => {
    await add('shop');
    await expect(add('shop')).rejects.toMatchObject({ code: 'app_exists' });
    for (let count = 1; count < 100; count++) await add(`a${count}`);
    await expect(add('more')).rejects.toMatchObject({ code: 'too_many_apps' });
  });

  it('claims for the exclusive app of the highest priority, at once after a change', async () => {
    const { apps } = test.store;
    expect(await receive()).toBe(0);
    const low = await add('low', { exclusive: true });
    const high = await add('high', { exclusive: true, priority: 5, filter: { commands: ['buy'] } });
    expect(await receive({ text: 'hi' })).toBe(low.id);
    expect(await receive({ text: '/buy' })).toBe(high.id);
    await apps.toggle(high.id, 9);
    expect(await receive({ text: '/buy' })).toBe(low.id);
    await apps.update(low.id, { patch: { mode: 'send' } }, 9);
    expect(await receive({ text: '/buy' })).toBe(0);
  });

  it('gives replies to the app that sent the message, before exclusive ones', async () => {
    await add('all', { exclusive: true, priority: 9 });
    const shop = await add('shop', { own_replies: true });
    await test.store.engine.write(() =>
      raw('insert into app_messages values ($1, $2, $3, $4, $5)', [botId, 7, 1000, shop.id, 1]),
    );
    const reply = { reply_to_message: { message_id: 1000, date: 1, chat: { id: 7 } } };
    expect(await receive({ text: 'yes', ...reply })).toBe(shop.id);
  });

  it('asks once for all replies of a commit who sent what they reply to, before it locks the logs', async () => {
    const apps: { bot: number; app: number }[] = [];
    for (const name of ['one', 'two']) {
      const token = `${++updates}01:secret`;
      botId = (await test.store.bots.insert({ token, source: 'web' }, 1)).id;
      apps.push({ bot: botId, app: (await add(name, { own_replies: true })).id });
    }
    const sent = (message_id: number, from?: object) => ({
      reply_to_message: { message_id, date: 1, chat: { id: 7 }, ...(from && { from }) },
    });
    for (const { bot, app } of apps) {
      for (const id of [1000, 1001]) {
        const values = [bot, 7, id, app, 1];
        await test.store.engine.write(() =>
          raw('insert into app_messages values ($1, $2, $3, $4, $5)', values),
        );
      }
    }
    const parts = appendParts(dialect);
    const asked: Statement[] = [];
    function* watched<T>(step: Step<T>): Step<T> {
      let next = step.next();
      while (!next.done) {
        asked.push(next.value);
        next = step.next(yield next.value);
      }
      return next.value;
    }
    const commit = (replies: () => IncomingUpdate[]) => {
      const requests = apps.map(({ bot }) => ({ botId: bot, updates: replies(), receivedAt: 1 }));
      asked.length = 0;
      return test.store.engine.write(() => watched(append(dialect, parts, requests)));
    };
    const claims = (outcomes: readonly { status: string; entries?: LogEntry[] }[]) =>
      outcomes.map(({ entries = [] }) => entries.map(({ claimedBy }) => claimedBy));
    const own = apps.map(({ app }) => app);
    const questions = () => asked.filter(({ sql }) => sql.includes('app_messages'));
    const replies = () => [1000, 1000, 1001, 1001, 1002].map((id) => offer(sent(id)));
    const wanted = own.map((app) => [app, app, app, app, 0]);
    // Only once the apps are known can it ask before the lock.
    expect(claims(await commit(replies))).toEqual(wanted);
    expect(questions()).toHaveLength(1);
    expect(claims(await commit(replies))).toEqual(wanted);
    expect(questions()).toHaveLength(1);
    expect(asked.indexOf(questions()[0] as Statement)).toBe(0);
    const keys = questions()[0]?.parameters ?? [];
    const bots = dialect === 'sqlite' ? JSON.parse(String(keys[0])) : keys[0];
    expect(bots).toHaveLength(6);

    await commit(() => [offer(sent(1000, { id: 5, is_bot: false })), offer({ text: 'hi' })]);
    expect(questions()).toEqual([]);
  });

  it('has replies wait for sends into their chat, and for those whose chat is not known', async () => {
    const { apps, appSends, log } = test.store;
    const shop = await add('shop', { own_replies: true });
    const other = await add('other');
    const reply = { reply_to_message: { message_id: 1000, date: 1, chat: { id: 7 } } };
    const tryTo = async (message: object, awaited?: readonly string[]) => {
      const request = {
        botId,
        updates: [offer(message)],
        receivedAt: 1,
        ...(awaited && { awaits: (send: string) => awaited.includes(send) }),
      };
      const [outcome] = await log.append(() => [request]);
      return outcome?.status === 'awaits' ? outcome.sends : outcome?.status;
    };
    const begin = (id: string, chatId: number, appId = shop.id) =>
      appSends.begin({ id: `${id} ${botId}`, botId, appId, chatId }, 1);
    await begin('other chat', 8);
    await begin('other app', 7, other.id);
    expect(await tryTo(reply)).toBe('stored');
    await begin('a', 7);
    await begin('b', 0);
    expect(await tryTo({ text: 'no reply' })).toBe('stored');
    expect(await tryTo(reply)).toEqual(expect.arrayContaining([`a ${botId}`, `b ${botId}`]));
    expect(await tryTo(reply, [`a ${botId}`])).toEqual([`a ${botId}`]);
    expect(await tryTo(reply, [])).toBe('stored');
    // Nothing to wait for: the sender is known.
    await test.store.engine.write(() =>
      raw('insert into app_messages values ($1, $2, $3, $4, $5)', [botId, 7, 1000, shop.id, 1]),
    );
    expect(await tryTo(reply)).toBe('stored');
    const unknown = { reply_to_message: { message_id: 1001, date: 1, chat: { id: 7 } } };
    await appSends.end([`a ${botId}`, `b ${botId}`]);
    expect(await tryTo(unknown)).toBe('stored');

    const intent = { botId, chatId: 7, params: {}, origin: 'answer', priority: 'bulk' } as const;
    const send = (method: string) =>
      test.store.outbox.begin(
        { ...intent, method, intentKey: null, appId: shop.id, author: alertAuthor },
        'node',
        1,
      );
    await send('editMessageText');
    expect(await tryTo(unknown)).toBe('stored');
    const id = await send('sendMessage');
    expect(await tryTo(unknown)).toEqual([`outbox ${id}`]);
    await apps.update(shop.id, { patch: { own_replies: false } }, 9);
    expect(await tryTo(unknown)).toBe('stored');
  });

  it('claims by the new id of a group from the moment that it is told', async () => {
    const app = await add('shop', { exclusive: true, filter: { chat_ids: [-4, 9] } });
    await receive({ chat: { id: -4, type: 'group' } });
    const chat = { id: -1004, type: 'supergroup' };
    const request = {
      botId,
      updates: [
        offer({ chat: { id: -4, type: 'group' }, migrate_to_chat_id: chat.id }),
        offer({ chat, migrate_from_chat_id: -4 }),
        offer({ chat, text: 'hi' }),
      ],
      receivedAt: 1,
    };
    const [outcome] = await test.store.log.append(() => [request]);
    const entries = outcome?.status === 'stored' ? outcome.entries : [];
    expect(entries.map(({ claimedBy }) => claimedBy)).toEqual([app.id, app.id, app.id]);
    expect(await receive({ chat, text: 'later' })).toBe(app.id);
    expect((await test.store.apps.get(app.id))?.filter).toEqual({ chat_ids: [chat.id, 9] });
  });

  it('lets through what is stored under the former IDs of a group, and nothing of others', async () => {
    const { apps, log } = test.store;
    const { id } = await add('shop', { filter: { chat_ids: [-4, 9] } });
    const sees = async () => {
      const app = (await apps.get(id)) as AppRecord;
      const see = seenByApp(app, '', createPatternTimes().live);
      return (await log.read(botId, 0, 99)).filter(see).map(({ position }) => position);
    };
    // As a reader does that goes on while the group moves.
    const live = seenByApp((await apps.get(id)) as AppRecord, '', createPatternTimes().live);
    const [old, next, last] = [
      { id: -4, type: 'group' },
      { id: -1004, type: 'supergroup' },
      { id: -1005, type: 'supergroup' },
    ];
    await receive({ chat: old });
    await receive({ chat: { id: -5, type: 'group' } });
    await receive({ chat: old, migrate_to_chat_id: -1004 });
    await receive({ chat: next, migrate_from_chat_id: -4 });
    await receive({ chat: next });
    expect(await sees()).toEqual([1, 3, 4, 5]);
    await receive({ chat: next, migrate_to_chat_id: -1005 });
    await receive({ chat: last });
    expect(await sees()).toEqual([1, 3, 4, 5, 6, 7]);
    const entries = await log.read(botId, 0, 99);
    expect(entries.filter(live).map(({ position }) => position)).toEqual([1, 3, 4, 5, 6, 7]);
    expect((await apps.get(id))?.filter).toEqual({ chat_ids: [-1005, 9] });
    // The same filter once more keeps them, another one does not.
    await apps.update(id, { patch: { filter: { chat_ids: [-1005] } } }, 6);
    expect(await sees()).toEqual([1, 3, 4, 5, 6, 7]);
    await apps.update(id, { patch: { filter: { chat_ids: [9] } } }, 7);
    await apps.update(id, { patch: { filter: { chat_ids: [9, -1005] } } }, 8);
    expect(await sees()).toEqual([7]);
  });

  it('has room for the patterns of a bot once, though many ask at the same moment', async () => {
    const { apps } = test.store;
    const filter = { regex: '(?i)(?:a?){740}!' };
    const added = await Promise.allSettled(
      Array.from({ length: 14 }, (_, n) => add(`heavy${n}`, { filter })),
    );
    const taken = added.filter(({ status }) => status === 'fulfilled').length;
    expect(taken).toBeLessThan(14);
    expect(await apps.list(botId)).toHaveLength(taken + 1);
    await expect(add('one more', { filter })).rejects.toMatchObject({ code: 'invalid_request' });
    const light = await Promise.all([0, 1].map((n) => add(`light${n}`, {})));
    const [first] = (await apps.list(botId)).slice(1);
    await apps.update(first?.id ?? 0, { patch: { filter: {} } }, 6);
    const changed = await Promise.allSettled(
      light.map(({ id }) => apps.update(id, { patch: { filter } }, 7)),
    );
    expect(changed.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(await apps.update(first?.id ?? 0, { patch: { priority: 3 } }, 8)).toBeDefined();
  });

  it('adds up what an app did', async () => {
    const { apps } = test.store;
    const app = await add('shop');
    const [standard] = await apps.list(botId);
    await apps.recordActivity([{ botId, appId: app.id, at: 50, sent: 2 }]);
    await apps.recordActivity([
      { botId, appId: app.id, at: 40, sent: 1 },
      { botId, appId: 999_999, at: 1, sent: 1 },
      {
        botId,
        appId: 0,
        at: 60,
        sent: 4,
        rateLimited: { count: 2, at: 58, chatId: -5, retryAfterSeconds: 30 },
      },
      { botId, appId: standard?.id ?? 0, at: 55, sent: 1 },
      { botId: 999_999, appId: 0, at: 60, sent: 4 },
    ]);
    const never = { rate_limited: 0, rate_limited_at: 0, retry_after: 0 };
    expect(await apps.activity(botId)).toEqual(
      new Map([
        [app.id, { last_seen_at: 50, sent: 3, ...never }],
        [
          standard?.id,
          { last_seen_at: 60, sent: 5, rate_limited: 2, rate_limited_at: 58, retry_after: 30 },
        ],
      ]),
    );
  });

  it('totals what metrics show of each', async () => {
    const { apps } = test.store;
    const app = await add('metered');
    await receive();
    await apps.recordActivity([{ botId, appId: app.id, at: 1, sent: 2 }]);
    const totals = await apps.totals();
    expect(totals.find((one) => one.botId === botId)).toEqual({
      botId,
      app: 'metered',
      behind: 1,
      dropped: 0,
      deadLetters: 0,
      sent: 2,
      rateLimited: 0,
    });
    expect(await apps.totals(0)).toEqual([]);
  });

  it('claims commands by the name that the bot has now', async () => {
    const { apps, bots } = test.store;
    await bots.update(botId, { username: 'old_bot' }, 2);
    const app = await add('orders', { exclusive: true, filter: { commands: ['order'] } });
    expect(await receive({ text: '/order@old_bot' })).toBe(app.id);
    await bots.update(botId, { username: 'new_bot' }, 3);
    expect(await receive({ text: '/order@new_bot' })).toBe(app.id);
    expect(await receive({ text: '/order@old_bot' })).toBe(0);
    await apps.remove(app.id, 9);
  });
});
