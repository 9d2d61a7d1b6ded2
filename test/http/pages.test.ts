import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../support/relay-process.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

describe('the web page', () => {
  let test: TestApp;
  let folder: string;
  beforeEach(async () => {
    const made = temporaryFolder();
    onTestFinished(made.remove);
    folder = made.path;
    mkdirSync(path.join(folder, 'assets'));
    writeFileSync(path.join(folder, 'index.html'), '<!doctype html><html><title>page</title>');
    writeFileSync(path.join(folder, 'favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
    writeFileSync(path.join(folder, 'assets', 'index-Ab3dEf9h.js'), 'let a = 1;'.repeat(500));
    test = await startTestApp({ webFolder: folder });
  });
  afterEach(() => test.close());

  it('is served at / and at every path of the web UI', async () => {
    for (const url of ['/', '/bots/5', '/setup?x=1', '/index.html']) {
      const answer = await test.app.inject({ url });
      expect(answer.statusCode).toBe(200);
      expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
      expect(answer.body).toBe(
        '<!doctype html><html data-command="npx bot-relay"><title>page</title>',
      );
      expect(answer.headers['cache-control']).toBe('no-cache');
    }
  });

  it('has headers that keep other sites and inline scripts out', async () => {
    const { headers } = await test.app.inject({ url: '/' });
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['referrer-policy']).toBe('no-referrer');
  });

  it('lets hashed files be cached permanently and sends them compressed', async () => {
    const url = '/assets/index-Ab3dEf9h.js';
    const answer = await test.app.inject({ url, headers: { 'accept-encoding': 'gzip, br' } });
    expect(answer.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(answer.headers['content-encoding']).toBe('br');
    expect(brotliDecompressSync(answer.rawPayload).toString()).toContain('let a = 1;');
    const again = await test.app.inject({
      url,
      headers: { 'if-none-match': String(answer.headers.etag) },
    });
    expect(again.statusCode).toBe(304);
    expect(again.body).toBe('');
  });

  it('leads from the sandbox platform to the sandbox phones', async () => {
    const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
    for (const url of ['/sandbox', '/sandbox/']) {
      const shown = await test.app.inject({ url, headers: browser });
      expect(shown.statusCode).toBe(302);
      expect(shown.headers.location).toBe('/phones');
      const asked = await test.app.inject({ url, headers: { accept: '*/*' } });
      expect(asked.statusCode).toBe(404);
      expect(asked.json()).toMatchObject({ code: 'not_found' });
      const posted = await test.app.inject({ method: 'POST', url, headers: browser });
      expect(posted.statusCode).toBe(404);
    }
    const deeper = await test.app.inject({ url: '/sandbox/nope', headers: browser });
    expect(deeper.statusCode).toBe(404);
  });

  it('is not what clients get for a path that does not exist', async () => {
    for (const url of ['/api/nope', '/hooks/nope', '/assets/gone-12345678.js', '/tgapi/x']) {
      const answer = await test.app.inject({ url });
      expect(answer.statusCode).toBe(404);
      expect(answer.json()).toMatchObject({ code: 'not_found' });
    }
    expect((await test.app.inject({ method: 'POST', url: '/bots' })).statusCode).toBe(404);
  });

  it.each(['/../package.json', '/..%2fpackage.json', '/%2e%2e/package.json', '/assets/../../x.js'])(
    'shows nothing outside its folder: %s',
    async (url) => {
      const answer = await test.app.inject({ url });
      expect(answer.body).not.toContain('"name"');
    },
  );
});

describe('without a built page', () => {
  it('says so and points to the reference', async () => {
    const test = await startTestApp();
    const answer = await test.app.inject({ url: '/' });
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(answer.body).toContain('has not been built');
    expect(answer.body).toContain('href="/docs"');
    await test.close();
  });
});
