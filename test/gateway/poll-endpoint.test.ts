import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type IncomingUpdate, readUpdate } from '../../src/core/log/update-facts.ts';
import type { BotRecord } from '../../src/store/bots/bots.ts';
import { type GatewayApp, startGatewayApp } from './gateway-app.ts';

describe('GET /api/updates/poll', () => {
  let gateway: GatewayApp;
  let bot: BotRecord;
  let headers: { authorization: string };

  beforeEach(async () => {
    gateway = await startGatewayApp();
    bot = await gateway.addBot({ long_poll_enabled: true });
    await gateway.pullers.ensureDefaultReader(bot.id);
    ({ headers } = await gateway.key('send'));
  });
  afterEach(() => gateway.close());

  const poll = (query: string, by = headers) =>
    gateway.call(`/api/updates/poll?${query}`, { headers: by });
  const append = (...ids: number[]) =>
    gateway.updateLog.append(
      bot.id,
      ids.map((id) => {
        const text = `{"update_id":${id},"message":{"n":12345678901234567890}}`;
        return readUpdate(text, JSON.parse(text), 0) as IncomingUpdate;
      }),
      { receivedAt: 0 },
    );

  it('gives what getUpdates gives, to the byte, and shares its position', async () => {
    await append(1, 2);
    const answer = await poll(`bot_id=${bot.id}`);
    expect(answer.headers['content-type']).toContain('application/json');
    expect(answer.text).toBe(
      '{"ok":true,"result":[{"update_id":1,"message":{"n":12345678901234567890}},{"update_id":2,"message":{"n":12345678901234567890}}]}',
    );
    await poll(`bot_id=${bot.id}&offset=2`);
    const library = await gateway.call(`/bot${bot.token}/getUpdates`);
    expect(library.text).toContain('[{"update_id":2,');
    expect((await poll(`bot_id=${bot.id}&limit=1000&timeout=-5`)).status).toBe(200);
    expect((await poll(`bot_id=${bot.id}&consumer=mine`)).text).toBe('{"ok":true,"result":[]}');
  });

  it('waits, and says 409 to the older of two', async () => {
    const older = poll(`bot_id=${bot.id}&timeout=50`);
    while (gateway.pullers.waiting !== 1) await new Promise(setImmediate);
    const newer = poll(`bot_id=${bot.id}&timeout=50`);
    expect(await older).toMatchObject({ status: 409, json: { code: 'conflict' } });
    await append(1);
    expect((await newer).text).toContain('"update_id":1');
  });

  it('serves an app with a token, though long polling is off for the bot', async () => {
    bot = await gateway.addBot();
    const own = await gateway.addApp(bot, 'own');
    await append(1);
    const ask = (consumer: string) => poll(`bot_id=${bot.id}&consumer=${consumer}`);
    expect((await ask('own')).text).toContain('"update_id":1');
    const off = { status: 409, json: { code: 'long_poll_disabled' } };
    for (const consumer of ['', 'other', 'default']) expect(await ask(consumer)).toMatchObject(off);
    await gateway.store.apps.update(own.id, { patch: { mode: 'send' } }, gateway.clock.now());
    expect((await ask('own')).status).toBeGreaterThanOrEqual(400);
  });

  it('refuses in the words of the API', async () => {
    const read = await gateway.key('read');
    const other = await gateway.key('send', [(await gateway.addBot()).id]);
    const off = await gateway.addBot();
    const refusals: [string, { authorization: string }, number, string][] = [
      [`bot_id=${bot.id}`, { authorization: 'Bearer brs_x' }, 401, 'unauthorized'],
      [`bot_id=${bot.id}`, read.headers, 403, 'insufficient_scope'],
      [`bot_id=${bot.id}`, other.headers, 403, 'bot_not_allowed'],
      ['', headers, 400, 'invalid_request'],
      [`bot_id=${bot.id}&consumer=a%20b`, headers, 400, 'invalid_request'],
      [`bot_id=${bot.id}&offset=x`, headers, 400, 'invalid_request'],
      ['bot_id=9999', headers, 404, 'bot_not_found'],
      [`bot_id=${off.id}`, headers, 409, 'long_poll_disabled'],
    ];
    for (const [query, by, status, code] of refusals) {
      expect(await poll(query, by)).toMatchObject({ status, json: { code } });
    }
    await gateway.store.bots.toggle(bot.id, 0);
    expect(await poll(`bot_id=${bot.id}`)).toMatchObject({
      status: 409,
      json: { code: 'bot_disabled' },
    });
  });

  it('gives nothing to a key that was revoked while it waited', async () => {
    const revoked = await gateway.key('send');
    const waits = poll(`bot_id=${bot.id}&timeout=50`, revoked.headers);
    while (gateway.pullers.waiting !== 1) await new Promise(setImmediate);
    const admin = await gateway.key('admin');
    await gateway.app.inject({
      method: 'POST',
      url: `/api/auth/api-keys/delete?id=${revoked.id}`,
      headers: admin.headers,
    });
    await append(1);
    expect(await waits).toMatchObject({ status: 401, json: { code: 'unauthorized' } });
    expect((await poll(`bot_id=${bot.id}`)).text).toContain('"update_id":1');
  });

  it('is let go when the service stops', async () => {
    const waits = poll(`bot_id=${bot.id}&timeout=50`);
    const library = gateway.call(`/bot${bot.token}/getUpdates?timeout=50&consumer=b`);
    while (gateway.pullers.waiting !== 2) await new Promise(setImmediate);
    const closed = gateway.app.close();
    expect((await waits).text).toBe('{"ok":true,"result":[]}');
    expect((await library).text).toBe('{"ok":true,"result":[]}');
    await closed;
  });
});
