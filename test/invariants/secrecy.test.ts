import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { type Database, eitherDialect } from '../support/database/engines.ts';
import { adminKey, type CallOptions } from '../support/service-process.ts';
import { idOf, message } from './support/held-platform.ts';
import { inspect } from './support/reconcile.ts';
import { addBot, createStage } from './support/stage.ts';

const token = '7501:AAmarkTokenOfTheBot';
const hookedToken = '7502:AAmarkTokenHooked';
const badToken = '7503:AAmarkTokenRefused';
const wrongKey = `brs_${'markWrongKey'.repeat(4)}`;
const masterKey = 'markMasterKey, which is longer than 32 characters';
const words = {
  secret: 'markSecretWord',
  password: 'markPassword-of-a-person',
  modelKey: 'markModelKey',
  text: 'markText of a message',
  answer: 'markAnswer of a backend',
  address: 'markSecretInAnAddress',
};

/** Everything in the database, as bytes or as text. */
async function contentOf(database: Database): Promise<string> {
  if (database.dialect === 'sqlite') {
    const files = readdirSync(database.dataDir).filter((name) => name.startsWith('relay.db'));
    expect(files).toContain('relay.db');
    return files
      .map((name) => readFileSync(path.join(database.dataDir, name)).toString('latin1'))
      .join('\n');
  }
  return inspect(database, async (engine) => {
    const tables = await engine.readRaw<{ name: string }>(
      `select table_name as name from information_schema.tables where table_schema = 'public'`,
      [],
    );
    const rows: string[] = [];
    for (const { name } of tables) {
      const all = await engine.readRaw<{ row: string }>(`select t::text as row from ${name} t`, []);
      rows.push(name, ...all.map(({ row }) => row));
    }
    return rows.join('\n');
  });
}

