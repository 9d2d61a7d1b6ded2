import { setTimeout as pause } from 'node:timers/promises';
import {
  type HeldPlatform,
  idOf,
  message,
  sentMessage,
  startHeldPlatform,
  type Update,
} from '../../invariants/support/held-platform.ts';
import { mostRepeated } from '../../invariants/support/reconcile.ts';
import { type Arrival, type Sink, startSink } from '../../invariants/support/sink.ts';
import { addBot } from '../../invariants/support/stage.ts';
import type { Database } from '../../support/database/engines.ts';
import { seeded } from '../../support/seeded.ts';
import { type ServiceProcess, launchService } from '../../support/service-process.ts';
import { type Offered, type Received, reconcile, sum } from './reconcile.ts';
import { read } from './read-database.ts';
import { addApps, createApps, firstWord, type WorldApp } from './world-apps.ts';

const connections = 8;
const chatsPerBot = 8;
/** How much of one bot may arrive twice after a crash or a move. */
export const allowedRepeats = mostRepeated(chatsPerBot, connections);
const slowestAnswerMs = 60;
/** The backend rejects this share of updates, so that retries are in flight as well. */
const refusedShare = 0.01;
/** Every second bot has a route; this share of its updates matches. */
const carriedShare = 0.04;
const pollSeconds = 2;

export interface WorldBot {
  index: number;
  token: string;
  /** The bot's number in the service. */
  id: number;
  isWebhook: boolean;
  /** Where its route goes. */
  carriesTo: { token: string; chat: number } | undefined;
  offered: Offered[];
  /** Those that no app has for itself: what the readers of the bot receive. */
  unclaimed: Offered[];
  apps: WorldApp[];
  pushed: Received[];
  /** Ids of pushed updates. */
  arrived: Set<number>;
  pulled: Received[];
  /** Offered updates that match the route; and those that reached the platform. */
  matching: Offered[];
  carried: Received[];
}

/** A send that reached the platform. */
export interface Sent {
  token: string;
  chat: number;
  at: number;
}

export interface Push extends Arrival {
  bot: WorldBot;
  at: number;
}

export interface World {
  bots: WorldBot[];
  platform: HeldPlatform;
  sink: Sink;
  /** Deliveries that the backend accepted, in order; those to apps apart. */
  pushes: Push[];
  appPushes: Push[];
  sends: Sent[];
  random: () => number;
  /** Writes down that the backend accepted an update. */
  accept(arrival: Arrival): void;
  botOf(arrival: Arrival): WorldBot | undefined;
  /** How many updates are at the backend, unanswered. */
  inFlight(): number;
  offered(): number;
  launch(
    settings: Database['settings'],
    options?: { killed?: AbortSignal; env?: Record<string, string> },
  ): Promise<ServiceProcess>;
  /** Clients turn to nodes that are up. */
  up(node: ServiceProcess): void;
  down(node: ServiceProcess): void;
  /** Registers bots and routes, and starts the clients. */
  begin(node: ServiceProcess): Promise<void>;
  backendOf(bot: WorldBot, suffix?: string): string;
  offer(bot: WorldBot): void;
  /** Offers so many a second until `isOver`, never more than `most` in all. */
  offerAtRate(perSecond: number, most: () => number, isOver: () => boolean): Promise<void>;
  /** Waits until everything arrived; false when it did not. */
  settle(timeoutMs: number): Promise<boolean>;
  /** Ends the clients; what they recorded stays. */
  end(): Promise<void>;
  close(): Promise<void>;
}

