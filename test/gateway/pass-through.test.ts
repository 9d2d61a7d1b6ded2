import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { urlToHttpOptions } from 'node:url';
import { connect } from 'node:net';
import { FormData } from 'undici';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { BotRecord } from '../../src/store/bots/bots.ts';
import { serve } from '../support/local-server.ts';
import { type GatewayApp, startGatewayApp } from './gateway-app.ts';

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

describe('what is passed on', () => {
  let gateway: GatewayApp;
  let bot: BotRecord;

  beforeEach(async () => {
    gateway = await startGatewayApp();
    bot = await gateway.addBot();
  });
  afterEach(() => gateway.close());

  /** Leaves the path as it is, where other clients would tidy it up. */
  async function ask(address: string) {
    const [res] = (await once(
      get({ ...urlToHttpOptions(new URL(gateway.url)), path: address }),
      'response',
    )) as [IncomingMessage];
    return { status: res.statusCode, text: Buffer.concat(await res.toArray()).toString() };
  }
  const path = (method: string) => `/bot${bot.token}/${method}`;

  it('reaches the platform at the same path, at the root and under /tgapi, by any spelling', async () => {
    for (const root of ['', '/tgapi']) {
      const answer = await gateway.call(`${root}${path('GETme')}?a=%20b&c=d%26`);
      expect(answer).toMatchObject({ status: 200, text: '{"ok":true,"result":true}' });
    }
    await gateway.call(path('test/getMe'), { method: 'POST' });
    await gateway.call(`/bot${encodeURIComponent(bot.token)}/getMe`);
    expect(gateway.platform.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      `GET ${path('GETme')}?a=%20b&c=d%26`,
      `GET ${path('GETme')}?a=%20b&c=d%26`,
      `POST ${path('test/getMe')}`,
      `GET ${path('getMe')}`,
    ]);
  });

  it('carries bodies of every kind to the byte', async () => {
    const form = new FormData();
    form.set('chat_id', '5');
    form.set('document', new Blob([randomBytes(200_000)]), 'a "b".bin');
    const multipart = new Response(form as never);
    const multipartBytes = Buffer.from(await multipart.arrayBuffer());
    const bodies: [string, Buffer][] = [
      ['application/json', Buffer.from('{ "chat_id": 12345678901234567890, "text": "ü 🎉" }')],
      ['application/x-www-form-urlencoded', Buffer.from('chat_id=5&text=a+b%20c&text=twice')],
      [multipart.headers.get('content-type') ?? '', multipartBytes],
      ['no/type; at all=', Buffer.from('anything')],
    ];
    for (const [contentType, body] of bodies) {
      const headers = { 'content-type': contentType };
      await gateway.call(path('sendDocument'), { method: 'POST', headers, body });
      const seen = gateway.platform.requests.at(-1);
      expect(seen?.headers).toMatchObject({
        'content-type': contentType,
        'content-length': String(body.length),
      });
      expect(seen?.sha256).toBe(sha256(body));
    }
    // Without a length, and larger than any buffer on the way.
    const large = randomBytes(3_000_000);
    async function* chunks() {
      for (let at = 0; at < large.length; at += 70_000) yield large.subarray(at, at + 70_000);
    }
    await gateway.call(path('sendDocument'), {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: chunks() as never,
    });
    const seen = gateway.platform.requests.at(-1);
    expect(seen?.headers['transfer-encoding']).toBe('chunked');
    expect(seen?.sha256).toBe(sha256(large));
  });

  it('passes answers back as they are, refusals and 429 too', async () => {
    const answers: [number, string, Record<string, string>][] = [
      [200, '{"ok":true ,"result":{"big":12345678901234567890}}', {}],
      [
        400,
        '{"ok":false,"error_code":400,"description":"Bad Request: x","parameters":{"migrate_to_chat_id":-1}}',
        {},
      ],
      [404, '{"ok":false,"error_code":404,"description":"Not Found: method not found"}', {}],
      [
        429,
        '{"ok":false,"error_code":429,"description":"Too Many Requests: retry after 7","parameters":{"retry_after":7}}',
        { 'retry-after': '7' },
      ],
      [502, '<html>nginx</html>', { 'content-type': 'text/html' }],
    ];
    for (const [status, text, headers] of answers) {
      gateway.platform.answer((res) => {
        res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
      });
      const answer = await gateway.call(path('sendMessage'), { method: 'POST' });
      expect(answer).toMatchObject({ status, text });
      expect(answer.headers).toMatchObject({ 'content-type': 'application/json', ...headers });
    }
  });

  it('lets nothing of the platform speak for our own address', async () => {
    gateway.platform.answer((res) => {
      res.writeHead(200, {
        'content-type': 'text/html',
        'set-cookie': 'relay_session=stolen',
        'strict-transport-security': 'max-age=99999999',
      });
      res.end('<script>1</script>');
    });
    const { headers } = await gateway.call(`/file/bot${bot.token}/a.html`);
    expect(headers['set-cookie']).toBeUndefined();
    expect(headers['strict-transport-security']).toBeUndefined();
    expect(headers['content-security-policy']).toBe('sandbox');
    expect(headers['x-content-type-options']).toBe('nosniff');
  });

  it('serves files with ranges and conditions', async () => {
    gateway.platform.answer((res, request) => {
      res.writeHead(206, {
        'content-type': 'application/octet-stream',
        'content-range': 'bytes 2-4/10',
        'accept-ranges': 'bytes',
        etag: '"e"',
        'content-length': '3',
      });
      res.end(request.method === 'HEAD' ? undefined : 'cde');
    });
    const headers = { range: 'bytes=2-4', 'if-none-match': '"x"' };
    for (const root of ['', '/tgapi']) {
      const answer = await gateway.call(`${root}/file/bot${bot.token}/docs/a%20b.txt?x=1`, {
        headers,
      });
      expect(answer).toMatchObject({ status: 206, text: 'cde' });
      expect(answer.headers).toMatchObject({ 'content-range': 'bytes 2-4/10', etag: '"e"' });
      const seen = gateway.platform.requests.at(-1);
      expect(seen?.url).toBe(`/file/bot${bot.token}/docs/a%20b.txt?x=1`);
      expect(seen?.headers).toMatchObject(headers);
    }
    const head = await gateway.call(`/file/bot${bot.token}/a.txt`, { method: 'HEAD' });
    expect(head).toMatchObject({ status: 206, text: '' });
    expect(gateway.platform.requests.at(-1)?.method).toBe('HEAD');
  });

  it('never calls the platform for a token it does not know', async () => {
    const unregistered = 'Unauthorized: this token is not registered at this relay';
    const refusals: [string, number, string][] = [
      ['/bot123:unknown/getMe', 401, unregistered],
      ['/tgapi/bot123:unknown/getUpdates', 401, unregistered],
      ['/file/bot123:unknown/a.txt', 401, unregistered],
      ['/botnonsense/getMe', 401, 'Unauthorized: invalid token specified'],
      [`/bot${bot.token}`, 404, 'Not Found'],
      [`/bot${bot.token}/`, 404, 'Not Found'],
      [`/bot${bot.token}/a/b`, 404, 'Not Found'],
      [`/bot${bot.token}/a%2Fb`, 404, 'Not Found'],
      [`/file/bot${bot.token}/%2e%2e/bot9:x/f`, 404, 'Not Found'],
      [`/file/bot${bot.token}/a%2F..%2Fb`, 404, 'Not Found'],
      [`/file/bot${bot.token}/`, 404, 'Not Found'],
    ];
    for (const [address, status, description] of refusals) {
      const answer = await ask(address);
      expect([address, answer.status]).toEqual([address, status]);
      expect(JSON.parse(answer.text)).toEqual({ ok: false, error_code: status, description });
    }
    expect(gateway.platform.requests).toEqual([]);
  });

  it('follows a token that is replaced, and forgets a bot that is deleted', async () => {
    const token = `${bot.token}-new`;
    await gateway.store.bots.update(bot.id, { token }, 0);
    expect((await gateway.call(path('getMe'))).status).toBe(401);
    expect((await gateway.call(`/bot${token}/getMe`)).status).toBe(200);
    await gateway.store.bots.remove(bot.id);
    expect((await gateway.call(`/bot${token}/getMe`)).status).toBe(401);
    expect(gateway.platform.requests.length).toBe(1);
  });

  it('does not take the paths of the web UI', async () => {
    for (const address of ['/bots', '/bots/7', '/bot']) {
      const answer = await gateway.call(address, { headers: { accept: 'text/html' } });
      expect(answer.text).not.toContain('error_code');
    }
  });

  it('neither receives nor sends for a disabled bot', async () => {
    await gateway.store.bots.toggle(bot.id, 0);
    for (const method of ['sendMessage', 'getUpdates', 'getMe']) {
      const answer = await gateway.call(path(method));
      expect(answer.status).toBe(409);
      expect(answer.json.description).toContain('Conflict: bot is disabled in the relay');
    }
    expect(gateway.platform.requests).toEqual([]);
  });

  it('counts failed tokens against their address, in the words of the platform', async () => {
    await gateway.close();
    gateway = await startGatewayApp({ rateLimits: { perKeyPerSecond: 0, perAddressPerSecond: 1 } });
    bot = await gateway.addBot();
    const statuses = [];
    for (let attempt = 0; attempt < 11; attempt++) {
      statuses.push((await gateway.call(`/bot${attempt}:guess/getMe`)).status);
    }
    expect(statuses).toEqual([...Array<number>(10).fill(401), 429]);
    const limited = await gateway.call('/bot1:guess/getMe');
    expect(limited.json).toEqual({
      ok: false,
      error_code: 429,
      description: 'Too Many Requests: retry after 1',
      parameters: { retry_after: 1 },
    });
    expect(limited.headers['retry-after']).toBe('1');
    // Clients with a valid token are not delayed by those who guess.
    expect((await gateway.call(path('getMe'))).status).toBe(200);
  });

  it('reports an unreachable platform, and a call with an unknown outcome', async () => {
    // Of the longest not all has come when the answer is clear: no connection may hang on that.
    const bodies = ['{}', 'x'.repeat(200_000), 'x'.repeat(3_000_000)];
    gateway.platform.answer((res) => res.socket?.destroy());
    for (const body of bodies) {
      const lost = await gateway.call(path('sendMessage'), { method: 'POST', body });
      expect(lost.status).toBe(504);
      expect(lost.json.description).toContain('the request may have taken effect');
    }
    const cut = await startGatewayApp({ baseUrl: 'http://127.0.0.1:9' });
    onTestFinished(() => cut.close());
    const { token } = await cut.addBot();
    for (const body of bodies) {
      const refused = await cut.call(`/bot${token}/sendMessage`, { method: 'POST', body });
      expect(refused.status).toBe(502);
      expect(refused.json).toMatchObject({ ok: false, error_code: 502 });
      expect(refused.json.description).toContain('ECONNREFUSED');
    }
    expect(gateway.logLines.join('')).not.toContain(bot.token);
    expect(cut.logLines.join('')).not.toContain(token);
  });

  it('breaks off when the platform breaks off', async () => {
    gateway.platform.answer((res) => {
      res.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      res.write('{"ok":true', () => res.socket?.destroy());
    });
    await expect(gateway.call(path('getChat'))).rejects.toThrow();
    gateway.platform.answerJson(200, { ok: true, result: 1 });
    expect((await gateway.call(path('getChat'))).status).toBe(200);
  });

  it('aborts a call when its client disconnects', async () => {
    const asked = Promise.withResolvers<void>();
    const gone = Promise.withResolvers<void>();
    gateway.platform.answer((res) => {
      res.once('close', () => gone.resolve());
      asked.resolve();
    });
    const { port } = new URL(gateway.url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(`GET ${path('getChat')} HTTP/1.1\r\nhost: x\r\n\r\n`);
    await asked.promise;
    socket.destroy();
    await expect(gone.promise).resolves.toBeUndefined();
  });

  it('works below a path of the platform’s address', async () => {
    const seen: string[] = [];
    const { url, close } = await serve((req, res) => {
      seen.push(req.url ?? '');
      res.end('{"ok":true,"result":1}');
    });
    onTestFinished(close);
    const nested = await startGatewayApp({ baseUrl: `${url}/deep/er` });
    onTestFinished(() => nested.close());
    const other = await nested.addBot();
    await nested.call(`/bot${other.token}/getMe?x`);
    expect(seen).toEqual([`/deep/er/bot${other.token}/getMe?x`]);
  });
});
