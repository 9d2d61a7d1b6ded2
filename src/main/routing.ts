import { archivedId } from '../core/messages/business-messages.ts';
import { defaultThreshold } from '../core/routing/offline-ranking.ts';
import { createLlmConfig, type LlmConfigService } from '../manage/routing/llm-config.ts';
import type { ChooseDeps } from '../relay/routing/choose-target.ts';
import { createDeskCheck } from '../manage/desks/check-desk.ts';
import { createForumAdmins } from '../relay/desks/forum-admins.ts';
import { keepDesks } from '../relay/desks/keep-desks.ts';
import { createModelWorker } from '../relay/routing/model-worker.ts';
import { createRouters, type Routers } from '../relay/routing/routers.ts';
import type { ChangedConversation } from '../store/conversations/topic-states.ts';
import type { MessageKey } from '../store/routing/message-pairs.ts';
import type { Store } from '../store/store.ts';
import { createGuardedAgent } from '../telegram/guarded-agent.ts';
import type { Ground } from './ground.ts';
import { modelOf } from './model-settings.ts';
import type { Sending } from './sending.ts';

export interface Routing {
  routers: Routers;
  llmConfig: LlmConfigService;
  choose: ChooseDeps;
  /** The background work ends with the relay. */
  start(): void;
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
  messages,
  routing,
  desks,
  outbox,
  patterns,
}: Store) => ({
  engine,
  requireEpoch: leases.requireEpoch,
  countTraffic: routing.countTraffic,
  readers: log,
  bots,
  desks,
  pairs: routing.pairs,
  decisions: routing.decisions,
  isOwnMessage: routing.isOwnMessage,
  isRegisteredBot: routing.isRegisteredBot,
  openReader: routing.openReader,
  endReader: routing.endReader,
  readBots: routing.readBots,
  isSendingTo: outbox.isSendingTo,
  route: routes.get,
  topicOf: async ({ botId, chatId, connection, messageId }: MessageKey) =>
    (await messages.get(botId, chatId, archivedId(connection, messageId)))?.message_thread_id,
  routesOf: routes.ofBot,
  patterns: patterns.live,
  slices: patterns.slices,
});

/** Connects the parts that route messages from one bot to another. */
export function composeRouting(ground: Ground, sending: Sending): Routing {
  const { background, clock, config, events, failed, log, metrics, store } = ground;
  const { signal } = ground.shutdown;
  const llmConfig = createLlmConfig({
    store,
    clock,
    defaults: config.llm,
    backends: config.backends,
    offlineThreshold: defaultThreshold,
  });
  const onChatState = ({ botId, chatId, threadId = 0 }: ChangedConversation) =>
    events.publish('chat', botId, {
      chat_id: chatId,
      change: 'state',
      ...(threadId === 0 ? {} : { message_thread_id: threadId }),
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
  const modelWorker = createModelWorker({
    ...choose,
    engine: store.engine,
    log: store.log,
    decisions: store.routing.decisions,
    random: ground.random,
    owns: ground.isRunHere,
    onQueued: sending.wake,
    onChatState,
    onError: (error) => failed(error, 0),
    metrics,
  });
  const routers = createRouters({
    ...storesForRouters(store),
    clock,
    log,
    isForumAdmin: createForumAdmins(ground.telegram, clock),
    leaseEpochOf: ground.leaseEpochOf,
    onQueued: sending.wake,
    onQuestion: modelWorker.wake,
    onChatState,
    onError: failed,
    metrics,
  });
  const forBot = (botId: number, work: () => Promise<void>) =>
    background.run(work, (error) => failed(error, botId));
  // Replies to a routed message must be routed back.
  events.on('routed', (botId) => forBot(botId, () => routers.ensure(botId)));

  async function reloadRoutes(sourceBotId: number, routeId: number): Promise<void> {
    await routers.reload(sourceBotId);
    const route = await store.routes.get(routeId);
    if (route) await routers.reload(route.target_bot_id);
  }

  /** Repairs lost notifications: finds a bot that another node has added to routing. */
  async function keepLooking(): Promise<void> {
    while (!signal.aborted) {
      await clock.sleep(lookAgainMs, signal).catch(() => {});
      // If the database is unavailable, other parts report it.
      if (!signal.aborted) await routers.ensureAll().catch(() => {});
    }
  }

  return {
    routers,
    llmConfig,
    choose,
    start() {
      if (store.engine.isShared) background.run(keepLooking);
      events.on('bot', (botId, { change }) => {
        if (change === 'deleted') routers.reloadAll();
        else forBot(botId, () => routers.reload(botId));
      });
      events.on('route', (botId, { route_id: id }) => forBot(botId, () => reloadRoutes(botId, id)));
      modelWorker.start();
      keepDesks(
        {
          clock,
          desks: store.desks,
          events,
          wake: sending.wake,
          check: createDeskCheck({
            store,
            telegram: ground.telegram,
            clock,
            events: ground.events,
            wakeSends: sending.wake,
          }),
          run: (work) => background.run(work, (error) => failed(error, 0)),
          onError: (error) => failed(error, 0),
        },
        signal,
      );
    },
    async stop() {
      await modelWorker.stop();
      await connections.destroy();
    },
  };
}