export async function createWorld(options: {
  database: Database;
  bots: number;
  seed: number;
  /** The last so many bots get no updates of themselves. */
  idle?: number;
  /** Of each bot. */
  chats?: number;
  /** The platform waits with new updates while a reader is so far behind, for each bot. */
  maxBehind?: number;
  /** How many times faster the clock of the service runs. */
  speed?: number;
  /** Every fourth bot has apps. */
  withApps?: boolean;
  /** After this long without an answer, a client closes its connection and asks again, or another node. */
  patienceMs?: number;
}): Promise<World> {
  const { database, seed, chats = chatsPerBot, maxBehind = 40, speed = 1 } = options;
  const { patienceMs = 6_000, idle = 0 } = options;
  const random = seeded(seed + 1);
  const [platform, sink] = await Promise.all([startHeldPlatform(), startSink()]);
  platform.speed = speed;
  const bots = createBots(options.bots, options.withApps ?? false);
  const byName = new Map(bots.map((bot) => [String(idOf(bot.token)), bot]));
  const posts = new Map<string, Update[]>();
  const clients = new Set<Promise<void>>();
  const processes = new Set<ServiceProcess>();
  const live = new Set<ServiceProcess>();
  let change = Promise.withResolvers<void>();
  let isOver = false;
  let offered = 0;
  let claimed = 0;
  let pushed = 0;
  let pulled = 0;
  let inFlight = 0;
  let sent = 0;

  function run(client: Promise<void>): void {
    clients.add(client);
    void client.finally(() => clients.delete(client));
  }

  sink.respond = (arrival, response) => {
    forget(sink.arrivals);
    const isRefused = random() < refusedShare;
    if (!isRefused) world.accept(arrival);
    inFlight++;
    response.once('close', () => inFlight--);
    setTimeout(() => response.writeHead(isRefused ? 500 : 200).end(), random() * slowestAnswerMs);
  };

  platform.onCall = (call) => {
    forget(platform.calls);
    const at = performance.now();
    const text = call.params['text'] as string;
    const [, index, id] = /^carry (\d+) (\d+)$/.exec(text) ?? [];
    bots[Number(index ?? -1)]?.carried.push({ id: Number(id), at });
    world.sends.push({ token: call.token, chat: Number(call.params['chat_id']), at });
    const result = sentMessage(++sent, call.token, call.params['chat_id'], text);
    setTimeout(() => call.answer(200, { ok: true, result }), random() * slowestAnswerMs);
  };

  async function anyNode(): Promise<ServiceProcess | undefined> {
    while (live.size === 0 && !isOver) await change.promise;
    return isOver ? undefined : [...live][Math.floor(random() * live.size)];
  }

  /** A client of the gateway, which polls for the next updates. */
  async function pull(token: string, seen: (update: Received) => void): Promise<void> {
    let offset = 0;
    for (let node = await anyNode(); node; node = await anyNode()) {
      const path = `/bot${token}/getUpdates?timeout=${pollSeconds * platform.speed}&limit=40&offset=${offset}`;
      const answer = (await ask(node, path, { patienceMs })) as { result: Update[] } | undefined;
      if (!answer) await pause(50);
      for (const { update_id } of answer?.result ?? []) {
        seen({ id: update_id, at: performance.now() });
        offset = update_id + 1;
      }
    }
  }

  /** Posts the updates of one chat as the platform does: the next one once the last was accepted. */
  async function post(bot: WorldBot, queue: Update[]): Promise<void> {
    while (queue[0]) {
      const node = await anyNode();
      const hook = platform.webhook(bot.token);
      if (!node) return;
      const headers = { 'x-telegram-bot-api-secret-token': hook?.secret ?? '' };
      const answer = hook && (await ask(node, hook.path, { body: queue[0], headers, patienceMs }));
      if (answer) queue.shift();
      else await pause(50);
    }
  }

  const world: World = {
    bots,
    platform,
    sink,
    pushes: [],
    appPushes: [],
    sends: [],
    random,
    accept(arrival) {
      const bot = world.botOf(arrival);
      if (!bot) return;
      const at = performance.now();
      const app = bot.apps.find(({ name }) => arrival.path.endsWith(`/app/${name}`));
      if (app) {
        app.received.push({ id: arrival.updateId, at });
        world.appPushes.push({ ...arrival, bot, at });
        return;
      }
      bot.pushed.push({ id: arrival.updateId, at });
      if (!bot.arrived.has(arrival.updateId)) pushed++;
      bot.arrived.add(arrival.updateId);
      world.pushes.push({ ...arrival, bot, at });
    },
    botOf: ({ path: asked }) => byName.get(asked.split('/')[1] ?? ''),
    inFlight: () => inFlight,
    offered: () => offered,
    async launch(settings, { killed, env: more } = {}) {
      const env = {
        TELEGRAM_API_URL: platform.url,
        RELAY_PUBLIC_URL: 'http://relay.example.com',
        RELAY_PUSH_CONNECTIONS: String(connections),
        RELAY_RATE_PER_KEY: '10000',
        RELAY_LOG_LEVEL: 'warn',
        ...more,
      };
      const node = await launchService({ settings }, env, killed ? { killed } : {});
      processes.add(node);
      void node.ended.then(() => {
        processes.delete(node);
        world.down(node);
      });
      return node;
    },
    up(node) {
      live.add(node);
      change.resolve();
      change = Promise.withResolvers<void>();
    },
    down: (node) => void live.delete(node),
    async begin(node) {
      for (const bot of bots) {
        const { id } = await addBot(node, {
          token: bot.token,
          proxy_enabled: true,
          backend_url: world.backendOf(bot),
          long_poll_enabled: true,
          webhook_mode: bot.isWebhook,
        });
        bot.id = id;
      }
      for (const bot of bots.filter(({ carriesTo }) => carriesTo)) {
        const target = bots.find(({ token }) => token === bot.carriesTo?.token);
        await node.call('/api/routes/add', {
          source_bot_id: bot.id,
          target_bot_id: target?.id,
          target_chat_id: bot.carriesTo?.chat,
          action: 'copy',
          condition_type: 'keyword',
          condition_value: 'carry',
          return_mode: 'off',
        });
      }
      for (const bot of bots) {
        await addApps(node, bot.id, bot.apps, ({ name }) => world.backendOf(bot, `/app/${name}`));
        const polling = bot.apps.filter(({ isPushed }) => !isPushed);
        run(
          pull(bot.token, (update) => {
            bot.pulled.push(update);
            pulled++;
          }),
        );
        for (const { token, received } of polling) {
          run(pull(token, (update) => received.push(update)));
        }
      }
    },
    backendOf: (bot, suffix = '') => `${sink.url}/${idOf(bot.token)}${suffix}`,
    offer(bot) {
      const id = 1_000 + bot.offered.length;
      const chat = 11 + Math.floor(random() * chats);
      const isMatching = bot.carriesTo !== undefined && random() < carriedShare;
      const word = bot.apps.length > 0 ? firstWord(random()) : 'update';
      const text = isMatching ? `carry ${bot.index} ${id}` : `${word} ${id}`;
      const update = { id, chat, at: performance.now() };
      bot.offered.push(update);
      const wanting = bot.apps.filter(({ wants }) => wants(text));
      for (const app of wanting) app.offered.push(update);
      if (wanting.some(({ claims }) => claims)) claimed++;
      else bot.unclaimed.push(update);
      if (isMatching) bot.matching.push(update);
      offered++;
      if (!bot.isWebhook) return platform.deal(bot.token, message(id, chat, text));
      const line = `${bot.index} ${chat}`;
      const queue = posts.get(line) ?? [];
      posts.set(line, queue);
      queue.push(message(id, chat, text));
      if (queue.length === 1) run(post(bot, queue));
    },
    async offerAtRate(perSecond, most, isDone) {
      let due = 0;
      for (let before = performance.now(); !isDone() && !isOver; ) {
        await pause(20);
        const now = performance.now();
        // What the platform was not allowed to offer is not made up for.
        due = Math.min(due + ((now - before) * perSecond) / 1_000, 100);
        before = now;
        const isBehind = () =>
          offered - claimed - Math.min(pushed, pulled) > maxBehind * bots.length;
        while (due >= 1 && offered < most() && !isBehind()) {
          // Bots get their updates in bursts.
          const bot = bots[Math.floor(random() * (bots.length - idle))] as WorldBot;
          const burst = Math.min(1 + Math.floor(random() * 8), most() - offered);
          for (let count = 0; count < burst; count++) world.offer(bot);
          due -= burst;
        }
      }
    },
    async settle(timeoutMs) {
      const until = performance.now() + timeoutMs;
      while (performance.now() < until) {
        await pause(500);
        const isHere = bots.every(
          (bot) => sum(deliveriesOf(bot)).lost === 0 && platform.held(bot.token) === 0,
        );
        // Routing may be behind the others, and what it has not read yet is in no outbox.
        const open = `select bot_id from outbox where state in ('queued', 'sending') union all
          select bot_id from readers join log_heads using (bot_id)
          where name = 'routing' and position < last_position`;
        if (isHere && (await read(database, open)).length === 0) return true;
      }
      return false;
    },
    async end() {
      isOver = true;
      change.resolve();
      await Promise.all(clients);
    },
    async close() {
      isOver = true;
      change.resolve();
      await Promise.all([...processes].map((node) => node.crash()));
      await Promise.all([platform.close(), sink.close()]);
    },
  };
  return world;
}

