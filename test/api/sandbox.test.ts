import type { TSchema } from 'typebox';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createApiClient, overHttp } from '../../src/api-client.ts';
import { readSettings, toConfig } from '../../src/config.ts';
import { sandboxEndpoints } from '../../src/http/api/sandbox/sandbox.ts';
import { asJsonSchema } from '../../src/http/schemas.ts';
import { createLogger } from '../../src/logger.ts';
import { type Service, startService } from '../../src/main.ts';
import { controlActions } from '../../sandbox/src/index.ts';
import { createDatabase, type Database } from '../support/database/engines.ts';

describe('the API', () => {
  it('offers every action of the sandbox, by the same name', () => {
    const offered = sandboxEndpoints({ actions: controlActions, act: undefined, fileOf: undefined })
      .filter(({ path }) => !['/api/sandbox/bots', '/api/sandbox/file'].includes(path))
      .map(({ method, path }) => `${method} ${path}`);
    const known = Object.entries(controlActions).map(
      ([name, { reads }]) => `${reads ? 'GET' : 'POST'} /api/sandbox/${name}`,
    );
    expect(offered.toSorted()).toEqual(known.toSorted());
  });

  it('takes the same fields for each of them', () => {
    const endpoints = sandboxEndpoints({
      actions: controlActions,
      act: undefined,
      fileOf: undefined,
    });
    for (const [name, { fields }] of Object.entries(controlActions)) {
      const { query, body } = endpoints.find(({ path }) => path === `/api/sandbox/${name}`) ?? {};
      const { properties = {} } = asJsonSchema((query ?? body) as TSchema);
      expect(Object.keys(properties), name).toEqual(Object.keys(fields));
    }
  });
});

