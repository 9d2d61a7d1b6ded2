import { once } from 'node:events';
import { type ClientRequest, request as httpRequest, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type GatewayApp, startGatewayApp } from './gateway-app.ts';

const connections = 2;

describe('transfers that never end', () => {
  let gateway: GatewayApp;
  let begun: (() => void) | undefined;
  const open: ClientRequest[] = [];
  const server = createServer((req, res) => {
    if (!req.url?.endsWith('/getMe')) {
      if (req.method === 'GET') res.writeHead(200).write('the beginning');
      begun?.();
      return;
    }
    res.end('{"ok":true,"result":true}');
  });

  beforeEach(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    gateway = await startGatewayApp({
      baseUrl: `http://127.0.0.1:${port}`,
      maxConnections: connections,
    });
  });
  afterEach(async () => {
    for (const one of open.splice(0)) one.destroy();
    await gateway.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it.each([
    ['uploads', 'POST', (token: string) => `/bot${token}/sendDocument`],
    ['downloads', 'GET', (token: string) => `/file/bot${token}/film.mp4`],
  ])('keep no other bot from calling: %s', async (_, method, pathOf) => {
    const greedy = await gateway.addBot();
    const other = await gateway.addBot();
    for (let n = 0; n < connections; n++) {
      const arrived = new Promise<void>((resolve) => (begun = resolve));
      const transfer = httpRequest(gateway.url + pathOf(greedy.token), { method });
      transfer.on('error', () => {});
      open.push(transfer);
      if (method === 'POST') transfer.write('the beginning');
      else transfer.end();
      await arrived;
      if (method === 'GET') await once(transfer, 'response');
    }
    expect((await gateway.call(`/bot${other.token}/getMe`)).json).toEqual({
      ok: true,
      result: true,
    });
  });
});
