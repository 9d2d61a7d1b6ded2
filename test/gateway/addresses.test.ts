import { request as httpRequest, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { urlToHttpOptions } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BotRecord } from '../../src/store/bots/bots.ts';
import { type GatewayApp, startGatewayApp } from './gateway-app.ts';

describe('addresses of the gateway', () => {
  let gateway: GatewayApp;
  let bot: BotRecord;

  beforeEach(async () => {
    gateway = await startGatewayApp();
    bot = await gateway.addBot();
  });
  afterEach(() => gateway.close());

  /** Leaves the path as it is, where other clients would tidy it up. */
  async function ask(path: string, method = 'GET', headers: Record<string, string> = {}) {
    const target = { ...urlToHttpOptions(new URL(gateway.url)), path, method, headers };
    const [res] = (await once(httpRequest(target).end(), 'response')) as [IncomingMessage];
    const text = Buffer.concat(await res.toArray()).toString();
    return { status: res.statusCode, headers: res.headers, text };
  }
  const passed = () => gateway.platform.requests.map(({ url }) => url);

  it('ignores repeated slashes before /bot and /file', async () => {
    const method = `/bot${bot.token}/sendMessage?chat_id=1&text=a//b`;
    const roots = ['/', '//', '///', '/tgapi/', '//tgapi//'];
    for (const root of roots) {
      const answer = await ask(`${root.slice(0, -1)}/${method}`);
      expect(answer, root).toMatchObject({ status: 200, text: '{"ok":true,"result":true}' });
    }
    expect(passed()).toEqual(roots.map(() => method));
    await ask(`//file//bot${bot.token}/docs//a.txt`);
    await ask(`/tgapi//file/bot${bot.token}/docs//a.txt`);
    expect(passed().slice(-2)).toEqual(Array(2).fill(`/file/bot${bot.token}/docs//a.txt`));
    expect(await ask('//botBAD:token/getMe')).toMatchObject({
      status: 401,
      text: '{"ok":false,"error_code":401,"description":"Unauthorized: invalid token specified"}',
    });
  });

  it('never answers a path with a bot token with the web page', async () => {
    const fullToken = `200:${'Ab-_5'.repeat(7)}`;
    for (const path of [
      `/relay/bot${bot.token}/getMe`,
      `/relay//bot${bot.token}/getMe`,
      `/a/b/bot${encodeURIComponent(bot.token)}/getMe`,
      `/api/bot${bot.token}/getMe`,
      `/relay/file/bot${bot.token}/a.txt`,
      `/${fullToken}/getMe`,
      `/file/${encodeURIComponent(fullToken)}/a.txt`,
      '/relay/botBAD:token/getMe',
      '/relay/bot1:BAD',
    ]) {
      for (const method of ['GET', 'POST', 'PUT']) {
        const { status, headers, text } = await ask(path, method);
        expect(status, path).toBe(404);
        expect(headers['content-type']).toContain('application/json');
        const answer = JSON.parse(text) as { description: string };
        expect(answer).toMatchObject({ ok: false, error_code: 404 });
        expect(answer.description).toContain(
          `set the API root to ${gateway.url}, ${gateway.url}/tgapi or ${gateway.url}/p/<app>`,
        );
        expect(text).not.toContain(bot.token);
        expect(text).not.toContain(fullToken);
      }
    }
    expect((await ask(`/${fullToken}/getMe`)).text).toContain('needs /bot before the token');
    for (const path of ['/getMe', '/relay/sendMessage?chat_id=1', '/tgapi/getUpdates']) {
      for (const method of ['GET', 'POST']) {
        const { status, text } = await ask(path, method);
        expect(JSON.parse(text), path).toMatchObject({ ok: false, error_code: status });
        expect(text).toContain(
          `the path needs /bot<token> before the method; set the API root to ${gateway.url}`,
        );
      }
    }
    expect(passed()).toEqual([]);
    const bases = ['/botBAD:token/getMe', '/botBAD:token', `/bot${bot.token}`, '/bot1'];
    for (const path of [...bases, ...bases.map((base) => `/p/a${base}`), '/p/a', '/p/']) {
      expect((await ask(path)).headers['content-type'], path).toContain('application/json');
    }
    for (const path of ['/p/shop', '/p/shop/', '/p/shop/getMe', '/tgapi/p/shop/getMe']) {
      for (const method of ['GET', 'POST']) {
        const { status, text } = await ask(path, method);
        expect(status, path).toBe(404);
        expect(JSON.parse(text)).toMatchObject({
          ok: false,
          description: 'Not Found: the path needs /bot<token> after /p/shop',
        });
      }
    }
    expect((await ask('/bots', 'POST')).status).toBe(404);
    expect(gateway.logLines.join('')).not.toContain('gateway request failed');
    for (const path of ['/bots', '/bots/1', '/']) {
      expect((await ask(path)).headers['content-type'], path).toContain('text/html');
    }
  });

  it('answers other methods 405 with Allow, as the Bot API does', async () => {
    for (const [path, allowed, methods] of [
      [`/bot${bot.token}/getMe`, 'GET, POST, OPTIONS', ['PUT', 'DELETE', 'PATCH']],
      [`/tgapi/bot${bot.token}/getMe`, 'GET, POST, OPTIONS', ['PUT']],
      [`/p/a/bot${bot.token}/getMe`, 'GET, POST, OPTIONS', ['PUT']],
      [`/p/a/file/bot${bot.token}/a.txt`, 'GET, HEAD, OPTIONS', ['POST']],
      [`/file/bot${bot.token}/a.txt`, 'GET, HEAD, OPTIONS', ['POST', 'DELETE']],
    ] as const) {
      for (const method of methods) {
        const { status, headers, text } = await ask(path, method);
        expect({ status, allow: headers.allow }).toEqual({ status: 405, allow: allowed });
        expect(JSON.parse(text)).toEqual({
          ok: false,
          error_code: 405,
          description: `Method Not Allowed: use ${allowed}`,
        });
      }
    }
    expect(await ask(`/bot${bot.token}/getMe`, 'HEAD')).toMatchObject({ status: 405 });
    expect(passed()).toEqual([]);
  });

  it('lets web pages of other origins call the gateway, and nothing else', async () => {
    const asked = {
      origin: 'https://kuma.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type',
    };
    for (const root of ['', '/tgapi', '/p/a', '/tgapi/p/a']) {
      for (const place of [`/bot${bot.token}/getUpdates`, `/file/bot${bot.token}/a.txt`]) {
        const preflight = await ask(`${root}${place}`, 'OPTIONS', asked);
        expect(preflight.status).toBe(204);
        expect(preflight.headers).toMatchObject({
          'access-control-allow-origin': '*',
          'access-control-allow-headers': '*',
        });
        expect(preflight.headers['access-control-allow-methods']).toContain('GET');
      }
    }
    for (const path of [
      `/bot${bot.token}/getMe`,
      `/bot${bot.token}/getUpdates`,
      `/file/bot${bot.token}/a.txt`,
      '/bot1:unknown/getMe',
      '/botBAD:token/getMe',
      `/relay/bot${bot.token}/getMe`,
    ]) {
      const { headers } = await ask(path, 'GET', { origin: 'https://kuma.example' });
      expect(headers['access-control-allow-origin'], path).toBe('*');
      expect(headers).not.toHaveProperty('access-control-allow-credentials');
    }
    for (const [path, method] of [
      ['/api/bots', 'GET'],
      ['/api/bots', 'OPTIONS'],
      ['/api/updates/poll', 'GET'],
      ['/', 'GET'],
      ['/hooks/backend/1', 'OPTIONS'],
    ] as const) {
      const { headers } = await ask(path, method, asked);
      expect(headers, path).not.toHaveProperty('access-control-allow-origin');
    }
  });

  it('passes a compressed body on as it is and reads it for the archive', async () => {
    gateway.platform.answer((res) => {
      res.writeHead(200, { 'content-type': 'application/json' });
      res.end('{"ok":true,"result":{"message_id":9}}');
    });
    const body = gzipSync(
      JSON.stringify({ chat_id: 5, from_chat_id: 6, message_id: 7, caption: 'c' }),
    );
    await gateway.call(`/bot${bot.token}/copyMessage`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      body,
    });
    expect(gateway.platform.requests.at(-1)?.headers).toMatchObject({ 'content-encoding': 'gzip' });
    expect(await gateway.captured(bot.id, 5, 9)).toMatchObject({ text: 'c' });
  });
});
