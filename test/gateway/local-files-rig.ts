import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { type RelayProcess, startRelay, temporaryFolder } from '../support/relay-process.ts';

export const largeBytes = 2 * 1024 ** 3;
const token = '123456:secret-of-this-bot';
const other = '654321:secret-of-another';

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
    plant(path.join(own, 'menu.txt'), 'green tea, black tea');
    plant(path.join(root, `${token}:T`, 'photos', 'file_0.jpg'), 'of the test servers');
    plant(path.join(root, 'more', token, 'photos', 'file_0.jpg'), 'of another server');
    for (const folderOfOther of [other, `${other}:T`]) {
      plant(path.join(root, folderOfOther, 'photos', 'other.txt'), 'not yours');
    }
    for (const name of ['webhooks_db.binlog', 'tqueue.binlog', 'server.log']) {
      plant(path.join(root, name), 'tokens of every bot');
    }
    plant(path.join(root, token, 'td.binlog'), 'keys of the session');
    plant(path.join(root, token, 'db.sqlite'), 'the session');
    plant(path.join(own, 'file_1.sqlite'), 'a database that a user sent');
    symlinkSync(path.join(root, token, 'td.binlog'), path.join(own, 'session.txt'));
    execFileSync('mkfifo', [path.join(own, 'pipe')]);
    writeFileSync(path.join(folder.path, 'outside.txt'), 'not below the root');
    symlinkSync(path.join(folder.path, 'outside.txt'), path.join(own, 'link.txt'));
    symlinkSync(path.join(own, 'menu.txt'), path.join(own, 'inside.txt'));
    plant(path.join(own, 'large.bin'), '');
    truncateSync(path.join(own, 'large.bin'), largeBytes);
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
    token,
    other,
    download,
    getFile: () => fetch(`${service.address}/bot${token}/getFile?file_id=f`),
    /** Resident, in MB. */
    memory(): number {
      const status = readFileSync(`/proc/${pid}/status`, 'utf8');
      return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1000;
    },
  };
}

function plant(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}
