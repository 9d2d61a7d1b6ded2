import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { readSettings, toConfig } from '../../src/config.ts';
import { createLogger } from '../../src/logger.ts';
import { type Service, startService } from '../../src/main.ts';
import { createDatabase, type Database, dialects } from '../support/engines.ts';

interface Delivered {
  message?: { text?: string; chat: { id: number } };
}

/** A backend that answers each message by calling sendMessage. */
async function startBackend(): Promise<{ url: string; first: Promise<Delivered> }> {
  const { promise: first, resolve } = Promise.withResolvers<Delivered>();
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => {
      const update = JSON.parse(body) as Delivered;
      resolve(update);
      const answer = { method: 'sendMessage', chat_id: update.message?.chat.id, text: 'from me' };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, first };
}

describe.each(dialects)('the whole service on %s', (dialect) => {
  let database: Database;
  let service: Service;

  beforeEach(async () => {
    database = await createDatabase(dialect);
    const env = { ...database.settings, PORT: '0', RELAY_SECRET_KEY: 'k'.repeat(40) };
    const config = toConfig(readSettings({ env, workingDir: database.dataDir }));
    service = await startService(config, { logger: createLogger({ level: 'silent' }) });
  });
  afterEach(async () => {
    await service.close();
    await database.drop();
  });

  async function call<T>(path: string, body?: object): Promise<T> {
    const answer = await fetch(service.address + path, {
      headers: {
        authorization: `Bearer ${service.localKey}`,
        'content-type': 'application/json',
      },
      ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
    });
    const json = (await answer.json()) as T;
    expect(answer.status, JSON.stringify(json)).toBe(200);
    return json;
  }

  async function practiceBot(settings: object) {
    const { token, id } = await call<{ token: string; id: number }>('/api/sandbox/bots', {});
    const bot = await call<{ id: number }>('/api/bots/add', { token, ...settings });
    return { id: bot.id, platformId: id };
  }

  /** Resolves with the first event whose data fits. */
  async function event(type: string, fits: (data: Record<string, unknown>) => boolean) {
    const leaving = new AbortController();
    const stream = await fetch(`${service.address}/api/events`, {
      headers: { authorization: `Bearer ${service.localKey}` },
      signal: leaving.signal,
    });
    const found = (async () => {
      let text = '';
      for await (const chunk of stream.body as unknown as AsyncIterable<Uint8Array>) {
        text += Buffer.from(chunk).toString();
        for (const [, name, data] of text.matchAll(/event: (\w+)\ndata: (.*)\n\n/g)) {
          const parsed = JSON.parse(data ?? '{}') as Record<string, unknown>;
          if (name === type && fits(parsed)) return parsed;
        }
      }
      throw new Error('the stream ended');
    })();
    return { found: found.finally(() => leaving.abort()) };
  }

  it('shows what it sent', async () => {
    const bot = await practiceBot({});
    const user = await call<{ id: number }>('/api/sandbox/users/create', { first_name: 'Ann' });
    await call('/api/sandbox/say', { user: user.id, chat: bot.platformId, text: '/start' });
    const sent = { bot_id: bot.id, chat_id: user.id, text: 'hello' };
    const { id } = await call<{ id: number }>('/api/messages/send', sent);
    expect(await call(`/api/outbox?bot_id=${bot.id}&state=sent`)).toMatchObject([
      { bot_id: bot.id, method: 'sendMessage', origin: 'sent', state: 'sent', message_id: id },
    ]);
    expect(await call(`/api/outbox?state=unknown`)).toEqual([]);
  });

  it('sends again what failed, when asked to, and nothing else', async () => {
    const bot = await practiceBot({});
    const user = await call<{ id: number }>('/api/sandbox/users/create', { first_name: 'Ann' });
    const ask = (path: string, body?: object) =>
      fetch(service.address + path, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${service.localKey}`,
          ...(body ? { 'content-type': 'application/json' } : {}),
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
    const message = { bot_id: bot.id, chat_id: user.id, text: 'too early' };
    // Nobody has written to the bot yet, so it may not write either.
    expect((await ask('/api/messages/send', message)).status).toBe(422);
    const [failed] = await call<{ id: number }[]>(`/api/outbox?bot_id=${bot.id}&state=failed`);
    await call('/api/sandbox/say', { user: user.id, chat: bot.platformId, text: '/start' });
    const again = `/api/outbox/send-again?id=${failed?.id}`;
    const arrived = await event('message', ({ kind }) => kind === 'sent');
    expect(await (await ask(again)).json()).toMatchObject({ id: failed?.id, state: 'queued' });
    expect(await arrived.found).toMatchObject({ bot_id: bot.id, chat_id: user.id });
    expect((await ask(again)).status).toBe(409);
    expect((await ask('/api/outbox/send-again?id=999999')).status).toBe(404);
  });

  it('gives the page at its own addresses, and the gateway what looks like a token', async () => {
    for (const path of ['/', '/bots', '/bots/5']) {
      const page = await fetch(service.address + path);
      expect(page.headers.get('content-type')).toContain('text/html');
    }
    const gateway = await fetch(`${service.address}/botx/getMe`);
    expect(await gateway.json()).toMatchObject({ ok: false, error_code: 401 });
  });

  it('carries a message to a backend and its answer back, and tells of it', async () => {
    const backend = await startBackend();
    const bot = await practiceBot({ backend_url: backend.url, proxy_enabled: true });
    const anna = await call<{ id: number }>('/api/sandbox/users/create', { first_name: 'Anna' });
    const answered = await event('message', ({ kind }) => kind === 'sent');
    await call('/api/sandbox/say', { user: anna.id, chat: bot.platformId, text: 'hello' });
    expect((await backend.first).message?.text).toBe('hello');
    expect(await answered.found).toMatchObject({ bot_id: bot.id, chat_id: anna.id });
    const messages = await call<{ text: string }[]>(
      `/api/messages?bot_id=${bot.id}&chat_id=${anna.id}`,
    );
    expect(messages.map(({ text }) => text)).toEqual(['from me', 'hello']);
  });

  it('routes a message from one bot to another as soon as the route is made', async () => {
    const [desk, shop] = [await practiceBot({}), await practiceBot({})];
    const people = await Promise.all(
      ['Anna', 'Ben'].map((first_name) =>
        call<{ id: number }>('/api/sandbox/users/create', { first_name }),
      ),
    );
    const [anna, ben] = people.map(({ id }) => id) as [number, number];
    await call('/api/sandbox/say', { user: ben, chat: desk.platformId, text: '/start' });
    await call('/api/routes/add', {
      source_bot_id: shop.id,
      target_bot_id: desk.id,
      action: 'copy',
      target_chat_id: ben,
    });
    const carried = await event(
      'message',
      ({ bot_id, kind }) => bot_id === desk.id && kind === 'sent',
    );
    await call('/api/sandbox/say', { user: anna, chat: shop.platformId, text: 'tea, please' });
    await carried.found;
    const seen = await call<{ message: { text?: string } }[]>(
      `/api/sandbox/history?user=${ben}&chat=${desk.platformId}`,
    );
    expect(seen.at(-1)?.message.text).toContain('tea, please');
  });
});
