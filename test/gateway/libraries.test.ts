import { describe, expect } from 'vitest';
import { readSettings, toConfig } from '../../src/config.ts';
import { createLogger } from '../../src/logger.ts';
import { startService } from '../../src/main.ts';
import { createSandbox, type Sandbox } from '../../sandbox/src/index.ts';
import { libraryScenarios } from '../libraries/scenarios.ts';
import { createDatabase } from '../support/database/engines.ts';
import { serve } from '../support/local-server.ts';
import { cheapPasswords } from '../support/test-app.ts';

/**
 * The sandbox's Bot API. An edit waits until a button press was answered: a library may give that
 * answer in the response to the webhook, which the relay sends on its own and not before the edit.
 */
async function servePlatform(sandbox: Sandbox) {
  const answered = Promise.withResolvers<void>();
  sandbox.onChange((change) => {
    if (change.type === 'callback_answered') answered.resolve();
  });
  return await serve((req, res) => {
    const first = req.url?.includes('/editMessageText') ? answered.promise : Promise.resolve();
    void first.then(() => sandbox.handle(req, res));
  });
}

/**
 * The service as it ships, a sandbox as its platform; libraries know only the service's address. As an
 * app they need no switch of the bot, and with its token they never see the one of the bot.
 */
describe.each([
  { root: '', as: 'bot' },
  { root: '/tgapi', as: 'bot' },
  { root: '/p/library', as: 'bot' },
  { root: '', as: 'app' },
])('bot libraries through the gateway at "$root" with the token of the $as', ({ root, as }) => {
  libraryScenarios(async () => {
    const sandbox = createSandbox({ seed: 5 });
    const platform = await servePlatform(sandbox);
    const bot = sandbox.createBot({ username: 'library_bot' });
    const database = await createDatabase('sqlite');
    const env = {
      ...database.settings,
      TELEGRAM_API_URL: platform.url,
      PORT: '0',
      RELAY_SANDBOX: 'off',
    };
    const logLines: string[] = [];
    const service = await startService(
      toConfig(readSettings({ env, workingDir: database.dataDir })),
      {
        logger: createLogger({ level: 'debug', write: (line) => logLines.push(line) }),
        passwords: cheapPasswords(),
      },
    );
    async function post<T>(path: string, body: object): Promise<T> {
      const answer = await fetch(service.address + path, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${service.localKey}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify(body),
      });
      expect(answer.status).toBe(200);
      return (await answer.json()) as T;
    }
    const isOwn = as === 'bot' && !root.startsWith('/p/');
    const added = await post<{ id: number }>('/api/bots/add', {
      token: bot.token,
      long_poll_enabled: isOwn,
    });
    const app = isOwn
      ? undefined
      : await post<{ token: string }>('/api/bots/apps/add', { bot_id: added.id, name: 'library' });
    return {
      sandbox,
      apiRoot: service.address + root,
      token: as === 'app' ? (app?.token ?? '') : bot.token,
      botId: bot.id,
      // The relay buffers from the moment the bot was added: no client is ever too late.
      polled: async () => {},
      slowDown(retryAfterSeconds) {
        sandbox.fault({
          kind: 'too_many_requests',
          botId: bot.id,
          method: 'getChat',
          retryAfterSeconds,
          times: 1,
        });
      },
      async close() {
        await service.close();
        await platform.close();
        await sandbox.close();
        await database.drop();
        for (const token of [bot.token, ...(app ? [app.token] : [])]) {
          expect(logLines.join('')).not.toContain(token.split(':')[1]);
        }
      },
    };
  });
});
