import { onTestFinished } from 'vitest';
import type { Scope } from '../../../src/core/access/access.ts';
import { appEndpoints } from '../../../src/http/api/bots/apps.ts';
import { botEndpoints } from '../../../src/http/api/bots/bots.ts';
import { configEndpoints } from '../../../src/http/api/config/config.ts';
import { messageEndpoints } from '../../../src/http/api/messages/messages.ts';
import { scheduledEndpoints } from '../../../src/http/api/messages/scheduled.ts';
import { routeEndpoints } from '../../../src/http/api/routing/routes.ts';
import { savedReplyEndpoints } from '../../../src/http/api/messages/saved-replies.ts';
import { tagEndpoints } from '../../../src/http/api/people/tags.ts';
import { registerEndpoint } from '../../../src/http/register-endpoint.ts';
import { createAppService } from '../../../src/manage/apps/apps.ts';
import { type BotService, createBotService } from '../../../src/manage/bots/bots.ts';
import {
  createMessageService,
  type MessageService,
} from '../../../src/manage/messages/messages.ts';
import type { ConfigServiceOptions } from '../../../src/manage/config/apply-config.ts';
import { type ConfigService, createConfigService } from '../../../src/manage/config/config.ts';
import { createLlmConfig } from '../../../src/manage/routing/llm-config.ts';
import { createRouteService } from '../../../src/manage/routing/routes.ts';
import { createSavedReplyService } from '../../../src/manage/messages/saved-replies.ts';
import { createTagService } from '../../../src/manage/people/tags.ts';
import { createScheduledMessages } from '../../../src/manage/messages/scheduled.ts';
import { createSender } from '../../../src/relay/outbox/outbox.ts';
import { createInFlight } from '../../../src/relay/outbox/in-flight.ts';
import { createSendRateLimiter } from '../../../src/relay/outbox/rate-limiter.ts';
import { createChatQueues } from '../../../src/relay/outbox/chat-queues.ts';
import { createSandbox, methodNames, type Sandbox } from '../../../sandbox/src/index.ts';
import type { DialectName } from '../../../src/store/engine.ts';
import { createTelegramClient } from '../../../src/telegram/client.ts';
import { createIdleRunner } from '../idle-runner.ts';
import { serve } from '../local-server.ts';
import { cheapPasswords, startTestApp, type TestApp } from '../test-app.ts';

export interface Answer<T = Record<string, unknown>> {
  status: number;
  body: T;
  headers: Record<string, unknown>;
}

/** Calls the API as the holder of one key. */
export interface ApiUser {
  get<T = Record<string, unknown>>(path: string): Promise<Answer<T>>;
  post<T = Record<string, unknown>>(
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer<T>>;
}

/** The whole domain behind HTTP, with a sandbox as its platform; no bot is polled. */
export interface DomainApp extends TestApp {
  sandbox: Sandbox;
  /** A second node's message service on the same database. */
  otherNode(): MessageService;
  /** A second node's configuration service on the same database. */
  bots: BotService;
  otherConfig(other?: Partial<ConfigServiceOptions>): ConfigService;
  user(scope: Scope, botIds?: number[]): Promise<ApiUser>;
  /** A bot that the platform knows and the relay does not. */
  practiceBot(): { token: string; id: number };
  /** A registered bot and a person who talks to it. */
  talkingBot(): Promise<{ id: number; token: string; platformId: number; chatId: number }>;
  /** From now on the platform is somewhere else. */
  movePlatform(url: string): void;
  platformUrl: string;
}

/** An address at which nothing listens: port 9 of loopback is discard, and closed. */
export const nowhere = 'http://127.0.0.1:9';

/** Takes requests and never answers. Ends with the test. */
export async function startSilentServer() {
  const asked = Promise.withResolvers<void>();
  const { url, close } = await serve(() => asked.resolve());
  onTestFinished(close);
  return { url, asked: asked.promise };
}

export async function startDomainApp(
  dialect: DialectName,
  options: { publicUrl?: string } = {},
): Promise<DomainApp> {
  const publicUrl = options.publicUrl ?? '';
  const test = await startTestApp({ dialect, publicUrl });
  const { app, store, clock, events } = test;
  const sandbox = createSandbox();
  const { url: platformUrl } = await sandbox.listen();
  let baseUrl = platformUrl;
  const telegram = createTelegramClient({ baseUrlFor: () => baseUrl, clock });
  const newSender = (node: string) => {
    const rateLimiter = createSendRateLimiter(() => clock.monotonic());
    const chatQueues = createChatQueues(clock, rateLimiter);
    return createSender({
      clock,
      node: () => node,
      outbox: store.outbox,
      bots: store.bots,
      telegram,
      chatQueues,
      inFlight: createInFlight({ clock, events }),
      events,
    });
  };
  const onScheduled = () => {};
  const scheduled = createScheduledMessages({ store, clock, events, onScheduled });
  const messages = createMessageService({ store, clock, sender: newSender('this'), scheduled });
  const managing = {
    store,
    clock,
    events,
    logger: app.relay.deps.logger,
    runner: createIdleRunner(),
    config: { publicUrl, backends: { mode: 'private-ok' as const, allow: [] } },
  };
  const bots = createBotService({ ...managing, telegram });
  const llmConfig = createLlmConfig({
    store,
    clock,
    defaults: { url: '', model: '', key: '' },
    backends: managing.config.backends,
    offlineThreshold: 0.3,
  });
  const passwords = cheapPasswords();
  const configOptions = { ...managing, telegram, bots, llmConfig, passwords };
  const service = createConfigService(configOptions);
  const endpoints = [
    ...botEndpoints({ bots }),
    ...configEndpoints({ service }),
    ...appEndpoints({ apps: createAppService({ ...managing, methodNames }) }),
    ...routeEndpoints({ routes: createRouteService({ store, clock, events }) }),
    ...messageEndpoints({ messages }),
    ...savedReplyEndpoints({ replies: createSavedReplyService({ store, clock }) }),
    ...scheduledEndpoints({ scheduled }),
    ...tagEndpoints({ tags: createTagService({ store, clock }) }),
  ];
  for (const endpoint of endpoints) registerEndpoint(app, endpoint);

  async function user(scope: Scope, botIds?: number[]): Promise<ApiUser> {
    const { headers } = await test.key(scope, botIds);
    const ask = async <T>(
      method: 'GET' | 'POST',
      url: string,
      body?: unknown,
      extra: Record<string, string> = {},
    ): Promise<Answer<T>> => {
      const response = await app.inject({
        method,
        url,
        headers: { ...headers, ...extra },
        ...(body === undefined ? {} : { payload: body as object }),
      });
      return { status: response.statusCode, body: response.json<T>(), headers: response.headers };
    };
    return {
      get: (path) => ask('GET', path),
      post: (path, body, extra) => ask('POST', path, body, extra),
    };
  }

  return {
    ...test,
    sandbox,
    platformUrl,
    bots,
    user,
    otherConfig: (other) => createConfigService({ ...configOptions, ...other }),
    otherNode: () => createMessageService({ store, clock, sender: newSender('other'), scheduled }),
    practiceBot: () => sandbox.createBot(),
    async talkingBot() {
      const { token, id: platformId } = sandbox.createBot();
      const person = sandbox.createUser({ first_name: 'Ann' });
      sandbox.say(person.id, platformId, '/start');
      const { id } = await store.bots.insert({ token, source: 'web' }, clock.now());
      return { id, token, platformId, chatId: person.id };
    },
    movePlatform(url) {
      baseUrl = url;
    },
    async close() {
      await test.close();
      await telegram.close();
      await sandbox.close();
    },
  };
}
