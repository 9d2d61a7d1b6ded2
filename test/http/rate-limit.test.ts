import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { networkOf } from '../../src/http/auth.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

describe('rate limits', () => {
  let test: TestApp;
  beforeEach(async () => {
    test = await startTestApp({ rateLimits: { perKeyPerSecond: 2, perAddressPerSecond: 1 } });
  });
  afterEach(() => test.close());

  const ask = (headers: Record<string, string> = {}, url = '/api/version') =>
    test.app.inject({ url, headers });

  it('lets a key burst for ten seconds, then refuses, then refills', async () => {
    const { headers } = await test.key('read');
    for (let n = 0; n < 20; n++) {
      const answer = await ask(headers);
      expect(answer.statusCode).toBe(200);
      expect(answer.headers['ratelimit-policy']).toBe('"key";q=20;w=10');
      expect(answer.headers.ratelimit).toMatch(new RegExp(`^"key";r=${19 - n};t=\\d+$`));
    }
    const refused = await ask(headers);
    expect(refused.statusCode).toBe(429);
    expect(refused.json()).toMatchObject({ code: 'rate_limited' });
    expect(refused.headers['retry-after']).toBe('1');
    await test.clock.advance(1_000);
    expect((await ask(headers)).statusCode).toBe(200);
    expect((await ask(headers)).statusCode).toBe(200);
    expect((await ask(headers)).statusCode).toBe(429);
  });

  it('counts each key by itself', async () => {
    const one = await test.key('read');
    const two = await test.key('read');
    for (let n = 0; n < 21; n++) await ask(one.headers);
    expect((await ask(one.headers)).statusCode).toBe(429);
    expect((await ask(two.headers)).statusCode).toBe(200);
  });

  it('counts callers without a valid key by address, on every path but the probes', async () => {
    const paths = ['/api/version', '/nothing.txt', '/docs', '/', '/api/nothing'];
    for (let n = 0; n < 10; n++) {
      const headers: Record<string, string> =
        n % 2 ? { authorization: `Bearer brs_${'x'.repeat(43)}` } : {};
      const answer = await ask(headers, paths[n % paths.length]);
      expect(answer.statusCode).not.toBe(429);
    }
    for (const url of paths) expect((await ask({}, url)).statusCode).toBe(429);
    expect((await ask({}, '/healthz')).statusCode).toBe(200);
    expect((await ask({}, '/readyz')).statusCode).toBe(200);
    const { headers } = await test.key('read');
    expect((await ask(headers)).statusCode).toBe(200);
  });

  it('takes no address from a header', async () => {
    for (let n = 0; n < 10; n++) await ask({ 'x-forwarded-for': `10.0.0.${n}` });
    expect((await ask({ 'x-forwarded-for': '10.0.0.99' })).statusCode).toBe(429);
  });

  it('believes a proxy it was told to trust', async () => {
    const trusting = await startTestApp({
      trustProxy: ['127.0.0.1/8'],
      rateLimits: { perKeyPerSecond: 2, perAddressPerSecond: 1 },
    });
    for (let n = 0; n < 20; n++) {
      const headers = { 'x-forwarded-for': `10.0.0.${n}` };
      expect((await trusting.app.inject({ url: '/api/version', headers })).statusCode).toBe(401);
    }
    await trusting.close();
  });

  it('counts an IPv6 network as one and a mapped IPv4 address as itself', () => {
    expect(networkOf('2001:db8:1:2:3::4')).toBe(networkOf('2001:db8:1:2:ffff::9'));
    expect(networkOf('2001:db8:1:2::1')).not.toBe(networkOf('2001:db8:1:3::1'));
    expect(networkOf('::ffff:10.1.2.3')).toBe('10.1.2.3');
  });
});
