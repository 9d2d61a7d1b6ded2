import type { RequestListener, Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { Readable } from 'node:stream';
import { Pool } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { createSandbox } from '../../sandbox/src/index.ts';
import { createTelegramClient, type TelegramClient } from '../../src/telegram/client.ts';
import { PlatformRefused, PlatformUnreachable } from '../../src/telegram/errors.ts';
import { serve } from '../support/local-server.ts';
import { createManualClock } from '../support/manual-clock.ts';

const token = '123456:AA-secret_part';
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function clientFor(
  baseUrl: string,
  options: { clock?: typeof systemClock; maxConnections?: number } = {},
): TelegramClient {
  const client = createTelegramClient({
    baseUrlFor: () => baseUrl,
    clock: systemClock,
    ...options,
  });
  cleanups.push(() => client.close());
  return client;
}

async function sandboxed() {
  const sandbox = createSandbox({ seed: 1 });
  cleanups.push(() => sandbox.close());
  const { url } = await sandbox.listen();
  const bot = sandbox.createBot({ first_name: 'Helper' });
  const user = sandbox.createUser({ first_name: 'Ann' });
  sandbox.say(user.id, bot.id, '/start');
  return { sandbox, bot, user, client: clientFor(url) };
}

async function served(listener: RequestListener): Promise<{ url: string; server: Server }> {
  const { url, server, close } = await serve(listener);
  cleanups.push(close);
  return { url, server };
}

async function failureOf(work: Promise<unknown>): Promise<PlatformRefused | PlatformUnreachable> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error instanceof PlatformRefused || error instanceof PlatformUnreachable).toBe(true);
  // Nothing of an error, its stack or its parts may hold the token.
  const parts = Object.getOwnPropertyNames(error).map((name) =>
    String((error as Record<string, unknown>)[name]),
  );
  expect(parts.join('\n')).not.toContain('secret_part');
  return error as PlatformRefused;
}

describe('calls', () => {
  it('gives the result of a method', async () => {
    const { client, bot, user } = await sandboxed();
    expect(await client.call(bot.token, 'getMe')).toMatchObject({ id: bot.id, is_bot: true });
    const sent = await client.call(bot.token, 'sendMessage', { chat_id: user.id, text: 'hi 😀' });
    expect(sent).toMatchObject({ text: 'hi 😀', chat: { id: user.id } });
  });

  it('gives the text of the answer as it came', async () => {
    const body = '{"ok":true,"result":[{"update_id":1,"big":12345678901234567890}]}';
    const { url } = await served((_request, response) => response.end(body));
    const { text } = await clientFor(url).callForText(token, 'getUpdates');
    expect(text).toBe(body);
  });

  it('does not wait behind slow uploads or downloads', async () => {
    let begun = () => {};
    const { url } = await served((request, response) => {
      if (request.url?.endsWith('/getMe')) response.end('{"ok":true,"result":true}');
      else if (request.method === 'GET') response.writeHead(200).write('the beginning');
      else begun();
    });
    const client = clientFor(url, { maxConnections: 1 });
    const arrived = new Promise<void>((resolve) => (begun = resolve));
    const file = new Readable({ read() {} });
    file.push('the beginning');
    const stop = new AbortController();
    const params = { document: { file, name: 'slow.txt' } };
    const sending = client.call(token, 'sendDocument', params, { signal: stop.signal });
    await arrived;
    expect(await client.call(token, 'getMe')).toBe(true);
    stop.abort();
    await expect(sending).rejects.toThrow('canceled');

    const { body } = await client.getFileStream(token, 'films/long.mp4');
    expect(await client.call(token, 'getMe')).toBe(true);
    body.on('error', () => {}).destroy();
  });

  it('keeps the path of a base address', async () => {
    let asked = '';
    const { url } = await served((request, response) => {
      asked = `${request.method} ${request.url}`;
      response.end('{"ok":true,"result":true}');
    });
    await clientFor(`${url}/tg/api`).call(token, 'close');
    expect(asked).toBe(`POST /tg/api/bot${token}/close`);
  });

  it('uploads files from streams and buffers', async () => {
    const { client, bot, user } = await sandboxed();
    const sent = (await client.call(bot.token, 'sendDocument', {
      chat_id: user.id,
      caption: 'all of it',
      disable_notification: true,
      document: { file: Readable.from(['part one, ', 'part two']), name: 'a "quoted" name.txt' },
    })) as { document: { file_id: string; file_size: number }; caption: string };
    expect(sent.caption).toBe('all of it');
    expect(sent.document.file_size).toBe(18);
    const again = (await client.call(bot.token, 'sendDocument', {
      chat_id: user.id,
      document: { file: Buffer.from('in one piece'), name: 'b.txt', type: 'text/plain' },
    })) as { document: { file_id: string } };
    const { file_path } = (await client.call(bot.token, 'getFile', {
      file_id: again.document.file_id,
    })) as { file_path: string };
    const file = await client.getFileStream(bot.token, file_path);
    expect(file.status).toBe(200);
    expect(Buffer.concat(await file.body.toArray()).toString()).toBe('in one piece');
  });

  it('uses the connections it is given', async () => {
    const { client, bot, sandbox } = await sandboxed();
    const { url } = await sandbox.listen();
    const own = new Pool(url);
    cleanups.push(() => own.destroy());
    let used = 0;
    own.on('connect', () => used++);
    await client.call(bot.token, 'getMe', {}, { dispatcher: own });
    expect(used).toBe(1);
  });
});

