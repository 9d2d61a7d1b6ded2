import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { eitherDialect } from '../support/database/engines.ts';
import { type LocalServer, serve } from '../support/local-server.ts';
import { createHoldableClock } from '../support/rigs/holdable-clock.ts';
import { type Person, type PracticeBot, serviceForEachTest } from '../support/whole-service.ts';

interface Update {
  update_id: number;
  message?: { text: string };
  callback_query?: { data: string };
}

interface App {
  id: number;
  name: string;
  token: string;
}

const wordsOf = ({ message, callback_query }: Update) => message?.text ?? callback_query?.data;
const buttons = (data: string) =>
  JSON.stringify({ inline_keyboard: [[{ text: data, callback_data: data }]] });

describe.each(eitherDialect)('apps of a running service, on %s', (dialect) => {
  const clock = createHoldableClock();
  const service = serviceForEachTest(dialect, {}, { clock });
  let bot: PracticeBot;
  let ann: Person;
  /** Takes what is posted to it; the path tells the app. */
  let backend: LocalServer;
  let arrived: { path: string; words: string | undefined }[];
  let answerOf: (path: string, update: Update) => object | Promise<object>;

  beforeEach(async () => {
    bot = await service.addBot({ long_poll_enabled: true });
    ann = await service.addPerson('Ann');
    arrived = [];
    answerOf = () => ({});
    backend = await serve(async (request, response) => {
      const chunks = (await request.toArray()) as Buffer[];
      const update = JSON.parse(Buffer.concat(chunks).toString()) as Update;
      const path = request.url ?? '';
      arrived.push({ path, words: wordsOf(update) });
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(await answerOf(path, update)));
      backend.server.emit('taken');
    });
  });
  afterEach(async () => {
    clock.release();
    await backend.close();
  });

  const addApp = (name: string, settings: object = {}) =>
    service.call<App>('/api/bots/apps/add', { bot_id: bot.id, name, ...settings });
  async function api<T = unknown>(base: string, method: string, params: object = {}): Promise<T> {
    const answer = await fetch(`${service.service().address}${base}/${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(params),
    });
    const { ok, result, description } = (await answer.json()) as {
      ok: boolean;
      result: T;
      description?: string;
    };
    expect(ok, description).toBe(true);
    return result;
  }
  /** Everything that waits for a client, up to these words. */
  async function receivedUntil(base: string, last: string): Promise<(string | undefined)[]> {
    const all: (string | undefined)[] = [];
    for (let offset = 0; !all.includes(last); ) {
      const updates = await api<Update[]>(base, 'getUpdates', { offset, timeout: 5 });
      all.push(...updates.map(wordsOf));
      offset = (updates.at(-1)?.update_id ?? -1) + 1;
    }
    return all;
  }
  async function taken(path: string, words: string): Promise<void> {
    while (!arrived.some((one) => one.path === path && one.words === words)) {
      await once(backend.server, 'taken');
    }
  }
  const at = (path: string) => arrived.filter((one) => one.path === path).map(({ words }) => words);
  const say = (text: string, more: object = {}) =>
    service.call('/api/sandbox/say', { user: ann.id, chat: bot.platformId, text, ...more });
  const press = (message: number, button: string) =>
    service.call('/api/sandbox/press', {
      user: ann.id,
      chat: bot.platformId,
      message_id: message,
      button,
    });

  it('gives presses and replies to the app that sent the message, and all else to everyone', async () => {
    const shop = await addApp('shop', { own_replies: true });
    const help = await addApp('help', { own_replies: true });
    const audit = await addApp('audit');
    await say('hello');
    const send = (app: App, text: string) =>
      api<{ message_id: number }>(`/bot${app.token}`, 'sendMessage', {
        chat_id: ann.id,
        text,
        reply_markup: buttons(`${app.name}!`),
      });
    // The press follows at once, as no person could.
    const sent = await send(shop, 'Buy?');
    await press(sent.message_id, 'shop!');
    const asked = await send(help, 'How can I help?');
    await press(asked.message_id, 'help!');
    await say('to the shop', { reply_to: sent.message_id });
    const plain = await send(audit, 'Nobody waits for this');
    await press(plain.message_id, 'audit!');
    await say('bye');
    expect(await receivedUntil(`/bot${shop.token}`, 'bye')).toEqual([
      'hello',
      'shop!',
      'to the shop',
      'audit!',
      'bye',
    ]);
    expect(await receivedUntil(`/p/help/bot${bot.token}`, 'bye')).toEqual([
      'hello',
      'help!',
      'audit!',
      'bye',
    ]);
    for (const base of [`/bot${audit.token}`, `/bot${bot.token}`]) {
      expect(await receivedUntil(base, 'bye')).toEqual(['hello', 'audit!', 'bye']);
    }
  });

  it('does so for what an app sends in the answer to its webhook, unless it may not send', async () => {
    answerOf = (path, { message }) =>
      message?.text === 'go'
        ? { method: 'sendMessage', chat_id: ann.id, text: path, reply_markup: buttons(path) }
        : {};
    const settings = { mode: 'webhook', own_replies: true };
    const shop = await addApp('shop', { ...settings, backend_url: `${backend.url}/shop` });
    await addApp('mute', {
      ...settings,
      backend_url: `${backend.url}/mute`,
      methods: ['!sendMessage'],
    });
    await say('go');
    interface Send {
      state: string;
      error: string;
      method: string;
    }
    let sends: Send[] = [];
    while (sends.filter(({ state }) => state !== 'queued' && state !== 'sending').length < 2) {
      sends = await service.call<Send[]>(`/api/outbox?bot_id=${bot.id}`);
    }
    expect(sends.map(({ state, error }) => [state, error]).sort()).toEqual([
      ['failed', expect.stringMatching(/^App mute may not call sendMessage\./)],
      ['sent', ''],
    ]);
    const seen = await service.seen<{ text?: string; message_id: number }>(ann, bot.platformId);
    expect(seen.map(({ text }) => text)).toEqual(['go', '/shop']);
    await press(seen[1]?.message_id ?? 0, '/shop');
    await say('bye');
    await taken('/shop', 'bye');
    await taken('/mute', 'bye');
    expect(at('/shop')).toEqual(['go', '/shop', 'bye']);
    expect(at('/mute')).toEqual(['go', 'bye']);
    expect(await receivedUntil(`/bot${bot.token}`, 'bye')).toEqual(['go', 'bye']);
    const list = () =>
      service.call<(App & { sent: number; last_seen_at: string | null })[]>(
        `/api/bots/apps?bot_id=${bot.id}`,
      );
    let counted = await list();
    while (!counted.some(({ id, sent }) => id === shop.id && sent === 1)) counted = await list();
    expect(counted.find(({ name }) => name === 'mute')).toMatchObject({ sent: 0 });
  });

  it('sends messages at once although an app streams answers by edits and drafts', async () => {
    answerOf = () => ({ method: 'sendMessage', chat_id: ann.id, text: 'answer' });
    const agent = await addApp('agent', { mode: 'webhook', backend_url: `${backend.url}/agent` });
    const base = `/bot${agent.token}`;
    const chat = { chat_id: ann.id };
    await say('hello');
    await vi.waitFor(async () => expect(await service.seen(ann, bot.platformId)).toHaveLength(2));
    const { message_id } = await api<{ message_id: number }>(base, 'sendMessage', {
      ...chat,
      text: '…',
    });
    for (let step = 1; step <= 30; step++) {
      await api(base, 'sendMessageDraft', { ...chat, draft_id: 1, text: `${step}` });
      await api(base, 'editMessageText', { ...chat, message_id, text: `${step}` });
    }
    await service.call('/api/messages/send', { bot_id: bot.id, ...chat, text: 'note' });
    await say('and?');
    await vi.waitFor(async () => {
      const seen = await service.seen<{ text?: string }>(ann, bot.platformId);
      expect(seen.map(({ text }) => text)).toEqual([
        'hello',
        'answer',
        '30',
        'note',
        'and?',
        'answer',
      ]);
    });
  });

  it('holds a chat back for as long as Telegram tells an app to wait there', async () => {
    await say('hello');
    const fault = { kind: 'too_many_requests', method: 'sendMessage', times: 1 };
    await service.call('/api/sandbox/faults/add', { ...fault, retry_after_seconds: 60 });
    const { address } = service.service();
    const path = `/bot${bot.token}/sendMessage?chat_id=${ann.id}&text=x`;
    expect(await (await fetch(address + path)).json()).toMatchObject({ error_code: 429 });
    const note = { bot_id: bot.id, chat_id: ann.id, text: 'note' };
    expect(await service.ask('/api/messages/send', note)).toMatchObject({
      status: 429,
      json: { code: 'rate_limited' },
    });
  });

  it('counts what Telegram refuses an app, and the bot itself as the app default', async () => {
    const agent = await addApp('agent');
    await say('hello');
    await service.call('/api/sandbox/faults/add', {
      kind: 'too_many_requests',
      retry_after_seconds: 7,
    });
    const { address } = service.service();
    const refused = async (token: string, method: string) => {
      const path = `/bot${token}/${method}?chat_id=${ann.id}&text=x&action=typing`;
      expect(await (await fetch(address + path)).json()).toMatchObject({ error_code: 429 });
    };
    for (const method of ['sendMessage', 'sendChatAction']) await refused(agent.token, method);
    await refused(bot.token, 'sendMessage');
    const list = () =>
      service.call<(App & { rate_limited: number })[]>(`/api/bots/apps?bot_id=${bot.id}`);
    let apps = await list();
    while (apps.some(({ rate_limited: count }) => count === 0)) apps = await list();
    const last = { last_retry_after: 7, last_rate_limited_at: expect.stringMatching(/^20/) };
    expect(apps).toMatchObject([
      { name: 'default', rate_limited: 1, ...last },
      { name: 'agent', rate_limited: 2, ...last },
    ]);
  });

  it('sends what deliveries in flight are answered with, when pending updates are dropped', async () => {
    const people = [ann, await service.addPerson('Bob')];
    const answers = people.map(() => Promise.withResolvers<object>());
    answerOf = (_, { message }) => answers[Number(message?.text)]?.promise ?? {};
    const { token } = await addApp('shop');
    const webhook = { url: `${backend.url}/shop`, drop_pending_updates: true };
    await api(`/bot${token}`, 'setWebhook', webhook);
    for (const [n, person] of people.entries()) await say(String(n), { user: person.id });
    await vi.waitFor(() => expect(at('/shop').sort()).toEqual(['0', '1']));
    // Deliveries in flight have 600 ms.
    clock.hold();
    const dropped = api(`/bot${token}`, 'setWebhook', webhook);
    // The call is under way by then.
    for (let n = 0; n < 5; n++) await api(`/bot${token}`, 'getWebhookInfo');
    for (const [n, person] of people.entries()) {
      answers[n]?.resolve({ method: 'sendMessage', chat_id: person.id, text: 'answer' });
      await vi.waitFor(async () => {
        const seen = await service.seen<{ text?: string }>(person, bot.platformId);
        expect(seen.map(({ text }) => text)).toEqual([String(n), 'answer']);
      });
    }
    clock.release();
    await dropped;
  });

  it('keeps two clients apart that know only a base URL, whatever they do to their webhooks', async () => {
    await addApp('a');
    await addApp('b');
    const [a, b] = ['a', 'b'].map((name) => `/p/${name}/bot${bot.token}`) as [string, string];
    const on = (base: string, path: string) =>
      api(base, 'setWebhook', {
        url: backend.url + path,
        allowed_updates: ['message'],
        secret_token: 'n8n',
        drop_pending_updates: true,
      });
    await on(a, '/a');
    await on(b, '/b');
    await say('two workflows');
    await taken('/a', 'two workflows');
    await taken('/b', 'two workflows');
    await api(a, 'deleteWebhook');
    await say('after a off');
    await taken('/b', 'after a off');
    expect(await api(a, 'getWebhookInfo')).toMatchObject({ url: '', pending_update_count: 1 });
    expect(await api(b, 'getWebhookInfo')).toMatchObject({ url: `${backend.url}/b` });
    await on(a, '/a');
    await api(`/bot${bot.token}`, 'deleteWebhook', { drop_pending_updates: true });
    await say('a on again');
    await taken('/a', 'a on again');
    await taken('/b', 'a on again');
    await api(b, 'deleteWebhook');
    await say('b off');
    await taken('/a', 'b off');
    expect(at('/a')).toEqual(['two workflows', 'a on again', 'b off']);
    expect(at('/b')).toEqual(['two workflows', 'after a off', 'a on again']);
    expect(await receivedUntil(b, 'b off')).toEqual(['b off']);
    expect(await receivedUntil(`/bot${bot.token}`, 'b off')).toEqual(['a on again', 'b off']);
  });
});
