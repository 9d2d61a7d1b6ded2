import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { BotRunner, Sender, WhileDrained } from '../core/ports.ts';
import { createLiveMetrics, type LiveMetrics } from '../core/stats/live-metrics.ts';
import type { RelayMetrics } from '../core/stats/relay-metrics.ts';
import type { Logger } from '../logger.ts';
import type { LlmConfigService } from '../manage/routing/llm-config.ts';
import type { AppActivity } from '../relay/apps/app-activity.ts';
import type { AppSends } from '../relay/apps/app-sends.ts';
import { createAppReaders } from '../relay/apps/app-readers.ts';
import { createArchiveMemory } from '../relay/log/archive-memory.ts';
import { createBackground } from '../relay/async/background.ts';
import { watchAppends } from '../relay/log/append-watch.ts';
import { tellAppends } from '../relay/log/tell-appends.ts';
import { createDrains } from '../relay/cluster/drains.ts';
import { loadNodeId, newNodeId } from '../relay/cluster/node-id.ts';
import type { ChatQueues } from '../relay/outbox/chat-queues.ts';
import { createPushReader, pushBotFor } from '../relay/delivery/push-reader.ts';
import { createExportReader } from '../relay/export/export-reader.ts';
import { createLogReaders } from '../relay/log/log-readers.ts';
import { createPullReader } from '../relay/pull/pull-reader.ts';
import { createPullers, type Pullers } from '../relay/pull/pullers.ts';
import { answerIntents } from '../relay/delivery/answer-intent.ts';
import { createDeliveryService, type DeliveryService } from '../relay/delivery/delivery-service.ts';
import { createBacklogs } from '../relay/delivery/backends.ts';
import { ConnectionPool } from '../relay/delivery/connection-pool.ts';
import { createDeliveryStatuses } from '../relay/delivery/delivery-status.ts';
import { createPushers, type Pushers } from '../relay/delivery/pushers.ts';
import type { ChooseDeps } from '../relay/routing/choose-target.ts';
import { createRoutingReader } from '../relay/routing/routing-reader.ts';
import { logReaderFailures } from '../relay/log/reader-failures.ts';
import { createReaderService, type ReaderService } from '../relay/log/reader-service.ts';
import { createRetention } from '../relay/log/retention.ts';
import { createBackgroundRetry } from '../relay/async/retry-in-background.ts';
import { createStatusCache } from '../relay/cluster/bot-status.ts';
import { createSupervisor, type Supervisor } from '../relay/cluster/supervisor.ts';
import { createUpdateLog, type UpdateLog } from '../relay/log/update-log.ts';
import { feedLiveMetrics } from '../relay/stats/live-metrics-feed.ts';
import type { Notifications } from '../store/cluster/notifications.ts';
import type { Store } from '../store/store.ts';
import type { TelegramClient } from '../telegram/client.ts';
import type { Connect } from '../telegram/platform-connector.ts';
import { guardedConnections } from '../telegram/guarded-agent.ts';
import { inBackground } from '../tracing.ts';
import type { SharedEventBus } from './event-bus.ts';
import { publishEntries, publishState } from './message-events.ts';
import { createBotWorkers } from './bot-workers.ts';
import { tellUndecided } from './undecided-patterns.ts';
import { mostBackendConnections } from './open-files.ts';
import { publishPolls, subscribeToOtherNodes } from './readers.ts';
import { composeRouting } from './routing.ts';
import { composeSending } from './sending.ts';

export interface RelayDeps {
  config: Config;
  clock: Clock;
  logger: Logger;
  store: Store;
  telegram: TelegramClient;
  baseUrlFor(token: string): string;
  connect: Connect;
  notifications: Notifications;
  events: SharedEventBus;
  activity: AppActivity;
  appSends: AppSends;
  metrics: RelayMetrics;
  offline: boolean;
}

