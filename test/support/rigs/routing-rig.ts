import { createTestEvents } from './test-events.ts';
import type { Message } from '@grammyjs/types';
import { updateKinds } from '../../../src/core/log/update-kinds.ts';
import { type IncomingUpdate, readUpdate } from '../../../src/core/log/update-facts.ts';
import { storesForRouters } from '../../../src/main/routing.ts';
import { createOutboxWorkers } from '../../../src/relay/outbox/worker.ts';
import { createInFlight } from '../../../src/relay/outbox/in-flight.ts';
import { createSendRateLimiter } from '../../../src/relay/outbox/rate-limiter.ts';
import { createChatQueues } from '../../../src/relay/outbox/chat-queues.ts';
import { Agent } from 'undici';
import { onTestFinished } from 'vitest';
import type { RouterModel } from '../../../src/relay/routing/choose-target.ts';
import { createModelWorker } from '../../../src/relay/routing/model-worker.ts';
import { createPreparation } from '../../../src/relay/routing/prepare-routed-send.ts';
import { routingReader } from '../../../src/core/log/reader-kinds.ts';
import { createForumAdmins } from '../../../src/relay/desks/forum-admins.ts';
import { createRouters } from '../../../src/relay/routing/routers.ts';
import { createUpdateLog } from '../../../src/relay/log/update-log.ts';
import type { Sandbox } from '../../../sandbox/src/index.ts';
import type { NewBot } from '../../../src/store/bots/bots.ts';
import { deskDefaults, type NewDesk } from '../../../src/core/desks/desk.ts';
import type { NewRoute } from '../../../src/store/routing/routes.ts';
import { wordsOf } from '../../../src/store/sql/dialect.ts';
import type { Store } from '../../../src/store/store.ts';
import type { TelegramClient } from '../../../src/telegram/client.ts';
import type { ManualClock } from '../manual-clock.ts';
import { patienceMs } from '../patience.ts';
import { plainRoute } from '../database/store.ts';

export interface RigBot {
  id: number;
  platformId: number;
  token: string;
  name: string;
}

interface ChatRef {
  id: number;
}

interface RigParts {
  store: Store;
  sandbox: Sandbox;
  telegram: TelegramClient;
  clock: ManualClock;
  /** Meanwhile no time passes, so that neither the platform nor the database seems slow. */
  isBusy(): boolean;
  /** How the language model is asked; without it the offline ranking chooses. */
  model?: RouterModel;
}

const noModel: RouterModel = {
  enabled: false,
  apiUrl: '',
  apiKey: '',
  model: '',
  systemPrompt: '',
  temperature: 0,
  timeoutMs: 5_000,
  monthlyCalls: 0,
  monthlyTokens: 0,
  offlineThreshold: 0.1,
};

export interface RoutingRig {
  /** A person who is in every group. */
  agent: number;
  /** The conversations whose state or assignee was told to have changed. */
  changedChats: { botId: number; chatId: number }[];
  addBot(name: string, more?: Partial<NewBot>): Promise<RigBot>;
  /** A supergroup in which the agent and the bots are. */
  group(title: string, members: RigBot[]): ChatRef;
  route(from: RigBot, to: RigBot, route: Partial<NewRoute>): Promise<void>;
  /** The bot's settings changed. */
  reload(bot: RigBot): Promise<void>;
  /** Adds a desk; returns its ID. */
  desk(settings: Omit<NewDesk, 'name'>): Promise<number>;
  /** Continues what the desks have to send, as the relay does every 15 seconds. */
  takeUp(): Promise<void>;
  say(user: ChatRef, bot: RigBot, text: string): Message;
  /** Receives the pending updates of the sandbox, and no more. */
  takeIn(): Promise<void>;
  /** Gives the bot an update that the sandbox cannot make. */
  receive(bot: RigBot, update: { update_id: number }): Promise<void>;
  /** Lets everything that was said arrive wherever it goes. */
  settle(): Promise<void>;
  /** The last message that a bot sent because of what `act` did. */
  forwardedBy(act: () => unknown): Promise<Message>;
  messagesIn(inChat: ChatRef): Message[];
  textsIn(inChat: ChatRef): (string | undefined)[];
  /** The bot runs on no node, or on another. */
  leave(botId: number): void;
  /** Has the bot's updates read again from the first. */
  rewind(bot: RigBot): Promise<void>;
  /** Everything new on the same store, as after a restart. */
  restart(): Promise<RoutingRig>;
  /** Routes and sends for a bot that is stored already. */
  adopt(bot: RigBot): Promise<void>;
}

