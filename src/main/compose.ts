import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { type Clock, systemClock } from '../clock.ts';
import type { Config } from '../config.ts';
import { pushReader } from '../core/log/reader-kinds.ts';
import { createPasswords, type Passwords } from '../core/access/passwords.ts';
import { createMeter } from '../core/stats/meter.ts';
import { createRelayMetrics } from '../core/stats/relay-metrics.ts';
import { adminEndpoints } from '../http/api/people/admins.ts';
import { auditEndpoints } from '../http/api/access/audit.ts';
import { appEndpoints } from '../http/api/bots/apps.ts';
import { configEndpoints } from '../http/api/config/config.ts';
import { botEndpoints } from '../http/api/bots/bots.ts';
import { deliveryEndpoints } from '../http/api/delivery/deliveries.ts';
import { messageEndpoints } from '../http/api/messages/messages.ts';
import { peopleEndpoints } from '../http/api/people/people.ts';
import { outboxEndpoints } from '../http/api/outbox/outbox.ts';
import { readerEndpoints } from '../http/api/log/readers.ts';
import { routeEndpoints } from '../http/api/routing/routes.ts';
import { routingEndpoints } from '../http/api/routing/routing.ts';
import { sandboxEndpoints } from '../http/api/sandbox/sandbox.ts';
import { importEndpoints } from '../http/api/import/import.ts';
import { statsEndpoints } from '../http/api/stats/stats.ts';
import { tagEndpoints } from '../http/api/people/tags.ts';
import { updateEndpoints } from '../http/api/log/updates.ts';
import { createApp } from '../http/app.ts';
import { installGateway } from '../http/gateway/gateway.ts';
import { installBackendHook } from '../http/hooks/backend.ts';
import { installTelegramHook } from '../http/hooks/telegram.ts';
import { createMetrics, type Metrics } from '../http/metrics.ts';
import { addAppMetrics, addReaderMetrics } from '../http/reader-metrics.ts';
import { addServiceMetrics, watchEventLoop } from '../http/service-metrics.ts';
import { registerEndpoint } from '../http/register-endpoint.ts';
import { createLogger, type Logger } from '../logger.ts';
import { createAdmins } from '../manage/people/admins.ts';
import { createApiKeys } from '../manage/access/api-keys.ts';
import { type AuditLog, createAuditLog } from '../manage/access/audit.ts';
import { createAppService } from '../manage/apps/apps.ts';
import { type BotService, createBotService } from '../manage/bots/bots.ts';
import { createConfigService } from '../manage/config/config.ts';
import { createChatMembers } from '../manage/people/chat-members.ts';
import { createSetupLink } from '../manage/access/first-access.ts';
import { createImportService } from '../manage/import/import.ts';
import { createMessageService } from '../manage/messages/messages.ts';
import { createModeration } from '../manage/people/moderation.ts';
import { createProfiles } from '../manage/people/profiles.ts';
import { createOutboxService } from '../manage/outbox/outbox.ts';
import { createRouteService } from '../manage/routing/routes.ts';
import { unlockVault } from '../manage/service/secrets.ts';
import { createSessions } from '../manage/access/sessions.ts';
import { createSignInGuard } from '../manage/access/sign-in-guard.ts';
import { createStatsCounter, createStatsService } from '../manage/stats/stats.ts';
import { createTagService } from '../manage/people/tags.ts';
import { createUsers } from '../manage/access/users.ts';
import { createAppActivity } from '../relay/apps/app-activity.ts';
import { createAppSends } from '../relay/apps/app-sends.ts';
import { createPollService } from '../relay/pull/poll-service.ts';
import { createRoutingService } from '../relay/routing/routing-service.ts';
import { createStore, type Store } from '../store/store.ts';
import { createLocalFiles } from '../telegram/local-files.ts';
import { createPlatformConnector } from '../telegram/platform-connector.ts';
import { createTelegramClient } from '../telegram/client.ts';
import { publicCommandName } from '../command-name.ts';
import { packageRoot } from '../package-root.ts';
import { version } from '../version.ts';
import { composeAlerts } from './alerts.ts';
import { closerOf } from './close-app.ts';
import { installChatManagement } from './chat-management.ts';
import { createEventBus } from './event-bus.ts';
import { withLocalKey } from './local-access.ts';
import { openBackups } from './open-backups.ts';
import { openEngine, openNotifications, type SchemaUse } from './open-engine.ts';
import { operationEndpoints } from './operation.ts';
import { controlActions, methodNames } from '../../sandbox/src/index.ts';
import { composeRelay, type Relay } from './relay.ts';
import { type EmbeddedSandbox, embedSandbox } from './sandbox.ts';
import { webhookChanges } from './webhook-changes.ts';

