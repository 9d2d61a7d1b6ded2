import { verbatim } from '../../src/core/reasons/reason.ts';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { RelayError } from '../../src/errors.ts';
import type { BotRecord } from '../../src/store/bots/bots.ts';
import { type GatewayApp, startGatewayApp } from './gateway-app.ts';

describe('POST /hooks/backend/<bot_id>', () => {
  let gateway: GatewayApp;
  let bot: BotRecord;

  beforeEach(async () => {
    gateway = await startGatewayApp();
    bot = await gateway.addBot({ secret_token: 'the_secret-1' });
  });
  afterEach(() => gateway.close());

  const call = (
    body: unknown,
    secret: string | undefined = 'the_secret-1',
    id: number | string = bot.id,
  ) =>
    gateway.call(`/hooks/backend/${id}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(secret === undefined ? {} : { 'x-telegram-bot-api-secret-token': secret }),
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });

  it('sends the call and answers when the platform did', async () => {
    gateway.onHookCall = async () => ({ message_id: 5 });
    const answer = await call({ method: 'sendMessage', chat_id: -100, text: 'hi' });
    expect(answer).toMatchObject({ status: 200, text: '{"ok":true,"result":{"message_id":5}}' });
    expect(gateway.hookCalls).toMatchObject([
      {
        botId: bot.id,
        method: 'sendMessage',
        params: { chat_id: -100, text: 'hi' },
        chatId: -100,
        priority: 'interactive',
        origin: 'hook',
      },
    ]);
    await call({ method: 'sendMessage', chat_id: '@name', text: 'hi' });
    expect(gateway.hookCalls.at(-1)?.chatId).toBe(0);
  });

  it('is refused without the right secret, and always for a bot that has none', async () => {
    const open = await gateway.addBot();
    const body = { method: 'sendMessage', chat_id: 1, text: 'x' };
    const refused = [
      await call(body, 'the_secret-2'),
      await call(body, ''),
      await call(body, undefined),
      await call(body, 'the_secret-1', 4711),
      await call(body, 'the_secret-1', 'x'),
    ];
    expect(refused.map(({ status }) => status)).toEqual([401, 401, 200, 401, 401]);
    const bare = await gateway.call(`/hooks/backend/${bot.id}`, { method: 'POST', body: '{}' });
    expect(bare.status).toBe(401);
    expect(bare.json).toMatchObject({ ok: false, error_code: 401 });
    for (const secret of ['', 'x', 'undefined']) {
      const answer = await call(body, secret, open.id);
      expect(answer).toMatchObject({ status: 403, json: { ok: false, error_code: 403 } });
    }
    expect(gateway.hookCalls.length).toBe(1);
    expect((await gateway.call(`/hooks/backend/${bot.id}`)).status).toBe(405);
  });

  it('limits wrong secrets per address before it compares them', async () => {
    const limited = await startGatewayApp({
      rateLimits: { perKeyPerSecond: 0, perAddressPerSecond: 1 },
    });
    onTestFinished(() => limited.close());
    const { id } = await limited.addBot({ secret_token: 'q7' });
    const call = async (secret: string, remoteAddress = '192.0.2.1') => {
      const answer = await limited.app.inject({
        method: 'POST',
        url: `/hooks/backend/${id}`,
        remoteAddress,
        headers: { 'x-telegram-bot-api-secret-token': secret },
        payload: { method: 'getMe' },
      });
      return answer.statusCode;
    };
    // Right calls are not counted, however many there are.
    for (let n = 0; n < 15; n++) expect(await call('q7', '198.51.100.1')).toBe(200);
    for (let n = 0; n < 10; n++) expect(await call(`q${n}x`)).toBe(401);
    expect(await call('wrong')).toBe(429);
    expect(await call('q7')).toBe(429);
    await limited.clock.advance(1_000);
    expect(await call('q7')).toBe(200);
  });

  it('limits guesses at a short secret over all addresses, but not a backend that is known', async () => {
    const limited = await startGatewayApp({
      rateLimits: { perKeyPerSecond: 0, perAddressPerSecond: 1 },
    });
    onTestFinished(() => limited.close());
    const { id } = await limited.addBot({ secret_token: 'the_secret-1' });
    const other = await limited.addBot({ secret_token: 'the_secret-1' });
    const call = async (secret: string, remoteAddress: string, botId = id) => {
      const answer = await limited.app.inject({
        method: 'POST',
        url: `/hooks/backend/${botId}`,
        remoteAddress,
        headers: { 'x-telegram-bot-api-secret-token': secret },
        payload: { method: 'getMe' },
      });
      return answer.statusCode;
    };
    expect(await call('the_secret-1', '198.51.100.1')).toBe(200);
    for (let n = 0; n < 10; n++) expect(await call(`guess ${n}`, `192.0.2.${n}`)).toBe(401);
    expect(await call('the_secret-1', '192.0.2.99')).toBe(429);
    expect(await call('the_secret-1', '198.51.100.1')).toBe(200);
    expect(await call('the_secret-1', '192.0.2.99', other.id)).toBe(200);
    const warnings = limited.logLines.filter((line) => line.includes('wrong secrets'));
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(`"bot_id":${id}`);
    await limited.clock.advance(1_000);
    expect(await call('the_secret-1', '192.0.2.99')).toBe(200);
  });

  it('never shuts a new backend out because others guess at a long secret', async () => {
    const limited = await startGatewayApp({
      rateLimits: { perKeyPerSecond: 0, perAddressPerSecond: 1 },
    });
    onTestFinished(() => limited.close());
    const secret = 'sixteen_letters_';
    const { id } = await limited.addBot({ secret_token: secret });
    const call = async (shown: string, remoteAddress: string) => {
      const answer = await limited.app.inject({
        method: 'POST',
        url: `/hooks/backend/${id}`,
        remoteAddress,
        headers: { 'x-telegram-bot-api-secret-token': shown },
        payload: { method: 'getMe' },
      });
      return answer.statusCode;
    };
    for (let n = 0; n < 30; n++) expect(await call('guess', `192.0.2.${n}`)).toBe(401);
    expect(await call(secret, '198.51.100.1')).toBe(200);
    for (let n = 0; n < 10; n++) await call('guess', '203.0.113.1');
    expect(await call(secret, '203.0.113.1')).toBe(429);
  });

  it('leaves uploaded files out', async () => {
    const form = new FormData();
    form.append('method', 'sendMessage');
    form.append('chat_id', '5');
    form.append('document', new File(['x'], 'x.txt'));
    const answer = await fetch(`${gateway.url}/hooks/backend/${bot.id}`, {
      method: 'POST',
      headers: { 'x-telegram-bot-api-secret-token': 'the_secret-1' },
      body: form,
    });
    expect(answer.status).toBe(200);
    expect(gateway.hookCalls.at(-1)?.params).toEqual({ chat_id: '5' });
  });

  it('refuses what is no call, and what the relay answers itself', async () => {
    for (const body of [
      '',
      '{',
      '[]',
      {},
      { method: 5 },
      { method: 'a/b' },
      { method: 'getUpdates' },
      { method: 'setWEBHOOK' },
    ]) {
      const answer = await call(body);
      expect(answer).toMatchObject({ status: 400, json: { ok: false, error_code: 400 } });
    }
    expect(gateway.hookCalls).toEqual([]);
  });

  it('gives the platform’s refusals in its own form', async () => {
    const upgraded = {
      description: 'Bad Request: group chat was upgraded to a supergroup chat',
      parameters: { migrate_to_chat_id: -1_001_234_567_890 },
    };
    const cases: [RelayError, number, string][] = [
      [
        new RelayError('platform_refused', verbatim('x'), {
          platform: { error_code: 400, description: 'Bad Request: chat not found' },
        }),
        400,
        'Bad Request: chat not found',
      ],
      [
        new RelayError('platform_refused', verbatim('x'), {
          platform: { error_code: 400, ...upgraded },
        }),
        400,
        upgraded.description,
      ],
      [
        new RelayError('platform_rate_limited', verbatim('x'), {
          platform: { error_code: 429, description: 'y' },
          retryAfterSeconds: 4,
        }),
        429,
        'Too Many Requests: retry after 4',
      ],
      [
        new RelayError('bot_disabled', verbatim('Bot 1 is disabled.')),
        409,
        'Conflict: Bot 1 is disabled.',
      ],
      [
        new RelayError('platform_unreachable', verbatim('It is away.')),
        502,
        'Bad Gateway: It is away.',
      ],
      [
        new RelayError('platform_timeout', verbatim('Who knows.')),
        504,
        'Gateway Timeout: Who knows.',
      ],
    ];
    for (const [error, status, description] of cases) {
      gateway.onHookCall = () => Promise.reject(error);
      const answer = await call({ method: 'sendMessage', chat_id: 1, text: 'x' });
      expect(answer.status).toBe(status);
      expect(answer.json).toMatchObject({ ok: false, error_code: status, description });
      if (status === 429) expect(answer.headers['retry-after']).toBe('4');
      if (description === upgraded.description) expect(answer.json).toMatchObject(upgraded);
    }
    gateway.onHookCall = () => Promise.reject(new Error('unexpected'));
    expect(await call({ method: 'sendMessage' })).toMatchObject({
      status: 500,
      json: { ok: false, error_code: 500, description: 'Internal Server Error' },
    });
  });
});