describe.each(eitherDialect)('invariant 9 on %s', (dialect) => {
  it('no token, secret, key or text reaches a log line, an error or, sealed, the disk', async () => {
    const { database, platform, sink, start } = await createStage(dialect);
    const service = await start({ RELAY_LOG_LEVEL: 'trace', RELAY_SECRET_KEY: masterKey });
    const refusals: { what: string; status: number; text: string }[] = [];
    /** A request that must fail, whose answer is looked at. */
    const fail = async (what: string, options: CallOptions = {}) => {
      const answer = await service.request(what, options);
      refusals.push({ what, status: answer.status, text: await answer.text() });
    };
    platform.onCall = (call) => {
      const description = `Bad Request: bot${call.token} cannot say it`;
      call.answer(400, { ok: false, error_code: 400, description });
    };
    // Apps often put their token, or another secret, into the URL of their webhook.
    const settings = { proxy_enabled: true, secret_token: words.secret, long_poll_enabled: true };
    const bot = await addBot(service, {
      token,
      backend_url: `${sink.url}/${token}/${words.address}`,
      ...settings,
    });
    const hooked = await addBot(service, {
      token: hookedToken,
      backend_url: `http://127.0.0.1:9/nobody-here/${hookedToken}?key=${words.address}`,
      webhook_mode: true,
      ...settings,
    });
    await vi.waitFor(() => expect(platform.webhook(hookedToken)).toBeDefined());
    const hookSecret = platform.webhook(hookedToken)?.secret ?? '';
    const made = await service.call<{ id: number; key: string }>('/api/auth/api-keys', {
      name: 'a key',
      scope: 'read',
    });
    await service.call('/api/auth/users/create', { username: 'ann', password: words.password });
    await service.call('/api/llm-config', {
      api_url: 'http://127.0.0.1:9/v1',
      api_key: words.modelKey,
      model: 'm',
      enabled: true,
    });

    // The backend fails, then answers with more than it should.
    sink.respond = ({ updateId }, response) =>
      updateId < 3
        ? void response.writeHead(500).end(`${words.answer} ${token}`)
        : void response.writeHead(200).end(JSON.stringify({ method: words.answer, token }));
    for (const id of [1, 2, 3]) platform.deal(token, message(id, id, words.text));
    const post = (body: string, secret = hookSecret) =>
      service.request(`/hooks/telegram/${hooked.id}`, {
        body,
        headers: { 'x-telegram-bot-api-secret-token': secret },
        key: '',
      });
    expect((await post(JSON.stringify(message(1, 5, words.text)))).status).toBe(200);
    await sink.reached(4);

    // Requests rejected for their body, key or path.
    // Each into its own chat: sends into one chat would wait for each other.
    let chats = 100;
    const send = () => ({ bot_id: bot.id, chat_id: ++chats, text: words.text });
    const wrongSecret = { 'x-telegram-bot-api-secret-token': `${words.secret}x` };
    const rightSecret = { 'x-telegram-bot-api-secret-token': words.secret };
    for (const body of [
      `{"bot_id": 1, "text": "${words.text}`,
      { ...send(), message: words.text },
      { ...send(), chat_id: words.text },
      { ...send(), text: words.text.repeat(500) },
      send(),
    ]) {
      await fail('/api/messages/send', { body });
    }
    await fail('/api/messages/send', { body: send(), key: wrongKey });
    await fail('/api/messages/send', { body: send(), key: made.key });
    await fail(`/api/messages/send?key=${wrongKey}`, { body: send() });
    await fail('/api/bots/add', { body: { token } });
    await fail('/api/bots/add', { body: { token: `${badToken} ` } });
    await fail('/api/bots/add', { body: { token: badToken, secret_token: `${words.secret} !` } });
    await fail('/api/bots/add', { body: { token: badToken, backend_url: `x://h/${badToken}` } });
    await fail('/api/bots/update', { body: { id: bot.id, token: badToken } });
    await fail('/api/auth/sign-in', { body: { username: 'ann', password: `${words.password}x` } });
    await fail('/api/auth/api-keys/delete', { body: { key: made.key } });
    await fail(`/api/bots?token=${token}`);
    await fail(`/api/bot${token}/getMe`);
    await fail(`/nothing/bot${token}/getMe`, { body: {} });
    await fail(`/nothing/bot${encodeURIComponent(token)}/getMe`, { body: {} });
    await fail(`/tgapi/bot${badToken}/sendMessage?text=${words.text}`, { key: '' });
    await fail(`/file/bot${badToken}/photos/file.jpg`, { key: '' });
    await fail(`/hooks/backend/${bot.id}`, {
      body: { method: 'sendMessage' },
      headers: wrongSecret,
    });
    await fail(`/hooks/backend/${bot.id}`, {
      body: `{"method": "${words.text}`,
      headers: rightSecret,
    });
    for (const answer of [
      await post(`{"update_id": "${words.text}"`),
      await post('{}', `${hookSecret}x`),
    ]) {
      refusals.push({ what: 'hook', status: answer.status, text: await answer.text() });
    }
    expect(refusals.filter(({ status }) => status < 400)).toEqual([]);

    // The platform misbehaves in every way it can.
    const waysToFail = [
      (call: { cut(): void }) => call.cut(),
      (call: { answer(status: number, body: unknown): void }) =>
        call.answer(502, `<html>${token} ${words.text}</html>`),
      (call: { answer(status: number, body: unknown): void }) =>
        call.answer(401, { ok: false, error_code: 401, description: `Unauthorized ${token}` }),
      (call: { answer(status: number, body: unknown): void }) =>
        call.answer(500, { ok: false, error_code: 500, description: `Oops ${token}` }),
    ];
    for (const way of waysToFail) {
      platform.onCall = way;
      await fail('/api/messages/send', { body: send() });
      const call = { method: 'sendMessage', ...send() };
      await fail(`/hooks/backend/${bot.id}`, { body: call, headers: rightSecret });
    }
    const gatewayCall = { body: { chat_id: 5, text: words.text }, key: '' };
    platform.onCall = (call) => call.cut();
    await fail(`/bot${token}/sendMessage`, gatewayCall);
    await platform.close();
    platform.deal(token, message(4, 1, words.text));
    await fail('/api/messages/send', { body: send() });
    await fail(`/bot${token}/sendMessage`, gatewayCall);
    await fail('/api/bots/validate', { body: { token: badToken } });
    await vi.waitFor(async () => {
      const bots = await service.call<{ id: number; last_error: string }[]>('/api/bots');
      const troubled = bots.find(({ id }) => id === bot.id)?.last_error ?? '';
      expect(troubled).not.toBe('');
      refusals.push({ what: 'last_error', status: 0, text: troubled });
    });
    const deliveries = await service.call<unknown>(`/api/deliveries?bot_id=${bot.id}`);
    refusals.push({ what: 'deliveries', status: 0, text: errorsOf(deliveries) });
    for (const what of ['/api/bots', '/api/attention']) {
      await vi.waitFor(async () => {
        const answer = await service.request(what, { key: made.key });
        const text = await answer.text();
        refusals.push({ what, status: answer.status, text });
        expect(text).toContain('http://127.0.0.1:9/***?***');
      });
    }
    const end = await service.stop();
    expect(end.code).toBe(0);
    expect(end.stderr).toContain('"level"');

    const secrets = [
      token.split(':')[1],
      hookedToken.split(':')[1],
      badToken.split(':')[1],
      words.secret,
      words.password,
      words.modelKey,
      words.address,
      adminKey,
      made.key,
      wrongKey,
      masterKey,
      hookSecret,
    ] as string[];
    const shown = (content: string, markers: string[]) =>
      markers.filter((marker) => content.includes(marker));
    const output = end.stdout + end.stderr;
    expect(shown(output, [...secrets, words.text, words.answer])).toEqual([]);
    const leaking = refusals.filter(
      ({ text }) => shown(text, [...secrets, words.text, words.answer]).length > 0,
    );
    expect(leaking).toEqual([]);
    const content = await contentOf(database);
    expect(content).toContain(words.text);
    expect(content).toContain(String(idOf(token)));
    expect(shown(content, secrets)).toEqual([]);
  });
});

/** The errors of deliveries; the backend's own answer is shown on purpose. */
function errorsOf(deliveries: unknown): string {
  return JSON.stringify(deliveries, (name, value: unknown) => (name === 'answer' ? '' : value));
}
