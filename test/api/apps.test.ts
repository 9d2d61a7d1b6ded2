import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type IncomingUpdate, readUpdate } from '../../src/core/log/update-facts.ts';
import type { AppView, AppViewWithToken } from '../../src/manage/apps/app-view.ts';
import { readerOf } from '../../src/core/log/reader-kinds.ts';
import { createUnreadCounts } from '../../src/store/apps/unread.ts';
import { eitherDialect } from '../support/database/engines.ts';
import { longestTurn } from '../support/cpu-time.ts';
import { type ApiUser, type DomainApp, startDomainApp } from '../support/rigs/domain-app.ts';

const backend = 'https://orders.example.com/hook/abc?key=def';

describe.each(eitherDialect)('apps over HTTP on %s', (dialect) => {
  let app: DomainApp;
  let manager: ApiUser;
  let botId: number;
  let token: string;
  let updates = 0;

  beforeAll(async () => {
    app = await startDomainApp(dialect);
    manager = await app.user('manage');
  });
  afterAll(() => app.close());
  beforeEach(async () => {
    ({ token } = app.practiceBot());
    botId = (await app.store.bots.insert({ token, source: 'web' }, app.clock.now())).id;
  });

  const call = <T = AppView>(action: string, body?: object) =>
    manager.post<T>(`/api/bots/apps/${action}`, body);
  const ask = <T = AppView>(action: string, id: number) => call<T>(`${action}?id=${id}`);
  const tryAdd = (name: string, fields: object = {}) =>
    call<AppViewWithToken>('add', { bot_id: botId, name, ...fields });
  const add = async (name: string, fields: object = {}) => {
    const { status, body } = await tryAdd(name, fields);
    expect(body).toMatchObject({ name });
    expect(status).toBe(200);
    return body;
  };
  const list = async (user = manager) =>
    (await user.get<AppView[]>(`/api/bots/apps?bot_id=${botId}`)).body;
  async function receive(...texts: string[]): Promise<void> {
    const incoming = texts.map((text) => {
      const update_id = ++updates;
      const message = { message_id: update_id, date: 1, chat: { id: 7, type: 'private' }, text };
      const update = { update_id, message };
      return readUpdate(JSON.stringify(update), update, 1) as IncomingUpdate;
    });
    await app.store.log.append(() => [{ botId, updates: incoming, receivedAt: 1 }]);
  }

  it('adds an app with the defaults of the reference', async () => {
    await receive('before');
    const { token: standIn, ...added } = await add('analytics');
    expect(standIn).toMatch(new RegExp(`^${token.split(':')[0]}:[A-Za-z0-9_-]{35}$`));
    expect(added).toEqual({
      id: expect.any(Number) as number,
      bot_id: botId,
      name: 'analytics',
      has_token: true,
      mode: 'poll',
      backend_url: '',
      secret_token: '',
      max_connections: 0,
      allowed_updates: [],
      filter: {},
      exclusive: false,
      priority: 0,
      own_replies: false,
      keep_pending: false,
      urgent: [],
      per_topic: false,
      pacing: 'off',
      patience: 20,
      format: '',
      methods: [],
      disabled: false,
      created_at: new Date(app.clock.now()).toISOString(),
      last_seen_at: '',
      behind: 0,
      claimed: 0,
      position: 1,
      dropped: 0,
      sent: 0,
      rate_limited: 0,
      last_rate_limited_at: '',
      last_retry_after: 0,
    });
    await receive('after', 'that');
    expect(await list()).toEqual([
      expect.objectContaining({ name: 'default', has_token: false }),
      { ...added, behind: 2 },
    ]);
  });

  it("shows the bot's own settings as the app default", async () => {
    const shown = async () => (await list())[0];
    expect(await shown()).toMatchObject({ name: 'default', mode: 'send', behind: 0 });
    const update = (patch: object) => app.store.bots.update(botId, patch, 1);
    await update({ long_poll_enabled: true });
    expect(await shown()).toMatchObject({ mode: 'poll' });
    await update({ backend_url: backend, secret_token: 'hush', proxy_enabled: true });
    await update({ keep_pending: true, per_topic: true, urgent: ['/stop'] });
    await app.store.log.openReader(botId, 'push', 1);
    await receive('one');
    const webhook = { mode: 'webhook', backend_url: backend, secret_token: 'hush', behind: 1 };
    expect(await shown()).toMatchObject({ urgent: ['/stop'], keep_pending: true, per_topic: true });
    expect(await shown()).toMatchObject(webhook);
  });

  it.each([
    ['update', /^The app default is the bot's own settings/],
    ['rotate', /^The app default uses the bot's own token/],
    ['toggle-disabled', /^The app default cannot be disabled/],
    ['delete', /^The app default cannot be deleted/],
  ])('refuses to %s the app default', async (action, words) => {
    const id = (await list())[0]?.id ?? 0;
    const { status, body } = await (action === 'update'
      ? call('update', { id, priority: 1 })
      : ask(action, id));
    expect(status).toBe(409);
    expect(body).toMatchObject({
      code: 'conflict',
      reason_code: 'default_app',
      error: expect.stringMatching(words),
    });
  });

  it('changes what is given and keeps the rest', async () => {
    const { id } = await add('orders', { filter: { commands: ['/order'] }, own_replies: true });
    const changed = await call('update', {
      id,
      exclusive: true,
      priority: -5,
      methods: ['!close'],
    });
    expect(changed.body).toMatchObject({
      filter: { commands: ['/order'] },
      own_replies: true,
      exclusive: true,
      priority: -5,
      methods: ['!close'],
    });
    expect(changed.body).not.toHaveProperty('token');
  });

  it('takes back what it showed, and ignores what only it can say', async () => {
    const added = await add('orders', {
      mode: 'webhook',
      backend_url: backend,
      secret_token: 'a-long-enough-secret',
      max_connections: 7,
      allowed_updates: ['message'],
      filter: { chat_types: ['private'] },
    });
    const { status, body } = await call('update', { ...added, sent: 99, disabled: true });
    expect(status).toBe(200);
    const { token: _, warnings: __, ...same } = added;
    expect(body).toEqual(same);
  });

  it('keeps an app under its name', async () => {
    const { id } = await add('orders');
    const { status, body } = await call('update', { id, name: 'shop' });
    expect(status).toBe(400);
    expect(body).toMatchObject({ details: [{ field: 'name', reason_code: 'app_not_renamed' }] });
  });

  it('hands the queue over when the mode changes', async () => {
    const { id, position } = await add('orders');
    await receive('one', 'two');
    const webhook = { id, mode: 'webhook', backend_url: backend };
    expect((await call('update', webhook)).body).toMatchObject({ position, behind: 2 });
    expect((await call('update', { id, mode: 'poll' })).body).toMatchObject({
      position,
      behind: 2,
    });
    expect((await call('update', { id, mode: 'send' })).body).toMatchObject({ behind: 0 });
  });

  it('stores what a webhook asks for with the webhook', async () => {
    const { id, name } = await add('orders', { mode: 'webhook', backend_url: backend });
    const stored = () => app.store.webhooks.get(botId, readerOf('push', name));
    expect(await stored()).toBeUndefined();
    await call('update', { id, max_connections: 3 });
    // All kinds, also those that Telegram gives only on request.
    expect((await stored())?.allowedUpdates).toContain('chat_member');
    const kinds = ['message', 'callback_query'];
    expect((await call('update', { id, allowed_updates: kinds })).body).toMatchObject({
      max_connections: 3,
      allowed_updates: kinds,
    });
    expect(await stored()).toMatchObject({ maxConnections: 3, allowedUpdates: kinds });
    expect((await call('update', { id, allowed_updates: [] })).body.allowed_updates).toEqual([]);
    // A fetched object with another mode may carry them.
    const back = { id, mode: 'poll', max_connections: 3, allowed_updates: [] };
    expect((await call('update', back)).body).toMatchObject({ mode: 'poll', max_connections: 0 });
  });

  it('trusts an uploaded certificate only for the backend that it came with', async () => {
    const { id, name } = await add('orders', { mode: 'webhook', backend_url: backend });
    const options = { maxConnections: 0, allowedUpdates: null, certificate: 'PEM' };
    await app.store.apps.update(id, { patch: {}, options }, 1);
    const stored = () => app.store.webhooks.get(botId, readerOf('push', name));
    await call('update', { id, backend_url: backend, max_connections: 9 });
    expect(await stored()).toMatchObject({ ...options, maxConnections: 9 });
    // The kinds that Telegram gives unasked are written out, and stay when they are sent back.
    const { allowed_updates } = (await list())[1] as AppView;
    expect(allowed_updates).toContain('message');
    expect(allowed_updates).not.toContain('chat_member');
    await call('update', { id, backend_url: `${backend}&x=1`, allowed_updates });
    expect(await stored()).toMatchObject({ allowedUpdates: null, certificate: '' });
  });

  it('masks secrets for those who may not change them', async () => {
    const secrets = { backend_url: backend, secret_token: 'a-long-enough-secret' };
    await add('orders', { mode: 'webhook', ...secrets });
    const [, shown] = await list(await app.user('send'));
    expect(shown).toMatchObject({
      backend_url: 'https://orders.example.com/***?***',
      secret_token: '***',
    });
    expect((await list())[1]).toMatchObject(secrets);
    expect(shown).not.toHaveProperty('token');
  });

  it('replaces a token', async () => {
    const added = await add('orders');
    const { body } = await ask<AppViewWithToken>('rotate', added.id);
    expect(body.token).not.toBe(added.token);
    expect(await app.store.apps.byToken(added.token)).toBeUndefined();
    expect(await app.store.apps.byToken(body.token)).toMatchObject({ id: added.id });
  });

  it('gives a token to an app that its first poll made', async () => {
    await app.store.consumers.open(botId, 'crm', app.clock.now(), 100);
    const [, polled] = await list();
    expect(polled).toMatchObject({ name: 'crm', mode: 'poll', has_token: false });
    const { body } = await ask<AppViewWithToken>('rotate', polled?.id ?? 0);
    expect(body).toMatchObject({ has_token: true });
    expect(await app.store.apps.byToken(body.token)).toMatchObject({ name: 'crm' });
    expect(await tryAdd('crm')).toMatchObject({ status: 409 });
  });

  it('disables, enables and deletes', async () => {
    const { id, token: standIn } = await add('orders');
    expect((await ask('toggle-disabled', id)).body).toMatchObject({ disabled: true });
    expect((await ask('toggle-disabled', id)).body).toMatchObject({ disabled: false });
    expect((await ask('delete', id)).body).toMatchObject({ id, name: 'orders' });
    expect(await app.store.apps.byToken(standIn)).toBeUndefined();
    expect((await ask('delete', id)).status).toBe(404);
    await add('orders');
  });

  it('counts only what is for an app', async () => {
    await app.store.bots.update(botId, { long_poll_enabled: true }, 1);
    await app.store.consumers.open(botId, '', 1, 100);
    const commands = ['/order'];
    await add('orders', { exclusive: true, filter: { commands } });
    await add('reports', { filter: { keywords: ['hello'] } });
    await add('all');
    await receive('/order tea', 'hello', 'there', '/order cake');
    const behind = async () =>
      (await list()).map(({ name, behind, claimed }) => [name, behind, claimed]);
    expect(await behind()).toEqual([
      ['default', 2, 0],
      ['orders', 2, 2],
      ['reports', 1, 0],
      ['all', 2, 0],
    ]);
    // Of more than 1,000 updates, the older ones count for everyone.
    await receive(...Array<string>(1_000).fill('/order more'));
    expect((await list()).map((one) => one.behind)).toEqual([4, 1_004, 4, 4]);
  });

  it('counts what a filter would have let through', async () => {
    await receive(...Array.from({ length: 120 }, (_, at) => (at % 4 === 0 ? '/order' : 'hi')));
    const preview = (filter: object) => call('preview', { bot_id: botId, filter });
    expect((await preview({ commands: ['order'] })).body).toEqual({ matched: 25, of: 100 });
    expect((await preview({})).body).toEqual({ matched: 100, of: 100 });
    expect(await preview({ regex: '(' })).toMatchObject({ status: 400 });
  });

  it('warns of a filter that matches nothing, once there is something to match', async () => {
    const filter = { keywords: ['refund'] };
    expect(await add('early', { filter })).not.toHaveProperty('warnings');
    await receive('hello', 'there');
    const { id, warnings } = await add('late', { filter });
    expect(warnings).toEqual([
      {
        code: 'filter_matches_nothing',
        params: { of: 2 },
        text: 'The filter matches none of the last 2 updates.',
      },
    ]);
    expect((await call('update', { id, priority: 1 })).body).not.toHaveProperty('warnings');
    expect((await call('update', { id, filter })).body).toHaveProperty('warnings');
    await receive('a refund please');
    expect((await call('update', { id, filter })).body).not.toHaveProperty('warnings');
  });

  it('warns of an app that takes everything, and of unknown update types and methods', async () => {
    const { id, warnings } = await add('all', { exclusive: true, filter: { chat_ids: [] } });
    expect(warnings).toMatchObject([
      {
        code: 'app_takes_all',
        text: 'This app takes every update. The backend and other apps receive nothing.',
      },
    ]);
    const update = async (fields: object) => (await call('update', { id, ...fields })).body;
    expect(await update({ filter: { commands: ['/a'] } })).not.toHaveProperty('warnings');
    expect(await update({ filter: {} })).toMatchObject({ warnings: [{ code: 'app_takes_all' }] });
    expect(await update({ priority: 2 })).not.toHaveProperty('warnings');
    expect(await update({ exclusive: false, filter: { kinds: ['mesage', 'xyz'] } })).toMatchObject({
      warnings: [
        {
          code: 'unknown_kind',
          params: { kind: 'mesage', meant: 'message' },
          text: 'Unknown update type mesage. Did you mean message?',
        },
        { params: { kind: 'xyz' }, text: 'Unknown update type xyz.' },
      ],
    });
    const methods = ['sendMesage', '!Sendmessage', 'kickChatMember', 'makeTea'];
    expect(await update({ methods })).toMatchObject({
      methods,
      warnings: [
        {
          code: 'unknown_method',
          text: 'Unknown Bot API method sendMesage. Did you mean sendMessage?',
        },
        { params: { method: 'makeTea' }, text: 'Unknown Bot API method makeTea.' },
      ],
    });
    await update({ mode: 'webhook', backend_url: backend, filter: {} });
    expect(await update({ allowed_updates: ['pol'] })).toMatchObject({
      warnings: [{ params: { kind: 'pol', meant: 'poll' } }],
    });
  });

  it('suggests the field that was meant', async () => {
    const { body } = await tryAdd('orders', { filter: { keyword: ['a'] } });
    expect(body).toMatchObject({
      error: 'filter.keyword is not a known field. Did you mean keywords?',
      details: [{ reason_code: 'unknown_field' }],
    });
  });

  it('refuses a name twice, and more than 100 apps', async () => {
    await add('orders');
    expect(await tryAdd('orders')).toMatchObject({ status: 409, body: { code: 'app_exists' } });
    for (let at = 1; at < 100; at++) await add(`app-${at}`);
    expect(await tryAdd('more')).toMatchObject({ status: 409, body: { code: 'too_many_apps' } });
  });

  it('checks the body, then whose bot it is, then what exists', async () => {
    const { id } = await add('orders');
    const elsewhere = await app.store.bots.insert({ token: '1:other', source: 'web' }, 1);
    const other = await app.user('manage', [elsewhere.id]);
    const filter = { regex: '(' };
    const body = { bot_id: botId, name: 'x' };
    const post = (path: string, given?: object) => other.post(`/api/bots/apps/${path}`, given);
    expect(await post('add', { ...body, filter })).toMatchObject({ status: 400 });
    const refused = { status: 403, body: { code: 'bot_not_allowed' } };
    expect(await post('add', body)).toMatchObject(refused);
    expect(await post('update', { id })).toMatchObject(refused);
    for (const action of ['rotate', 'toggle-disabled', 'delete']) {
      expect(await post(`${action}?id=${id}`)).toMatchObject(refused);
      const gone = { status: 404, body: { code: 'app_not_found' } };
      expect(await ask(action, 999_999)).toMatchObject(gone);
    }
    expect(await post('preview', { bot_id: botId, filter: {} })).toMatchObject(refused);
    expect(await other.get(`/api/bots/apps?bot_id=${botId}`)).toMatchObject(refused);
    const nobot = { status: 404, body: { code: 'bot_not_found' } };
    expect(await call('add', { bot_id: 999_999, name: 'x' })).toMatchObject(nobot);
    expect(await manager.get('/api/bots/apps?bot_id=999999')).toMatchObject(nobot);
    const reader = await app.user('send');
    const weak = { status: 403, body: { code: 'insufficient_scope' } };
    expect(await reader.post('/api/bots/apps/add', { filter })).toMatchObject(weak);
  });

  it('lets others have their turn, however long the patterns of a bot take', async () => {
    const letters = Array.from({ length: 4_096 }, (_, at) => ((at * at * 7) % 11 < 5 ? 'a' : 'b'));
    const texts = Array.from({ length: 60 }, (_, at) => [...letters.slice(at), at].join(''));
    const patterns = [
      '(?i)(a.{0,180}b.{0,180}c.{0,180}d.{0,180})#',
      '(?i)(?:a?){740}!',
      '(?i)[ab]*a[ab]{700}(?:d|e)',
    ];
    await receive(...texts);
    for (const [at, regex] of patterns.entries()) {
      const fields = { filter: { regex }, exclusive: true };
      const turn = await longestTurn(async () => {
        const body = { bot_id: botId, filter: { regex } };
        const preview = await call<{ of: number }>('preview', body);
        expect(preview.body.of).toBeGreaterThan(0);
        await add(`heavy${at}`, fields);
        await list();
        await manager.get(`/api/bots/readers?bot_id=${botId}`);
      });
      expect(turn).toBeLessThan(150);
    }
    expect(await longestTurn(() => receive(...texts))).toBeLessThan(150);
  });

  it('refuses patterns that are too much for one bot together, also of apps that only send', async () => {
    const filter = { regex: '(?i)(?:a?){740}!' };
    for (let at = 0; at < 10; at++) await add(`app${at}`, { filter, mode: 'send' });
    const problem = { field: 'filter.regex' };
    const refused = { status: 400, body: { details: [problem] } };
    expect(await tryAdd('more', { filter })).toMatchObject(refused);
    const { id } = await add('more', { filter: { regex: 'light' } });
    expect(await call('update', { id, filter })).toMatchObject(refused);
    expect(await call('update', { id, priority: 3 })).toMatchObject({ status: 200 });
  });

  it('refuses keywords that have too many words for one bot together', async () => {
    const keywords = Array.from({ length: 50 }, (_, at) => `${'a '.repeat(99)}${at}`);
    await add('first', { filter: { keywords } });
    const { id } = await add('second', { filter: { keywords: keywords.slice(0, 49) } });
    const refused = { status: 400, body: { details: [{ field: 'filter.keywords' }] } };
    expect(await tryAdd('third', { filter: { keywords } })).toMatchObject(refused);
    expect(await call('update', { id, filter: { keywords: [...keywords, 'b'] } })).toMatchObject(
      refused,
    );
    expect(await call('update', { id, filter: { keywords } })).toMatchObject({ status: 200 });
  });

  it('reads each update once, however often someone asks how far an app is behind', async () => {
    const { consumers } = app.store;
    let read = 0;
    const counts = createUnreadCounts({
      ...app.store,
      consumers: {
        async marks(...asked: Parameters<typeof consumers.marks>) {
          const found = await consumers.marks(...asked);
          read += found.length;
          return found;
        },
      },
    });
    const behind = async () => (await counts.of(botId)).get(readerOf('pull', 'slow'))?.count;
    const { id } = await add('slow', { filter: { regex: '^order' } });
    await receive(...Array.from({ length: 150 }, (_, at) => (at % 3 === 0 ? 'order' : 'hi')));
    expect(await behind()).toBe(50);
    expect(read).toBe(150);
    await receive('order one', 'hi');
    expect(await behind()).toBe(51);
    expect(await behind()).toBe(51);
    expect(read).toBe(152);
    await call('update', { id, filter: { regex: '^hi' } });
    expect(await behind()).toBe(101);
  });

  it('says in an event that the apps of a bot changed', async () => {
    const heard: object[] = [];
    const stop = app.events.subscribe((event) => void heard.push(event));
    const { id } = await add('orders');
    await ask('rotate', id);
    await ask('delete', id);
    stop();
    expect(heard).toEqual(
      Array.from({ length: 3 }, () => ({ type: 'bot', botId, data: { change: 'apps' } })),
    );
  });
});
