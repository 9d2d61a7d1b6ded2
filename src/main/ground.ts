import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import { createLiveMetrics, type LiveMetrics } from '../core/stats/live-metrics.ts';
import type { RelayMetrics } from '../core/stats/relay-metrics.ts';
import type { Logger } from '../logger.ts';
import type { AppActivity } from '../relay/apps/app-activity.ts';
import type { AppSends } from '../relay/apps/app-sends.ts';
import { type Background, createBackground } from '../relay/async/background.ts';
import { createStatusCache } from '../relay/cluster/bot-status.ts';
import { loadNodeId, newNodeId } from '../relay/cluster/node-id.ts';
import { createSupervisor, type Supervisor } from '../relay/cluster/supervisor.ts';
import { createDeliveryStatuses } from '../relay/delivery/delivery-status.ts';
import type { RelayEvents } from '../relay/events/relay-events.ts';
import { streamMessages } from '../relay/events/stream-events.ts';
import { type ArchiveMemory, createArchiveMemory } from '../relay/log/archive-memory.ts';
import { logReaderFailures } from '../relay/log/reader-failures.ts';
import { createUpdateLog, type UpdateLog } from '../relay/log/update-log.ts';
import { tellUndecided } from '../relay/search/undecided-patterns.ts';
import { countEvents } from '../relay/stats/count-events.ts';
import type { Notifications } from '../store/cluster/notifications.ts';
import type { Store } from '../store/store.ts';
import type { TelegramClient } from '../telegram/client.ts';
import type { Connect } from '../telegram/platform-connector.ts';

export interface RelayDeps {
  config: Config;
  clock: Clock;
  logger: Logger;
  store: Store;
  telegram: TelegramClient;
  baseUrlFor(token: string): string;
  connect: Connect;
  notifications: Notifications;
  events: RelayEvents;
  activity: AppActivity;
  appSends: AppSends;
  metrics: RelayMetrics;
  offline: boolean;
}

/** What every part of the relay stands on: the log, and the bots that this node runs. */
export interface Ground extends RelayDeps {
  random: () => number;
  nodeId: string;
  singleNode: boolean;
  shutdown: AbortController;
  background: Background;
  liveMetrics: LiveMetrics;
  memory: ArchiveMemory;
  log: UpdateLog;
  supervisor: Supervisor;
  leaseEpochOf(botId: number): number | undefined;
  isRunHere(botId: number): boolean;
  deliveries: ReturnType<typeof createDeliveryStatuses>;
  /** Logs a failure of work for a bot that is retried. */
  failed(error: unknown, botId: number): void;
}

/**
 * The least time from one poll of a busy bot to the next. The network to Telegram takes longer; a
 * local Bot API server is polled half as often.
 */
const minPollIntervalMs = 6;

export function composeGround(deps: RelayDeps): Ground {
  const { appSends, clock, config, events, logger, metrics, store } = deps;
  const random = Math.random;
  const nodeId = deps.offline ? newNodeId() : loadNodeId(config.dataDir);
  const memory = createArchiveMemory(clock);
  events.on('chat', (botId, { chat_id, change }) => {
    if (change === 'forgotten') memory.forgetChat(botId, chat_id);
  });
  const log = createUpdateLog(store.log, { memory, sends: appSends, events });
  const shutdown = new AbortController();
  const background = createBackground();
  const singleNode = !store.engine.isShared;
  const liveMetrics = createLiveMetrics({ now: () => clock.now(), singleNode });
  const deliveries = createDeliveryStatuses({
    overview: store.pushOverview,
    retryQueues: store.retryQueues,
    unread: store.unread.of,
  });
  countEvents(events, { clock, liveMetrics, metrics });
  streamMessages(events);
  tellUndecided(store.patterns.live, {
    clock,
    logger,
    metrics,
    conditions: store.alertConditions,
    background,
    signal: shutdown.signal,
  });
  const supervisor = createSupervisor({
    ...deps,
    bots: store.bots,
    runtime: store.reserved.runtime,
    leases: store.leases,
    log,
    random,
    nodeId,
    singleNode,
    publicUrl: config.publicUrl,
    minIntervalMs: minPollIntervalMs,
    deliveries,
    statusCache: createStatusCache(store.engine),
  });
  return {
    ...deps,
    random,
    nodeId,
    singleNode,
    shutdown,
    background,
    liveMetrics,
    memory,
    log,
    supervisor,
    leaseEpochOf: supervisor.leaseEpochOf,
    isRunHere: (botId) => supervisor.leaseEpochOf(botId) !== undefined,
    deliveries,
    failed: logReaderFailures(logger, clock),
  };
}