export interface ComposeOptions {
  clock?: Clock;
  logger?: Logger;
  /** Receives the lines meant for the person who started the service. */
  announce?: (line: string) => void;
  /** Hashing passwords is slow on purpose; tests may pass a cheap way. */
  passwords?: Passwords;
  /** Set for a CLI command: without a port, without running bots, and with this use of the schema. */
  offline?: Exclude<SchemaUse, 'start'>;
  /** Makes a new world of the sandbox have the same IDs at every start. */
  sandboxSeed?: number;
}

const sendTimeoutMs = 2_000;

/** All parts, composed but not started. */
export interface Parts {
  clock: Clock;
  logger: Logger;
  store: Store;
  bots: BotService;
  audit: AuditLog;
  relay: Relay;
  sandbox: EmbeddedSandbox | undefined;
  app: FastifyInstance;
  metrics: Metrics;
  localKey: string;
  close(): Promise<void>;
}

export async function compose(config: Config, options: ComposeOptions = {}): Promise<Parts> {
  const closers: (() => Promise<void>)[] = [];
  // Close in reverse order; a failure of one does not stop the others.
  const close = async () => {
    const failures: unknown[] = [];
    for (const closer of closers.splice(0).reverse()) {
      await closer().catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  };
  try {
    return { ...(await build(config, options, closers)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function build(
  config: Config,
  options: ComposeOptions,
  closers: (() => Promise<void>)[],
): Promise<Omit<Parts, 'close'>> {
  const clock = options.clock ?? systemClock;
  const isOffline = options.offline !== undefined;
  const logger = options.logger ?? createLogger({ level: config.logLevel });

  const meter = createMeter();
  const relayMetrics = createRelayMetrics(meter, { bots: config.metricsBots });
  const engine = await openEngine(config, {
    clock,
    announce: options.announce ?? (() => {}),
    schemaUse: options.offline ?? 'start',
    onCommit: relayMetrics.committed,
  });
  closers.push(() => engine.close());
  const { vault } = await unlockVault(engine, config);
  const store = createStore(engine, vault);

  const sandbox = config.sandbox
    ? await embedSandbox(config, { ownPort: isOffline, seed: options.sandboxSeed })
    : undefined;
  if (sandbox) closers.push(() => sandbox.close());
  const baseUrlFor = (token: string) => sandbox?.baseUrlFor(token) ?? config.telegramApiUrl;
  const connect = createPlatformConnector(config.platformProxies);
  if (config.platformProxies.isUnusable) {
    logger.warn(
      'HTTPS_PROXY is not used: it must be an address that starts with http:// or socks5://',
    );
  }
  const localFiles = createLocalFiles(config.telegramFiles);
  const telegram = createTelegramClient({ clock, baseUrlFor, connect, localFiles });
  closers.push(() => telegram.close());

  const notifications = await openNotifications(config, clock, logger);
  closers.push(() => notifications.close());
  const events = createEventBus(notifications, clock, (error) =>
    logger.error({ err: error }, 'event listener failed'),
  );
  const activity = createAppActivity({
    apps: store.apps,
    clock,
    onError: (error) => logger.warn({ err: error }, 'app activity not stored'),
  });
  closers.push(() => activity.close());
  const appSends = createAppSends({
    clock,
    store: store.appSends,
    notifications,
    onError: (error, botId) =>
      logger.warn({ err: error, bot_id: botId }, 'send of an app not stored'),
  });
  const relay = composeRelay({
    config,
    clock,
    logger,
    store,
    telegram,
    baseUrlFor,
    connect,
    notifications,
    events,
    activity,
    appSends,
    metrics: relayMetrics,
    offline: isOffline,
  });

  const passwords = options.passwords ?? createPasswords();
  const guard = createSignInGuard({ store, clock });
  const lifetimeMs = config.sessionLifetimeMs;
  const sessions = createSessions({ store, clock, passwords, guard, lifetimeMs });
  const { apiKeys, localKey } = withLocalKey(createApiKeys({ store, clock }));
  const { whileDrained } = relay;
  const bots = createBotService({
    store,
    telegram,
    runner: relay.runner,
    clock,
    config,
    events,
    logger,
    whileDrained,
  });
  const apps = createAppService({
    store,
    runner: relay.runner,
    settlePush: relay.pushers.settle,
    storeActivity: activity.flush,
    whileDrained,
    clock,
    config,
    methodNames,
    events,
    logger,
  });
  const routes = createRouteService({ store, clock, events });
  const members = createChatMembers({ store, telegram, sender: relay.sender, clock });
  const counter = createStatsCounter({ store, clock, logger });
  const audit = createAuditLog({ store, clock, logger });
  closers.push(() => audit.flush());
  const backups = await openBackups(config, clock, logger);
  const metrics = createMetrics(meter);
  addReaderMetrics(metrics.registry, store.readers.totals);
  addAppMetrics(metrics.registry, () => store.apps.totals());
  addServiceMetrics(metrics.registry, {
    version,
    facts: store.metricFacts,
    isByBot: config.metricsBots,
    botLabel: relayMetrics.botLabel,
    nodes: relay.supervisor.nodes,
    backup: () => backups?.state(),
  });
  if (!isOffline) closers.push(watchEventLoop(relayMetrics.eventLoopDelayed));
  const users = createUsers({ store, clock, passwords, guard });
  const app = await createApp({
    clock,
    logger,
    config,
    version,
    commandName: publicCommandName,
    apiKeys,
    users,
    sessions,
    setupLink: createSetupLink({ store, sessions, passwords, clock }),
    events,
    liveMetrics: relay.liveMetrics,
    metrics,
    audit,
    readiness: [
      { name: 'database', check: () => engine.ping() },
      { name: 'bots', check: async () => requireHealth(relay.supervisor.health()) },
    ],
    webFolder: path.join(packageRoot, 'web', 'dist'),
    docsFolder: path.join(packageRoot, 'docs'),
  });
  const closeApp = closerOf(app);
  // The relay ends first, so that waiting polls are answered and the app need not wait for them.
  closers.push(async () => {
    // A send that Telegram never answers ends as unknown; it must not delay the stop.
    const cancel = clock.after(sendTimeoutMs, () => void telegram.close());
    await Promise.all([relay.stop(), closeApp()]).finally(cancel);
  });
  const alerts = composeAlerts({
    config,
    clock,
    logger,
    store,
    telegram,
    relay,
    events,
    audit,
    backup: () => backups?.state(),
  });
  closers.push(() => alerts.stop());
  const endpoints = [
    ...botEndpoints({ bots }),
    ...appEndpoints({ apps }),
    ...routeEndpoints({ routes }),
    ...configEndpoints({
      service: createConfigService({
        store,
        telegram,
        config,
        llmConfig: relay.llmConfig,
        bots,
        runner: relay.runner,
        passwords,
        clock,
        events,
        logger,
        whileDrained,
      }),
    }),
    ...routingEndpoints({
      routing: createRoutingService({ store, routes, choose: relay.choose, clock }),
      llmConfig: relay.llmConfig,
    }),
    ...messageEndpoints({ messages: createMessageService({ store, sender: relay.sender, clock }) }),
    ...outboxEndpoints({
      outbox: createOutboxService({ store, clock, onQueued: relay.wakeSends }),
    }),
    ...tagEndpoints({ tags: createTagService({ store, clock }) }),
    ...deliveryEndpoints({ service: relay.deliveryService }),
    ...peopleEndpoints({
      profiles: createProfiles({ store, members, stats: counter, clock }),
      moderation: createModeration({ store, members, clock }),
      clock,
    }),
    ...adminEndpoints({ admins: createAdmins({ store, members }) }),
    ...auditEndpoints({ audit }),
    ...statsEndpoints({ stats: createStatsService({ store, counter, clock }) }),
    ...sandboxEndpoints({
      actions: controlActions,
      act: sandbox?.act,
      fileOf: sandbox?.fileOf,
    }),
    ...importEndpoints({
      imports: createImportService({
        store,
        bots,
        users,
        routes,
        llmConfig: relay.llmConfig,
        config,
        clock,
      }),
    }),
    ...operationEndpoints({ config, clock, store, relay, backup: () => backups?.state() }),
    ...alerts.endpoints,
    ...updateEndpoints({
      polls: createPollService({ pullers: relay.pullers, bots: store.bots, apps: store.apps }),
      gate: app.relay.gate,
    }),
    ...readerEndpoints({ service: relay.readerService }),
  ];
  for (const endpoint of endpoints) registerEndpoint(app, endpoint);
  const { sender } = relay;
  const chatManagement = installChatManagement(app, {
    config,
    clock,
    logger,
    store,
    telegram,
    sender,
    events,
  });
  closers.push(() => chatManagement.stop());
  installTelegramHook(app, relay.supervisor.intake);
  installBackendHook(app, { store, sender: relay.sender, logger });
  installGateway(app, {
    clock,
    logger,
    store,
    baseUrlFor,
    connect,
    localFiles,
    pullers: relay.pullers,
    ...webhookChanges({ audit, bots, apps }),
    activity,
    appSends,
    pushConnections: config.push.maxConnections,
    dropPush: (botId) =>
      whileDrained([{ botId, reader: pushReader }], () => relay.pushers.dropPending(botId)),
    onSent({ botId, chatId, method, status, retryAfterSeconds = 1 }) {
      if (status >= 400) relay.liveMetrics.sendFailed(botId);
      relayMetrics.sendEnded(botId, status >= 400 ? 'failed' : 'sent');
      const call = { botId, chatId: chatId ?? 0, method };
      if (status !== 429) {
        relay.chatQueues.passed(call);
        return;
      }
      relayMetrics.rateLimited();
      // Telegram limits a chat here. If the call does not name it by its ID, the limit must not
      // delay the whole bot.
      if (chatId === undefined) return;
      void relay.chatQueues.refused(call, { retryAfterSeconds, isOwn: false });
    },
    onCaptured(botId, messages) {
      relay.liveMetrics.sent(botId, messages.length);
      for (const { chatId, id } of messages) {
        if (id === 'from-position') continue;
        events.publish({ type: 'message', botId, data: { chat_id: chatId, id, kind: 'sent' } });
      }
    },
  });
  sandbox?.mount(app);
  if (!isOffline) {
    closers.push(runUntilClosed(counter.run));
    if (backups) closers.push(runUntilClosed(backups.run));
    closers.push(runUntilClosed(alerts.run));
  }
  return { clock, logger, store, bots, audit, relay, sandbox, app, metrics, localKey };
}

/** Starts a task that runs until its signal aborts; returns a function that ends it. */
function runUntilClosed(run: (signal: AbortSignal) => Promise<void>): () => Promise<void> {
  const shutdown = new AbortController();
  const ended = run(shutdown.signal);
  return () => {
    shutdown.abort(new Error('the service stops'));
    return ended;
  };
}

function requireHealth({ ok, reason }: { ok: boolean; reason: string }): void {
  if (!ok) throw new Error(reason);
}
