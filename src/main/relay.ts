/*
 * Composes the half of the service that moves updates and messages. Each stage is made of the
 * stages before it.
 */
import type { BotRunner, PartsSender, WhileDrained } from '../core/ports.ts';
import type { LiveMetrics } from '../core/stats/live-metrics.ts';
import type { LlmConfigService } from '../manage/routing/llm-config.ts';
import { createDrains } from '../relay/cluster/drains.ts';
import type { Supervisor } from '../relay/cluster/supervisor.ts';
import { createBacklogs } from '../relay/delivery/backends.ts';
import { createDeliveryService, type DeliveryService } from '../relay/delivery/delivery-service.ts';
import type { Pushers } from '../relay/delivery/pushers.ts';
import { publishState } from '../relay/events/stream-events.ts';
import { watchAppends } from '../relay/log/append-watch.ts';
import { createOptOuts } from '../relay/outbox/opt-outs.ts';
import { createReaderService, type ReaderService } from '../relay/log/reader-service.ts';
import { createRetention } from '../relay/log/retention.ts';
import { tellAppends } from '../relay/log/tell-appends.ts';
import type { Pullers } from '../relay/pull/pullers.ts';
import type { ChooseDeps } from '../relay/routing/choose-target.ts';
import { feedLiveMetrics } from '../relay/stats/live-metrics-feed.ts';
import { type Bots, composeBots } from './bots.ts';
import { composeGround, type Ground, type RelayDeps } from './ground.ts';
import { composeReaders, type Readers, subscribeToOtherNodes } from './readers.ts';
import { composeRouting, type Routing } from './routing.ts';
import { composeSending, type Sending } from './sending.ts';

