import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/test-app.ts';

describe('the app', () => {
  let test: TestApp;
  beforeEach(async () => {
    test = await startTestApp();
  });
  afterEach(() => test.close());

  it('tells its version to a key and to nobody else', async () => {
    const { headers } = await test.key('read');
    const answer = await test.app.inject({ url: '/api/version', headers });
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual({ name: 'bot-relay', version: '1.2.3' });
    const refused = await test.app.inject({ url: '/api/version' });
    expect(refused.statusCode).toBe(401);
    expect(refused.headers['www-authenticate']).toBe('Bearer');
  });

  it('serves openapi', async () => {
    const answer = await test.app.inject({ url: '/openapi.json' });
    expect(answer.json().openapi).toBe('3.1.0');
  });
});