describe('refusals', () => {
  it.each([
    ['unauthorized', 401, 'fatal'],
    ['conflict', 409, 'conflict'],
    ['too_many_requests', 429, 'wait'],
    ['server_error', 500, 'retry'],
  ] as const)('tells %s apart', async (kind, errorCode, expected) => {
    const { client, bot, sandbox } = await sandboxed();
    sandbox.fault({ kind, times: 1 });
    const error = await failureOf(client.call(bot.token, 'getMe'));
    expect(error).toMatchObject({ errorCode, kind: expected });
  });

  it('tells how long to wait', async () => {
    const { url } = await served((_request, response) => {
      response.writeHead(429, { 'retry-after': '7' });
      response.end(
        '{"ok":false,"error_code":429,"description":"Too Many Requests: retry after 7","parameters":{"retry_after":7}}',
      );
    });
    const error = await failureOf(clientFor(url).call(token, 'getMe'));
    expect(error).toMatchObject({ kind: 'wait', parameters: { retry_after: 7 } });
  });

  it('tells where a chat has moved, and keeps the token out of a description', async () => {
    const { url } = await served((request, response) => {
      response.writeHead(400);
      response.end(
        JSON.stringify({
          ok: false,
          error_code: 400,
          description: `Bad Request: ${request.url}`,
          parameters: { migrate_to_chat_id: -1005 },
        }),
      );
    });
    const error = await failureOf(clientFor(url).call(token, 'getMe'));
    expect(error).toMatchObject({
      kind: 'refuse',
      description: 'Bad Request: /bot***/getMe',
      parameters: { migrate_to_chat_id: -1005 },
    });
  });

  it('takes the HTTP status where an answer names no code', async () => {
    const { url } = await served((_request, response) => {
      response.writeHead(403);
      response.end('{"ok":false}');
    });
    expect(await failureOf(clientFor(url).call(token, 'getMe'))).toMatchObject({
      errorCode: 403,
      kind: 'refuse',
    });
  });
});

describe('no answer', () => {
  it('knows that nothing was sent where nothing listens', async () => {
    const { url, server } = await served(() => {});
    await new Promise((resolve) => server.close(resolve));
    expect(await failureOf(clientFor(url).call(token, 'sendMessage'))).toMatchObject({
      reason: 'network',
      requestWritten: false,
    });
  });

  it('knows that nothing was sent to a name that does not resolve', async () => {
    const client = clientFor('http://nowhere.invalid');
    expect(await failureOf(client.call(token, 'sendMessage'))).toMatchObject({
      requestWritten: false,
    });
  });

  it.each(['reset_after', 'reset_before', 'truncated'] as const)(
    'does not know after %s',
    async (kind) => {
      const { client, bot, sandbox, user } = await sandboxed();
      sandbox.fault({ kind, times: 1 });
      const call = client.call(bot.token, 'sendMessage', { chat_id: user.id, text: 'x' });
      expect(await failureOf(call)).toMatchObject({ reason: 'network', requestWritten: true });
    },
  );

  it.each([
    ['a page', 502, '<html>bad gateway</html>'],
    ['nothing', 200, ''],
    ['another JSON', 200, '{"status":"fine"}'],
    ['no object', 200, '"ok"'],
    ['null', 200, 'null'],
    ['an envelope without a result', 200, '{"ok":true}'],
  ])('does not take %s for an answer', async (_name, status, body) => {
    const { url } = await served((_request, response) => {
      response.writeHead(status);
      response.end(body);
    });
    expect(await failureOf(clientFor(url).call(token, 'getMe'))).toMatchObject({
      reason: 'answer',
      requestWritten: true,
    });
  });

  it('survives something that does not speak HTTP', async () => {
    const server = createTcpServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end('SSH-2.0-nonsense\r\n'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    cleanups.push(() => new Promise((resolve) => server.close(resolve)));
    const client = clientFor(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    expect(await failureOf(client.call(token, 'getMe'))).toMatchObject({ requestWritten: true });
  });

  it('times out, and reports an unknown outcome', async () => {
    const clock = createManualClock();
    const arrived = Promise.withResolvers<void>();
    const { url } = await served(() => arrived.resolve());
    const call = failureOf(
      clientFor(url, { clock }).call(token, 'getMe', {}, { timeoutMs: 3_000 }),
    );
    await arrived.promise;
    await clock.advance(3_000);
    expect(await call).toMatchObject({ reason: 'timeout', requestWritten: true });
  });

  it('can be canceled, before and while it waits', async () => {
    const { url } = await served(() => arrived.resolve());
    const arrived = Promise.withResolvers<void>();
    const client = clientFor(url);
    const early = client.call(token, 'getMe', {}, { signal: AbortSignal.abort() });
    expect(await failureOf(early)).toMatchObject({ reason: 'aborted', requestWritten: false });
    const stop = new AbortController();
    const late = failureOf(client.call(token, 'getMe', {}, { signal: stop.signal }));
    await arrived.promise;
    stop.abort();
    expect(await late).toMatchObject({ reason: 'aborted', requestWritten: true });
  });

  it('lets go of a file whose call never went out', async () => {
    const { url, server } = await served(() => {});
    await new Promise((resolve) => server.close(resolve));
    const file = new Readable({ read() {} });
    const closed = new Promise((resolve) => file.once('close', resolve));
    await failureOf(clientFor(url).call(token, 'sendDocument', { document: { file, name: 'a' } }));
    await closed;
    expect(file.destroyed).toBe(true);
  });
});
