import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createQueryReader } from '../../src/http/request/request-input.ts';
import { cpuMs } from '../support/cpu-time.ts';
import { sampleEndpoints } from '../support/sample-endpoints.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let test: TestApp;
let headers: Record<string, string>;
const seen: unknown[] = [];
beforeAll(async () => {
  test = await startTestApp({ endpoints: sampleEndpoints(seen) });
  headers = (await test.key('admin')).headers;
});
afterAll(() => test.close());
beforeEach(() => {
  seen.length = 0;
});

const get = (query: string) => test.app.inject({ url: `/api/things?${query}`, headers });
const post = (payload: string | Buffer, type = 'application/json') =>
  test.app.inject({
    method: 'POST',
    url: '/api/things/add',
    headers: { ...headers, 'content-type': type },
    payload,
  });
const fields = (answer: { json(): { details: { field: string }[] } }) =>
  answer.json().details.map((detail) => detail.field);

describe('query parameters', () => {
  it('become what their schema says, with defaults', async () => {
    const answer = await get('bot_id=7&chat_id=-1001234567890&flag=true&word=12');
    expect(answer.statusCode).toBe(200);
    expect(seen).toEqual([
      { bot_id: 7, chat_id: -1001234567890, flag: true, word: '12', limit: 50 },
    ]);
  });

  it.each([
    ['bot_id=1', 'chat_id'],
    ['bot_id=0&chat_id=5', 'bot_id'],
    ['bot_id=-1&chat_id=5', 'bot_id'],
    ['bot_id=1&chat_id=0', 'chat_id'],
    ['bot_id=1&chat_id=9007199254740993', 'chat_id'],
    ['bot_id=1&chat_id=-9007199254740993', 'chat_id'],
    ['bot_id=1&chat_id=1e3', 'chat_id'],
    ['bot_id=1&chat_id=0x10', 'chat_id'],
    ['bot_id=1&chat_id=1.5', 'chat_id'],
    ['bot_id=1&chat_id=+5', 'chat_id'],
    ['bot_id=1&chat_id=', 'chat_id'],
    ['bot_id=1&chat_id=5&chat_id=5', 'chat_id'],
    ['bot_id=1&chat_id=5&limit=0', 'limit'],
    ['bot_id=1&chat_id=5&flag=1', 'flag'],
    ['bot_id=1&chat_id=5&word=toolong', 'word'],
    ['bot_id=1&chat_id=5&word=a%00b', 'word'],
    ['bot_id=1&chat_id=5&ofset=3', 'ofset'],
    ['bot_id=1&chat_id=5&__proto__=3', '__proto__'],
  ])('refuses %s, naming %s', async (query, field) => {
    const answer = await get(query);
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ code: 'invalid_request' });
    expect(fields(answer)).toEqual([field]);
    expect(seen).toEqual([]);
  });

  it('names every field at fault, once each', async () => {
    const answer = await get('bot_id=x&bot_id=y&limit=q');
    expect(fields(answer).sort()).toEqual(['bot_id', 'chat_id', 'limit']);
  });
});

