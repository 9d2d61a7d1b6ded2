import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import type { RelayMetrics } from '../core/stats/relay-metrics.ts';
import { defaultThreshold } from '../core/routing/offline-ranking.ts';
import { createLlmConfig, type LlmConfigService } from '../manage/routing/llm-config.ts';
import type { Background } from '../relay/async/background.ts';
import type { ChooseDeps } from '../relay/routing/choose-target.ts';
import {
  createRoutedSendPreparer,
  type RoutedSendPreparer,
} from '../relay/routing/prepare-routed-send.ts';
import { type ModelWorker, startModelWorker } from '../relay/routing/model-worker.ts';
import { createRouters, type Routers } from '../relay/routing/routers.ts';
import type { UpdateLog } from '../relay/log/update-log.ts';
import type { Store } from '../store/store.ts';
import type { TelegramClient } from '../telegram/client.ts';
import { createGuardedAgent } from '../telegram/guarded-agent.ts';
import type { SharedEventBus } from './event-bus.ts';
import { modelOf } from './model-settings.ts';

interface RoutingDeps {
  config: Config;
  clock: Clock;
  store: Store;
  telegram: TelegramClient;
  log: UpdateLog;
  events: SharedEventBus;
  random: () => number;
  /** Called when sends were queued for these bots, whichever node runs them. */
  onQueued(botIds: ReadonlySet<number>): void;
  leaseEpochOf(botId: number): number | undefined;
  background: Background;
  failed(error: unknown, botId: number): void;
  metrics: RelayMetrics;
}

export interface Routing {
  routedSends: RoutedSendPreparer;
  routers: Routers;
  llmConfig: LlmConfigService;
  choose: ChooseDeps;
  /** Called when a bot sent a routed message: replies to it must be routed back. */
  onRouted(botId: number): void;
  /** `owns` says which bots this node runs; the signal ends periodic work. */
  start(owns: (botId: number) => boolean, signal: AbortSignal): void;
  stop(): Promise<void>;
}

const lookAgainMs = 5_000;

/** The repositories that routers use. */
export const storesForRouters = ({
  engine,
  leases,
  log,
  bots,
  routes,
  routing,
  outbox,
  patterns,
}: Store) => ({
  engine,
  requireEpoch: leases.requireEpoch,
  countTraffic: routing.countTraffic,
  readers: log,
  bots,
  pairs: routing.pairs,
  decisions: routing.decisions,
  isOwnMessage: routing.isOwnMessage,
  isRegisteredBot: routing.isRegisteredBot,
  openReader: routing.openReader,
  endReader: routing.endReader,
  readBots: routing.readBots,
  isSendingTo: outbox.isSendingTo,
  route: routes.get,
  routesOf: routes.ofBot,
  patterns: patterns.live,
  slices: patterns.slices,
});

/** Connects the parts that route messages from one bot to another. */
export function composeRouting(deps: RoutingDeps): Routing {
  const { config, clock, store, telegram, log, events, random, onQueued, background } = deps;
  const { failed, metrics } = deps;
  const { engine } = store;
  let modelWorker: ModelWorker | undefined;
  const routers = createRouters({
    ...storesForRouters(store),
    clock,
    log,
    leaseEpochOf: deps.leaseEpochOf,
    onQueued,
    onQuestion: () => modelWorker?.wake(),
    onError: failed,
    metrics,
  });
  const llmConfig = createLlmConfig({
    store,
    clock,
    defaults: config.llm,
    backends: config.backends,
    offlineThreshold: defaultThreshold,
  });
  const connections = createGuardedAgent({ policy: config.backends });
  const choose: ChooseDeps = {
    clock,
    bots: store.bots,
    routesFrom: store.routes.fromBot,
    questions: store.routing.questions,
    model: async () => modelOf(await llmConfig.current()),
    dispatcher: connections,
    metrics,
  };

  async function reloadRoutes(sourceBotId: number, routeId: unknown): Promise<void> {
    await routers.reload(sourceBotId);
    const route = await store.routes.get(Number(routeId));
    if (route) await routers.reload(route.target_bot_id);
  }

  /** Repairs lost notifications: finds a bot that another node has added to routing. */
  async function keepLooking(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await clock.sleep(lookAgainMs, signal).catch(() => {});
      // If the database is unavailable, other parts report it.
      if (!signal.aborted) await routers.ensureAll().catch(() => {});
    }
  }

  return {
    routedSends: createRoutedSendPreparer({
      bots: store.bots,
      telegram,
      pairs: store.routing.pairs,
      countTraffic: store.routing.countTraffic,
      now: () => clock.now(),
    }),
    routers,
    llmConfig,
    choose,
    onRouted: (botId) =>
      background.run(
        () => routers.ensure(botId),
        (error) => failed(error, botId),
      ),
    start(owns, signal) {
      if (engine.isShared) background.run(() => keepLooking(signal));
      events.watch(({ type, botId, data }) => {
        if (type === 'bot' && data['change'] === 'deleted') routers.reloadAll();
        if (type !== 'route') return;
        background.run(
          () => reloadRoutes(botId, data['route_id']),
          (error) => failed(error, botId),
        );
      });
      modelWorker = startModelWorker({
        ...choose,
        engine,
        log: store.log,
        decisions: store.routing.decisions,
        random,
        owns,
        onQueued,
        onError: (error) => failed(error, 0),
        metrics,
      });
    },
    async stop() {
      await modelWorker?.stop();
      await connections.destroy();
    },
  };
}
