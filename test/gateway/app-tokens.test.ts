import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { request } from 'undici';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AppRecord } from '../../src/core/apps/app.ts';
import type { BotRecord } from '../../src/store/bots/bots.ts';
import { eitherDialect } from '../support/database/engines.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { type GatewayApp, type Reply, startGatewayApp } from './gateway-app.ts';

/** The platform writes the token into everything it answers, as a Bot API server of one's own does. */
function echoToken({ platform }: GatewayApp): void {
  platform.answer((res, { url }) => {
    const token = /bot([^/]+)/.exec(url)?.[1] ?? '';
    const body = JSON.stringify({
      ok: true,
      result: {
        file_path: `/data/${token}/docs/a.txt`,
        escaped: encodeURIComponent(token),
        folder: token.replace(':', '~'),
      },
    });
    res.writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      etag: `"${token}"`,
    });
    // Cut in the middle of the token.
    const cut = body.indexOf(token) + 5;
    res.write(body.slice(0, cut));
    setImmediate(() => res.end(body.slice(cut)));
  });
}

describe.each(eitherDialect)('tokens of apps at the gateway, on %s', (dialect) => {
  let gateway: GatewayApp;
  let bot: BotRecord;
  let app: AppRecord & { token: string };

  beforeEach(async () => {
    gateway = await startGatewayApp({ dialect });
    bot = await gateway.addBot({ token: `9001:${'Real_bot-token'.padEnd(35, 'x')}` });
    app = await gateway.addApp(bot, 'shop');
  });
  afterEach(async () => {
    const lines = gateway.logLines.join('');
    for (const token of [bot.token, app.token]) expect(lines).not.toContain(token.split(':')[1]);
    await gateway.close();
  });

  const passed = () => gateway.platform.requests.map(({ url }) => url);
  const secretOf = (token: string) => token.slice(token.indexOf(':') + 1);
  function expectHidden({ headers, text }: Reply): void {
    expect(JSON.stringify(headers) + text).not.toContain(secretOf(bot.token));
  }

  it('act as the app, with the token of the bot at the platform', async () => {
    for (const root of ['', '/tgapi', '/p/shop', '/tgapi/p/shop', '//p//shop/']) {
      const answer = await gateway.call(`${root}/bot${app.token}/sendMessage?chat_id=1`);
      expect(answer.json).toEqual({ ok: true, result: true });
      await gateway.call(`${root}/file/bot${app.token}/docs/a.txt`);
      expect(passed().splice(0)).toEqual([
        `/bot${bot.token}/sendMessage?chat_id=1`,
        `/file/bot${bot.token}/docs/a.txt`,
      ]);
      gateway.platform.requests.length = 0;
    }
    await gateway.call(`/p/shop/bot${bot.token}/test/getMe`);
    expect(passed()).toEqual([`/bot${bot.token}/test/getMe`]);
  });

  it('never show the token of the bot', async () => {
    echoToken(gateway);
    const answer = await gateway.call(`/bot${app.token}/getFile?file_id=f`, {
      headers: { 'accept-encoding': 'gzip' },
    });
    expectHidden(answer);
    expect(answer.json.result).toEqual({
      file_path: `/data/${app.token}/docs/a.txt`,
      escaped: encodeURIComponent(app.token),
      folder: app.token.replace(':', '~'),
    });
    expect(answer.headers).toMatchObject({ etag: `"${app.token}"` });
    expect(gateway.platform.requests.at(-1)?.headers['accept-encoding']).toBe('identity');
    const { file_path } = answer.json.result as { file_path: string };
    await gateway.call(`/file/bot${app.token}/${file_path}`);
    await gateway.call(`/file/bot${app.token}/${encodeURI(file_path)}?v=1`);
    expect(passed().slice(-2)).toEqual([
      `/file/bot${bot.token}//data/${bot.token}/docs/a.txt`,
      `/file/bot${bot.token}//data/${bot.token}/docs/a.txt?v=1`,
    ]);
    // The bot's own client sees what the platform says.
    const own = await gateway.call(`/bot${bot.token}/getFile?file_id=f`);
    expect(own.json.result).toMatchObject({ file_path: `/data/${bot.token}/docs/a.txt` });
  });

  it('hide it in errors, also of downloads, and leave downloads as they are', async () => {
    const words = `no file for ${bot.token}`;
    gateway.platform.answerJson(404, { ok: false, error_code: 404, description: words });
    for (const path of [`/bot${app.token}/getFile`, `/file/bot${app.token}/a.txt`]) {
      const refused = await gateway.call(path);
      expectHidden(refused);
      expect(refused.json).toMatchObject({ description: `no file for ${app.token}` });
    }
    gateway.platform.answer((res) => {
      res.writeHead(200, { 'content-length': Buffer.byteLength(words) });
      res.end(words);
    });
    const file = await gateway.call(`/file/bot${app.token}/a.txt`);
    expect(file.text).toBe(words);
    expect(file.headers['content-length']).toBe(String(words.length));
  });

  it('stream: a download to the byte, an upload, and an answer piece by piece', async () => {
    const film = randomBytes(8_000_000);
    gateway.platform.answer((res) => {
      res.writeHead(200, { 'content-length': film.length });
      res.end(film);
    });
    const download = await request(`${gateway.url}/file/bot${app.token}/film.mp4`);
    expect(download.headers['content-length']).toBe(String(film.length));
    expect(Buffer.from(await download.body.arrayBuffer()).equals(film)).toBe(true);

    gateway.platform.answerJson(200, { ok: true, result: true });
    await gateway.call(`/bot${app.token}/sendDocument`, { method: 'POST', body: film });
    expect(gateway.platform.requests.at(-1)).toMatchObject({
      url: `/bot${bot.token}/sendDocument`,
      sha256: createHash('sha256').update(film).digest('hex'),
    });

    const finish = Promise.withResolvers<void>();
    gateway.platform.answer((res) => {
      res.write('{"ok":true,');
      void finish.promise.then(() => res.end(`"result":"${bot.token}"}`));
    });
    const slow = await request(`${gateway.url}/bot${app.token}/getChat`);
    const [first] = (await once(slow.body, 'data')) as [Buffer];
    expect(first.toString()).toBe('{"ok":true,');
    finish.resolve();
    expect(Buffer.concat(await slow.body.toArray()).toString()).toBe(`"result":"${app.token}"}`);
  });

  it('hide a token of another length, and refuse an answer that cannot be read', async () => {
    const short = await gateway.addBot();
    const { token } = await gateway.addApp(short, 'shop');
    const text = `{"ok":true,"result":"${short.token}"}`;
    gateway.platform.answer((res) => {
      res.writeHead(200, { 'content-length': text.length });
      res.end(text);
    });
    expect((await gateway.call(`/bot${token}/getMe`)).json.result).toBe(token);
    gateway.platform.answer((res) => {
      res.writeHead(200, { 'content-encoding': 'gzip' });
      res.end(gzipSync(text));
    });
    const unread = await gateway.call(`/bot${token}/getMe`);
    expect(unread.status).toBe(504);
    expect(unread.headers).not.toHaveProperty('content-encoding');
  });

  it.each<[string, (path: string) => string, number, RegExp]>([
    [
      'an unknown token',
      (path) => `/bot9001:${'u'.repeat(35)}${path}`,
      401,
      /^Unauthorized: this token (is not registered|belongs to another app)/,
    ],
    [
      'the token of another app',
      (path) => `/p/other/bot${app.token}${path}`,
      401,
      /^Unauthorized: this token (is not registered|belongs to another app)/,
    ],
    ['the name of the bot itself', (path) => `/p/default/bot${app.token}${path}`, 401, /^Unau/],
    [
      'an unknown name',
      (path) => `/p/none/bot${bot.token}${path}`,
      404,
      /^Not Found: Bot \d+ has no app none\./,
    ],
    ['no name', (path) => `/p//bot${bot.token}${path}`, 404, /^Not Found/],
    [
      'a token for a name',
      (path) => `/p/${bot.token}/bot${bot.token}${path}`,
      404,
      /has no app \*\*\*/,
    ],
    ['a name and no /bot', (path) => `/p/shop/${bot.token}${path}`, 404, /needs \/bot/],
    ['a bad token', (path) => `/p/shop/botBAD:token${path}`, 401, /invalid token/],
  ])('are refused: %s', async (_case, address, status, description) => {
    await gateway.addApp(bot, 'other');
    for (const path of ['/getMe', '/getUpdates', '/setWebhook?url=http://a.test']) {
      const answer = await gateway.call(address(path));
      expect(answer.status, path).toBe(status);
      expect(answer.json).toMatchObject({ ok: false, error_code: status });
      expect(answer.json.description).toMatch(description);
      expectHidden(answer);
    }
    expect(passed()).toEqual([]);
    expect(await gateway.store.apps.list(bot.id)).toHaveLength(3);
  });

  it('are refused for a disabled app with 403, for a disabled bot as its own', async () => {
    const paths = [
      `/bot${app.token}/getMe`,
      `/bot${app.token}/getUpdates`,
      `/file/bot${app.token}/a`,
      `/p/shop/bot${bot.token}/getUpdates`,
    ];
    await gateway.store.apps.toggle(app.id, 1);
    for (const path of paths) {
      expect((await gateway.call(path)).json).toMatchObject({
        error_code: 403,
        description:
          'Forbidden: App shop is disabled. Enable it on the Apps tab of the bot, or with POST /api/bots/apps/toggle-disabled.',
      });
    }
    expect((await gateway.call(`/bot${bot.token}/getMe`)).status).toBe(200);
    await gateway.store.apps.toggle(app.id, 1);
    await gateway.store.bots.toggle(bot.id, 1);
    for (const path of paths) {
      expect((await gateway.call(path)).json).toMatchObject({
        error_code: 409,
        description: expect.stringContaining('bot is disabled'),
      });
    }
  });

  it('are refused at the path of another app', async () => {
    await gateway.addApp(bot, 'other');
    expect((await gateway.call(`/p/other/bot${app.token}/getMe`)).json).toMatchObject({
      error_code: 401,
      description: 'Unauthorized: this token belongs to another app than other',
    });
    const misplaced = `/p/${'s'.repeat(70)}/bot${app.token}/getMe`;
    expect((await gateway.call(misplaced)).json).toMatchObject({
      description: 'Unauthorized: this token belongs to another app than ***',
    });
    expect(passed()).toEqual([]);
  });

  it('work through a new token of the bot, and end with their own', async () => {
    const path = () => `/bot${app.token}/getMe`;
    const renewed = `9001:${'new'.repeat(10)}`;
    await gateway.call(path());
    await gateway.store.bots.update(bot.id, { token: renewed }, 1);
    expect((await gateway.call(path())).status).toBe(200);
    expect(passed().at(-1)).toBe(`/bot${renewed}/getMe`);
    const former = app.token;
    app.token = `9001:${'n'.repeat(35)}`;
    await gateway.store.apps.setToken(app.id, app.token, 1);
    expect((await gateway.call(`/bot${former}/getMe`)).status).toBe(401);
    expect((await gateway.call(path())).status).toBe(200);
    await gateway.store.apps.remove(app.id, 1);
    expect((await gateway.call(path())).status).toBe(401);
    expect((await gateway.call(`/p/shop/bot${renewed}/getMe`)).status).toBe(404);
  });

  it('call only the methods of their app', async () => {
    const one = await gateway.addApp(bot, 'one', { methods: ['sendMessage'] });
    const most = await gateway.addApp(bot, 'most', { methods: ['!banChatMember', '!getUpdates'] });
    const status = async (token: string, path: string) =>
      (await gateway.call(`/bot${token}/${path}`)).status;
    expect(await status(one.token, 'SENDMESSAGE')).toBe(200);
    expect(await status(one.token, 'getMe')).toBe(403);
    expect(await status(one.token, 'getUpdates')).toBe(200);
    expect(await status(most.token, 'getMe')).toBe(200);
    expect(await status(most.token, 'banchatmember')).toBe(403);
    expect(await status(most.token, 'getUpdates')).toBe(403);
    expect((await gateway.call(`/file/bot${one.token}/a.txt`)).status).toBe(403);
    expect((await gateway.call(`/file/bot${most.token}/a.txt`)).status).toBe(200);
    const named = await gateway.call(`/p/one/bot${bot.token}/deleteMessage`);
    expect(named.json).toMatchObject({
      ok: false,
      error_code: 403,
      description: expect.stringMatching(/^Forbidden: App one may not call deleteMessage\./),
    });
  });

  it('count what each app sends and when it was last seen', async () => {
    const message = (id: number) => ({ message_id: id, date: 1, chat: { id: 7, type: 'private' } });
    gateway.platform.answerJson(200, { ok: true, result: [message(1), message(2)] });
    await gateway.call(`/bot${app.token}/sendMediaGroup`);
    gateway.platform.answerJson(200, { ok: true, result: message(3) });
    await gateway.call(`/p/shop/bot${bot.token}/sendMessage`);
    await gateway.call(`/bot${app.token}/editMessageText`);
    gateway.platform.answerJson(200, { ok: true, result: message(4) });
    await gateway.call(`/bot${bot.token}/sendMessage`);
    const idle = await gateway.addApp(bot, 'idle');
    await gateway.captured(bot.id, 7, 4);
    await gateway.activity.flush();
    const [standard] = await gateway.store.apps.list(bot.id);
    const activity = await gateway.store.apps.activity(bot.id);
    expect(activity.get(app.id)).toMatchObject({ sent: 3 });
    expect(activity.get(standard?.id ?? 0)).toMatchObject({ sent: 1 });
    expect(activity.get(app.id)?.last_seen_at).toBeGreaterThan(0);
    expect(activity.get(idle.id)).toBeUndefined();
  });

  it('count a bot that is polled as seen when it polls, not when it sends', async () => {
    const polled = await gateway.addBot({
      token: `9002:${'x'.repeat(35)}`,
      long_poll_enabled: true,
    });
    const seen = async () => {
      await gateway.activity.flush();
      const [standard] = await gateway.store.apps.list(polled.id);
      const activity = await gateway.store.apps.activity(polled.id);
      return (activity.get(standard?.id ?? 0)?.last_seen_at ?? 0) > 0;
    };
    gateway.platform.answerJson(200, { ok: true, result: { id: 9002 } });
    await gateway.call(`/bot${polled.token}/getMe`);
    expect(await seen()).toBe(false);
    await gateway.call(`/bot${polled.token}/getUpdates`);
    expect(await seen()).toBe(true);
  });

  it('leave their messages to an app that wants the replies', async () => {
    const wants = await gateway.addApp(bot, 'wants', { own_replies: true });
    const answer = (id: number) =>
      gateway.platform.answerJson(200, {
        ok: true,
        result: { message_id: id, date: 1, chat: { id: 7, type: 'private' }, text: 'x' },
      });
    const owners = () =>
      gateway.engine.readRaw('select message_id, app_id from app_messages order by 1', []);
    for (const [id, token] of [
      [1, app.token],
      [2, wants.token],
      [3, bot.token],
    ] as const) {
      answer(id);
      await gateway.call(`/bot${token}/sendMessage`);
      // Who answers for the replies is stored before the app has its answer.
      if (token === wants.token) expect(await owners()).toHaveLength(1);
      await gateway.captured(bot.id, 7, id);
    }
    answer(1);
    await gateway.call(`/bot${wants.token}/editMessageText`);
    await gateway.captured(bot.id, 7, 1);
    gateway.platform.answerJson(200, { ok: true, result: { message_id: 4 } });
    await gateway.call(`/bot${wants.token}/copyMessage?chat_id=7&from_chat_id=7&message_id=1`);
    await gateway.captured(bot.id, 7, 4);
    expect(await owners()).toEqual([
      { message_id: 2, app_id: wants.id },
      { message_id: 4, app_id: wants.id },
    ]);
  });

  it('have replies wait for a send into their chat, and for an upload once it is whole', async () => {
    await gateway.close();
    // They wait for a second at most, and none passes here.
    gateway = await startGatewayApp({ dialect, clock: createManualClock() });
    bot = await gateway.addBot();
    const wants = await gateway.addApp(bot, 'wants', { own_replies: true });
    const waiting = async () =>
      (await gateway.engine.readRaw<{ chat_id: number }>('select chat_id from app_sends', [])).map(
        ({ chat_id }) => chat_id,
      );
    const whole = () => {
      const { promise, resolve } = Promise.withResolvers<ServerResponse>();
      gateway.platform.answer(resolve);
      return promise;
    };
    let written = whole();
    const sent = gateway.call(`/bot${wants.token}/sendMessage`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"chat_id":"7","text":"x"}',
    });
    let answer = await written;
    expect(await waiting()).toEqual([7]);
    answer.end('{"ok":false}');
    await sent;
    await vi.waitFor(async () => expect(await waiting()).toEqual([]));

    written = whole();
    const body = new PassThrough();
    const upload = gateway.call(`/bot${wants.token}/sendDocument`, { method: 'POST', body });
    body.write('x'.repeat(100_000));
    await once(gateway.platform.server, 'request');
    expect(await waiting()).toEqual([]);
    body.end('x');
    answer = await written;
    expect(await waiting()).toEqual([0]);
    answer.end('{"ok":false}');
    await upload;
    await vi.waitFor(async () => expect(await waiting()).toEqual([]));
  });
});
