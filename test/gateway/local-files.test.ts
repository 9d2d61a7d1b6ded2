import { mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RelayProcess, startRelay, temporaryFolder } from '../support/relay-process.ts';

const token = '123456:secret-of-this-bot';
const largeBytes = 2 * 1024 ** 3;

/** A Bot API server in local mode: it tells absolute paths and serves no files. */
describe.runIf(process.platform === 'linux')('files of a local Bot API server', () => {
  const folder = temporaryFolder();
  const root = path.join(folder.path, 'telegram-bot-api');
  const own = path.join(root, token, 'documents');
  let service: RelayProcess;
  let pid = 0;

  const platform = createServer((request, response) => {
    const method = request.url?.split('/').at(-1)?.split('?')[0];
    const bot = { id: 123456, is_bot: true, first_name: 'Shop', username: 'shop_bot' };
    const file = { file_id: 'f', file_path: path.join(own, 'menu.txt') };
    const result = method === 'getMe' ? bot : method === 'getFile' ? file : [];
    response.end(JSON.stringify({ ok: true, result }));
  });
  beforeAll(async () => {
    mkdirSync(own, { recursive: true });
    mkdirSync(path.join(root, '654321:secret-of-another'), { recursive: true });
    writeFileSync(path.join(own, 'menu.txt'), 'green tea, black tea');
    writeFileSync(path.join(root, '654321:secret-of-another', 'other.txt'), 'not yours');
    writeFileSync(path.join(folder.path, 'outside.txt'), 'not below the root');
    symlinkSync(path.join(folder.path, 'outside.txt'), path.join(own, 'link.txt'));
    symlinkSync(path.join(own, 'menu.txt'), path.join(own, 'inside.txt'));
    truncateSync(open(path.join(own, 'large.bin')), largeBytes);
    await new Promise<void>((resolve) => platform.listen(0, '127.0.0.1', resolve));
    const { port } = platform.address() as AddressInfo;
    const dataDir = path.join(folder.path, 'data');
    service = await startRelay({
      RELAY_DATA_DIR: dataDir,
      RELAY_SANDBOX: 'off',
      TELEGRAM_API_URL: `http://127.0.0.1:${port}`,
      TELEGRAM_BOT_TOKEN: token,
      RELAY_TELEGRAM_FILES: root,
    });
    const file = readFileSync(path.join(dataDir, 'service.json'), 'utf8');
    pid = (JSON.parse(file) as { pid: number }).pid;
  });
  afterAll(async () => {
    await service.stop();
    platform.closeAllConnections();
    platform.close();
    folder.remove();
  });

  const download = (filePath: string, headers: Record<string, string> = {}, method = 'GET') =>
    fetch(`${service.address}/file/bot${token}/${filePath}`, { headers, method });

  it('are read from disk, whole and in ranges', async () => {
    const answer = await fetch(`${service.address}/bot${token}/getFile?file_id=f`);
    const { result } = (await answer.json()) as { result: { file_path: string } };
    const whole = await download(result.file_path);
    expect(whole.status).toBe(200);
    expect(await whole.text()).toBe('green tea, black tea');
    const part = await download(result.file_path, { range: 'bytes=6-8' });
    expect(part.status).toBe(206);
    expect(part.headers.get('content-range')).toBe('bytes 6-8/20');
    expect(await part.text()).toBe('tea');
    expect((await download(result.file_path, { range: 'bytes=99-' })).status).toBe(416);
    const head = await download(result.file_path, {}, 'HEAD');
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '20']);
    expect(await (await download(path.join(own, 'inside.txt'))).text()).toContain('green tea');
  });

  it.each([
    ['outside the root', () => path.join(folder.path, 'outside.txt')],
    ['behind a symbolic link out of it', () => path.join(own, 'link.txt')],
    ['of another bot', () => path.join(root, '654321:secret-of-another', 'other.txt')],
    ['that are folders', () => own],
    ['that are not there', () => path.join(own, 'nothing.txt')],
    ['reached by climbing', () => `${own}/%2e%2e/%2e%2e/%2e%2e/outside.txt`],
  ])('%s are not found', async (_, filePath) => {
    const answer = await download(filePath());
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ ok: false, error_code: 404 });
  });

  it('of 2 GB take no memory', async () => {
    const before = memoryOf(pid);
    const answer = await download(path.join(own, 'large.bin'));
    let bytes = 0;
    let most = before;
    for await (const chunk of answer.body as unknown as AsyncIterable<Uint8Array>) {
      if (Math.floor(bytes / 1e8) < Math.floor((bytes + chunk.length) / 1e8)) {
        most = Math.max(most, memoryOf(pid));
      }
      bytes += chunk.length;
    }
    expect(bytes).toBe(largeBytes);
    expect(most - before).toBeLessThan(100);
  }, 120_000);
});

/** Makes an empty file. */
function open(file: string): string {
  writeFileSync(file, '');
  return file;
}

/** Resident, in MB. */
function memoryOf(pid: number): number {
  const [, kilobytes = '0'] =
    /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1000;
}
