import { expect } from 'vitest';
import { createSandbox, type Sandbox } from '../../sandbox/src/index.ts';
import { readSettings, toConfig } from '../../src/config.ts';
import { createLogger } from '../../src/logger.ts';
import { startService } from '../../src/main.ts';
import type { DialectName } from '../../src/store/engine.ts';
import { createDatabase } from '../support/database/engines.ts';
import { type LocalServer, serve } from '../support/local-server.ts';
import { cheapPasswords } from '../support/test-app.ts';

/** The service as shipped, with one bot, and a sandbox as its platform. */
export interface RelayOnSandbox {
  address: string;
  sandbox: Sandbox;
  bot: { id: number; token: string };
  /** The bot's number in the service. */
  botId: number;
  /** Calls the API and demands success. */
  call<T>(path: string, body?: object): Promise<T>;
  close(): Promise<void>;
}

export async function startRelayOnSandbox(
  dialect: DialectName,
  settings: object = {},
  servePlatform: (sandbox: Sandbox) => Promise<LocalServer> = (sandbox) =>
    serve((req, res) => sandbox.handle(req, res)),
): Promise<RelayOnSandbox> {
  const sandbox = createSandbox({ seed: 5 });
  const platform = await servePlatform(sandbox);
  const bot = sandbox.createBot({ username: 'library_bot', hasTopics: true });
  const database = await createDatabase(dialect);
  const env = {
    ...database.settings,
    TELEGRAM_API_URL: platform.url,
    PORT: '0',
    RELAY_SANDBOX: 'off',
    RELAY_SECRET_KEY: 'k'.repeat(40),
  };
  const logLines: string[] = [];
  const tokens = [bot.token];
  const service = await startService(
    toConfig(readSettings({ env, workingDir: database.dataDir })),
    {
      logger: createLogger({ level: 'debug', write: (line) => logLines.push(line) }),
      passwords: cheapPasswords(),
    },
  );
  async function call<T>(path: string, body?: object): Promise<T> {
    const answer = await fetch(service.address + path, {
      method: body ? 'POST' : 'GET',
      headers: {
        authorization: `Bearer ${service.localKey}`,
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const json = (await answer.json()) as T & { token?: string };
    expect(answer.status, JSON.stringify(json)).toBe(200);
    if (path === '/api/bots/apps/add') tokens.push(json.token ?? '');
    return json;
  }
  const { id: botId } = await call<{ id: number }>('/api/bots/add', {
    token: bot.token,
    ...settings,
  });
  return {
    address: service.address,
    sandbox,
    bot,
    botId,
    call,
    async close() {
      await service.close();
      await platform.close();
      await sandbox.close();
      await database.drop();
      for (const token of tokens) {
        expect(logLines.join('')).not.toContain(token.split(':')[1]);
      }
    },
  };
}
