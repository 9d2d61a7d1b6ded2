import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { serviceForAllTests } from '../support/whole-service.ts';

/** The sandbox inside the service, without a key. */
describe('the sandbox and strangers', () => {
  const { service } = serviceForAllTests('sqlite', {
    RELAY_RATE_PER_ADDRESS: '1',
    RELAY_TRUST_PROXY: '127.0.0.1',
  });

  /** A request line just as it is written, which no client library would send. */
  function ask(line: string, body = '{}'): Promise<string> {
    const { hostname, port } = new URL(service().address);
    return new Promise((resolve, reject) => {
      let text = '';
      const socket = connect(Number(port), hostname, () =>
        socket.write(
          `${line} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
        ),
      );
      socket.on('data', (chunk) => (text += String(chunk)));
      socket.on('end', () => resolve(text)).on('error', reject);
    });
  }

  it.each([
    'POST http://h/sandbox/bots/create',
    'POST https://h/sandbox/bots/create',
    'POST http://relay.example/sandbox/bots/create',
    'POST /%73andbox/bots/create',
    'GET http://h/sandbox/file/bot',
  ])('do not steer it by %s', async (line) => {
    const answer = await ask(line);
    expect(answer).toMatch(/^HTTP\/1\.1 404 /);
    expect(answer).not.toContain('token');
  });

  it('are told at once that their token is unknown, whatever they mean to send', async () => {
    const { hostname, port } = new URL(service().address);
    const answered = new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), hostname, () =>
        socket.write(
          'POST /sandbox/bot1:abc/sendMessage HTTP/1.1\r\nhost: x\r\ncontent-length: 50000000\r\n\r\n{',
        ),
      );
      socket.once('data', (chunk) => {
        resolve(String(chunk));
        socket.destroy();
      });
      socket.once('error', reject);
    });
    expect(await answered).toMatch(/^HTTP\/1\.1 401 /);
  });

  it('may guess tokens only as fast as anywhere else', async () => {
    const guesses = Array.from({ length: 30 }, async (_, n) => {
      // From a separate address, so that no other test has to wait.
      const headers = { 'x-forwarded-for': '192.0.2.7' };
      const response = await fetch(`${service().address}/sandbox/bot1:guess${n}/getMe`, {
        headers,
      });
      await response.body?.cancel();
      return response.status;
    });
    expect(await Promise.all(guesses)).toContain(429);
  });
});
