import { deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { methodNames } from '../../../sandbox/src/method-names.ts';
import { unsupportedMethods } from '../../../sandbox/src/methods/registry.ts';
import { apiOf, scene } from '../helpers.ts';

describe('envelope and addressing', () => {
  test('1. success is {ok, result[, description]}, failure {ok, error_code, description}, the status equals error_code', async () => {
    const { api, url } = await scene();
    const me = await api.call('getMe');
    expect(me.status).toBe(200);
    expect(me.body).toEqual({ ok: true, result: expect.objectContaining({ is_bot: true }) });
    expect((await api.call('deleteWebhook')).body).toEqual({
      ok: true,
      result: true,
      description: 'Webhook is already deleted',
    });
    const failed = await api.call('sendMessage', { chat_id: 1, text: 'x' });
    expect(failed.status).toBe(400);
    expect(failed.body).toEqual({
      ok: false,
      error_code: 400,
      description: 'Bad Request: chat not found',
    });
    const stranger = await apiOf(url, '123:abc').call('getMe');
    expect(stranger).toMatchObject({
      status: 401,
      body: { ok: false, error_code: 401, description: 'Unauthorized' },
    });
  });

  test('2. 429 carries parameters.retry_after and a Retry-After header', async () => {
    const { api, sandbox, bot } = await scene();
    sandbox.fault({ kind: 'too_many_requests', botId: bot.id, retryAfterSeconds: 17, times: 1 });
    const { status, headers, body } = await api.call('getMe');
    expect(status).toBe(429);
    expect(headers.get('retry-after')).toBe('17');
    expect(body).toEqual({
      ok: false,
      error_code: 429,
      description: 'Too Many Requests: retry after 17',
      parameters: { retry_after: 17 },
    });
    expect((await api.call('getMe')).status).toBe(200);
  });

  test('3. a group upgraded to a supergroup answers 400 with parameters.migrate_to_chat_id', async () => {
    const { api, sandbox, bot } = await scene();
    const ann = sandbox.createUser();
    const group = sandbox.createChat({ type: 'group', title: 'G', owner: ann, members: [bot] });
    const next = sandbox.upgradeGroup(ann, group);
    const { status, body } = await api.call('sendMessage', { chat_id: group.id, text: 'x' });
    expect(status).toBe(400);
    expect(body).toEqual({
      ok: false,
      error_code: 400,
      description: 'Bad Request: group chat was upgraded to a supergroup chat',
      parameters: { migrate_to_chat_id: next.id },
    });
    const moved = await api.ok('sendMessage', { chat_id: next.id, text: 'x' });
    expect(moved.chat).toMatchObject({ id: next.id, type: 'supergroup' });
  });

  test('4. method names are case-insensitive; an unknown method is 404, a malformed token 401', async () => {
    const { api, url } = await scene();
    expect((await api.call('GETME')).status).toBe(200);
    expect((await api.call('getme')).status).toBe(200);
    const unknown = await api.call('makeCoffee');
    expect(unknown).toMatchObject({
      status: 404,
      body: { error_code: 404, description: 'Not Found: method not found' },
    });
    const malformed = await apiOf(url, 'nonsense').call('getMe');
    expect(malformed).toMatchObject({
      status: 401,
      body: { error_code: 401, description: 'Unauthorized: invalid token specified' },
    });
  });

  test('4a. a method of the Bot API that the sandbox lacks is refused, never made up', async () => {
    const { api } = await scene();
    expect(methodNames.length).toBeGreaterThan(170);
    expect(unsupportedMethods.length).toBeGreaterThan(20);
    for (const method of unsupportedMethods) {
      expect(await api.refused(method)).toMatch(/^(?:Bad Request|Forbidden): /u);
    }
  });

  test('a JSON body that is not an object counts as no parameters; compressed bodies are read', async () => {
    const { url, bot } = await scene();
    const post = async (method: string, body: string | Buffer<ArrayBuffer>, encoding?: string) => {
      const response = await fetch(`${url}/bot${bot.token}/${method}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(encoding ? { 'content-encoding': encoding } : {}),
        },
        body,
      });
      return ((await response.json()) as { description?: string }).description ?? response.status;
    };
    for (const body of ['null', '[]', '"x"', '1', '{bad']) {
      expect(await post('getMe', body)).toBe(200);
      expect(await post('sendMessage', body)).toBe('Bad Request: message text is empty');
    }
    const params = Buffer.from(JSON.stringify({ chat_id: 1, text: 'x' }));
    const refusal = 'Bad Request: chat not found';
    expect(await post('sendMessage', gzipSync(params), 'gzip')).toBe(refusal);
    expect(await post('sendMessage', deflateSync(params), 'deflate')).toBe(refusal);
    expect(await post('sendMessage', params, 'gzip')).toMatch(/^Bad Request: can't decompress/);
    expect(await post('sendMessage', params, 'br')).toMatch(/^Unsupported Media Type/);
  });

  test('5. GET and POST; query string, JSON, urlencoded and multipart bodies; the test environment', async () => {
    const { api, sandbox, bot, url } = await scene();
    const ann = sandbox.createUser();
    sandbox.say(ann, bot, 'hello');
    const address = `${url}/bot${bot.token}/sendMessage`;
    const form = new FormData();
    form.set('chat_id', String(ann.id));
    form.set('text', 'multipart ✓');
    const pair = (text: string): string => `chat_id=${ann.id}&text=${encodeURIComponent(text)}`;
    const answers = await Promise.all([
      fetch(`${address}?${pair('by GET ✓')}`),
      fetch(`${address}?${pair('by query')}`, { method: 'POST' }),
      fetch(address, { method: 'POST', body: form }),
      fetch(address, { method: 'POST', body: new URLSearchParams(pair('urlencoded +&')) }),
      fetch(`${url}/bot${bot.token}/test/sendMessage?${pair('test environment')}`),
    ]);
    const texts = await Promise.all(
      answers.map(
        async (answer) => ((await answer.json()) as { result: { text: string } }).result.text,
      ),
    );
    expect(texts).toEqual([
      'by GET ✓',
      'by query',
      'multipart ✓',
      'urlencoded +&',
      'test environment',
    ]);
    expect((await api.ok('sendMessage', { chat_id: ann.id, text: 'json' })).text).toBe('json');
    const broken = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"chat_id":',
    });
    expect(broken.status).toBe(400);
  });
});
