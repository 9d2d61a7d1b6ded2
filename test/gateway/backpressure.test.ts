import { once } from 'node:events';
import { createServer, type IncomingMessage, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { BotRecord } from '../../src/store/bots/bots.ts';
import { type GatewayApp, startGatewayApp } from './gateway-app.ts';

const chunk = Buffer.alloc(64 * 1024, 7);
const total = 60 * 1024 * 1024;
// Buffers of sockets and streams on the way.
const onTheWay = 20 * 1024 * 1024;

describe('a side that does not read', () => {
  let gateway: GatewayApp;
  let bot: BotRecord;
  let paused: IncomingMessage | undefined;
  let written = 0;
  let received = 0;

  const server = createServer((req, res) => {
    if (req.method === 'POST') {
      paused = req;
      req.pause();
      req.on('data', (part: Buffer) => {
        received += part.length;
      });
      req.pause();
      req.on('end', () => res.end('{"ok":true,"result":true}'));
      return;
    }
    res.writeHead(200, { 'content-length': total });
    void (async () => {
      while (written < total) {
        written += chunk.length;
        if (!res.write(chunk)) await once(res, 'drain');
      }
      res.end();
    })();
  });

  beforeEach(async () => {
    paused = undefined;
    written = 0;
    received = 0;
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    gateway = await startGatewayApp({
      baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    });
    bot = await gateway.addBot();
  });
  afterEach(async () => {
    await gateway.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  /** Resolves once a count has stood still for a while. */
  async function still(count: () => number): Promise<number> {
    for (let before = -1; before !== count() || before === 0; ) {
      before = count();
      await sleep(100);
    }
    return count();
  }

  it('holds the platform up when it is the client', async () => {
    const asked = httpRequest(`${gateway.url}/file/bot${bot.token}/a.bin`).end();
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    expect(await still(() => written)).toBeLessThan(onTheWay);
    let read = 0;
    for await (const part of answer as AsyncIterable<Buffer>) read += part.length;
    expect(read).toBe(total);
  });

  it('holds the client up when it is the platform', async () => {
    const sending = httpRequest(`${gateway.url}/bot${bot.token}/sendDocument`, {
      method: 'POST',
      headers: { 'content-length': total },
    });
    let sent = 0;
    const done = (async () => {
      while (sent < total) {
        sent += chunk.length;
        if (!sending.write(chunk)) await once(sending, 'drain');
      }
      sending.end();
    })();
    const platform = await vi.waitUntil(() => paused);
    expect(await still(() => sent)).toBeLessThan(onTheWay);
    platform.resume();
    const [answer] = (await once(sending, 'response')) as [IncomingMessage];
    await done;
    answer.resume();
    await once(answer, 'end');
    expect(received).toBe(total);
  });
});
