import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sampleEndpoints } from '../support/sample-endpoints.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

describe('bodies that never come', () => {
  let test: TestApp;
  let address: string;
  beforeEach(async () => {
    test = await startTestApp({ endpoints: sampleEndpoints() });
    address = await test.app.listen({ host: '127.0.0.1', port: 0 });
  });
  afterEach(() => test.close());

  function begin(path: string, headers = '', method = 'POST'): Socket {
    const { hostname, port } = new URL(address);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => {});
    socket.write(
      `${method} ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n${headers}\r\n{`,
    );
    return socket;
  }
  const begun = async (count: number) => {
    await expect.poll(() => connections()).toBe(count);
    // One more round trip, so that everything written before was processed.
    await (await fetch(`${address}/healthz`)).text();
  };
  const connections = () =>
    new Promise<number>((resolve) => {
      test.app.server.getConnections((_error, count) => resolve(count));
    });

  it('hold a connection of a stranger for half a minute at most', async () => {
    const socket = begin('/api/auth/sign-in');
    await begun(1);
    const closed = once(socket, 'close');
    await test.clock.advance(29_000);
    expect(socket.destroyed).toBe(false);
    await test.clock.advance(1_000);
    await closed;
  });

  it('hold it a moment only where the answer is there already', async () => {
    const { headers } = await test.key('read');
    const authorization = `authorization: ${headers.authorization}\r\n`;
    const socket = begin('/api/version', authorization, 'GET');
    expect(String(await once(socket, 'data'))).toMatch(/^HTTP\/1\.1 200 /);
    await test.clock.advance(9_000);
    expect(socket.destroyed).toBe(false);
    const closed = once(socket, 'close');
    await test.clock.advance(1_000);
    await closed;
  });

  it('are waited for where the key is known', async () => {
    const { headers } = await test.key('manage');
    const socket = begin('/api/things/add', `authorization: ${headers.authorization}\r\n`);
    await begun(1);
    await test.clock.advance(3_600_000);
    socket.write(`"name":"a"${' '.repeat(1_000 - '{"name":"a"}'.length)}}`);
    expect(String(await once(socket, 'data'))).toMatch(/^HTTP\/1\.1 200 /);
    socket.destroy();
  });
});