function createBots(count: number, withApps: boolean): WorldBot[] {
  const tokenOf = (index: number) => `${8_000 + index}:AAfault_${index}`;
  return Array.from({ length: count }, (_, index) => ({
    index,
    token: tokenOf(index),
    id: 0,
    isWebhook: index % 5 === 4,
    carriesTo:
      index % 2 === 0 && index + 1 < count
        ? { token: tokenOf(index + 1), chat: 50_000 + index }
        : undefined,
    offered: [],
    unclaimed: [],
    apps: withApps && index % 4 === 0 ? createApps() : [],
    pushed: [],
    arrived: new Set(),
    pulled: [],
    matching: [],
    carried: [],
  }));
}

/** The world records what it needs itself; a growing heap would have the platform pause, and sends with it. */
function forget(records: unknown[]): void {
  records.length = 0;
}

const deliveriesOf = (bot: WorldBot) => [
  reconcile(bot.unclaimed, bot.pushed),
  reconcile(bot.unclaimed, bot.pulled),
  ...bot.apps.map((app) => reconcile(app.offered, app.received)),
];

/** The answer's JSON; undefined when it was not 200 or there was none. */
async function ask(
  node: ServiceProcess,
  path: string,
  options: { patienceMs: number; body?: unknown; headers?: Record<string, string> },
): Promise<object | undefined> {
  try {
    const signal = AbortSignal.timeout(options.patienceMs);
    const answer = await node.request(path, { key: '', signal, ...options });
    const text = await answer.text();
    return answer.status === 200 ? (JSON.parse(text || '{}') as object) : undefined;
  } catch {
    return undefined;
  }
}
