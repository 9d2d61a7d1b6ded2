import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/test-app.ts';

describe('the app', () => {
  let test: TestApp;
  beforeEach(async () => {
    test = await startTestApp();
  });
  afterEach(() => test.close());

  it('tells its version only to a caller with a key', async () => {
    const { headers } = await test.key('read');
    const answer = await test.app.inject({ url: '/api/version', headers });
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual({ name: 'bot-relay', version: '1.2.3' });
    const refused = await test.app.inject({ url: '/api/version' });
    expect(refused.statusCode).toBe(401);
    expect(refused.headers['www-authenticate']).toBe('Bearer');
  });

  it('says what is wrong with a request that is too long to be one', async () => {
    const address = await test.app.listen({ host: '127.0.0.1', port: 0 });
    for (const [path, words] of [
      [`/api/bots?q=${'x'.repeat(20_000)}`, /too long/],
      ['/api/bots HTTP/9 nonsense', /not an HTTP request/],
    ] as const) {
      const { hostname, port } = new URL(address);
      const socket = connect(Number(port), hostname);
      socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`);
      const answer = await text(socket);
      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
      const [head = '', body = ''] = answer.split('\r\n\r\n');
      const requestId = /^x-request-id: (\S+)$/m.exec(head)?.[1];
      expect(requestId).toBeDefined();
      expect(JSON.parse(body)).toMatchObject({
        error: expect.stringMatching(words),
        code: 'invalid_request',
        request_id: requestId,
      });
    }
  });

  it('serves openapi', async () => {
    const answer = await test.app.inject({ url: '/openapi.json' });
    expect(answer.json().openapi).toBe('3.1.0');
  });
});
