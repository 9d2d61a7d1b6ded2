import { createTestEvents } from '../support/rigs/test-events.ts';
import type { PassedThrough } from '../../src/relay/events/relay-events.ts';
import { Agent, request } from 'undici';
import {
  type AppRecord,
  type AppSettings,
  defaultAppSettings,
  newAppToken,
} from '../../src/core/apps/app.ts';
import { localCaller } from '../../src/core/access/access.ts';
import type { BotRunner, SendRequest } from '../../src/core/ports.ts';
import { type Clock, systemClock } from '../../src/clock.ts';
import { createAppActivity, type AppActivity } from '../../src/relay/apps/app-activity.ts';
import { type AppSends, createAppSends } from '../../src/relay/apps/app-sends.ts';
import { createPollService } from '../../src/relay/pull/poll-service.ts';
import { updateEndpoints } from '../../src/http/api/log/updates.ts';
import { installGateway } from '../../src/http/gateway/gateway.ts';
import { installBackendHook } from '../../src/http/hooks/backend.ts';
import { registerEndpoint } from '../../src/http/register-endpoint.ts';
import { createLogger } from '../../src/logger.ts';
import { createBotService } from '../../src/manage/bots/bots.ts';
import { createAppReaders } from '../../src/relay/apps/app-readers.ts';
import { createPacing } from '../../src/relay/pacing/pacing.ts';
import { createPullers, type Pullers } from '../../src/relay/pull/pullers.ts';
import { createUpdateLog, type UpdateLog } from '../../src/relay/log/update-log.ts';
import type { BotRecord, NewBot } from '../../src/store/bots/bots.ts';
import { createSilentNotifications } from '../../src/store/cluster/notifications.ts';
import { createConsumerRepository } from '../../src/store/apps/consumers.ts';
import { createDeliveryRepository } from '../../src/store/delivery/deliveries.ts';
import type { DialectName } from '../../src/store/engine.ts';
import { createTelegramClient } from '../../src/telegram/client.ts';
import { type FakePlatform, startFakePlatform } from '../support/fake-platform.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

export interface Reply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  json: Record<string, unknown>;
}

/** The gateway on a real store and a real port, before a platform that writes everything down. */
export interface GatewayApp extends Omit<TestApp, 'addBot'> {
  url: string;
  platform: FakePlatform;
  pullers: Pullers;
  updateLog: UpdateLog;
  /** What pacing did: an app, and the outcome of a call or a flood wait. */
  paced: string[];
  /** The calls that Telegram answered. */
  sent: (PassedThrough & { botId: number })[];
  hookCalls: SendRequest[];
  /** The sender behind the backend hook. */
  onHookCall: (call: SendRequest) => Promise<unknown>;
  applied: number[];
  activity: AppActivity;
  appSends: AppSends;
  addBot(settings?: Partial<NewBot>): Promise<BotRecord>;
  /** An app of a bot, with its token. */
  addApp(
    bot: BotRecord,
    name: string,
    settings?: Partial<AppSettings>,
  ): Promise<AppRecord & { token: string }>;
  call(path: string, options?: Parameters<typeof request>[1]): Promise<Reply>;
  /** Resolves once captured messages are stored. */
  captured(botId: number, chatId: number, id: number): Promise<Record<string, unknown>>;
}

/** Of this package: the built-in `fetch` may have set another one for the process. */
const dispatcher = new Agent();
let tokens = 0;