/**
 * Bots of the sandbox with the routing half of the relay: log, routers and outbox, no intake.
 * Ends with the test.
 */
export function startRoutingRig(
  parts: RigParts,
  people = { agent: parts.sandbox.createUser({ first_name: 'Agent' }).id },
): RoutingRig {
  const { store, sandbox, telegram, clock } = parts;
  const { isIn, list } = wordsOf[store.engine.dialect];
  const log = createUpdateLog(store.log);
  const events = createTestEvents(clock);
  const rateLimiter = createSendRateLimiter(() => clock.monotonic());
  const preparation = createPreparation({
    bots: store.bots,
    telegram,
    pairs: store.routing.pairs,
    countTraffic: store.routing.countTraffic,
    deskStepSent: store.desks.stepSent,
    now: () => clock.now(),
  });
  const workers = createOutboxWorkers(
    {
      clock,
      node: () => 'node',
      outbox: store.outbox,
      bots: store.bots,
      telegram,
      chatQueues: createChatQueues(clock, rateLimiter),
      inFlight: createInFlight({ clock, events }),
      events,
    },
    {
      random: () => 0.5,
      giveUpAfterMs: 60_000,
      onError: fail,
      nodes: { known: () => ['node'], dead: () => [] },
      preparation,
      onChatMoved: (from, to) => store.desks.follow(from, to, clock.now()),
    },
  );
  const changedChats: RoutingRig['changedChats'] = [];
  const routers = createRouters({
    ...storesForRouters(store),
    clock,
    log,
    isForumAdmin: createForumAdmins(telegram, clock),
    onQueued: (botIds) => botIds.forEach(workers.wake),
    onQuestion: () => modelWorker.wake(),
    onChatState: ({ botId, chatId }) => changedChats.push({ botId, chatId }),
    onError: fail,
  });
  events.on('routed', (botId) => void routers.ensure(botId));
  const connections = new Agent();
  const modelWorker = createModelWorker({
    clock,
    engine: store.engine,
    log: store.log,
    decisions: store.routing.decisions,
    bots: store.bots,
    routesFrom: store.routes.fromBot,
    questions: store.routing.questions,
    model: async () => parts.model ?? noModel,
    dispatcher: connections,
    random: () => 0.5,
    owns: (botId) => !elsewhere.has(botId),
    onQueued: (botIds) => botIds.forEach(workers.wake),
    onError: fail,
  });
  modelWorker.start();
  const bots: RigBot[] = [];
  const elsewhere = new Set<number>();

  function fail(error: unknown): void {
    throw error;
  }

  async function run(bot: RigBot): Promise<void> {
    bots.push(bot);
    workers.start(bot.id);
    await routers.start(bot.id);
  }

  /** Receives the pending updates of the sandbox, as a poller would, but without HTTP. */
  async function takeIn(bot: RigBot): Promise<number> {
    const { json } = (await sandbox.call(bot.token, 'getUpdates', {
      allowed_updates: updateKinds,
    })) as { json: string };
    const updates = JSON.parse(json) as { update_id: number }[];
    const incoming = updates
      .map((update) => readUpdate(JSON.stringify(update), update, clock.now()))
      .filter((update): update is IncomingUpdate => update !== undefined);
    if (incoming.length === 0) return 0;
    await log.append(bot.id, incoming, { receivedAt: clock.now() });
    await sandbox.call(bot.token, 'getUpdates', {
      offset: (updates.at(-1)?.update_id ?? 0) + 1,
      limit: 1,
    });
    return incoming.length;
  }

  async function stopAll(): Promise<void> {
    await modelWorker.stop();
    await connections.close();
    await routers.stopAll();
    await workers.stopAll();
  }
  let stopping: Promise<void> | undefined;
  const stop = () => (stopping ??= stopAll());
  onTestFinished(stop);

  /** One statement, which sees all at the same moment. */
  async function isIdle(): Promise<boolean> {
    const [row] = await store.engine.readRaw<{ open: number }>(
      `select (select count(*) from readers join log_heads on log_heads.bot_id = readers.bot_id
               where readers.name = $1 and readers.position < log_heads.last_position
                 and ${isIn('readers.bot_id', '$2')})
         + (select count(*) from model_questions)
         + (select count(*) from outbox where state in ('queued', 'sending')) as open`,
      [routingReader, list(bots.map(({ id }) => id))],
    );
    return Number(row?.open) === 0;
  }

  async function settle(): Promise<void> {
    const giveUpAt = Date.now() + patienceMs;
    for (let quiet = 0; quiet < 2; ) {
      if (Date.now() > giveUpAt) throw new Error('it does not come to rest');
      let taken = 0;
      for (const bot of bots) taken += await takeIn(bot);
      if (!parts.isBusy()) await clock.advance(200);
      await new Promise((resolve) => setTimeout(resolve, 1));
      quiet = taken === 0 && (await isIdle()) ? quiet + 1 : 0;
    }
  }

  const messagesIn = (inChat: ChatRef): Message[] =>
    sandbox
      .history(people.agent, inChat.id)
      .map(({ message }) => message)
      .filter((message) => message.from?.is_bot || message.text !== undefined);

  return {
    agent: people.agent,
    changedChats,
    async takeIn() {
      for (const bot of bots) await takeIn(bot);
    },
    async receive(bot, update) {
      const read = readUpdate(JSON.stringify(update), update, clock.now());
      if (!read) throw new Error('not an update');
      await log.append(bot.id, [read], { receivedAt: clock.now() });
      await settle();
    },
    settle,
    messagesIn,
    textsIn: (inChat) => messagesIn(inChat).map((message) => message.text),

    async addBot(name, more = {}) {
      const { token, id } = sandbox.createBot({
        first_name: name,
        username: `${name}_bot`,
        privacyMode: false,
      });
      const record = await store.bots.insert(
        { token, name, username: `${name}_bot`, source: 'web', ...more },
        clock.now(),
      );
      const bot = { id: record.id, platformId: id, token, name };
      await run(bot);
      return bot;
    },

    group(title, members) {
      const chat = sandbox.createChat({ type: 'supergroup', title, owner: people.agent });
      for (const bot of members) sandbox.addMember(people.agent, chat.id, bot.platformId);
      return chat;
    },

    async route(from, to, route) {
      // Earlier messages are not the route's.
      await settle();
      await store.routes.insert(
        {
          source_bot_id: from.id,
          target_bot_id: to.id,
          ...plainRoute,
          ...route,
        },
        clock.now(),
      );
      await routers.reload(from.id);
      await routers.reload(to.id);
      await clock.advance(1);
    },

    reload: (bot) => routers.reload(bot.id),

    async desk(settings) {
      await settle();
      const id = await store.engine.write(() =>
        store.desks.saveStep(undefined, { ...deskDefaults, ...settings }, clock.now()),
      );
      for (const botId of [settings.desk_bot_id, ...settings.bot_ids]) await routers.reload(botId);
      return id;
    },

    async takeUp() {
      (await store.desks.takeUp(clock.now())).forEach(workers.wake);
      (await store.desks.refreshCards(clock.now())).forEach(workers.wake);
      await settle();
    },

    say: (user, bot, text) => sandbox.say(user.id, bot.platformId, text),

    async forwardedBy(act) {
      let last: Message | undefined;
      const stop = sandbox.onChange((change) => {
        if (change.type === 'message_added' && change.message.from?.is_bot) last = change.message;
      });
      act();
      await settle();
      stop();
      if (!last) throw new Error('nothing was carried');
      return last;
    },

    leave: (botId) => void elsewhere.add(botId),

    async rewind(bot) {
      const readers = store.readers;
      await readers.rewind(bot.id, routingReader, 0, clock.now());
      await routers.reload(bot.id);
    },

    async restart() {
      await stop();
      const again = startRoutingRig(parts, people);
      for (const bot of bots) await again.adopt(bot);
      return again;
    },
    adopt: run,
  };
}
