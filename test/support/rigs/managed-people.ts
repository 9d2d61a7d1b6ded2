import { readSettings, toConfig } from '../../../src/config.ts';
import type { Scope } from '../../../src/core/access/access.ts';
import { createLogger } from '../../../src/logger.ts';
import { compose, type Parts } from '../../../src/main/compose.ts';
import { createUpdateLog } from '../../../src/relay/log/update-log.ts';
import { createSandbox, type Sandbox, systemClock } from '../../../sandbox/src/index.ts';
import type { DialectName } from '../../../src/store/engine.ts';
import { createTelegramClient } from '../../../src/telegram/client.ts';
import { createDatabase } from '../database/engines.ts';
import { createManualClock, type ManualClock } from '../manual-clock.ts';
import { takeIn } from '../take-in.ts';
import { cheapPasswords } from '../test-app.ts';

export interface Bot {
  id: number;
  token: string;
  platformId: number;
}

export interface Answer<T> {
  status: number;
  body: T;
}

export interface ApiCaller {
  get<T = Record<string, unknown>>(url: string): Promise<Answer<T>>;
  post<T = Record<string, unknown>>(url: string, body?: object): Promise<Answer<T>>;
  text(url: string): Promise<string>;
}

/** The whole service as it is put together, on a platform that shares its clock; no bot runs. */
export interface ManagedPeople extends Parts {
  clock: ManualClock;
  sandboxed: Sandbox;
  logLines: string[];
  /** The command on this machine. */
  admin: ApiCaller;
  as(scope: Scope, botIds?: number[]): Promise<ApiCaller>;
  addBot(settings?: { manage_enabled?: boolean }): Promise<Bot>;
  /** A supergroup with an owner, two members and the bot, which has these rights. */
  group(
    bot: Bot,
    rights?: Record<string, boolean>,
  ): Promise<{ chatId: number; owner: number; ann: number; bob: number }>;
  /** Receives the bot's updates from the platform, as a poller would. */
  receive(bot: Bot): Promise<void>;
}

const allKinds = ['message', 'edited_message', 'callback_query', 'my_chat_member', 'chat_member'];

export async function startManagedPeople(dialect: DialectName): Promise<ManagedPeople> {
  const database = await createDatabase(dialect);
  const clock = createManualClock();
  const sandboxed = createSandbox({ clock: { ...systemClock, now: () => clock.now() } });
  const { url } = await sandboxed.listen();
  const env = {
    ...database.settings,
    RELAY_SECRET_KEY: 'a master key for tests, long enough to be one',
    TELEGRAM_API_URL: url,
    RELAY_SANDBOX: 'off',
    PORT: '0',
  };
  const logLines: string[] = [];
  const parts = await compose(toConfig(readSettings({ env, workingDir: database.dataDir })), {
    clock,
    logger: createLogger({ level: 'error', write: (line) => logLines.push(line) }),
    passwords: cheapPasswords(),
    offline: 'create',
  });
  const { app, store } = parts;
  const log = createUpdateLog(store.log);
  const telegram = createTelegramClient({ baseUrlFor: () => url, clock });

  function callerWith(key: string): ApiCaller {
    const ask = (method: 'GET' | 'POST', target: string, body?: object) =>
      app.inject({
        method,
        url: target,
        headers: { authorization: `Bearer ${key}` },
        ...(body === undefined ? {} : { payload: body }),
      });
    const answer = async <T>(
      method: 'GET' | 'POST',
      target: string,
      body?: object,
    ): Promise<Answer<T>> => {
      const response = await ask(method, target, body);
      return { status: response.statusCode, body: response.json<T>() };
    };
    return {
      get: (target) => answer('GET', target),
      post: (target, body) => answer('POST', target, body),
      text: async (target) => (await ask('GET', target)).body,
    };
  }
  const admin = callerWith(parts.localKey);

  const receive = (bot: Bot) => takeIn({ telegram, log, now: () => clock.now() }, bot, allKinds);

  return {
    ...parts,
    clock,
    sandboxed,
    logLines,
    admin,
    receive,
    async as(scope, bot_ids) {
      const { body } = await admin.post<{ key: string }>('/api/auth/api-keys', {
        name: `${scope} key`,
        scope,
        ...(bot_ids ? { bot_ids } : {}),
      });
      return callerWith(body.key);
    },
    async addBot({ manage_enabled = true } = {}) {
      const { token, id: platformId } = sandboxed.createBot({ privacyMode: false });
      const settings = { token, source: 'web', manage_enabled, platform_id: platformId } as const;
      const { id } = await store.bots.insert(settings, clock.now());
      return { id, token, platformId };
    },
    async group(bot, rights = {}) {
      const [owner, ann, bob] = ['Olga', 'Ann', 'Bob'].map(
        (first_name) => sandboxed.createUser({ first_name }).id,
      ) as [number, number, number];
      const members = [ann, bob, bot.platformId];
      const chat = sandboxed.createChat({ title: 'Team', owner, members });
      if (Object.keys(rights).length > 0) {
        sandboxed.promote(owner, chat.id, bot.platformId, rights);
      }
      await receive(bot);
      return { chatId: chat.id, owner, ann, bob };
    },
    async close() {
      await parts.close();
      await telegram.close();
      await sandboxed.close();
      await database.drop();
    },
  };
}
