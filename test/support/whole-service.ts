import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { readSettings, toConfig } from '../../src/config.ts';
import { createLogger } from '../../src/logger.ts';
import { type Service, type ServiceOptions, startService } from '../../src/main.ts';
import type { DialectName } from '../../src/store/engine.ts';
import { createDatabase } from './database/engines.ts';
import { cheapPasswords } from './test-app.ts';

export interface PracticeBot {
  id: number;
  platformId: number;
  token: string;
}

export interface Person {
  id: number;
}

interface Asking {
  key?: string;
  /** For a POST without a body. */
  method?: 'POST';
  headers?: Record<string, string>;
}

interface Answer {
  status: number;
  json: unknown;
}

/** The whole service and its practice platform inside this process, steered over HTTP. */
export interface WholeService {
  service(): Service;
  /** With the local key, if no other is given; a body makes it a POST. */
  ask(path: string, body?: object, as?: Asking): Promise<Answer>;
  /** The same, and demands success. */
  call<T>(path: string, body?: object): Promise<T>;
  /** A bot of the practice platform that the service knows. */
  addBot(settings?: object): Promise<PracticeBot>;
  addPerson(name: string): Promise<Person>;
  /** Copies everything by default. */
  addRoute(from: PracticeBot, to: PracticeBot, more?: object): Promise<{ id: number }>;
  /** To a bot, or in the chat of that id. */
  say(person: Person, to: PracticeBot | number, text: string): Promise<{ message_id: number }>;
  /** A chat as a person sees it. */
  seen<T = { text?: string }>(person: Person, chatId: number): Promise<T[]>;
}

type Settings = Record<string, string>;

export function serviceForEachTest(
  dialect: DialectName,
  settings: Settings = {},
  own: Pick<ServiceOptions, 'clock'> = {},
): WholeService {
  let running: Running;
  beforeEach(async () => {
    running = await start(dialect, settings, own);
  });
  afterEach(() => running.close());
  return steer(() => running.service);
}

export function serviceForAllTests(dialect: DialectName, settings: Settings = {}): WholeService {
  let running: Running;
  beforeAll(async () => {
    running = await start(dialect, settings);
  });
  afterAll(() => running.close());
  return steer(() => running.service);
}

interface Running {
  service: Service;
  close(): Promise<void>;
}

async function start(
  dialect: DialectName,
  settings: Settings,
  own: Pick<ServiceOptions, 'clock'> = {},
): Promise<Running> {
  const database = await createDatabase(dialect);
  const env = { ...database.settings, PORT: '0', RELAY_SECRET_KEY: 'k'.repeat(40), ...settings };
  const config = toConfig(readSettings({ env, workingDir: database.dataDir }));
  const service = await startService(config, {
    ...own,
    logger: createLogger({ level: 'silent' }),
    passwords: cheapPasswords(),
  });
  return {
    service,
    async close() {
      await service.close();
      await database.drop();
    },
  };
}

function steer(service: () => Service): WholeService {
  async function ask(path: string, body?: object, as: Asking = {}): Promise<Answer> {
    const { address, localKey } = service();
    const answer = await fetch(address + path, {
      headers: {
        authorization: `Bearer ${as.key ?? localKey}`,
        ...(body ? { 'content-type': 'application/json' } : {}),
        ...as.headers,
      },
      method: as.method ?? (body ? 'POST' : 'GET'),
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return { status: answer.status, json: await answer.json() };
  }
  async function call<T>(path: string, body?: object): Promise<T> {
    const { status, json } = await ask(path, body);
    expect(status, JSON.stringify(json)).toBe(200);
    return json as T;
  }
  return {
    service,
    ask,
    call,
    async addBot(settings = {}) {
      const { token, id } = await call<{ token: string; id: number }>('/api/sandbox/bots', {});
      const bot = await call<{ id: number }>('/api/bots/add', { token, ...settings });
      return { id: bot.id, platformId: id, token };
    },
    addPerson: (name) => call('/api/sandbox/users/create', { first_name: name }),
    addRoute: (from, to, more = {}) =>
      call('/api/routes/add', {
        source_bot_id: from.id,
        target_bot_id: to.id,
        action: 'copy',
        ...more,
      }),
    say(person, to, text) {
      const chat = typeof to === 'number' ? to : to.platformId;
      return call('/api/sandbox/say', { user: person.id, chat, text });
    },
    async seen<T>(person: Person, chatId: number) {
      const path = `/api/sandbox/history?user=${person.id}&chat=${chatId}`;
      return (await call<{ message: T }[]>(path)).map(({ message }) => message);
    },
  };
}
