import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, type Database } from '../support/database/engines.ts';
import { serve } from '../support/local-server.ts';
import { type RelayProcess, startRelay } from '../support/relay-process.ts';

const mebibyte = 1024 * 1024;
const documentBytes = 50 * mebibyte;
const chunk = Buffer.alloc(64 * 1024, 7);

function document(bytes: number): Readable {
  return Readable.from(
    (function* () {
      for (let sent = 0; sent < bytes; sent += chunk.length) yield chunk;
    })(),
    { objectMode: false },
  );
}

/** Takes documents and gives them, holding neither. */
function startPlatform() {
  return serve((req, res) => {
    if (req.url?.startsWith('/file/')) {
      const bytes = Number(new URL(req.url, 'http://x').searchParams.get('bytes'));
      res.writeHead(200, { 'content-length': bytes });
      document(bytes).pipe(res);
      return;
    }
    let bytes = 0;
    req.on('data', (part: Buffer) => {
      bytes += part.length;
    });
    req.on('end', () => {
      res.writeHead(200, { 'content-type': 'application/json' });
      const result = { id: 1, is_bot: true, first_name: 'B', username: 'b_bot', bytes };
      res.end(JSON.stringify({ ok: true, result: req.url?.includes('getUpdates') ? [] : result }));
    });
  });
}

// The peak of another process's memory can only be asked of Linux.
describe.runIf(process.platform === 'linux')('a document of 50 MB on its way', () => {
  const token = '4711:memory-test';
  let platform: Awaited<ReturnType<typeof startPlatform>>;
  let database: Database;
  let service: RelayProcess;
  let pid: number;

  beforeAll(async () => {
    platform = await startPlatform();
    database = await createDatabase('sqlite');
    service = await startRelay({
      ...database.settings,
      TELEGRAM_API_URL: platform.url,
      RELAY_SANDBOX: 'off',
      RELAY_LOG_LEVEL: 'silent',
    });
    const file = JSON.parse(readFileSync(path.join(database.dataDir, 'service.json'), 'utf8')) as {
      pid: number;
      key: string;
    };
    pid = file.pid;
    const added = await request(`${service.address}/api/bots/add`, {
      method: 'POST',
      headers: { authorization: `Bearer ${file.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ token }),
    });
    expect(added.statusCode).toBe(200);
    const { id } = (await added.body.json()) as { id: number };
    expect(id).toBeGreaterThan(0);
    // The first use of the code costs memory, too: not counted.
    for (let round = 0; round < 5; round++) {
      await upload(2 * mebibyte);
      await download(2 * mebibyte);
    }
  });
  afterAll(async () => {
    await service.stop();
    await database.drop();
    await platform.close();
  });

  const status = (name: string) =>
    Number(
      new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1],
    ) * 1024;

  async function upload(bytes: number): Promise<number> {
    const { body } = await request(`${service.address}/bot${token}/sendDocument`, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream', 'content-length': String(bytes) },
      body: document(bytes),
    });
    return ((await body.json()) as { result: { bytes: number } }).result.bytes;
  }

  async function download(bytes: number): Promise<number> {
    const { body } = await request(`${service.address}/file/bot${token}/d.bin?bytes=${bytes}`);
    let read = 0;
    for await (const part of body) read += (part as Buffer).length;
    return read;
  }

  async function growth(transfer: (bytes: number) => Promise<number>, bytes: number) {
    const before = status('VmRSS');
    // Resets the recorded peak to the current use.
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
    expect(await transfer(bytes)).toBe(bytes);
    return status('VmHWM') - before;
  }

  /*
   * A chunk that has passed is garbage, of which V8 lets about 64 MB gather before it looks. Measured:
   * 50 to 53 MB up and 0.3 to 0.4 MB down after that.
   */
  it('adds less than 84 MB up, and less than 84 MB down', async () => {
    const up = await growth(upload, documentBytes);
    const down = await growth(download, documentBytes);
    expect(up).toBeLessThan(84_000_000);
    expect(down).toBeLessThan(84_000_000);
  });

  // Measured: 54 to 82 MB up, 5 to 50 MB down.
  it('adds less than half its size when it is four times as large', async () => {
    const up = await growth(upload, 4 * documentBytes);
    const down = await growth(download, 4 * documentBytes);
    expect(up).toBeLessThan(2 * documentBytes);
    expect(down).toBeLessThan(2 * documentBytes);
  });
});
