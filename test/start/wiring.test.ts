import { json } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { dialects } from '../support/database/engines.ts';
import { serve } from '../support/local-server.ts';
import { serviceForEachTest } from '../support/whole-service.ts';

interface Delivered {
  message?: { text?: string; chat: { id: number } };
}

/** A backend that answers each message by calling sendMessage. */
async function startBackend(): Promise<{ url: string; first: Promise<Delivered> }> {
  const { promise: first, resolve } = Promise.withResolvers<Delivered>();
  const { url, close } = await serve(async (request, response) => {
    const update = (await json(request)) as Delivered;
    resolve(update);
    const answer = { method: 'sendMessage', chat_id: update.message?.chat.id, text: 'from me' };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  onTestFinished(close);
  return { url: `${url}/`, first };
}

describe.each(dialects)('the whole service on %s', (dialect) => {
  const { service, ask, call, addBot, addPerson, addRoute, say, seen } =
    serviceForEachTest(dialect);

  /** Resolves with the first event whose data fits. */
  async function event(type: string, fits: (data: Record<string, unknown>) => boolean) {
    const leaving = new AbortController();
    const { address, localKey } = service();
    const stream = await fetch(`${address}/api/events`, {
      headers: { authorization: `Bearer ${localKey}` },
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
    const bot = await addBot();
    const ann = await addPerson('Ann');
    await say(ann, bot, '/start');
    const sent = { bot_id: bot.id, chat_id: ann.id, text: 'hello' };
    const { id } = await call<{ id: number }>('/api/messages/send', sent);
    expect(await call(`/api/outbox?bot_id=${bot.id}&state=sent`)).toMatchObject([
      { bot_id: bot.id, method: 'sendMessage', origin: 'sent', state: 'sent', message_id: id },
    ]);
    expect(await call(`/api/outbox?state=unknown`)).toEqual([]);
  });

  it('sends again what failed, when asked to, and nothing else', async () => {
    const bot = await addBot();
    const ann = await addPerson('Ann');
    const message = { bot_id: bot.id, chat_id: ann.id, text: 'too early' };
    // Nobody has written to the bot yet, so it may not write either.
    expect((await ask('/api/messages/send', message)).status).toBe(422);
    const [failed] = await call<{ id: number }[]>(`/api/outbox?bot_id=${bot.id}&state=failed`);
    await say(ann, bot, '/start');
    const sendAgain = (id = 0) =>
      ask(`/api/outbox/send-again?id=${id}`, undefined, { method: 'POST' });
    const arrived = await event('message', ({ kind }) => kind === 'sent');
    expect(await sendAgain(failed?.id)).toMatchObject({
      json: { id: failed?.id, state: 'queued' },
    });
    expect(await arrived.found).toMatchObject({ bot_id: bot.id, chat_id: ann.id });
    expect((await sendAgain(failed?.id)).status).toBe(409);
    expect((await sendAgain(999_999)).status).toBe(404);
  });

  it('gives the page at its own addresses, and the gateway what looks like a token', async () => {
    for (const path of ['/', '/bots', '/bots/5']) {
      const page = await fetch(service().address + path);
      expect(page.headers.get('content-type')).toContain('text/html');
    }
    const gateway = await fetch(`${service().address}/botx/getMe`);
    expect(await gateway.json()).toMatchObject({ ok: false, error_code: 401 });
  });

  it('carries a message to a backend and its answer back, and tells of it', async () => {
    const backend = await startBackend();
    const bot = await addBot({ backend_url: backend.url, proxy_enabled: true });
    const anna = await addPerson('Anna');
    const answered = await event('message', ({ kind }) => kind === 'sent');
    await say(anna, bot, 'hello');
    expect((await backend.first).message?.text).toBe('hello');
    expect(await answered.found).toMatchObject({ bot_id: bot.id, chat_id: anna.id });
    const messages = await call<{ text: string }[]>(
      `/api/messages?bot_id=${bot.id}&chat_id=${anna.id}`,
    );
    expect(messages.map(({ text }) => text)).toEqual(['from me', 'hello']);
  });

  it('routes a message from one bot to another as soon as the route is made', async () => {
    const [desk, shop] = [await addBot(), await addBot()];
    const [anna, ben] = [await addPerson('Anna'), await addPerson('Ben')];
    await say(ben, desk, '/start');
    await addRoute(shop, desk, { target_chat_id: ben.id });
    const carried = await event(
      'message',
      ({ bot_id, kind }) => bot_id === desk.id && kind === 'sent',
    );
    await say(anna, shop, 'tea, please');
    await carried.found;
    expect((await seen(ben, desk.platformId)).at(-1)?.text).toContain('tea, please');
  });
});
