import { readerOf } from '../core/log/reader-kinds.ts';
import { type AppReaders, createAppReaders } from '../relay/apps/app-readers.ts';
import { newNodeId } from '../relay/cluster/node-id.ts';
import { answerIntents } from '../relay/delivery/answer-intent.ts';
import { ConnectionPool } from '../relay/delivery/connection-pool.ts';
import { createPushReader, pushBotFor } from '../relay/delivery/push-reader.ts';
import { createPushers, type Pushers } from '../relay/delivery/pushers.ts';
import { createExportReader } from '../relay/export/export-reader.ts';
import { createLogReaders, type LogReaders } from '../relay/log/log-readers.ts';
import { createPullReader } from '../relay/pull/pull-reader.ts';
import { createPullers, type Pullers, type PullersDeps } from '../relay/pull/pullers.ts';
import { createRoutingReader } from '../relay/routing/routing-reader.ts';
import type { Notifications } from '../store/cluster/notifications.ts';
import { guardedConnections } from '../telegram/guarded-agent.ts';
import type { Ground } from './ground.ts';
import { mostBackendConnections } from './open-files.ts';
import type { Routing } from './routing.ts';
import type { Sending } from './sending.ts';

/** Everything that reads the log. */
export interface Readers {
  apps: AppReaders;
  openConnection: ReturnType<typeof guardedConnections>;
  pushers: Pushers;
  pullers: Pullers;
  /** True if the poll waits on this node. */
  isPolledHere(pollId: string): boolean;
  logReaders: LogReaders;
}

/** Connects push, pull, routing and export with the log. */
export function composeReaders(ground: Ground, sending: Sending, routing: Routing): Readers {
  const { activity, clock, config, failed, leaseEpochOf, log, notifications, store } = ground;
  const apps = createAppReaders(store);
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
    logger: ground.logger,
    random: ground.random,
    settings: config.push,
    connections: new ConnectionPool({
      open: openConnection,
      most: mostBackendConnections(),
      clock,
      logger: ground.logger,
    }),
    onMethodCall: answerIntents(clock),
    onCallsCommitted: (botIds) => botIds.forEach(sending.workers.wake),
    events: ground.events,
    liveMetrics: ground.liveMetrics,
    metrics: ground.metrics,
    onTaken: activity.seen,
    notifyOthers: (botId) => notifications.publish('push', { botId }),
  });
  // A prefix that identifies polls, even those of two processes with the same node name.
  const pollPrefix = newNodeId();
  const pullers = createPullers({
    apps,
    consumers: store.consumers,
    log: store.log,
    updateLog: log,
    clock,
    settlePush: pushers.settle,
    onPoll: activity.seen,
    nodeId: pollPrefix,
    ...publishPolls(notifications),
  });
  const exporting = {
    clock,
    engine: store.engine,
    requireEpoch: store.leases.requireEpoch,
    log,
    readers: { ...store.log, ...store.readers },
    bots: store.bots,
    leaseEpochOf,
    onError: failed,
  };
  const logReaders = createLogReaders({
    kinds: {
      push: createPushReader({ pushers, apps }),
      routing: createRoutingReader({
        routers: routing.routers,
        takesPart: store.routing.takesPart,
      }),
      pull: createPullReader({ pullers, webhooks: store.webhooks }),
      export: createExportReader(exporting, config.exportDir),
    },
    readers: store.readers,
    apps: store.apps,
    clock,
    publishMoved: (botId, reader) => notifications.publish('reader', { botId, reader }),
  });
  const isPolledHere = (pollId: string) => pollId.startsWith(`${pollPrefix} `);
  return { apps, openConnection, pushers, pullers, isPolledHere, logReaders };
}

/** Publishes to the other nodes that polls wait or have moved a reader. */
export function publishPolls(
  notifications: Notifications,
): Pick<PullersDeps, 'onWaiting' | 'onMoved'> {
  return {
    onWaiting: (botId, consumer, pollId) =>
      notifications.publish('poll', { botId, consumer, pollId }),
    onMoved: (botId, consumer) =>
      notifications.publish('reader', { botId, reader: readerOf('pull', consumer) }),
  };
}

/** Makes the readers of this node react to events on other nodes. */
export function subscribeToOtherNodes(
  { background, failed, log, notifications }: Ground,
  { broadcasts, workers }: Sending,
  { logReaders, pullers, pushers }: Readers,
): void {
  const inBackground = (botId: number, work: (botId: number) => Promise<void>) =>
    background.run(
      () => work(botId),
      (error) => failed(error, botId),
    );
  const onRemoteChange = (botId: number) => inBackground(botId, pushers.onRemoteChange);
  notifications.subscribe('appended', ({ botId, lastPosition }) => log.wake(botId, lastPosition));
  notifications.subscribe('bot', ({ botId }) => pullers.recall(botId));
  notifications.subscribe('outbox', ({ botId, broadcast }) => {
    workers.wake(botId);
    if (broadcast) broadcasts.wake();
  });
  notifications.subscribe('push', ({ botId }) => onRemoteChange(botId));
  notifications.subscribe('poll', ({ botId, consumer, pollId }) =>
    pullers.onPollAnnounced(botId, consumer, pollId),
  );
  notifications.subscribe('reader', ({ botId, reader }) => {
    inBackground(botId, () => logReaders.moved(botId, reader));
  });
  // Routing checks by itself, and polls end soon.
  notifications.onGap(() => {
    pushers.botIds().forEach(onRemoteChange);
    workers.wakeAll();
  });
}
