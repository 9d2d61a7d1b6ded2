import { deflateSync, gzipSync } from 'node:zlib';
import { FormData } from 'undici';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type IncomingUpdate, readUpdate } from '../../src/core/log/update-facts.ts';
import { updateKinds } from '../../src/core/log/update-kinds.ts';
import type { BotRecord } from '../../src/store/bots/bots.ts';
import { raw } from '../../src/store/engine.ts';
import { eitherDialect } from '../support/database/engines.ts';
import { type GatewayApp, startGatewayApp } from './gateway-app.ts';

function message(updateId: number): IncomingUpdate {
  const text = `{"update_id":${updateId}, "message":{"chat":{"id":5},"n":12345678901234567890}}`;
  return readUpdate(text, JSON.parse(text), 0) as IncomingUpdate;
}

describe.each(eitherDialect)('methods the relay answers itself, on %s', (dialect) => {
  let gateway: GatewayApp;
  let bot: BotRecord;

  beforeEach(async () => {
    gateway = await startGatewayApp({ dialect });
    bot = await gateway.addBot({ long_poll_enabled: true });
    await gateway.pullers.ensureDefaultReader(bot.id);
  });
  afterEach(async () => {
    // None of them is ever the platform's business.
    expect(gateway.platform.requests).toEqual([]);
    expect(gateway.logLines.join('')).not.toContain(bot.token);
    await gateway.close();
  });

  const append = (...ids: number[]) =>
    gateway.updateLog.append(bot.id, ids.map(message), { receivedAt: gateway.clock.now() });
  const call = (method: string, params?: object) =>
    gateway.call(`/bot${bot.token}/${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(params ?? {}),
    });
  const result = async (method: string, params?: object) => (await call(method, params)).json;
  const stored = async () => (await gateway.store.bots.get(bot.id)) as BotRecord;
  async function waiting(count: number): Promise<void> {
    while (gateway.pullers.waiting !== count) await new Promise(setImmediate);
  }
  const ids = (answer: Record<string, unknown>) =>
    (answer.result as { update_id: number }[]).map((update) => update.update_id);

  it('gives updates to the byte, for parameters of every kind', async () => {
    await append(1, 2, 3);
    const address = `/bot${bot.token}/getupdates`;
    const all = await gateway.call(address);
    expect(all.headers['content-type']).toContain('application/json');
    expect(all.text).toBe(
      `{"ok":true,"result":[${[1, 2, 3].map((id) => message(id).raw).join(',')}]}`,
    );
    expect(ids((await gateway.call(`/tgapi${address}?limit=2`)).json)).toEqual([1, 2]);
    const form = new FormData();
    form.set('limit', '1');
    expect(ids((await gateway.call(address, { method: 'POST', body: form })).json)).toEqual([1]);
    const urlencoded = await gateway.call(address, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
      body: 'offset=2&limit=1',
    });
    expect(ids(urlencoded.json)).toEqual([2]);
    expect(ids(await result('test/getUpdates', { offset: '3', limit: '9' }))).toEqual([3]);
    expect(ids(await result('getUpdates', { offset: 'nonsense', limit: null }))).toEqual([3]);
  });

  it('waits, and ends the older of two that wait', async () => {
    const older = result('getUpdates', { timeout: 50 });
    await waiting(1);
    const newer = result('getUpdates', { timeout: 50 });
    expect(await older).toEqual({
      ok: false,
      error_code: 409,
      description:
        'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
    });
    const other = result('getUpdates', { timeout: 50, consumer: 'other' });
    await waiting(2);
    await append(7);
    expect(ids(await newer)).toEqual([7]);
    expect(ids(await other)).toEqual([7]);
  });

  it('frees the slot of a client that disconnected', async () => {
    const gone = new AbortController();
    const waits = gateway.call(`/bot${bot.token}/getUpdates?timeout=50`, { signal: gone.signal });
    const failed = expect(waits).rejects.toThrow();
    await waiting(1);
    gone.abort();
    await failed;
    await waiting(0);
  });

  it('refuses polls only where they are switched off, and says how to switch them on', async () => {
    const large = await call('getUpdates', { x: 'y'.repeat(1_100_000) });
    expect(large.json).toEqual({
      ok: false,
      error_code: 413,
      description: 'Request Entity Too Large',
    });
    await gateway.store.bots.update(bot.id, { long_poll_enabled: false }, 0);
    const refused = await call('getUpdates');
    expect(refused.status).toBe(403);
    expect(refused.json.description).toMatch(/^Forbidden: .*long_poll_enabled/);
    await gateway.store.bots.update(
      bot.id,
      { long_poll_enabled: true, proxy_enabled: true, backend_url: 'http://127.0.0.1:1' },
      0,
    );
    expect((await call('getUpdates')).status).toBe(200);
    expect((await call('getUpdates', { consumer: 'a b' })).status).toBe(400);
  });

  it('takes a JSON body that is not an object for no parameters', async () => {
    const headers = { 'content-type': 'application/json' };
    for (const body of ['null', '[]', '"x"', '1', '{bad', '{']) {
      for (const method of [
        'getUpdates',
        'getWebhookInfo',
        'deleteWebhook',
        'setWebhook',
        'close',
      ]) {
        const address = `/bot${bot.token}/${method}`;
        const answer = await gateway.call(address, { method: 'POST', headers, body });
        expect(answer.json, `${method} ${body}`).toMatchObject({ ok: true });
      }
    }
    await append(1, 2);
    const mixed = await gateway.call(`/bot${bot.token}/getUpdates?limit=1`, {
      method: 'POST',
      headers,
      body: 'null',
    });
    expect(ids(mixed.json)).toEqual([1]);
  });

  it('reads compressed bodies, within bounds', async () => {
    await append(1, 2);
    const post = (encoding: string, body: Buffer) =>
      gateway.call(`/bot${bot.token}/getUpdates`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'content-encoding': encoding },
        body,
      });
    const params = Buffer.from('{"limit":1}');
    expect(ids((await post('gzip', gzipSync(params))).json)).toEqual([1]);
    expect(ids((await post('deflate', deflateSync(params))).json)).toEqual([1]);
    expect(ids((await post('identity', params)).json)).toEqual([1]);
    expect(await post('gzip', params)).toMatchObject({ status: 400 });
    expect(await post('br', params)).toMatchObject({ status: 415 });
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    expect(await post('gzip', bomb)).toMatchObject({ status: 413 });
  });

  it('makes the backend of setWebhook', async () => {
    const url = 'http://127.0.0.1:9911/hook';
    expect(await result('setWebhook', { url, secret_token: 'abc_-1' })).toEqual({
      ok: true,
      result: true,
      description: 'Webhook was set',
    });
    expect(await stored()).toMatchObject({
      backend_url: url,
      proxy_enabled: true,
      secret_token: 'abc_-1',
    });
    expect(gateway.applied).toEqual([bot.id]);
    expect(await result('setWebhook', { url, secret_token: 'abc_-1' })).toMatchObject({
      description: 'Webhook is already set',
    });
    expect(gateway.applied).toEqual([bot.id]);
    // Absent, the secret is cleared.
    expect(await result('setWebhook', { url })).toMatchObject({ description: 'Webhook was set' });
    expect((await stored()).secret_token).toBe('');
    expect(await result('setWebhook', { url, max_connections: 500 })).toMatchObject({
      description: 'Webhook was set',
    });
    await result('setWebhook', { url, max_connections: 7, allowed_updates: ['poll', 'message'] });
    expect(await result('getWebhookInfo')).toEqual({
      ok: true,
      result: {
        url,
        has_custom_certificate: false,
        pending_update_count: 0,
        max_connections: 7,
        ip_address: '127.0.0.1',
        allowed_updates: ['message', 'poll'],
      },
    });
    // Without a list the last one holds, an empty one is the default again.
    expect(await result('setWebhook', { url, max_connections: 7 })).toMatchObject({
      description: 'Webhook is already set',
    });
    await result('setWebhook', { url, max_connections: 7, allowed_updates: [] });
    expect((await result('getWebhookInfo')).result).not.toHaveProperty('allowed_updates');
    await result('setWebhook', { url: 'http://[::1]:9911/hook' });
    expect((await result('getWebhookInfo')).result).toMatchObject({ ip_address: '::1' });
    await result('setWebhook', { url: 'http://backend.example/hook' });
    expect((await result('getWebhookInfo')).result).not.toHaveProperty('ip_address');
  });

  it('tells of a backend set by the API that it gets everything, and forgets with it', async () => {
    const url = 'http://127.0.0.1:9911/hook';
    await gateway.store.bots.update(bot.id, { backend_url: url, proxy_enabled: true }, 0);
    expect((await result('getWebhookInfo')).result).toMatchObject({
      url,
      max_connections: 40,
      allowed_updates: updateKinds,
    });
    // For a client it is a new webhook, although the URL is the same.
    expect(await result('setWebhook', { url })).toMatchObject({ description: 'Webhook was set' });
    expect((await result('getWebhookInfo')).result).not.toHaveProperty('allowed_updates');
    const options = { max_connections: 5, allowed_updates: ['poll'] };
    await result('setWebhook', { url, ...options });
    expect((await result('getWebhookInfo')).result).toMatchObject(options);
    await gateway.store.bots.update(bot.id, { backend_url: `${url}/2` }, 0);
    await result('setWebhook', { url });
    const { result: info } = await result('getWebhookInfo');
    expect(info).toMatchObject({ url, max_connections: 40 });
    expect(info).not.toHaveProperty('allowed_updates');
    // Numbers out of range are clamped, as everywhere.
    for (const [given, taken] of [
      [0, 1],
      [-3, 1],
      ['101', 100],
      ['', 40],
    ] as const) {
      await result('setWebhook', { url, max_connections: given });
      expect((await result('getWebhookInfo')).result).toMatchObject({ max_connections: taken });
    }
  });

  it('refuses what cannot be a backend, and keeps what was', async () => {
    const url = 'http://127.0.0.1:9911/hook';
    await result('setWebhook', { url, max_connections: 3 });
    const refused: [object, string][] = [
      [{ url: 'ftp://x' }, 'Bad Request: bad webhook: Failed to parse URL'],
      ...[
        'http://',
        'nonsense',
        '//x',
        '/hook',
        'http:/x.example',
        'http:\\\\127.0.0.1/',
        'https://http://example.com/hook',
        'https://http:18490//127.0.0.1/hook',
        'mailto:a@b.example',
        'https://exa mple.com',
      ].map((bad): [object, string] => [
        { url: bad },
        'Bad Request: bad webhook: Failed to parse URL',
      ]),
      [{ url: `http://x/${'y'.repeat(3000)}` }, 'at most 2048'],
      [
        { url: 'http://169.254.169.254/' },
        'Bad Request: bad webhook: this relay does not allow the address (setting RELAY_BACKENDS)',
      ],
      [{ url, secret_token: 'a b' }, 'Bad Request: secret token contains unallowed characters'],
      [{ url, secret_token: 'x'.repeat(257) }, 'Bad Request: secret token is too long'],
    ];
    for (const [params, description] of refused) {
      const answer = await call('setWebhook', params);
      expect(answer.status).toBe(400);
      expect(answer.json.description).toContain(description);
    }
    expect((await result('getWebhookInfo')).result).toMatchObject({ url, max_connections: 3 });
    // A name without a scheme is https, as at the platform.
    await result('setWebhook', { url: 'backend.example/hook' });
    expect((await stored()).backend_url).toBe('https://backend.example/hook');
    for (const good of ['https://bot:8443/a?b=c', 'http://[::1]:80/', 'https://пример.рф/hook']) {
      await result('setWebhook', { url: good });
      expect((await stored()).backend_url).toBe(good);
    }
  });

  it('deletes it again, by either way, and says when there was nothing to delete', async () => {
    const url = 'http://127.0.0.1:9911/hook';
    await result('setWebhook', { url, secret_token: 's' });
    expect(await result('deleteWebhook')).toMatchObject({
      result: true,
      description: 'Webhook was deleted',
    });
    expect(await stored()).toMatchObject({ backend_url: '', proxy_enabled: false });
    const applied = gateway.applied.length;
    expect(await result('deleteWebhook')).toMatchObject({
      description: 'Webhook is already deleted',
    });
    expect(gateway.applied.length).toBe(applied);
    await result('setWebhook', { url });
    expect(await result('setWebhook', { url: '' })).toMatchObject({
      description: 'Webhook was deleted',
    });
    expect((await result('getWebhookInfo')).result).toEqual({
      url: '',
      has_custom_certificate: false,
      pending_update_count: 0,
    });
  });

  it('tells how many updates wait, and the last error of a delivery', async () => {
    await append(1, 2);
    expect((await result('getWebhookInfo')).result).toMatchObject({ pending_update_count: 2 });
    await gateway.store.log.openReader(bot.id, 'push', 0, 1);
    await append(3, 4, 5);
    await gateway.engine.write(function* () {
      yield* raw(
        `update readers set position = 3, state = '{"finished":[[5,5]]}' where name = 'push'`,
      );
      yield* raw(`insert into retry_positions (bot_id, position, queue) values ($1, 2, 'c5')`, [
        bot.id,
      ]);
      yield* raw(
        `insert into delivery_attempts (bot_id, position, update_id, queue, started_at,
           duration_ms, status, error, answer)
         values ($1, 2, 2, 'c5', 1700000000999, 5, 500, 'Wrong response from the webhook: 500', ''),
           ($1, 3, 3, 'c5', 1700000001999, 5, 200, '', '')`,
        [bot.id],
      );
    });
    await result('setWebhook', { url: 'http://127.0.0.1:9911/' });
    expect((await result('getWebhookInfo')).result).toMatchObject({
      // Position 1 came before push began and was not polled, 2 is in a retry queue, 4 is behind the reader.
      pending_update_count: 3,
      last_error_date: 1_700_000_000,
      last_error_message: 'Wrong response from the webhook: 500',
      max_connections: 40,
    });
    await result('setWebhook', { url: 'http://127.0.0.1:9911/', drop_pending_updates: true });
    expect((await result('getWebhookInfo')).result).toMatchObject({ pending_update_count: 0 });
    // The queue is the webhook's: a client that polls as well gets only new updates.
    expect(ids(await result('getUpdates'))).toEqual([]);
    await append(6);
    expect(ids(await result('getUpdates'))).toEqual([6]);
    await result('deleteWebhook', { drop_pending_updates: true });
    expect(ids(await result('getUpdates'))).toEqual([]);
  });

  it('keeps the kinds that were asked for, from polling to webhook and back', async () => {
    const url = 'http://127.0.0.1:9911/hook';
    const press = (id: number) =>
      readUpdate(
        `{"update_id":${id}}`,
        { update_id: id, callback_query: { id: '1', from: { id: 5 }, data: 'd' } },
        0,
      ) as IncomingUpdate;
    const receive = (...updates: IncomingUpdate[]) =>
      gateway.updateLog.append(bot.id, updates, { receivedAt: gateway.clock.now() });
    await receive(message(1), press(2));
    await result('getUpdates', { allowed_updates: ['message'] });
    await receive(message(3), press(4));
    await result('setWebhook', { url });
    await receive(message(5), press(6));
    const info = (await result('getWebhookInfo')).result;
    expect(info).toMatchObject({ allowed_updates: ['message'] });
    await result('setWebhook', { url, allowed_updates: ['callback_query'] });
    await receive(message(7), press(8));
    await result('deleteWebhook');
    expect(await result('getWebhookInfo')).toMatchObject({ result: { pending_update_count: 5 } });
    expect(ids(await result('getUpdates'))).toEqual([1, 2, 3, 5, 8]);
    await receive(message(9), press(10));
    expect(ids(await result('getUpdates', { offset: 9 }))).toEqual([10]);
  });

  it('keeps the bot when a client calls logOut or close', async () => {
    for (const method of ['logOut', 'close', 'LOGOUT']) {
      expect(await result(method)).toMatchObject({ ok: true, result: true });
    }
    expect((await call('getUpdates')).status).toBe(200);
  });
});