describe('the sandbox over the API', () => {
  let database: Database;
  let service: Service;
  let bot: { id: number; token: string; username: string };

  const client = () => createApiClient(service.localKey, overHttp(service.address));
  const act = <T = Record<string, unknown>>(action: string, body: Record<string, unknown> = {}) =>
    client().post(`/api/sandbox/${action}` as '/api/sandbox/say', { body } as never) as Promise<T>;
  const method = async (name: string, params: object = {}) => {
    const response = await fetch(`${service.address}/sandbox/bot${bot.token}/${name}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(params),
    });
    return (await response.json()) as { ok: boolean; description?: string; result: never };
  };

  beforeAll(async () => {
    database = await createDatabase('sqlite');
    const env = { ...database.settings, PORT: '0', RELAY_SECRET_KEY: 'k'.repeat(40) };
    const config = toConfig(readSettings({ env, workingDir: database.dataDir }));
    const logger = createLogger({ level: 'silent' });
    service = await startService(config, { logger, sandboxSeed: 4 });
    bot = await act('bots', { username: 'api_bot', inline_mode: true });
    await act('users/create', { first_name: 'Ann', username: 'ann' });
    await act('say', { user: 'ann', chat: 'api_bot', text: '/start' });
  });
  afterAll(async () => {
    await service.close();
    await database.drop();
  });

  it('sends a place, a contact, a venue or a dice', async () => {
    const at = { user: 'ann', chat: 'api_bot' };
    const location = { latitude: 59.3, longitude: 18.1 };
    expect(await act('send-content', { ...at, location })).toMatchObject({ location });
    const dice = { emoji: '🎲', value: 4 };
    expect(await act('send-content', { ...at, dice })).toMatchObject({ dice });
    await expect(act('send-content', at)).rejects.toThrow('Set one of "location"');
  });

  it.each([
    ['users/create', { first_name: 'Ann', username: 'ann' }, 409, 'conflict', 'name_taken'],
    ['say', { user: 'nobody', chat: 'api_bot', text: 'hi' }, 404, 'not_found', 'no_user'],
    ['send-content', { user: 'ann', chat: 'api_bot' }, 400, 'invalid_request', 'content_needed'],
  ])('tells by codes why it refuses: %s %j', async (action, body, status, code, refusal) => {
    const response = await fetch(`${service.address}/api/sandbox/${action}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.localKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({
      code,
      reason_code: 'sandbox_refused',
      params: { refusal },
    });
  });

  it('shows the files of messages: pictures in place, everything else as a download', async () => {
    const at = { user: 'ann', chat: 'api_bot' };
    const fetched = (id: string, key = service.localKey) =>
      fetch(`${service.address}/api/sandbox/file?id=${id}`, {
        headers: { authorization: `Bearer ${key}` },
      });
    const { photo } = await act<{ photo: { file_id: string; file_size: number }[] }>(
      'send-media',
      at,
    );
    const { file_id = '', file_size } = photo.at(-1) ?? {};
    const picture = await fetched(file_id);
    expect(picture.headers.get('content-type')).toMatch(/^image\/(png|jpeg)$/);
    expect(picture.headers.get('x-content-type-options')).toBe('nosniff');
    expect((await picture.arrayBuffer()).byteLength).toBe(file_size);

    const data = Buffer.from('<script>alert(1)</script>').toString('base64');
    const { document } = await act<{ document: { file_id: string } }>('send-media', {
      ...at,
      kind: 'document',
      name: 'страница.html',
      data,
    });
    const page = await fetched(document.file_id);
    expect(page.headers.get('content-type')).toBe('application/octet-stream');
    expect(page.headers.get('content-disposition')).toMatch(/^attachment;/);
    expect(await page.text()).toBe('<script>alert(1)</script>');

    expect((await fetched('f999')).status).toBe(404);
    expect((await fetched(file_id, 'wrong')).status).toBe(401);
  });

  it('asks a bot inline and takes what it offers', async () => {
    const { id } = await act<{ id: string }>('inline-query', {
      user: 'ann',
      chat: 'api_bot',
      bot: 'api_bot',
      query: 'tea',
    });
    const results = [
      { type: 'article', id: 'a', title: 'T', input_message_content: { message_text: 'Tea!' } },
    ];
    expect(await client().get('/api/sandbox/inline-results', { id })).toEqual({ pending: true });
    expect((await method('answerInlineQuery', { inline_query_id: id, results })).ok).toBe(true);
    expect(await client().get('/api/sandbox/inline-results', { id })).toEqual(results);
    expect(await act('inline-choose', { id, result_id: 'a' })).toMatchObject({ text: 'Tea!' });
  });

  it('lets a guard bot decide who joins, after its web app', async () => {
    const guard = await act<{ token: string }>('bots', {
      username: 'guard_bot',
      join_request_queries: true,
    });
    const call = async (name: string, params: object = {}) => {
      const response = await fetch(`${service.address}/sandbox/bot${guard.token}/${name}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(params),
      });
      return (await response.json()) as { result: { chat_join_request?: { query_id: string } }[] };
    };
    const at = { user: 'newcomer', chat: 'guarded' };
    await act('users/create', { first_name: 'Nina', username: 'newcomer' });
    await act('chats/create', { title: 'Guarded', username: 'guarded', owner: 'ann' });
    await act('chats/promote', { user: 'guard_bot', chat: 'guarded', by: 'ann' });
    await act('chats/guard-bot', { chat: 'guarded', by: 'ann', bot: 'guard_bot' });
    expect(await act('chats/join', at)).toEqual({ status: 'asked' });
    const { result } = await call('getUpdates');
    const chat_join_request_query_id = result.at(-1)?.chat_join_request?.query_id;
    const web_app_url = 'https://captcha.example/';
    await call('sendChatJoinRequestWebApp', { chat_join_request_query_id, web_app_url });
    const status = () => client().get('/api/sandbox/chats/join-status', at);
    expect(await status()).toMatchObject({ status: 'web_app', web_app: { url: web_app_url } });
    const opened = await act<{ init_data: string }>('chats/join-web-app', at);
    expect(new URLSearchParams(opened.init_data).get('chat_join_request_query_id')).toBe(
      chat_join_request_query_id,
    );
    await call('answerChatJoinRequestQuery', { chat_join_request_query_id, result: 'queue' });
    expect(await status()).toEqual({ status: 'requested' });
    await act('chats/answer-request', { ...at, by: 'ann' });
    expect(await status()).toEqual({ status: 'joined' });
  });

  it('pays an invoice', async () => {
    const invoice_link = (
      await method('createInvoiceLink', {
        title: 'Tea',
        description: 'A pot',
        payload: 'p',
        currency: 'EUR',
        provider_token: '1:TEST:x',
        prices: [{ label: 'Tea', amount: 400 }],
        is_flexible: true,
      })
    ).result as string;
    const order_info = { shipping_address: { country_code: 'SE', city: 'Stockholm' } };
    const { id } = await act<{ id: string }>('pay', { user: 'ann', invoice_link, order_info });
    const newest = async () => {
      const updates = (await method('getUpdates')).result as {
        shipping_query?: { id: string };
        pre_checkout_query?: { id: string };
      }[];
      return updates.at(-1);
    };
    await method('answerShippingQuery', {
      shipping_query_id: (await newest())?.shipping_query?.id,
      ok: true,
      shipping_options: [{ id: 'post', title: 'Post', prices: [{ label: 'Post', amount: 50 }] }],
    });
    const status = () => client().get('/api/sandbox/pay/status', { id });
    expect(await status()).toMatchObject({ status: 'choose_shipping', total_amount: 400 });
    await act('pay/shipping', { id, option: 'post' });
    await method('answerPreCheckoutQuery', {
      pre_checkout_query_id: (await newest())?.pre_checkout_query?.id,
      ok: true,
    });
    expect(await status()).toMatchObject({ status: 'paid', total_amount: 450 });
  });

  it('speaks unseen in a group', async () => {
    const at = { user: 'ann', chat: 'whispers' };
    await act('chats/create', {
      title: 'Whispers',
      username: 'whispers',
      owner: 'ann',
      members: ['api_bot'],
    });
    const commands = [{ command: 'psst', description: 'Quietly', is_ephemeral: true }];
    await method('setMyCommands', { commands });
    const message = await act<{ chat: { id: number }; from: { id: number } }>('ephemeral/say', {
      ...at,
      text: '/psst',
    });
    const { ephemeral_message_id } = message as never;
    const sent = await method('sendMessage', {
      chat_id: message.chat.id,
      text: 'What?',
      ephemeral_message_parameters: { receiver_user_id: message.from.id },
      reply_parameters: { ephemeral_message_id },
      reply_markup: { inline_keyboard: [[{ text: 'Nothing', callback_data: 'x' }]] },
    });
    const answer = sent.result as { ephemeral_message_id: number };
    await act('ephemeral/press', {
      ...at,
      ephemeral_message_id: answer.ephemeral_message_id,
      button: 'Nothing',
    });
    expect(await client().get('/api/sandbox/ephemeral', at)).toMatchObject([
      { message: { text: '/psst' }, outgoing: true },
      { message: { text: 'What?' }, outgoing: false },
    ]);
  });

  it('limits sending, and lets time pass', async () => {
    const ann = (await client().get('/api/sandbox/snapshot')).users[0];
    const send = () => method('sendMessage', { chat_id: ann?.id, text: 'hello' });
    await act('flood-limits');
    // One a second: of so many at once, some are too soon on a slow machine as well.
    const sent = await Promise.all(Array.from({ length: 20 }, send));
    expect(sent.map(({ ok }) => ok)).toContain(true);
    expect(sent.map(({ description }) => description)).toContain(
      'Too Many Requests: retry after 1',
    );
    const { now } = await client().get('/api/sandbox/time');
    const later = await act<{ now: number; ahead_seconds: number }>('time/advance', {
      seconds: 600,
    });
    expect(later.ahead_seconds).toBe(600);
    expect(later.now).toBeGreaterThanOrEqual(now + 600);
    expect((await send()).ok).toBe(true);
    await act('flood-limits', { on: false });
    expect(await act('time/set', { now })).toMatchObject({ now });
    expect(await act('time/reset')).toMatchObject({ ahead_seconds: 0 });
    await expect(act('time/advance', { seconds: -1 })).rejects.toThrow('seconds');
  });

  it('takes bots by name, and tells what is wrong', async () => {
    await act('faults/add', { kind: 'unauthorized', bot: 'api_bot', method: 'getMe', times: 1 });
    expect((await method('getMe')).ok).toBe(false);
    await act('faults/clear', { bot: '@api_bot' });
    await expect(act('faults/add', { kind: 'rain' })).rejects.toThrow('kind must be one of');
    await expect(act('say', { user: 'nobody', chat: 'api_bot', text: 'x' })).rejects.toThrow(
      'Unknown user nobody. List users with GET /api/sandbox/snapshot.',
    );
  });

  it('takes and gives snake_case names beside the older ones', async () => {
    await act('faults/add', { kind: 'slow', bot: 'api_bot', delay_ms: 1, times: 1 });
    await act('faults/add', { kind: 'too_many_requests', retry_after_seconds: 3, times: 1 });
    await act('faults/add', { kind: 'too_many_requests', retryAfterSeconds: 4, times: 1 });
    expect(await client().get('/api/sandbox/faults/list')).toMatchObject([
      { delay_ms: 1, delayMs: 1, bot_id: expect.any(Number), botId: expect.any(Number) },
      { retry_after_seconds: 3, retryAfterSeconds: 3 },
      { retry_after_seconds: 4, retryAfterSeconds: 4 },
    ]);
    await act('faults/clear');
    const ann = (await act('users/create', { first_name: 'Ann' })) as { id: number };
    await act('say', { user: ann.id, chat: 'api_bot', text: '/start' });
    const keyboard = { inline_keyboard: [[{ text: 'Yes', callback_data: 'yes' }]] };
    const { result } = (await method('sendMessage', {
      chat_id: ann.id,
      text: 'Tea?',
      reply_markup: keyboard,
    })) as { result?: { message_id: number } };
    const press = { user: ann.id, chat: 'api_bot', message_id: result?.message_id, button: 'Yes' };
    const { id } = await act<{ id: string }>('press', press);
    await method('answerCallbackQuery', { callback_query_id: id, text: 'Soon', show_alert: true });
    expect(await client().get('/api/sandbox/callback-answer', { id })).toEqual({
      text: 'Soon',
      show_alert: true,
      showAlert: true,
    });
  });

  it('gives a new world the ids of its seed, but secret tokens', async () => {
    const other = await createDatabase('sqlite');
    onTestFinished(() => other.drop());
    const env = { ...other.settings, PORT: '0', RELAY_SECRET_KEY: 'k'.repeat(40) };
    const config = toConfig(readSettings({ env, workingDir: other.dataDir }));
    const logger = createLogger({ level: 'silent' });
    const again = await startService(config, { logger, sandboxSeed: 4 });
    onTestFinished(() => again.close());
    const body = { username: 'api_bot', inline_mode: true };
    const twin = await createApiClient(again.localKey, overHttp(again.address)).post(
      '/api/sandbox/bots',
      { body },
    );
    expect(twin.id).toBe(bot.id);
    expect(twin.token).not.toBe(bot.token);
  });
});
