import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sampleEndpoints } from '../support/sample-endpoints.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let test: TestApp;
let address: URL;
let authorization: string;
beforeAll(async () => {
  test = await startTestApp({ endpoints: sampleEndpoints() });
  address = new URL(await test.app.listen({ host: '127.0.0.1', port: 0 }));
  authorization = (await test.key('admin')).headers.authorization;
});
afterAll(() => test.close());

/** Like the plainest of clients: writes everything, and only then listens. */
function writeThenRead(
  path: string,
  headers: Record<string, string>,
  body: Buffer,
): Promise<{ status: number; failure: string }> {
  return new Promise((resolve) => {
    let text = '';
    let failure = '';
    const socket = connect(Number(address.port), address.hostname, () => {
      const lines = Object.entries({ ...headers, 'content-length': String(body.length) });
      socket.write(
        `POST ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
      );
      socket.pause();
      socket.write(body, () => socket.resume());
    });
    socket.on('data', (chunk) => {
      text += String(chunk);
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      failure = error.code ?? error.message;
    });
    socket.on('close', () => resolve({ status: Number(text.slice(9, 12)), failure }));
  });
}

const json = { 'content-type': 'application/json' };
const body = Buffer.alloc(10_000_000, 'x');

it.each([
  ['too large', '/api/things/add', () => ({ ...json, authorization }), 413],
  [
    'of another type',
    '/api/things/add',
    () => ({ 'content-type': 'text/plain', authorization }),
    415,
  ],
  ['without a key', '/api/things/add', () => json, 401],
  [
    'where none is taken',
    '/api/things/toggle?id=1',
    () => ({ 'content-type': 'x/y', authorization }),
    400,
  ],
  ['for a path that is not there', '/api/nothing', () => json, 404],
])('refuses a 10 MB body %s so that the sender hears it', async (_why, path, headers, status) => {
  expect(await writeThenRead(path, headers(), body)).toEqual({ status, failure: '' });
});
