import { AsyncLocalStorage, createHook } from 'node:async_hooks';
import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { createServer as createTlsServer } from 'node:https';
import { Agent, request } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createPlatformConnector } from '../../src/telegram/platform-connector.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { runRelay, startRelay, temporaryFolder } from '../support/relay-process.ts';
import { forOther } from '../support/self-signed.ts';

const token = '123456:secret';
/** Of the certificate; it does not resolve here. */
const name = 'other.example';

/** Answers every method as the platform does, and says what it was asked. */
async function startPlatform(tls = false) {
  const asked: string[] = [];
  const answer = (message: IncomingMessage) => {
    asked.push(message.url ?? '');
    const bot = { id: 123456, is_bot: true, first_name: 'Shop', username: 'shop_bot' };
    return JSON.stringify({ ok: true, result: message.url?.endsWith('/getMe') ? bot : [] });
  };
  const server = tls
    ? createTlsServer({ cert: forOther.certificate, key: forOther.key }, (message, response) => {
        response.end(answer(message));
      })
    : createHttpServer((message, response) => {
        response.end(answer(message));
      });
  const port = await listening(server);
  return { port, asked };
}

async function listening(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket.once('close', () => sockets.delete(socket)).on('error', () => {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** Connects every target to one port of this machine. */
function join(client: Socket, port: number, rest: Buffer): void {
  const upstream = connect(port, '127.0.0.1', () => {
    upstream.write(rest);
    client.pipe(upstream).pipe(client);
  });
  upstream.on('error', () => client.destroy());
}

/** SOCKS5 with a username and password. */
async function startSocks(to: number, password = 'pass') {
  const targets: string[] = [];
  const server = createServer((client) => {
    let bytes: Buffer = Buffer.alloc(0);
    let step = 0;
    client.on('data', onData);
    function onData(chunk: Buffer): void {
      bytes = Buffer.concat([bytes, chunk]);
      const length = bytes[4] ?? 0;
      if (step === 0 && bytes.length >= 2 + (bytes[1] ?? 0)) {
        bytes = bytes.subarray(2 + (bytes[1] ?? 0));
        step = 1;
        client.write(Buffer.from([5, 2]));
      } else if (step === 1 && bytes.length >= 3) {
        const user = bytes[1] ?? 0;
        const given = bytes.subarray(3 + user, 3 + user + (bytes[2 + user] ?? 0)).toString();
        bytes = Buffer.alloc(0);
        step = 2;
        client.write(Buffer.from([1, given === password ? 0 : 1]));
      } else if (step === 2 && bytes.length >= 7 + length) {
        targets.push(
          `${bytes.subarray(5, 5 + length).toString()}:${bytes.readUInt16BE(5 + length)}`,
        );
        client.off('data', onData).pause();
        client.write(Buffer.from([5, 0, 0, 1, 127, 0, 0, 1, 0, 0]));
        join(client, to, bytes.subarray(7 + length));
      }
    }
  });
  return { port: await listening(server), targets };
}

async function startHttpProxy(to: number, status = 200) {
  const targets: string[] = [];
  const server = createHttpServer();
  server.on('connect', (message: IncomingMessage, client: Socket, head: Buffer) => {
    targets.push(`${message.url} ${message.headers['proxy-authorization'] ?? ''}`.trim());
    client.write(`HTTP/1.1 ${status} told\r\n\r\n`);
    if (status === 200) join(client, to, head);
    else client.end();
  });
  return { port: await listening(server), targets };
}

/** Accepts connections and never answers. */
async function startSilent() {
  let connections = 0;
  const server = createServer(() => {
    connections++;
  });
  return { port: await listening(server), connections: () => connections };
}

async function ask(
  url: string,
  proxies: string[],
  exceptions: string[] = [],
  connect = createPlatformConnector({ proxies, exceptions }),
) {
  const dispatcher = new Agent({ connect });
  onTestFinished(() => dispatcher.close());
  const { body } = await request(url, { dispatcher });
  return body.json();
}

describe('connections to the platform', () => {
  it('go through a SOCKS5 proxy, with the name and the credentials', async () => {
    const platform = await startPlatform();
    const socks = await startSocks(platform.port);
    const url = 'http://api.telegram.test/bot1:x/getMe';
    expect(await ask(url, [`socks5://me:pass@127.0.0.1:${socks.port}`])).toMatchObject({
      ok: true,
    });
    expect(socks.targets).toEqual(['api.telegram.test:80']);
    await expect(ask(url, [`socks5://me:wrong@127.0.0.1:${socks.port}`])).rejects.toThrow(
      /^The proxy 127\.0\.0\.1:\d+ refused the connection: wrong username or password$/,
    );
  });

  it('go through an HTTP proxy, or the next one that works', async () => {
    const platform = await startPlatform();
    const busy = await startHttpProxy(platform.port, 503);
    const proxy = await startHttpProxy(platform.port);
    const proxies = [
      `http://127.0.0.1:1`,
      `http://127.0.0.1:${busy.port}`,
      `http://me:pass@127.0.0.1:${proxy.port}`,
    ];
    expect(await ask('http://api.telegram.test:8081/x', proxies)).toMatchObject({ ok: true });
    expect(proxy.targets).toEqual([
      `api.telegram.test:8081 Basic ${Buffer.from('me:pass').toString('base64')}`,
    ]);
    expect(busy.targets).toHaveLength(1);
    await expect(ask('http://api.telegram.test/x', proxies.slice(1, 2))).rejects.toThrow(
      'status 503',
    );
  });

  it('are direct to this machine, to private networks and to exceptions', async () => {
    const platform = await startPlatform();
    const proxy = await startHttpProxy(platform.port);
    const proxies = [`http://127.0.0.1:${proxy.port}`];
    await ask(`http://127.0.0.1:${platform.port}/x`, proxies);
    await ask(`http://localhost:${platform.port}/x`, proxies);
    await expect(
      ask('http://api.telegram.invalid/x', proxies, ['api.telegram.invalid:80']),
    ).rejects.toThrow('ENOTFOUND');
    expect(proxy.targets).toEqual([]);
    await ask('http://api.telegram.invalid/x', proxies, [
      'api.telegram.invalid:8081',
      '10.0.0.0/8',
    ]);
    expect(proxy.targets).toEqual(['api.telegram.invalid:80']);
  });

  it('through a proxy look up no name, as answers may be forged or never come', async () => {
    const platform = await startPlatform();
    const proxy = await startHttpProxy(platform.port);
    const lookups: string[] = [];
    // What others of this process look up meanwhile does not count.
    const isOwn = new AsyncLocalStorage<true>();
    const hook = createHook({
      init(_, type) {
        if (!isOwn.getStore()) return;
        if (['GETADDRINFOREQWRAP', 'QUERYWRAP'].includes(type)) lookups.push(type);
      },
    }).enable();
    onTestFinished(() => void hook.disable());
    const proxies = [`http://127.0.0.1:${proxy.port}`];
    await isOwn.run(true, () => ask('http://api.telegram.test/x', proxies));
    expect(proxy.targets).toHaveLength(1);
    expect(lookups).toEqual([]);
    // Without a proxy, it would be seen.
    await isOwn.run(true, () => ask(`http://localhost:${platform.port}/x`, []).catch(() => {}));
    expect(lookups).not.toEqual([]);
  });

  it('do not wait long for a silent proxy, and stay with the one that works', async () => {
    const platform = await startPlatform();
    const silent = await startSilent();
    const proxy = await startHttpProxy(platform.port);
    const proxies = [`http://127.0.0.1:${silent.port}`, `http://127.0.0.1:${proxy.port}`];
    const clock = createManualClock();
    const connect = createPlatformConnector({ proxies, exceptions: [] }, clock);
    const first = ask('http://api.telegram.test/x', proxies, [], connect);
    await expect.poll(silent.connections).toBe(1);
    expect(proxy.targets).toEqual([]);
    await clock.advance(2_000);
    expect(await first).toMatchObject({ ok: true });
    expect(await ask('http://api.telegram.test/x', proxies, [], connect)).toMatchObject({
      ok: true,
    });
    expect([silent.connections(), proxy.targets.length]).toEqual([1, 2]);
  });

  it('fail when no proxy answers in time', async () => {
    const silent = await startSilent();
    const clock = createManualClock();
    const proxies = [`socks5h://127.0.0.1:${silent.port}`];
    const connect = createPlatformConnector({ proxies, exceptions: [] }, clock);
    const answer = ask('http://api.telegram.test/x', proxies, [], connect).catch(String);
    await expect.poll(silent.connections).toBe(1);
    await clock.advance(10_000);
    expect(await answer).toContain('refused the connection: no answer');
  });

  it('serve a whole service, with TLS to the platform and no proxy for backends', async () => {
    const platform = await startPlatform(true);
    const socks = await startSocks(platform.port);
    const folder = temporaryFolder();
    onTestFinished(folder.remove);
    const authority = path.join(folder.path, 'authority.pem');
    writeFileSync(authority, forOther.certificate);
    const secrets = path.join(folder.path, 'proxy');
    writeFileSync(secrets, `socks5://me:pass@127.0.0.1:${socks.port}\n`);
    const env = {
      RELAY_DATA_DIR: path.join(folder.path, 'data'),
      RELAY_SANDBOX: 'off',
      TELEGRAM_API_URL: `https://${name}`,
      RELAY_TELEGRAM_PROXY_FILE: secrets,
      TELEGRAM_BOT_TOKEN: token,
      NODE_EXTRA_CA_CERTS: authority,
    };
    const service = await startRelay(env);
    await expect.poll(() => platform.asked.some((url) => url.includes('/getUpdates'))).toBe(true);
    const answer = await fetch(`${service.address}/bot${token}/getMe`);
    expect(await answer.json()).toMatchObject({ result: { username: 'shop_bot' } });
    expect(new Set(socks.targets)).toEqual(new Set([`${name}:443`]));
    const doctor = await runRelay(['doctor'], { env });
    expect(doctor.stdout).toContain(`https://${name} answers`);
    expect(`${service.stdout()}${service.stderr()}`).not.toContain('pass@');
    await service.stop();
  });
});
