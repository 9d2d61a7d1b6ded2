import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { App, CreatedApp, Readers } from '../../src/api-types.ts';
import { dialects } from '../support/database/engines.ts';
import { serve } from '../support/local-server.ts';
import { type PracticeBot, serviceForAllTests } from '../support/whole-service.ts';

interface Update {
  update_id: number;
  message: { text: string };
}

interface Envelope {
  ok: boolean;
  error_code?: number;
  description?: string;
  result?: unknown;
}

/** Keeps the texts it was sent, each with the secret that came along. */
async function startBackend() {
  const received: { text: string; secret: unknown }[] = [];
  const { url, close } = await serve(async (request, reply) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { message } = JSON.parse(Buffer.concat(chunks).toString()) as Update;
    const secret = request.headers['x-telegram-bot-api-secret-token'];
    received.push({ text: message.text, secret });
    reply.end();
  });
  onTestFinished(close);
  return { url, received, texts: () => received.map(({ text }) => text) };
}

describe.each(dialects)('apps that are managed through the API, on %s', (dialect) => {
  const { service, ask, call, addBot, addPerson, say } = serviceForAllTests(dialect);

  const add = (bot: PracticeBot, name: string, fields: object = {}) =>
    call<CreatedApp>('/api/bots/apps/add', { bot_id: bot.id, name, ...fields });
  const change = (app: App, fields: object) =>
    call<App>('/api/bots/apps/update', { id: app.id, ...fields });
  const post = async <T = App>(action: string, { id }: App) => {
    const path = `/api/bots/apps/${action}?id=${id}`;
    return (await ask(path, undefined, { method: 'POST' })).json as T;
  };
  async function bot(token: string, method: string, params: object = {}): Promise<Envelope> {
    const answer = await fetch(`${service().address}/bot${token}/${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(params),
    });
    return (await answer.json()) as Envelope;
  }
  const poll = async (token: string, params: object = { timeout: 50 }) =>
    (await bot(token, 'getUpdates', params)).result as Update[];
  const texts = (updates: readonly Update[]) => updates.map(({ message }) => message.text);

  it('deliver to the backend of an app beside that of the bot, and hand its queue to polls', async () => {
    const [own, others] = [await startBackend(), await startBackend()];
    const shop = await addBot({ backend_url: own.url, proxy_enabled: true });
    const anna = await addPerson('Anna');
    const secret_token = 'a-long-enough-secret';
    const app = await add(shop, 'crm', { mode: 'webhook', backend_url: others.url, secret_token });
    await say(anna, shop, 'one');
    await vi.waitFor(() => {
      expect(own.texts()).toEqual(['one']);
      expect(others.received).toEqual([{ text: 'one', secret: secret_token }]);
    });

    await change(app, { mode: 'poll' });
    await say(anna, shop, 'two');
    expect(texts(await poll(app.token))).toEqual(['two']);
    await vi.waitFor(() => expect(own.texts()).toEqual(['one', 'two']));
    expect(others.texts()).toEqual(['one']);

    // Not confirmed yet, so the webhook gets it again.
    await change(app, { mode: 'webhook' });
    await vi.waitFor(() => expect(others.texts()).toEqual(['one', 'two']));
  });

  it('give an update to an exclusive app alone, by the settings of the moment it arrives', async () => {
    const shop = await addBot();
    const anna = await addPerson('Anna');
    const orders = await add(shop, 'orders', { filter: { commands: ['order'] }, exclusive: true });
    const report = await add(shop, 'report');
    await say(anna, shop, '/order tea');
    await say(anna, shop, 'hello');
    expect(texts(await poll(orders.token))).toEqual(['/order tea']);
    expect(texts(await poll(report.token))).toEqual(['hello']);
    await change(orders, { exclusive: false });
    await say(anna, shop, '/order cake');
    const last = await vi.waitFor(async () => {
      const updates = await poll(report.token);
      expect(updates).toHaveLength(2);
      return texts(updates);
    });
    expect(last).toEqual(['hello', '/order cake']);
  });

  it('take a new token at once, and none while disabled or deleted', async () => {
    const shop = await addBot();
    const app = await add(shop, 'crm');
    async function pollThatWaits(polling: string) {
      const answer = bot(polling, 'getUpdates', { timeout: 30 });
      await vi.waitFor(async () => {
        const { readers } = await call<Readers>(`/api/bots/readers?bot_id=${shop.id}`);
        expect(readers).toContainEqual(expect.objectContaining({ name: 'crm', waiting: true }));
      });
      return { answer };
    }
    expect(await bot(app.token, 'getMe')).toMatchObject({ ok: true });
    const former = await pollThatWaits(app.token);
    const { token } = await post<CreatedApp>('rotate', app);
    expect(await former.answer).toEqual({ ok: true, result: [] });
    expect(await bot(app.token, 'getMe')).toMatchObject({ error_code: 401 });
    expect(await bot(token, 'getMe')).toMatchObject({ ok: true });
    await post('toggle-disabled', app);
    expect(await bot(token, 'getMe')).toMatchObject({ error_code: 403 });
    await post('toggle-disabled', app);
    const waiting = await pollThatWaits(token);
    await post('delete', app);
    expect(await bot(token, 'getMe')).toMatchObject({ error_code: 401 });
    // Its next poll is refused as well.
    expect(await waiting.answer).toEqual({ ok: true, result: [] });
    expect(await call<App[]>(`/api/bots/apps?bot_id=${shop.id}`)).toHaveLength(1);
  });

  it('forbid methods, and count what an app sends', async () => {
    const shop = await addBot();
    const anna = await addPerson('Anna');
    await say(anna, shop, 'hello');
    const app = await add(shop, 'crm', { mode: 'send', methods: ['sendMessage'] });
    const send = { chat_id: anna.id, text: 'hi' };
    expect(await bot(app.token, 'sendMessage', send)).toMatchObject({ ok: true });
    expect(await bot(app.token, 'deleteMessage', { chat_id: anna.id })).toMatchObject({
      error_code: 403,
    });
    expect(await bot(app.token, 'getUpdates')).toMatchObject({ error_code: 403 });
    await vi.waitFor(
      async () => {
        const [, listed] = await call<App[]>(`/api/bots/apps?bot_id=${shop.id}`);
        expect(listed).toMatchObject({ name: 'crm', sent: 1 });
      },
      { interval: 200 },
    );
  });
});
