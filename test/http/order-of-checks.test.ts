import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sampleEndpoints } from '../support/sample-endpoints.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

describe('the order of checks', () => {
  let test: TestApp;
  const seen: unknown[] = [];
  beforeEach(async () => {
    seen.length = 0;
    test = await startTestApp({ endpoints: sampleEndpoints(seen) });
  });
  afterEach(() => test.close());

  it('looks at the path first', async () => {
    const answer = await test.app.inject({ method: 'POST', url: '/api/nothing', payload: '{' });
    expect(answer.statusCode).toBe(404);
    expect(answer.json()).toMatchObject({ code: 'not_found' });
  });

  it('then at the method, before the key', async () => {
    const answer = await test.app.inject({ method: 'DELETE', url: '/api/things' });
    expect(answer.statusCode).toBe(405);
    expect(answer.headers.allow).toBe('GET, HEAD');
    const get = await test.app.inject({ url: '/api/things/add' });
    expect(get.statusCode).toBe(405);
    expect(get.headers.allow).toBe('POST');
  });

  it('then at the key, before the scope and the body', async () => {
    const answer = await test.app.inject({
      method: 'POST',
      url: '/api/things/add',
      headers: { 'content-type': 'text/plain' },
      payload: 'x'.repeat(2_000_000),
    });
    expect(answer.statusCode).toBe(401);
    expect(answer.headers['www-authenticate']).toBe('Bearer');
  });

  it('then at the scope, before the body', async () => {
    const { headers } = await test.key('send');
    const answer = await test.app.inject({
      method: 'POST',
      url: '/api/things/add',
      headers: { ...headers, 'content-type': 'application/json' },
      payload: '{broken',
    });
    expect(answer.statusCode).toBe(403);
    expect(answer.json()).toMatchObject({ code: 'insufficient_scope' });
  });

  it('then at the body and query, before what exists', async () => {
    const { headers } = await test.key('read', [await test.addBot()]);
    const bad = await test.app.inject({ url: '/api/things?bot_id=404&chat_id=x', headers });
    expect(bad.statusCode).toBe(400);
    const other = await test.app.inject({ url: '/api/things?bot_id=404&chat_id=5', headers });
    expect(other.statusCode).toBe(403);
    expect(other.json()).toMatchObject({ code: 'bot_not_allowed' });
    const all = await test.key('read');
    const gone = await test.app.inject({
      url: '/api/things?bot_id=404&chat_id=5',
      headers: all.headers,
    });
    expect(gone.statusCode).toBe(404);
    expect(seen).toEqual([]);
  });

  it('gives every error one shape and a request id', async () => {
    const { headers } = await test.key('read');
    for (const url of [
      '/api/nothing',
      '/api/things',
      '/api/things?bot_id=0',
      '/api/things/broken',
    ]) {
      const answer = await test.app.inject({ url, headers });
      expect(answer.statusCode).toBeGreaterThanOrEqual(400);
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
      expect(answer.headers['cache-control']).toBe('no-store');
      const body = answer.json();
      expect(typeof body.error).toBe('string');
      expect(body.code).toMatch(/^[a-z_]+$/);
      expect(body.request_id).toBe(answer.headers['x-request-id']);
    }
  });

  it('tells nothing of what broke inside, and logs it without secrets', async () => {
    const { headers } = await test.key('read');
    const answer = await test.app.inject({ url: '/api/things/broken', headers });
    expect(answer.statusCode).toBe(500);
    expect(answer.json()).toMatchObject({ code: 'internal' });
    expect(answer.body).not.toContain('AAbbCC');
    const line = test.logLines.find((text) => text.includes(answer.json().request_id));
    expect(line).toContain('inside');
    expect(line).not.toContain('AAbbCC');
  });

  it('answers a path that is no URL with 400 in the same shape', async () => {
    const answer = await test.app.inject({ url: '/api/%zz' });
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ code: 'invalid_request' });
  });
});