/** The half of the service that moves updates and messages. */
export interface Relay {
  nodeId: string;
  runner: BotRunner;
  sender: Sender;
  pullers: Pullers;
  pushers: Pushers;
  whileDrained: WhileDrained;
  supervisor: Supervisor;
  chatQueues: ChatQueues;
  liveMetrics: LiveMetrics;
  llmConfig: LlmConfigService;
  choose: ChooseDeps;
  deliveryService: DeliveryService;
  readerService: ReaderService;
  /** Called for every entry that this node appended, once it is on disk. */
  onEntries: UpdateLog['onEntries'];
  /** Wakes the senders of these bots, because a send was queued. */
  wakeSends(botIds: ReadonlySet<number>): void;
  /** Takes over this node's bots; they start in the background. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

const stopWithinMs = 4_000;
/**
 * The least time from one poll of a busy bot to the next. The network to Telegram takes longer; a
 * local Bot API server is polled half as often.
 */
const minPollIntervalMs = 6;

export function composeRelay(deps: RelayDeps): Relay {
  const { config, clock, logger, store, telegram, notifications, events, metrics } = deps;
  const { engine } = store;
  const random = Math.random;
  const nodeId = deps.offline ? newNodeId() : loadNodeId(config.dataDir);
  const memory = createArchiveMemory(clock);
  const log = createUpdateLog(store.log, memory, deps.appSends);
  const shutdown = new AbortController();
  const background = createBackground();
  const singleNode = !engine.isShared;
  const liveMetrics = createLiveMetrics({ now: () => clock.now(), singleNode });
  const failed = logReaderFailures(logger, clock);

  tellUndecided(store.patterns.live, {
    clock,
    logger,
    metrics,
    conditions: store.alertConditions,
    background,
    signal: shutdown.signal,
  });
  const routing = composeRouting({
    config,
    clock,
    store,
    telegram,
    log,
    events,
    random,
    onQueued: (botIds) => sending.wake(botIds),
    leaseEpochOf: (botId) => supervisor.leaseEpochOf(botId),
    background,
    failed,
    metrics,
  });
  const { routers, llmConfig, choose } = routing;
  const sending = composeSending({
    clock,
    random,
    store,
    telegram,
    notifications,
    events,
    activity: deps.activity,
    appSends: deps.appSends,
    routing,
    giveUpAfterMs: config.push.giveUpAfterMs,
    nodes: () => supervisor.nodes,
    leaseEpochOf: (botId) => supervisor.leaseEpochOf(botId),
    failed,
    liveMetrics,
    metrics,
  });
  const { sender, chatQueues, workers } = sending;
  const apps = createAppReaders(store);
  // A prefix that identifies polls, even those of two processes with the same node name.
  const pollPrefix = newNodeId();
  const pullers = createPullers({
    apps,
    consumers: store.consumers,
    log: store.log,
    updateLog: log,
    clock,
    settlePush: (botId) => pushers.settle(botId),
    onPoll: deps.activity.seen,
    nodeId: pollPrefix,
    ...publishPolls(notifications),
  });
  const openConnection = guardedConnections({ policy: config.backends });
  const pushers = createPushers({
    store: store.reserved,
    bots: {
      async get(id, reader) {
        const bot = await store.bots.get(id);
        return bot && pushBotFor(apps, bot, reader);
      },
    },
    log,
    readers: store.log,
    clock,
    logger,
    random,
    settings: config.push,
    connections: new ConnectionPool({
      open: openConnection,
      most: mostBackendConnections(),
      clock,
      logger,
    }),
    onMethodCall: answerIntents(clock),
    onCallsCommitted: (botIds) => botIds.forEach(workers.wake),
    events,
    liveMetrics,
    metrics,
    onTaken: deps.activity.seen,
    notifyOthers: (botId) => notifications.publish('push', { botId }),
  });
  const logReaders = createLogReaders({
    kinds: {
      push: createPushReader({ pushers, apps }),
      routing: createRoutingReader({ routers, takesPart: store.routing.takesPart }),
      pull: createPullReader({ pullers, webhooks: store.webhooks }),
      export: createExportReader(
        {
          clock,
          engine,
          requireEpoch: store.leases.requireEpoch,
          log,
          readers: { ...store.log, ...store.readers },
          bots: store.bots,
          leaseEpochOf: (botId) => supervisor.leaseEpochOf(botId),
          onError: failed,
        },
        config.exportDir,
      ),
    },
    readers: store.readers,
    apps: store.apps,
    clock,
    publishMoved: (botId, reader) => notifications.publish('reader', { botId, reader }),
  });
  const deliveries = createDeliveryStatuses({
    overview: store.pushOverview,
    retryQueues: store.retryQueues,
    unread: store.unread.of,
  });
  const supervisor = createSupervisor({
    bots: store.bots,
    runtime: store.reserved.runtime,
    leases: store.leases,
    log,
    telegram,
    notifications,
    baseUrlFor: deps.baseUrlFor,
    connect: deps.connect,
    clock,
    random,
    logger,
    nodeId,
    singleNode,
    publicUrl: config.publicUrl,
    minIntervalMs: minPollIntervalMs,
    deliveries,
    statusCache: createStatusCache(engine),
    metrics,
  });

  const botWorkers = createBotWorkers({
    bots: store.bots,
    logReaders,
    workers,
    leaseEpochOf: supervisor.leaseEpochOf,
    clock,
    background,
    failed,
  });

  /** The settings are stored already, so a failure here only delays them. */
  const applied = createBackgroundRetry({
    clock,
    background,
    failed,
    async task(botId) {
      pullers.recall(botId);
      await openReaders(botId);
      await supervisor.apply(botId);
      await botWorkers.apply(botId);
    },
  });

  /** Opens readers before the first update may arrive, so that none is missed. */
  async function openReaders(botId: number): Promise<void> {
    const bot = await store.bots.get(botId);
    if (!bot) return;
    await logReaders.prepare(bot);
  }

  const runner: BotRunner = {
    async apply(botId) {
      // A bot that starts here runs on in the background.
      await inBackground(() => applied.run(botId));
    },
    async retire(botId) {
      await supervisor.retire(botId);
      pullers.recall(botId);
      log.forget(botId);
      sending.forget(botId);
    },
    statusOf: supervisor.statusOf,
  };

  async function start(): Promise<void> {
    // The sends that this node left in flight when it ended; on a single node, all of them.
    const left = (await store.outbox.inFlight()).filter(
      ({ node }) => singleNode || node === nodeId,
    );
    await store.outbox.abandon(left, clock.now());
    await logReaders.start();
    supervisor.watch(botWorkers);
    // Another node continues this bot's log, so forget the cached state.
    supervisor.watch({ gained() {}, lost: (botId) => log.forget(botId) });
    supervisor.onNamed((botId) => {
      // The bot's username became known. Filters of apps may contain commands, which name the bot
      // that they are for.
      void botWorkers.changed(botId);
      events.publish({ type: 'bot', botId, data: { change: 'updated' } });
    });
    supervisor.onState((botId, state, lastError) => publishState(events, botId, state, lastError));
    const isRunHere = (botId: number) => supervisor.leaseEpochOf(botId) !== undefined;
    const isPolledHere = (pollId: string) => pollId.startsWith(`${pollPrefix} `);
    const tell = tellAppends({ notifications, clock, isRunHere, isPolledHere });
    log.onEntries((botId, entries) => {
      const last = entries.at(-1);
      liveMetrics.received(botId, entries.length);
      metrics.received(botId, entries.length, clock.now() - (last?.receivedAt ?? clock.now()));
      tell(botId, last?.position ?? 0);
      if (events.isHeard) publishEntries(events, botId, entries);
    });
    subscribeToOtherNodes({
      notifications,
      log,
      pullers,
      pushers,
      logReaders,
      workers,
      background,
      failed,
    });
    routing.start(isRunHere, shutdown.signal);
    const feed = {
      liveMetrics,
      clock,
      notifications,
      singleNode,
      forwarded: pushers.botIds,
      deliveries: createBacklogs({ apps: store.apps, statuses: deliveries }),
    };
    feedLiveMetrics(feed, shutdown.signal);
    const retention = createRetention({
      repository: store.retention,
      clock,
      random,
      logger,
      limits: config.retention,
    });
    background.run(() => retention.keepRunning(shutdown.signal));
    if (!singleNode) {
      background.run(() => watchAppends({ heads: store.logHeads, log, clock }, shutdown.signal));
    }
    await supervisor.start(shutdown.signal);
  }

  return {
    nodeId,
    runner,
    sender,
    pullers,
    pushers,
    whileDrained: createDrains(
      { ...deps, pushers, leases: store.leases, nodes: supervisor.nodes, singleNode, background },
      shutdown.signal,
    ),
    supervisor,
    chatQueues,
    liveMetrics,
    llmConfig,
    choose,
    deliveryService: createDeliveryService({
      store,
      pushers,
      apps,
      openConnection,
      events,
      clock,
    }),
    onEntries: log.onEntries,
    wakeSends: sending.wake,
    readerService: createReaderService({
      bots: store.bots,
      log: store.log,
      readers: store.readers,
      unread: store.unread,
      apps: store.apps,
      logReaders,
      pullers,
      clock,
    }),
    start,
    async stop() {
      shutdown.abort(new Error('the service stops'));
      memory.close();
      pullers.close();
      await supervisor.stop(stopWithinMs);
      // Background work for a bot must finish before its workers can be stopped.
      await background.end();
      await Promise.all([logReaders.stopAll(), routing.stop(), workers.stopAll()]);
      await sending.endRecording();
    },
  };
}
