import { mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { type RelayProcess, startRelay, temporaryFolder } from '../support/relay-process.ts';

export const largeBytes = 2 * 1024 ** 3;
const token = '123456:secret-of-this-bot';

/** A service beside a Bot API server in local mode, which tells absolute paths and serves no files. */
export function serviceWithLocalFiles() {
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

  return {
    folder: folder.path,
    root,
    own,
    download,
    getFile: () => fetch(`${service.address}/bot${token}/getFile?file_id=f`),
    /** Resident, in MB. */
    memory(): number {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1000;
    },
  };
}

/** Makes an empty file. */
function open(file: string): string {
  writeFileSync(file, '');
  return file;
}
