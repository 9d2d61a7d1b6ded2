import type { IncomingMessage } from 'node:http';
import type { Client, Dispatcher } from 'undici';
import { readUpdate } from '../../../src/core/log/update-facts.ts';
import { createLogger } from '../../../src/logger.ts';
import { createAppReaders } from '../../../src/relay/apps/app-readers.ts';
import { answerIntents } from '../../../src/relay/delivery/answer-intent.ts';
import { ConnectionPool } from '../../../src/relay/delivery/connection-pool.ts';
import {
  createPushers,
  type Pushers,
  type PushersOptions,
} from '../../../src/relay/delivery/pushers.ts';
import { createUpdateLog, type UpdateLog } from '../../../src/relay/log/update-log.ts';
import type { DialectName, Engine } from '../../../src/store/engine.ts';
import { createDeadLetterRepository } from '../../../src/store/delivery/dead-letters.ts';
import { createDeliveryRepository } from '../../../src/store/delivery/deliveries.ts';
import { createRetryQueueRepository } from '../../../src/store/delivery/retry-queues.ts';
import { createStore } from '../../../src/store/store.ts';
import { guardedConnections } from '../../../src/telegram/guarded-agent.ts';
import { serve } from '../local-server.ts';
import { createManualClock } from '../manual-clock.ts';
import { patienceMs } from '../patience.ts';
import { createTestStore } from '../database/store.ts';
import { watchEngine } from '../database/watched-engine.ts';

export interface Arrival {
  path: string;
  updateId: number;
  chatId: number;
  raw: string;
  headers: IncomingMessage['headers'];
}

export interface Answer {
  status?: number;
  headers?: Record<string, string>;
  body?: string;
  /** More of the body is to come, and never does. */
  unended?: boolean;
  /** The connection is closed instead. */
  cut?: boolean;
}

/** A backend of a bot, on its own port. */
export interface TestBackend {
  url: string;
  arrivals: Arrival[];
  /** The most requests that were open at the same time: over all, and of one chat. */
  most: { all: number; chat: number };
  /** Its answer; may wait. By default 200, at once. */
  answer: (arrival: Arrival) => Answer | Promise<Answer>;
  close(): Promise<void>;
}

export async function startBackend(): Promise<TestBackend> {
  const open = new Map<number, number>();
  const { url, server, close } = await serve((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    const arrived = async () => {
      const raw = Buffer.concat(chunks).toString();
      const update = JSON.parse(raw) as { update_id: number; message?: { chat: { id: number } } };
      const chatId = update.message?.chat.id ?? 0;
      const arrival: Arrival = {
        path: request.url ?? '',
        updateId: update.update_id,
        chatId,
        raw,
        headers: request.headers,
      };
      backend.arrivals.push(arrival);
      open.set(chatId, (open.get(chatId) ?? 0) + 1);
      const counts = [...open.values()];
      backend.most.all = Math.max(
        backend.most.all,
        counts.reduce((a, b) => a + b),
      );
      backend.most.chat = Math.max(backend.most.chat, ...counts);
      const answer = await backend.answer(arrival);
      open.set(chatId, (open.get(chatId) ?? 0) - 1);
      if (answer.cut) return request.socket.destroy();
      const { status = 200, headers = {}, body = '', unended } = answer;
      response.writeHead(status, headers);
      if (unended) response.write(body);
      else response.end(body);
    };
    if (request.method === 'HEAD') response.writeHead(405).end();
    else request.on('end', () => void arrived());
  });
  // However long a test takes, an idle connection is not closed: some count them.
  server.keepAliveTimeout = 600_000;
  const backend: TestBackend = {
    url: `${url}/updates`,
    close,
    arrivals: [],
    most: { all: 0, chat: 0 },
    answer: () => ({}),
  };
  return backend;
}

/** A message of a chat, as the platform sends it. */
export function message(updateId: number, chatId: number, text = `text ${updateId}`) {
  return {
    update_id: updateId,
    message: {
      message_id: updateId,
      date: 1_700_000_000,
      chat: { id: chatId, type: 'private', first_name: 'Ann' },
      from: { id: chatId, is_bot: false, first_name: 'Ann' },
      text,
    },
  };
}

/** To local backends. */
export const openConnection = guardedConnections({ policy: { mode: 'private-ok', allow: [] } });

export type PushRig = Awaited<ReturnType<typeof createPushRig>>;

