import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMetrics, serveMetrics } from '../../src/http/metrics.ts';
import { withoutNames } from '../support/openapi.ts';
import { sampleEndpoints } from '../support/sample-endpoints.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

describe('running the service', () => {
  let test: TestApp;
  beforeEach(async () => {
    test = await startTestApp({ endpoints: sampleEndpoints() });
  });
  afterEach(() => test.close());

  it('is alive and ready without a key', async () => {
    expect((await test.app.inject({ url: '/healthz' })).json()).toEqual({ status: 'ok' });
    const ready = await test.app.inject({ url: '/readyz' });
    expect(ready.statusCode).toBe(200);
    expect(ready.json()).toEqual({ status: 'ready', reasons: [], reasons_detail: [] });
  });

  it('is alive but not ready without its database', async () => {
    await test.engine.close();
    expect((await test.app.inject({ url: '/healthz' })).statusCode).toBe(200);
    const ready = await test.app.inject({ url: '/readyz' });
    expect(ready.statusCode).toBe(503);
    expect(ready.json()).toEqual({
      status: 'not ready',
      reasons: ['the database is not available'],
      reasons_detail: [{ code: 'check_failed', params: { check: 'database' } }],
    });
    test.engine.close = async () => {};
  });

  it('shows measurements to admins only', async () => {
    const { headers } = await test.key('admin');
    await test.app.inject({ url: '/api/version', headers });
    expect((await test.app.inject({ url: '/metrics' })).statusCode).toBe(401);
    const manage = await test.key('manage');
    expect((await test.app.inject({ url: '/metrics', headers: manage.headers })).statusCode).toBe(
      403,
    );
    const limited = await test.key('admin', [await test.addBot()]);
    const refused = await test.app.inject({ url: '/metrics', headers: limited.headers });
    expect(refused.statusCode).toBe(403);
    expect(refused.json()).toMatchObject({ code: 'bot_not_allowed' });
    const answer = await test.app.inject({ url: '/metrics', headers });
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toContain('text/plain');
    expect(answer.body).toContain(
      'relay_http_request_duration_seconds_bucket{le="+Inf",route="/api/version",method="GET",status="200"} 1',
    );
    expect(answer.body).toContain(
      'relay_http_request_duration_seconds_count{route="/api/version",method="GET",status="200"} 1',
    );
  });

  it('shows measurements without a key on a port of their own', async () => {
    const server = await serveMetrics(createMetrics(), { host: '127.0.0.1', port: 0 });
    const { port } = server.address() as { port: number };
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
    expect(await answer.text()).toContain('process_cpu_seconds_total');
    expect((await fetch(`http://127.0.0.1:${port}/api/bots`)).status).toBe(404);
    server.closeAllConnections();
    server.close();
  });

  it('answers what is no HTTP with an error in the same shape', async () => {
    const address = new URL(await test.app.listen({ host: '127.0.0.1', port: 0 }));
    const { connect } = await import('node:net');
    const text = await new Promise<string>((resolve) => {
      let received = '';
      const socket = connect(Number(address.port), address.hostname, () =>
        socket.write('HELLO\r\n\r\n'),
      );
      socket.on('data', (chunk) => {
        received += String(chunk);
      });
      socket.on('close', () => resolve(received));
    });
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(JSON.parse(text.split('\r\n\r\n')[1] ?? '')).toMatchObject({ code: 'invalid_request' });
  });
});

describe('the description of itself', () => {
  let test: TestApp;
  beforeEach(async () => {
    test = await startTestApp({ endpoints: sampleEndpoints() });
  });
  afterEach(() => test.close());

  it('covers every endpoint with every status and code it can answer', async () => {
    const document = withoutNames((await test.app.inject({ url: '/openapi.json' })).json());
    expect(document.openapi).toBe('3.1.0');
    const things = document.paths['/api/things'].get;
    expect(things.parameters.map((parameter: { name: string }) => parameter.name)).toEqual([
      'bot_id',
      'chat_id',
      'limit',
      'word',
      'flag',
    ]);
    expect(things.security).toEqual([{ key: [] }, { session: [] }]);
    expect(Object.keys(things.responses)).toEqual([
      '200',
      '400',
      '401',
      '403',
      '404',
      '405',
      '429',
      '500',
      '503',
    ]);
    expect(
      Object.keys(things.responses['403'].content['application/json'].examples).sort(),
    ).toEqual(['bot_not_allowed', 'chat_not_allowed', 'insufficient_scope']);
    const add = document.paths['/api/things/add'].post;
    expect(add.requestBody.content['application/json'].schema.required).toEqual(['name']);
    expect(Object.keys(add.responses)).toEqual(expect.arrayContaining(['413', '415']));
    expect(document.paths['/api/auth/sign-in'].post.security).toEqual([]);
    const ids = Object.values(
      document.paths as Record<string, Record<string, { operationId: string }>>,
    )
      .flatMap((operations) => Object.values(operations))
      .map((operation) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it.each(['/openapi.json', '/docs', '/docs/api'])(
    'is sent compressed and only once at %s',
    async (url) => {
      const plain = await test.app.inject({ url });
      expect(plain.headers['content-encoding']).toBeUndefined();
      expect(plain.headers['vary']).toBe('accept-encoding');
      const unpack = { gzip: gunzipSync, br: brotliDecompressSync };
      for (const encoding of ['gzip', 'br'] as const) {
        const packed = await test.app.inject({ url, headers: { 'accept-encoding': encoding } });
        expect(packed.headers['content-encoding']).toBe(encoding);
        expect(packed.rawPayload.length).toBeLessThan(plain.rawPayload.length / 3);
        expect(unpack[encoding](packed.rawPayload).toString()).toBe(plain.body);
      }
      const etag = String(plain.headers['etag']);
      for (const known of [etag, `W/${etag}`, `"other", ${etag}`]) {
        const again = await test.app.inject({ url, headers: { 'if-none-match': known } });
        expect([again.statusCode, again.body]).toEqual([304, '']);
      }
      const refused = { 'accept-encoding': 'br;q=0, gzip;q=0.0, identity' };
      const asIs = await test.app.inject({ url, headers: refused });
      expect(asIs.body).toBe(plain.body);
    },
  );

  it.each(['/openapi.json', '/docs'])('refuses other methods at %s', async (url) => {
    const answer = await test.app.inject({ method: 'POST', url });
    expect(answer.statusCode).toBe(405);
    expect(answer.headers['allow']).toBe('GET, HEAD');
    expect(answer.json()).toMatchObject({
      error: `POST is not allowed for ${url}. Use GET.`,
      code: 'method_not_allowed',
    });
    expect((await test.app.inject({ method: 'HEAD', url })).statusCode).toBe(200);
  });

  it('is a page that loads nothing from elsewhere', async () => {
    const answer = await test.app.inject({ url: '/docs/api' });
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(answer.body).toContain('/api/things/add');
    expect(answer.body).toContain('</i> -X POST');
    expect(answer.body).not.toMatch(/(src|href)="(https?:)?\/\//);
    expect(answer.headers['content-security-policy']).toContain("default-src 'none'");
  });
});
