import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Clock } from '../../../src/clock.ts';
import { readSettings, toConfig } from '../../../src/config.ts';
import { createPasswords } from '../../../src/core/access/passwords.ts';
import { createLogger } from '../../../src/logger.ts';
import { startService } from '../../../src/main.ts';
import { compose } from '../../../src/main/compose.ts';
import type { Store } from '../../../src/store/store.ts';
import { temporaryFolder } from '../../support/relay-process.ts';

/** The whole service with its page and its sandbox, as `npm start` gives it. */
export interface PageService {
  address: string;
  /** Where the first account is made. */
  setupLink: string;
  get<T>(path: string): Promise<T>;
  post<T>(path: string, body?: unknown): Promise<T>;
  close(): Promise<void>;
}

const builtPage = path.resolve(import.meta.dirname, '../../../web/dist/index.html');

interface PageServiceOptions {
  /** Fills the database before the service starts. */
  seed?: (store: Store) => Promise<void>;
  clock?: Clock;
  /** Further settings. */
  env?: Record<string, string>;
}

export async function startPageService({
  seed,
  env: more = {},
  ...own
}: PageServiceOptions = {}): Promise<PageService> {
  if (!existsSync(builtPage)) {
    throw new Error('The page is not built: run "node scripts/prepare.js test" first.');
  }
  const folder = temporaryFolder();
  const env = {
    PORT: '0',
    RELAY_DATA_DIR: path.join(folder.path, 'data'),
    // Nothing listens there: for bots outside the sandbox, Telegram is unreachable.
    TELEGRAM_API_URL: 'http://127.0.0.1:9',
    ...more,
  };
  const config = toConfig(readSettings({ env, workingDir: folder.path }));
  const lines: string[] = [];
  const options = {
    ...own,
    logger: createLogger({ level: 'silent' }),
    passwords: createPasswords({ cost: 2, blockSize: 1, parallelization: 1 }),
  };
  if (seed) {
    const parts = await compose(config, { ...options, offline: 'create' });
    await seed(parts.store);
    await parts.close();
  }
  const service = await startService(config, {
    ...options,
    announce: (line) => lines.push(line),
  });
  const setupLink = lines.map((line) => /(http\S+\/setup\S*)/.exec(line)?.[1]).find(Boolean) ?? '';

  async function call<T>(method: string, place: string, body?: unknown): Promise<T> {
    const response = await fetch(`${service.address}${place}`, {
      method,
      headers: {
        authorization: `Bearer ${service.localKey}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as T;
    if (!response.ok) throw new Error(`${place} answered ${JSON.stringify(answer)}`);
    return answer;
  }

  return {
    address: service.address,
    setupLink,
    get: (place) => call('GET', place),
    post: (place, body) => call('POST', place, body),
    async close() {
      await service.close();
      folder.remove();
    },
  };
}

/** A bot of the sandbox, added as anyone would. */
export async function addPracticeBot(
  service: PageService,
  name: string,
  settings: Record<string, unknown> = {},
): Promise<{ id: number; platform_id: number }> {
  const issued = await service.post<{ token: string }>('/api/sandbox/bots', { first_name: name });
  return service.post('/api/bots/add', { token: issued.token, name, ...settings });
}
