import { registerEndpoint } from '../../../src/http/register-endpoint.ts';
import { messageEndpoints } from '../../../src/http/api/messages/messages.ts';
import { createLogger } from '../../../src/logger.ts';
import { type ChatManagement, installChatManagement } from '../../../src/main/chat-management.ts';
import { createMessageService } from '../../../src/manage/messages/messages.ts';
import { createScheduledMessages } from '../../../src/manage/messages/scheduled.ts';
import { createSender } from '../../../src/relay/outbox/outbox.ts';
import { createInFlight } from '../../../src/relay/outbox/in-flight.ts';
import { createSendRateLimiter } from '../../../src/relay/outbox/rate-limiter.ts';
import { createChatQueues } from '../../../src/relay/outbox/chat-queues.ts';
import { createUpdateLog } from '../../../src/relay/log/update-log.ts';
import { createSandbox, type Sandbox, systemClock } from '../../../sandbox/src/index.ts';
import type { DialectName } from '../../../src/store/engine.ts';
import { createTelegramClient } from '../../../src/telegram/client.ts';
import { temporaryFolder } from '../relay-process.ts';
import { takeIn } from '../take-in.ts';
import { startTestApp, type TestApp } from '../test-app.ts';

export interface ManagedBot {
  id: number;
  token: string;
  platformId: number;
}

export interface ManagedChats extends TestApp {
  sandbox: Sandbox;
  management: ChatManagement;
  dataDir: string;
  addManagedBot(options?: { manage_enabled?: boolean }): Promise<ManagedBot>;
  /** Receives the bot's updates from the platform, as a poller would. */
  receive(bot: ManagedBot): Promise<void>;
  asUser(...of: Parameters<TestApp['key']>): Promise<Caller>;
}

export interface Reply<T> {
  status: number;
  body: T;
}

export interface Caller {
  headers: { authorization: string };
  get<T = Record<string, unknown>>(url: string): Promise<Reply<T>>;
  post<T = Record<string, unknown>>(url: string, body?: object): Promise<Reply<T>>;
}

const takenKinds = ['message', 'edited_message', 'my_chat_member', 'chat_member'];

/** Chat management on the sandbox; platform and service share one clock in the test's hand. */
export async function startManagedChats(
  dialect: DialectName,
  options: { mediaCacheBytes?: number } = {},
): Promise<ManagedChats> {
  const test = await startTestApp({ dialect });
  const { app, store, clock, events } = test;
  const { path: dataDir, remove } = temporaryFolder();
  const sandbox = createSandbox({ clock: { ...systemClock, now: () => clock.now() } });
  const { url } = await sandbox.listen();
  const telegram = createTelegramClient({ baseUrlFor: () => url, clock });
  const rateLimiter = createSendRateLimiter(() => clock.monotonic());
  const sender = createSender({
    clock,
    node: () => 'this',
    outbox: store.outbox,
    bots: store.bots,
    telegram,
    chatQueues: createChatQueues(clock, rateLimiter),
    inFlight: createInFlight({ clock, events }),
    events,
  });
  const onScheduled = () => {};
  const scheduled = createScheduledMessages({ store, clock, events, onScheduled });
  for (const one of messageEndpoints({
    messages: createMessageService({ store, sender, clock, scheduled }),
  })) {
    registerEndpoint(app, one);
  }
  const management = installChatManagement(app, {
    config: { dataDir, mediaCacheBytes: options.mediaCacheBytes ?? 10_000_000 },
    clock,
    logger: createLogger({ level: 'silent' }),
    store,
    telegram,
    sender,
    events,
    scheduled,
    isFirstNode: () => true,
    wakeSends: () => {},
  });
  const log = createUpdateLog(store.log);

  return {
    ...test,
    sandbox,
    management,
    dataDir,
    async addManagedBot({ manage_enabled = true } = {}) {
      const { token, id: platformId } = sandbox.createBot({ privacyMode: false });
      const bot = { token, source: 'web', manage_enabled, platform_id: platformId } as const;
      const { id } = await store.bots.insert(bot, clock.now());
      return { id, token, platformId };
    },
    receive: (bot) => takeIn({ telegram, log, now: () => clock.now() }, bot, takenKinds),
    async asUser(...of) {
      const { headers } = await test.key(...of);
      const ask = async <T>(
        method: 'GET' | 'POST',
        target: string,
        body?: object,
      ): Promise<Reply<T>> => {
        const response = await app.inject({
          method,
          url: target,
          headers,
          ...(body === undefined ? {} : { payload: body }),
        });
        return { status: response.statusCode, body: response.json<T>() };
      };
      return {
        headers,
        get: (target) => ask('GET', target),
        post: (target, body) => ask('POST', target, body),
      };
    },
    async close() {
      await management.stop();
      await test.close();
      await telegram.close();
      await sandbox.close();
      remove();
    },
  };
}