export interface Relay {
  nodeId: string;
  runner: BotRunner;
  pacer: Sending['pacer'];
  sender: PartsSender;
  pullers: Pullers;
  pushers: Pushers;
  whileDrained: WhileDrained;
  supervisor: Supervisor;
  liveMetrics: LiveMetrics;
  llmConfig: LlmConfigService;
  choose: ChooseDeps;
  deliveryService: DeliveryService;
  readerService: ReaderService;
  /** Wakes the senders of these bots, because a send was queued. */
  wakeSends(botIds: ReadonlySet<number>): void;
  /** A send was scheduled, perhaps as the next one. */
  wakeScheduled(): void;
  /** A broadcast was added, started or stopped. */
  wakeBroadcasts(botId: number): void;
  /** Takes over this node's bots; they start in the background. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

interface Stages {
  ground: Ground;
  sending: Sending;
  routing: Routing;
  readers: Readers;
  bots: Bots;
}

const stopWithinMs = 4_000;
const wordsEveryMs = 30_000;

export function composeRelay(deps: RelayDeps): Relay {
  const ground = composeGround(deps);
  const sending = composeSending(ground);
  const routing = composeRouting(ground, sending);
  const readers = composeReaders(ground, sending, routing);
  const bots = composeBots(ground, sending, readers);
  const reloadWords = () => background.run(optOuts.reload, (error) => ground.failed(error, 0));
  const stages = { ground, sending, routing, readers, bots };
  const { apps, logReaders, openConnection, pullers, pushers } = readers;
  const { background, clock, events, shutdown, store, supervisor } = ground;
  const optOuts = createOptOuts({
    broadcasts: store.broadcasts,
    log: store.log,
    sender: sending.sender,
    onError: (error) => ground.failed(error, 0),
  });
  return {
    nodeId: ground.nodeId,
    runner: bots.runner,
    sender: sending.sender,
    pacer: sending.pacer,
    pullers,
    pushers,
    whileDrained: createDrains(
      { ...ground, pushers, leases: store.leases, nodes: supervisor.nodes },
      shutdown.signal,
    ),
    supervisor,
    liveMetrics: ground.liveMetrics,
    llmConfig: routing.llmConfig,
    choose: routing.choose,
    deliveryService: createDeliveryService({
      store,
      pushers,
      apps,
      openConnection,
      events,
      clock,
    }),
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
    wakeSends: sending.wake,
    wakeScheduled: sending.dueSends.wake,
    wakeBroadcasts(botId) {
      sending.broadcasts.wake();
      // Any node may receive the answers.
      ground.notifications.publish('outbox', { botId, broadcast: true });
      reloadWords();
    },
    async start() {
      events.on('stored', optOuts.received);
      ground.notifications.subscribe('outbox', ({ broadcast }) => {
        if (broadcast) reloadWords();
      });
      supervisor.watch({
        gained: (botId) =>
          background.run(
            () => optOuts.lookBack(botId),
            (error) => ground.failed(error, botId),
          ),
        lost() {},
      });
      background.run(
        () => reloadOften(optOuts.reload, ground),
        () => {},
      );
      await start(stages);
    },
    stop: () => stop(stages),
  };
}

async function start({ ground, sending, routing, readers, bots }: Stages): Promise<void> {
  const { background, clock, events, log, notifications, store, supervisor } = ground;
  const { isRunHere, nodeId, singleNode } = ground;
  const { signal } = ground.shutdown;
  const { botWorkers } = bots;
  // The sends that this node left in flight when it ended; on a single node, all of them.
  const left = (await store.outbox.inFlight()).filter(({ node }) => singleNode || node === nodeId);
  await store.outbox.abandon(left, clock.now());
  await readers.logReaders.start();
  supervisor.watch(botWorkers);
  // Another node continues this bot's log, so forget the cached state.
  supervisor.watch({ gained() {}, lost: (botId) => log.forget(botId) });
  supervisor.onNamed((botId) => {
    // The bot's username became known. Filters of apps may contain commands, which name the bot
    // that they are for.
    void botWorkers.changed(botId);
    events.publish('bot', botId, { change: 'updated' });
  });
  supervisor.onState((botId, state, lastError) => publishState(events, botId, state, lastError));
  const tell = tellAppends({ notifications, clock, isRunHere, isPolledHere: readers.isPolledHere });
  events.on('stored', (botId, entries) => tell(botId, entries.at(-1)?.position ?? 0));
  subscribeToOtherNodes(ground, sending, readers);
  routing.start();
  startPeriodicWork(ground, sending, readers);
  if (!singleNode) {
    background.run(() => watchAppends({ heads: store.logHeads, log, clock }, signal));
  }
  await supervisor.start(signal);
}

/** Another node may have added a broadcast with a word for opting out. */
async function reloadOften(
  reload: () => Promise<void>,
  { clock, failed, shutdown: { signal } }: Ground,
): Promise<void> {
  for (;;) {
    await reload().catch((error: unknown) => failed(error, 0));
    await clock.sleep(wordsEveryMs, signal);
  }
}

function startPeriodicWork(
  ground: Ground,
  { broadcasts, dueSends }: Sending,
  { pushers }: Readers,
): void {
  const { background, deliveries, store } = ground;
  const { signal } = ground.shutdown;
  const feed = {
    ...ground,
    forwarded: pushers.botIds,
    deliveries: createBacklogs({ apps: store.apps, statuses: deliveries }),
  };
  feedLiveMetrics(feed, signal);
  const retention = createRetention({
    ...ground,
    repository: store.retention,
    limits: ground.config.retention,
  });
  background.run(() => retention.keepRunning(signal));
  background.run(() => dueSends.keepRunning(signal));
  background.run(() => broadcasts.keepRunning(signal));
}

async function stop({ ground, sending, routing, readers }: Stages): Promise<void> {
  const { background, memory, shutdown, supervisor } = ground;
  shutdown.abort(new Error('the service stops'));
  memory.close();
  readers.pullers.close();
  await supervisor.stop(stopWithinMs);
  // Background work for a bot must finish before its workers can be stopped.
  await background.end();
  await Promise.all([readers.logReaders.stopAll(), routing.stop(), sending.workers.stopAll()]);
  await sending.endRecording();
}
