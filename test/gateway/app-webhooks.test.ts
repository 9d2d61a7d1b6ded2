import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AppRecord } from '../../src/core/apps/app.ts';
import { type IncomingUpdate, readUpdate } from '../../src/core/log/update-facts.ts';
import type { BotRecord } from '../../src/store/bots/bots.ts';
import { eitherDialect } from '../support/database/engines.ts';
import { type GatewayApp, startGatewayApp } from './gateway-app.ts';

function message(updateId: number): IncomingUpdate {
  const text = `{"update_id":${updateId},"message":{"chat":{"id":5}}}`;
  return readUpdate(text, JSON.parse(text), 0) as IncomingUpdate;
}

describe.each(eitherDialect)('webhooks and polls of apps, on %s', (dialect) => {
  let gateway: GatewayApp;
  let bot: BotRecord;
  let a: AppRecord & { token: string };
  let b: AppRecord & { token: string };

  beforeEach(async () => {
    gateway = await startGatewayApp({ dialect });
    bot = await gateway.addBot({
      backend_url: 'http://127.0.0.1:9900/own',
      proxy_enabled: true,
      secret_token: 'own',
    });
    a = await gateway.addApp(bot, 'a');
    b = await gateway.addApp(bot, 'b');
  });
  afterEach(async () => {
    expect(gateway.platform.requests).toEqual([]);
    await gateway.close();
  });

  const call = (base: string, method: string, params: object = {}) =>
    gateway.call(`${base}/${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(params),
    });
  const result = async (base: string, method: string, params?: object) =>
    (await call(base, method, params)).json;
  const ids = async (base: string, params?: object) =>
    ((await result(base, 'getUpdates', params)).result as { update_id: number }[]).map(
      ({ update_id }) => update_id,
    );
  const append = (...updates: number[]) =>
    gateway.updateLog.append(bot.id, updates.map(message), { receivedAt: gateway.clock.now() });
  const named = (app: AppRecord) => `/p/${app.name}/bot${bot.token}`;
  const withToken = (app: { token: string }) => `/bot${app.token}`;
  const own = () => `/bot${bot.token}`;
  const info = async (base: string) =>
    (await result(base, 'getWebhookInfo')).result as Record<string, unknown>;
  const stored = (app: AppRecord) => gateway.store.apps.get(app.id);

  it('belong to one app, however two clients set, change and delete them', async () => {
    const first = { url: 'http://127.0.0.1:9911/a', secret_token: 'sa', max_connections: 3 };
    const second = {
      url: 'http://127.0.0.1:9911/b',
      secret_token: 'sb',
      allowed_updates: ['message'],
    };
    const set = { ok: true, result: true, description: 'Webhook was set' };
    expect(await result(named(a), 'setWebhook', first)).toEqual(set);
    expect(await result(withToken(b), 'setWebhook', second)).toEqual(set);
    expect(await result(named(b), 'setWebhook', second)).toMatchObject({
      description: 'Webhook is already set',
    });
    expect(await stored(a)).toMatchObject({
      mode: 'webhook',
      backend_url: first.url,
      secret_token: 'sa',
    });
    expect(await info(withToken(a))).toMatchObject({ url: first.url, max_connections: 3 });
    expect(await info(named(b))).toMatchObject({
      url: second.url,
      max_connections: 40,
      allowed_updates: ['message'],
    });
    expect(await info(own())).toMatchObject({ url: 'http://127.0.0.1:9900/own' });
    const isSelfSet = async (app: AppRecord) =>
      (await gateway.store.webhooks.get(bot.id, `push:${app.name}`))?.isSelfSet;
    expect(await isSelfSet(a)).toBe(true);
    // A person chooses another address, then the app asks for the same one.
    const chosen = { ...first, url: 'http://127.0.0.1:9911/chosen' };
    const patch = { backend_url: chosen.url };
    await gateway.store.apps.update(a.id, { patch }, gateway.clock.now());
    expect(await isSelfSet(a)).toBe(false);
    expect(await result(named(a), 'setWebhook', chosen)).toEqual(set);
    expect(await isSelfSet(a)).toBe(true);
    expect(await result(named(a), 'setWebhook', first)).toEqual(set);

    const before = await stored(b);
    const deleted = await result(named(a), 'deleteWebhook', { drop_pending_updates: true });
    expect(deleted).toMatchObject({ description: 'Webhook was deleted' });
    expect(await stored(a)).toMatchObject({ mode: 'poll', backend_url: '' });
    expect(await info(named(a))).toEqual({
      url: '',
      has_custom_certificate: false,
      pending_update_count: 0,
    });
    expect(await stored(b)).toEqual(before);
    expect(await info(own())).toMatchObject({ url: 'http://127.0.0.1:9900/own' });

    await result(own(), 'deleteWebhook', { drop_pending_updates: true });
    expect(await stored(b)).toEqual(before);
    await result(own(), 'setWebhook', { url: 'http://127.0.0.1:9900/new' });
    expect(await stored(a)).toMatchObject({ mode: 'poll', backend_url: '' });
    expect(await result(named(a), 'setWebhook', { url: '' })).toMatchObject({
      description: 'Webhook is already deleted',
    });
  });

  it('keep the queue of the app over changes of its mode, and drop only its own', async () => {
    await append(1, 2);
    expect(await info(withToken(a))).toMatchObject({ pending_update_count: 2 });
    expect(await ids(withToken(a), { limit: 1 })).toEqual([1]);
    expect(await ids(named(a), { offset: 2 })).toEqual([2]);
    await result(withToken(a), 'setWebhook', { url: 'http://127.0.0.1:9911/a' });
    await append(3);
    expect(await info(withToken(a))).toMatchObject({ pending_update_count: 2 });
    expect(await info(named(b))).toMatchObject({ pending_update_count: 3 });
    await result(withToken(a), 'deleteWebhook');
    expect(await ids(withToken(a))).toEqual([2, 3]);
    await result(withToken(a), 'deleteWebhook', { drop_pending_updates: true });
    expect(await ids(withToken(a))).toEqual([]);
    expect(await ids(withToken(b))).toEqual([1, 2, 3]);
    await result(withToken(b), 'setWebhook', {
      url: 'http://127.0.0.1:9911/b',
      drop_pending_updates: true,
    });
    await append(4);
    expect(await info(withToken(b))).toMatchObject({ pending_update_count: 1 });
    await result(withToken(b), 'deleteWebhook');
    expect(await ids(withToken(b))).toEqual([4]);
    expect(await ids(withToken(a))).toEqual([4]);
  });

  it('answer a client that drops, and drop nothing where pending updates are kept', async () => {
    const drop = { drop_pending_updates: true };
    const webhook = { url: 'http://127.0.0.1:9911/a', ...drop };
    await gateway.store.apps.update(a.id, { patch: { keep_pending: true } }, 1);
    await gateway.store.bots.update(bot.id, { keep_pending: true, long_poll_enabled: true }, 1);
    await append(1, 2);
    for (const client of [withToken(a), own()]) {
      const set = { ok: true, result: true, description: 'Webhook was set' };
      expect(await result(client, 'setWebhook', webhook)).toEqual(set);
      expect(await result(client, 'setWebhook', webhook)).toEqual(set);
      expect(await info(client)).toMatchObject({ pending_update_count: 2 });
      expect(await result(client, 'deleteWebhook', drop)).toMatchObject({ result: true });
      expect(await result(client, 'deleteWebhook', drop)).toMatchObject({ result: true });
      expect(await ids(client, { offset: -1 })).toEqual([2]);
      expect(await ids(client)).toEqual([1, 2]);
      expect(await ids(client, { offset: 2 })).toEqual([2]);
    }
    await result(withToken(b), 'deleteWebhook', drop);
    expect(await ids(withToken(b))).toEqual([]);
  });

  it('refuse polls by the mode of the app, whoever polls for it', async () => {
    await result(withToken(a), 'setWebhook', { url: 'http://127.0.0.1:9911/a' });
    const active = {
      ok: false,
      error_code: 409,
      description:
        "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
    };
    await gateway.store.bots.update(bot.id, { long_poll_enabled: true }, 1);
    for (const base of [withToken(a), named(a)]) {
      expect(await result(base, 'getUpdates')).toEqual(active);
    }
    expect(await result(own(), 'getUpdates', { consumer: 'a' })).toEqual(active);
    const send = await gateway.addApp(bot, 'send', { mode: 'send' });
    for (const [base, params] of [
      [withToken(send), {}],
      [named(send), {}],
      [own(), { consumer: 'send' }],
    ] as const) {
      expect(await result(base, 'getUpdates', params)).toMatchObject({
        error_code: 403,
        description: expect.stringContaining('App send receives no updates'),
      });
    }
    expect((await call(own(), 'getUpdates', { consumer: 'b' })).status).toBe(200);
    // As an app it needs no switch of the bot; as the bot it does.
    await gateway.store.bots.update(bot.id, { long_poll_enabled: false }, 1);
    expect((await call(withToken(b), 'getUpdates')).status).toBe(200);
    expect((await call(named(b), 'getUpdates', { consumer: 'b' })).status).toBe(200);
    expect((await call(named(b), 'getUpdates', { consumer: 'a' })).status).toBe(400);
    expect((await call(own(), 'getUpdates', { consumer: 'b' })).status).toBe(403);
    expect((await call(`/p/default${own()}`, 'getUpdates')).status).toBe(403);
  });

  it('refuse polls of an app without a token while the bot has getUpdates off', async () => {
    await gateway.store.consumers.open(bot.id, 'guest', 1, 100);
    const base = `/p/guest/bot${bot.token}`;
    expect(await result(base, 'getUpdates')).toMatchObject({
      error_code: 403,
      description: expect.stringContaining('give app guest a token'),
    });
    await gateway.store.bots.update(bot.id, { long_poll_enabled: true }, 1);
    await append(1);
    expect(await ids(base)).toEqual([1]);
  });

  it('do not bring back an app that is deleted while its client asks', async () => {
    await gateway.store.bots.update(bot.id, { long_poll_enabled: true }, 1);
    const { poll } = gateway.pullers;
    for (const [app, base] of [
      [a, withToken(a)],
      [b, named(b)],
    ] as const) {
      vi.spyOn(gateway.pullers, 'poll').mockImplementationOnce(async (request) => {
        await gateway.store.apps.remove(app.id, 1);
        return poll(request);
      });
      expect((await call(base, 'getUpdates')).status).toBe(409);
    }
    expect((await gateway.store.apps.list(bot.id)).map(({ name }) => name)).toEqual(['default']);
  });

  it('leave an app that only sends as it is', async () => {
    const send = await gateway.addApp(bot, 'send', { mode: 'send' });
    const url = 'http://127.0.0.1:9911/s';
    expect((await call(withToken(send), 'setWebhook', { url })).status).toBe(403);
    expect(await result(withToken(send), 'deleteWebhook')).toMatchObject({ ok: true });
    expect(await info(withToken(send))).toMatchObject({ url: '', pending_update_count: 0 });
    expect(await stored(send)).toMatchObject({ mode: 'send' });
  });

  it('end the older of two polls of one app, and none of two apps', async () => {
    async function waiting(count: number): Promise<void> {
      while (gateway.pullers.waiting !== count) await new Promise(setImmediate);
    }
    const older = call(withToken(a), 'getUpdates', { timeout: 50 });
    await waiting(1);
    const other = ids(withToken(b), { timeout: 50 });
    await waiting(2);
    const newer = ids(named(a), { timeout: 50 });
    expect((await older).status).toBe(409);
    await waiting(2);
    await append(1);
    expect([await newer, await other]).toEqual([[1], [1]]);
    await gateway.activity.flush();
    expect([...(await gateway.store.apps.activity(bot.id)).keys()].sort()).toEqual(
      [a.id, b.id].sort(),
    );
  });

  it('answer logOut and close for the app alone, and refuse a bad address', async () => {
    for (const method of ['logOut', 'close']) {
      expect(await result(withToken(a), method)).toMatchObject({ ok: true, result: true });
    }
    expect((await call(withToken(a), 'setWebhook', { url: 'no address' })).status).toBe(400);
    expect(await stored(a)).toMatchObject({ mode: 'poll' });
    expect((await call(own(), 'getWebhookInfo')).status).toBe(200);
  });
});