export async function startGatewayApp(
  options: {
    dialect?: DialectName;
    clock?: Clock;
    baseUrl?: string;
    maxConnections?: number;
    rateLimits?: { perKeyPerSecond: number; perAddressPerSecond: number };
  } = {},
): Promise<GatewayApp> {
  const test = await startTestApp({
    ...(options.dialect ? { dialect: options.dialect } : {}),
    ...(options.rateLimits ? { rateLimits: options.rateLimits } : {}),
  });
  const { app, store, engine, logLines } = test;
  // Time passes by itself here: the tests wait for other things.
  const clock = options.clock ?? systemClock;
  const platform = await startFakePlatform();
  const baseUrlFor = () => options.baseUrl ?? platform.url;
  const updateLog = createUpdateLog(store.log);
  const consumers = createConsumerRepository(engine);
  const apps = createAppReaders(store);
  const telegram = createTelegramClient({ baseUrlFor, clock });
  const applied: number[] = [];
  const runner: BotRunner = {
    apply: async (botId) => void applied.push(botId),
    retire: async () => {},
    statusOf: async () => new Map(),
  };
  const bots = createBotService({
    store,
    telegram,
    clock,
    runner,
    config: { publicUrl: '', backends: { mode: 'private-ok', allow: [] } },
  });
  const logger = createLogger({ level: 'debug', write: (line) => logLines.push(line) });
  const deliveries = createDeliveryRepository(engine);
  const activity = createAppActivity({
    apps: store.apps,
    clock,
    onError: (error) => logger.error({ err: error }, 'activity'),
  });
  const pullers = createPullers({
    consumers,
    log: store.log,
    updateLog,
    clock,
    apps,
    onPoll: activity.seen,
  });
  const sent: GatewayApp['sent'] = [];
  const gatewayEvents = createTestEvents(clock);
  gatewayEvents.on('passedThrough', (botId, report) => sent.push({ botId, ...report }));
  gatewayEvents.on('sent', (botId, { messages }) => {
    for (const message of messages) {
      const key = `${botId} ${message.chatId} ${message.id}`;
      waiting.get(key)?.();
      waiting.set(key, () => {});
    }
  });
  const appSends = createAppSends({
    clock,
    store: store.appSends,
    onError: (error) => logger.error({ err: error }, 'send of an app'),
  });
  const paced: GatewayApp['paced'] = [];
  const pacing = createPacing({
    clock,
    events: gatewayEvents,
    notifications: createSilentNotifications(),
    metrics: {
      paced: (_botId, app, outcome) => void paced.push(`${app} ${outcome}`),
      floodWaited: (_botId, app, ms) => void paced.push(`${app} waits ${ms} ms`),
    },
  });
  const waiting = new Map<string, () => void>();
  const hookCalls: SendRequest[] = [];

  installGateway(app, {
    ...(options.maxConnections ? { maxConnections: options.maxConnections } : {}),
    clock,
    logger,
    store,
    baseUrlFor,
    pullers,
    activity,
    appSends,
    pacer: pacing.pacer,
    sender: {
      sendParts: () => Promise.reject(new Error('the whole service has an outbox')),
    },
    changeApp: (appId, change) => store.apps.update(appId, change, clock.now()),
    updateBot: (botId, patch, webhook) => bots.update(localCaller, botId, patch, webhook),
    pushConnections: 40,
    noteDropped: async () => {},
    dropPush: (botId) => deliveries.dropPending(botId, 'push', clock.now()),
    events: gatewayEvents,
  });
  const gatewayApp: GatewayApp = {
    ...test,
    url: '',
    platform,
    pullers,
    updateLog,
    sent,
    paced,
    hookCalls,
    applied,
    activity,
    appSends,
    onHookCall: async () => true,
    addBot: (settings = {}) =>
      store.bots.insert(
        { token: `${++tokens}00:secret_${tokens}-x`, source: 'web', ...settings },
        clock.now(),
      ),
    async addApp(bot, name, settings = {}) {
      const token = newAppToken(bot.token);
      const app = await store.apps.insert(
        {
          botId: bot.id,
          name,
          token,
          settings: { ...defaultAppSettings, ...settings },
          patch: {},
        },
        clock.now(),
      );
      return { ...app, token };
    },
    async call(path, callOptions = {}) {
      const answer = await request(gatewayApp.url + path, { dispatcher, ...callOptions });
      const text = await answer.body.text();
      return {
        status: answer.statusCode,
        headers: answer.headers,
        text,
        get json() {
          return JSON.parse(text) as Record<string, unknown>;
        },
      };
    },
    async captured(botId, chatId, id) {
      const key = `${botId} ${chatId} ${id}`;
      if (!waiting.has(key)) await new Promise<void>((resolve) => waiting.set(key, resolve));
      waiting.delete(key);
      const [row] = await engine.readRaw<Record<string, unknown>>(
        'select * from messages where bot_id = $1 and chat_id = $2 and id = $3',
        [botId, chatId, id],
      );
      return row ?? {};
    },
    async close() {
      await telegram.close();
      await platform.close();
      await activity.close();
      await test.close();
    },
  };
  installBackendHook(app, {
    store,
    logger,
    sender: {
      send(call) {
        hookCalls.push(call);
        return gatewayApp.onHookCall(call);
      },
    },
  });
  for (const endpoint of updateEndpoints({
    polls: createPollService({ pullers, bots: store.bots, apps: store.apps }),
    gate: app.relay.gate,
  })) {
    registerEndpoint(app, endpoint);
  }
  gatewayApp.url = await app.listen({ host: '127.0.0.1', port: 0 });
  return gatewayApp;
}