describe('bodies', () => {
  it('are taken as they are, with defaults, dropping read-only fields', async () => {
    const answer = await post('{"name":"a","id":4,"created_at":"x","size":-3}');
    expect(answer.statusCode).toBe(200);
    expect(seen).toEqual([{ name: 'a', kind: 'red', size: -3 }]);
  });

  it.each([
    ['{}', 'name'],
    ['{"name":""}', 'name'],
    ['{"name":"123456789"}', 'name'],
    ['{"name":5}', 'name'],
    ['{"name":null}', 'name'],
    ['{"name":"a","size":"5"}', 'size'],
    ['{"name":"a","size":1.5}', 'size'],
    ['{"name":"a","size":9007199254740993}', 'size'],
    ['{"name":"a","size":1e300}', 'size'],
    ['{"name":"a","kind":"green"}', 'kind'],
    ['{"name":"a","list":[1,0]}', 'list[1]'],
    ['{"name":"a","list":[1,2,3,4]}', 'list'],
    ['{"name":"a","list":{}}', 'list'],
    ['{"name":"a","nmae":"b"}', 'nmae'],
    ['{"name":"a\\u0000"}', 'name'],
    ['{"name":"a\\ud800"}', 'name'],
    ['{"name":"a","nested":{"deep":["\\udc00"]}}', 'nested.deep[0]'],
    ['{"name":"a","__proto__":{"admin":true}}', '__proto__'],
    ['{"name":"a","nested":{"__proto__":{}}}', 'nested.__proto__'],
    ['{"name":"a","nested":{"constructor":{"prototype":{}}}}', 'nested.constructor'],
    ['[]', 'body'],
    ['"text"', 'body'],
    ['null', 'body'],
  ])('refuses %s, naming %s', async (payload, field) => {
    const answer = await post(payload);
    expect(answer.statusCode).toBe(400);
    expect(fields(answer)).toEqual([field]);
    expect(seen).toEqual([]);
  });

  it('must be JSON', async () => {
    for (const payload of ['{', '{"name":"a"', 'name=a', '{"name":"a"}}']) {
      const answer = await post(payload);
      expect(answer.statusCode).toBe(400);
      expect(answer.json()).toMatchObject({ code: 'malformed_json' });
    }
    const answer = await post(Buffer.from([0x22, 0xff, 0x22]));
    expect(answer.json()).toMatchObject({ code: 'malformed_json' });
  });

  it('do not leak into the complaint about them', async () => {
    const answer = await post('{"name":"hunter2",}');
    expect(answer.json()).toMatchObject({ code: 'malformed_json' });
    expect(answer.body).not.toContain('hunter2');
  });

  it('must not be compressed', async () => {
    const send = (payload: Buffer, encoding: string) =>
      test.app.inject({
        method: 'POST',
        url: '/api/things/add',
        headers: { ...headers, 'content-type': 'application/json', 'content-encoding': encoding },
        payload,
      });
    const answer = await send(gzipSync('{"name":"a"}'), 'gzip');
    expect(answer.statusCode).toBe(415);
    expect(answer.json()).toMatchObject({ code: 'unsupported_media_type' });
    expect((await send(Buffer.from('{"name":"a"}'), 'identity')).statusCode).toBe(200);
  });

  it('must say that they are JSON', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/xml']) {
      const answer = await post('{"name":"a"}', type);
      expect(answer.statusCode).toBe(415);
      expect(answer.json()).toMatchObject({ code: 'unsupported_media_type' });
    }
    expect((await post('{"name":"a"}', 'application/json; charset=utf-8')).statusCode).toBe(200);
  });

  it('may not be larger than 1 MiB, nor nested without end', async () => {
    const large = await post(JSON.stringify({ name: 'x'.repeat(10_000_000) }));
    expect(large.statusCode).toBe(413);
    expect(large.json()).toMatchObject({ code: 'payload_too_large' });
    const deep = await post(
      `{"name":"a","nested":{"x":${'['.repeat(50_000)}${']'.repeat(50_000)}}}`,
    );
    expect(deep.statusCode).toBe(400);
  });

  it('are small where anyone may send one', async () => {
    const signIn = (password: string) =>
      test.app.inject({
        method: 'POST',
        url: '/api/auth/sign-in',
        payload: { username: 'anna', password },
      });
    expect((await signIn('я'.repeat(1_024))).statusCode).toBe(401);
    const large = await signIn('x'.repeat(16_384));
    expect(large.statusCode).toBe(413);
    expect(large.json()).toMatchObject({ code: 'payload_too_large' });
  });

  it('are told in short what is wrong, however much of it there is', async () => {
    const nonsense = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`q${n}`, n]));
    const answer = await post(JSON.stringify(nonsense));
    expect(answer.statusCode).toBe(400);
    expect(answer.json().error).toBe('name is missing (and 100 more, see details).');
    expect(answer.json().details).toHaveLength(100);
    const named = await post(JSON.stringify({ name: 'a', ['x'.repeat(500_000)]: 1 }));
    expect(named.statusCode).toBe(400);
    expect(named.body.length).toBeLessThan(1_000);
  });

  it('are needed where one is declared', async () => {
    const answer = await test.app.inject({ method: 'POST', url: '/api/things/add', headers });
    expect(answer.statusCode).toBe(400);
    expect(fields(answer)).toEqual(['name']);
  });
});

it('costs no more the more nonsense a query holds', () => {
  const read = createQueryReader({});
  const nonsense = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`q${n}`, '']));
  const startedAt = cpuMs();
  expect(() => read(nonsense)).toThrow('is not a known parameter');
  // Anyone may ask, without a key: copying the list for each would take seconds.
  expect(cpuMs() - startedAt).toBeLessThan(500);
});

describe('endpoints without a body', () => {
  const toggle = (payload: string, type?: string) =>
    test.app.inject({
      method: 'POST',
      url: '/api/things/toggle?id=3',
      headers: { ...headers, ...(type ? { 'content-type': type } : {}) },
      payload,
    });

  it('take an empty one of any type', async () => {
    for (const type of [undefined, 'application/json', 'text/plain', 'multipart/form-data']) {
      expect((await toggle('', type)).statusCode).toBe(200);
    }
    expect((await toggle('{}', 'application/json')).statusCode).toBe(200);
  });

  it('refuse one with content', async () => {
    const answer = await toggle('{"id":4}', 'application/json');
    expect(answer.statusCode).toBe(400);
    expect(fields(answer)).toEqual(['id']);
    expect((await toggle('id=4', 'text/plain')).statusCode).toBe(400);
  });
});
