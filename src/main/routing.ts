import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import { defaultThreshold } from '../core/offline-ranking.ts';
import { createLlmConfig, type LlmConfigService } from '../manage/llm-config.ts';
import type { ChooseDeps } from '../relay/routing/choose-target.ts';
import { createHandover, type Handover } from '../relay/routing/handover.ts';
import { type ModelDesk, startModelDesk } from '../relay/routing/model-desk.ts';
import { createRouters, type Routers } from '../relay/routing/routers.ts';
import type { UpdateLog } from '../relay/update-log.ts';
import { routingReader } from '../store/routing.ts';
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
  /** Something was queued for these bots, whichever node runs them. */
  onQueued(botIds: ReadonlySet<number>): void;
  failed(error: unknown, botId: number): void;
}

export interface Routing {
  handover: Handover;
  routers: Routers;
  llmConfig: LlmConfigService;
  choose: ChooseDeps;
  /** A bot said something for another: whoever replies to it is heard. */
  onCarried(botId: number): void;
  /** `owns` tells which bots this node runs. */
  start(owns: (botId: number) => boolean): void;
  stop(): Promise<void>;
}

/** Everything that takes messages from one bot to another. */
export function composeRouting(deps: RoutingDeps): Routing {
  const { config, clock, store, telegram, log, events, random, onQueued, failed } = deps;
  const { engine } = store;
  let modelDesk: ModelDesk | undefined;
  const routers = createRouters({
    clock,
    engine,
    log,
    readers: store.log,
    bots: store.bots,
    pairs: store.routing.pairs,
    decisions: store.routing.decisions,
    isOwnMessage: store.routing.isOwnMessage,
    isRegisteredBot: store.routing.isRegisteredBot,
    takesPart: store.routing.takesPart,
    endReader: store.routing.endReader,
    isSendingTo: store.outbox.isSendingTo,
    route: store.routes.get,
    routesFrom: store.routes.fromBot,
    onQueued,
    onQuestion: () => modelDesk?.wake(),
    onError: failed,
  });
  const llmConfig = createLlmConfig({
    store,
    clock,
    defaults: config.llm,
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
  };

  async function reloadRoutes(sourceBotId: number, routeId: unknown): Promise<void> {
    await routers.reload(sourceBotId);
    const route = await store.routes.get(Number(routeId));
    if (route) await routers.reload(route.target_bot_id);
  }

  return {
    handover: createHandover({
      bots: store.bots,
      telegram,
      pairs: store.routing.pairs,
      now: () => clock.now(),
    }),
    routers,
    llmConfig,
    choose,
    onCarried: (botId) =>
      void routers.ensure(botId).catch((error: unknown) => failed(error, botId)),
    start(owns) {
      events.watch(({ type, botId, data }) => {
        if (type === 'bot' && data['change'] === 'deleted') routers.reloadAll();
        if (type !== 'route') return;
        void reloadRoutes(botId, data['route_id']).catch((error) => failed(error, botId));
      });
      modelDesk = startModelDesk({
        ...choose,
        engine,
        log: store.log,
        decisions: store.routing.decisions,
        random,
        owns,
        onQueued,
        onTarget: async (botId) => {
          await store.log.openReader(botId, routingReader, clock.now());
        },
        onError: (error) => failed(error, 0),
      });
    },
    async stop() {
      await Promise.all([routers.stopAll(), modelDesk?.stop()]);
      await connections.destroy();
    },
  };
}