/** The pushing side with a real database and a real backend, and time that tests move. */
export async function createPushRig(
  dialect: DialectName,
  settings: Partial<PushersOptions['settings']> & { mostConnections?: number } = {},
) {
  const test = await createTestStore(dialect);
  const { engine, isBusy } = watchEngine(test.store.engine);
  const store = createStore(engine, test.store.vault);
  const clock = createManualClock();
  const backend = await startBackend();
  const repositories = {
    deliveries: createDeliveryRepository(engine),
    dead: createDeadLetterRepository(engine),
    retryQueues: createRetryQueueRepository(engine),
  };
  /** Requests begun, with a status, and ended; `held` are those a test means never to end. */
  const seen = { begun: 0, status: 0, answered: 0, held: 0 };
  let log: UpdateLog;
  let life: { pushers: Pushers; end(): Promise<void> };
  const bot = (
    await store.bots.insert(
      { token: '1:rig', source: 'web', proxy_enabled: true, backend_url: backend.url },
      clock.now(),
    )
  ).id;

  /** The memory of a process, so that it can be lost. */
  function begin(more: Partial<PushersOptions> = {}) {
    const opened: Dispatcher[] = [];
    let dead = false;
    const never = new Promise<never>(() => {});
    log = createUpdateLog(store.log);
    const writes = new Set<Promise<unknown>>();
    const mortal: Engine = {
      ...engine,
      write(job) {
        if (dead) return never;
        const write = engine.write(job);
        writes.add(write);
        const ended = () => writes.delete(write);
        write.then(ended, ended);
        return write;
      },
    };
    const pushers = createPushers({
      store: createStore(mortal, store.vault),
      bots: store.bots,
      log,
      readers: store.log,
      clock,
      logger: createLogger({ level: 'silent' }),
      random: () => 0,
      settings: { maxConnections: 40, giveUpAfterMs: 86_400_000, ...settings },
      connections: new ConnectionPool({
        clock,
        logger: createLogger({ level: 'silent' }),
        most: settings.mostConnections ?? 1_000,
        open(...host) {
          const connection = openConnection(...host);
          opened.push(connection);
          if (dead) void connection.destroy();
          return observed(connection, seen);
        },
      }),
      onMethodCall: answerIntents(clock),
      ...more,
    });
    life = {
      pushers,
      async end() {
        dead = true;
        // A new owner waits for the last commit of the former one: leases ensure that.
        await Promise.allSettled(writes);
        await Promise.all(opened.map((connection) => connection.destroy().catch(() => {})));
      },
    };
  }
  begin();

  async function apply(
    patch: Partial<{
      disabled: boolean;
      proxy_enabled: boolean;
      backend_url: string;
      secret_token: string;
      per_topic: boolean;
      urgent: string[];
      username: string;
    }> = {},
    epoch?: number,
  ) {
    const record = await store.bots.update(bot, patch, clock.now());
    if (!record) throw new Error('the bot is gone');
    await life.pushers.apply(record, epoch);
  }

  async function receive(updates: object[], botId = bot) {
    const incoming = updates.map((update) => {
      const read = readUpdate(JSON.stringify(update), update, clock.now());
      if (!read) throw new Error('not an update');
      return read;
    });
    await log.append(botId, incoming, { receivedAt: clock.now() });
  }

  /**
   * Waits for something to become true. Time is moved in steps when it stands still otherwise, and
   * never while a request is open or the database is asked, so that neither seems slow.
   */
  async function until(what: () => boolean | Promise<boolean>, stepMs = 0) {
    for (const giveUpAt = Date.now() + patienceMs; !(await what()); ) {
      if (Date.now() > giveUpAt) throw new Error(`never came true: ${what.toString()}`);
      const isIdle = seen.begun - seen.answered <= seen.held && !isBusy();
      if (stepMs > 0 && isIdle) await clock.advance(stepMs);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }

  return {
    store,
    apps: createAppReaders(store),
    engine,
    clock,
    backend,
    bot,
    ...repositories,
    /** Answers (and failures) that the pushing side has taken note of. */
    answered: (count: number) => until(() => seen.answered >= count),
    quiet: () => until(() => seen.begun === seen.answered),
    seen,
    /** Counts its requests as well. */
    observe: (connection: Client) => observed(connection, seen),
    get pushers() {
      return life.pushers;
    },
    get log() {
      return log;
    },
    apply,
    receive,
    until,
    async cursor() {
      return (await store.log.readers(bot)).find((reader) => reader.name === 'push');
    },
    arrivedIds: () => backend.arrivals.map((arrival) => arrival.updateId),
    arrivedOf: (chatId: number) =>
      backend.arrivals.filter((a) => a.chatId === chatId).map((a) => a.updateId),
    /** The process dies and another one starts on the same data. */
    async crash(more: Partial<PushersOptions> = {}) {
      await life.end();
      begin(more);
    },
    async close() {
      await life.pushers.stopAll(0);
      await life.end();
      await backend.close();
      await test.close();
    },
  };
}

/** The same connections, telling when the end of a request has been dealt with. */
function observed(
  agent: Client,
  seen: { begun: number; status: number; answered: number },
): Client {
  return new Proxy(agent, {
    get(target, name) {
      const own: unknown = Reflect.get(target, name, target);
      if (name !== 'dispatch') return typeof own === 'function' ? own.bind(target) : own;
      return (options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) => {
        let ended = false;
        const end = () => {
          if (!ended) seen.answered++;
          ended = true;
        };
        seen.begun++;
        return target.dispatch(options, {
          onRequestStart: (...parts) => handler.onRequestStart?.(...parts),
          onResponseStart(...parts) {
            handler.onResponseStart?.(...parts);
            seen.status++;
          },
          onResponseData: (...parts) => handler.onResponseData?.(...parts),
          onResponseEnd(...parts) {
            handler.onResponseEnd?.(...parts);
            end();
          },
          onResponseError(...parts) {
            handler.onResponseError?.(...parts);
            end();
          },
        });
      };
    },
  });
}
