import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSettings, toConfig } from '../../src/config.ts';
import { localCaller, type Scope, scopes } from '../../src/core/access/access.ts';
import { deskDefaults } from '../../src/core/desks/desk.ts';
import type { OpenApiDocument, OpenApiOperation } from '../../src/http/openapi/openapi.ts';
import { exampleOf } from '../../src/http/openapi/schema-example.ts';
import type { JsonSchema } from '../../src/http/schemas.ts';
import { createLogger } from '../../src/logger.ts';
import { compose, type Parts } from '../../src/main/compose.ts';
import { createApiKeys } from '../../src/manage/access/api-keys.ts';
import { raw } from '../../src/store/engine.ts';
import { createDatabase, type Database } from '../support/database/engines.ts';
import { withoutNames } from '../support/openapi.ts';
import { archived } from '../support/database/store.ts';
import { cheapPasswords } from '../support/test-app.ts';

/** Everything of the foreign bot is called this. */
const marker = 'foreignMarker';
const foreignToken = `7701:AA${marker}`;
/** A private chat, so that it has the same id at both bots. */
const person = 8_800;

/** List here every operation that needs no key, or is not about bots. */
const publicOperations = [
  'GET /healthz',
  'GET /readyz',
  'POST /api/auth/setup',
  'POST /api/auth/setup/check',
  'POST /api/auth/sign-in',
];
const openToLimitedKeys = [
  'GET /api/attention',
  'GET /api/auth/api-keys',
  'GET /api/auth/session',
  'GET /api/auth/users',
  'GET /api/bots',
  'GET /api/desks',
  // A list of messages may name others; they are left out.
  'GET /api/messages/marks',
  'GET /api/routes/graph',
  'GET /api/tags',
  'GET /api/tags/user',
  'GET /api/version',
  // Alerts, desks and replies of other bots are unknown to it.
  'POST /api/alerts/acknowledge',
  'POST /api/alerts/mute',
  'POST /api/auth/sign-out',
  'POST /api/bots/validate',
  'POST /api/desks/check',
  'POST /api/desks/delete',
  'POST /api/desks/import-topics',
  'POST /api/desks/update',
  'POST /api/messages/preview',
  'POST /api/replies/delete',
  'POST /api/replies/update',
  'POST /api/replies/used',
];

/** A chat of the own bot that the key for one chat may not use, and what is said there. */
const secretChat = 8_801;
const secret = 'saidInTheOtherChat';

/** List here every operation that has nothing of a chat, or leaves out what is not of the chats. */
const openToChatKeys = [
  'GET /api/auth/session',
  'GET /api/bots',
  'GET /api/bots/health',
  'GET /api/chats',
  'GET /api/chats/assignees',
  'GET /api/outbox',
  'GET /api/replies',
  'GET /api/version',
  'POST /api/auth/sign-out',
  'POST /api/auth/users/password',
  'POST /api/messages/preview',
  'POST /api/replies/used',
];

interface Operation {
  name: string;
  method: 'GET' | 'POST';
  path: string;
  scope: Scope | 'public';
  chats: string;
  operation: OpenApiOperation;
}

type Headers = Record<string, string>;
type Ids = Record<
  | 'bot'
  | 'route'
  | 'tag'
  | 'key'
  | 'user'
  | 'note'
  | 'send'
  | 'question'
  | 'scheduled'
  | 'reply'
  | 'broadcast'
  | 'desk',
  number
>;

/** The permissions of every operation. */
describe('the rights of every operation', () => {
  let database: Database;
  let parts: Parts;
  let operations: Operation[];
  let ids: Ids;
  let ownBot: number;
  const keys = new Map<string, Headers>();

  beforeAll(async () => {
    database = await createDatabase('sqlite');
    const env = {
      ...database.settings,
      // Nothing listens there.
      TELEGRAM_API_URL: 'http://127.0.0.1:9',
      RELAY_RATE_PER_KEY: '1000000',
      RELAY_RATE_PER_ADDRESS: '1000000',
      RELAY_SANDBOX: 'off',
    };
    const config = toConfig(readSettings({ env, workingDir: database.dataDir }));
    const logger = createLogger({ level: 'silent' });
    parts = await compose(config, { logger, offline: 'create', passwords: cheapPasswords() });
    const document = (await parts.app.inject('/openapi.json')).json<OpenApiDocument>();
    operations = operationsOf(withoutNames(document)).filter(({ scope }) => scope !== 'public');
    const foreignBot = await addBot(foreignToken, marker);
    ownBot = await addBot('7702:AAown', 'own');
    await addKeys();
    ids = await addForeignThings(foreignBot);
  });
  afterAll(async () => {
    await parts?.close();
    await database.drop();
  });

  async function addBot(token: string, name: string): Promise<number> {
    const { store, clock } = parts;
    const settings = { name, description: name, manage_enabled: true, long_poll_enabled: true };
    const bot = await store.bots.insert({ token, source: 'web', ...settings }, clock.now());
    const from = { id: person, first_name: 'Ann' };
    const chat = { id: person, type: 'private', first_name: 'Ann' };
    const message = { message_id: 1, date: 1, chat, from, text: name };
    const other = { id: secretChat, type: 'private', first_name: secret };
    const hidden = { message_id: 2, date: 2, chat: other, from: { ...other }, text: secret };
    const messages = [archived(bot.id, message), archived(bot.id, hidden)];
    await store.messages.archive(messages, clock.now());
    return bot.id;
  }

  async function addKeys(): Promise<void> {
    const { store, clock } = parts;
    const apiKeys = createApiKeys({ store, clock });
    const add = async (name: string, scope: Scope, botIds: number[] | null = null) => {
      const { record, key } = await apiKeys.create(localCaller, { name, scope, botIds });
      keys.set(name, { authorization: `Bearer ${key}` });
      return record.id;
    };
    for (const scope of scopes) await add(scope, scope);
    await add('limited', 'admin', [ownBot]);
    const limits = { readChats: [person], writeChats: [person] };
    const { key } = await apiKeys.create(localCaller, { name: 'chat', scope: 'send', ...limits });
    keys.set('chat', { authorization: `Bearer ${key}` });
    await apiKeys.toggle(localCaller, await add('revoked', 'admin'));
    await apiKeys.remove(localCaller, await add('deleted', 'admin'));
    const expired = await add('expired', 'admin');
    await store.engine.write(() =>
      raw('update api_keys set expires_at = 1 where id = $1', [expired]),
    );
    keys.set('none', {});
    keys.set('wrong', { authorization: `Bearer brs_${'x'.repeat(43)}` });
    keys.set('no session', { cookie: `relay_session=${'x'.repeat(43)}` });
  }

  async function addForeignThings(bot: number): Promise<Ids> {
    const post = async (url: string, payload: object) => {
      const headers = keys.get('admin') ?? {};
      const answer = await parts.app.inject({ method: 'POST', url, headers, payload });
      expect(answer.statusCode, answer.body).toBe(200);
      const made = answer.json<{ id: number; scheduled_id?: number }>();
      return made.scheduled_id ?? made.id;
    };
    const tag = { chat_id: person, user_id: person, bot_id: bot, tag: marker };
    const route = { source_bot_id: bot, target_bot_id: bot, action: 'drop', description: marker };
    const note = { bot_id: bot, user_id: person, text: marker };
    const words = { bot_id: bot, chat_id: secretChat, text: marker };
    const desk = { ...deskDefaults, name: marker, desk_bot_id: bot, chat_id: -5, bot_ids: [bot] };
    const reply = { bot_id: bot, name: marker, text: marker };
    const [send] = await parts.store.engine.write(() =>
      raw<{ id: number }>(
        `insert into outbox (bot_id, chat_id, method, params, origin, priority, state, created_at, updated_at)
         values ($1, $2, 'sendMessage', '{}', 'sent', 0, 'unknown', 1, 1) returning id`,
        [bot, secretChat],
      ),
    );
    return {
      bot,
      route: await post('/api/routes/add', route),
      tag: await post('/api/tags/add', tag),
      key: await post('/api/auth/api-keys', { name: marker }),
      user: await post('/api/auth/users/create', { username: marker, password: 'long enough' }),
      note: await post('/api/users/notes/add', note),
      question: await post('/api/ask', { ...words, options: ['Yes', 'No'] }),
      scheduled: await post('/api/messages/send', { ...words, send_at: laterToday() }),
      reply: await post('/api/replies/add', reply),
      broadcast: await post('/api/broadcasts/add', { bot_id: bot, name: marker, text: marker }),
      desk: await parts.store.engine.write(() => parts.store.desks.saveStep(undefined, desk, 1)),
      send: send?.id ?? 0,
    };
  }

  /** `bot` is the bot in the request; other ids belong to the foreign bot. */
  async function ask(
    target: Operation,
    key: string,
    bot: number | null = ids.bot,
    chat: number | null = person,
  ) {
    const { url, payload } = requestTo(target, ids, bot, chat);
    const answer = await parts.app.inject({
      method: target.method,
      url,
      headers: keys.get(key) ?? {},
      ...(payload ? { payload } : {}),
    });
    const { statusCode: status, body } = answer;
    const code = status >= 400 ? answer.json<{ code: string }>().code : '';
    return { status, code, body, context: `${target.name} with ${key}: ${status} ${body}` };
  }

  it('is none without a key, unless it is listed', async () => {
    const document = (await parts.app.inject('/openapi.json')).json<OpenApiDocument>();
    const open = operationsOf(document).filter(({ scope }) => scope === 'public');
    expect(open.map(({ name }) => name).toSorted()).toEqual(publicOperations);
    for (const target of operations) {
      expect(target.operation.security.length, target.name).toBeGreaterThan(0);
      for (const key of ['none', 'wrong', 'revoked', 'deleted', 'expired', 'no session']) {
        const { status, code, context } = await ask(target, key);
        expect({ status, code }, context).toEqual({ status: 401, code: 'unauthorized' });
      }
    }
  });

  it('needs its scope', async () => {
    for (const target of operations) {
      for (const lower of scopes.slice(0, scopes.indexOf(target.scope as Scope))) {
        const { status, code, context } = await ask(target, lower);
        expect({ status, code }, context).toEqual({ status: 403, code: 'insufficient_scope' });
      }
    }
  });

  it('ends at the bots of the key', async () => {
    const streams = operations.filter(isStream).map(({ name }) => name);
    expect(streams).toEqual(['GET /api/events']);
    const allowed: string[] = [];
    for (const target of operations.filter((one) => !isStream(one))) {
      const { code, body, context } = await ask(target, 'limited');
      expect(body, context).not.toContain(marker);
      if (code !== 'bot_not_allowed') allowed.push(target.name);
    }
    expect(allowed.toSorted()).toEqual(openToLimitedKeys);
  });

  it('ends at the chats of the key', async () => {
    const reachable = operations.filter((one) => ['read', 'send'].includes(one.scope));
    for (const { chats, name } of reachable) expect(chats, name).not.toBe('');
    const open: string[] = [];
    for (const target of reachable.filter((one) => !isStream(one))) {
      const foreign = await ask(target, 'chat', ownBot, secretChat);
      expect(foreign.body, foreign.context).not.toContain(secret);
      if (foreign.code !== 'chat_not_allowed') open.push(target.name);
      const bare = await ask(target, 'chat', ownBot, null);
      expect(bare.body, bare.context).not.toContain(secret);
      if (!target.chats.includes('reads')) continue;
      const own = await ask(target, 'chat', ownBot, person);
      expect(own.status, own.context).not.toBe(403);
    }
    expect(open.toSorted()).toEqual(openToChatKeys);
  });

  it('reaches nothing of another bot through a bot of the key, or through none', async () => {
    for (const target of operations.filter((one) => namesBot(one) && !isStream(one))) {
      const named = await ask(target, 'limited', ownBot);
      expect(named.body, named.context).not.toContain(marker);
      const bare = await ask(target, 'limited', null);
      expect(bare.body, bare.context).not.toContain(marker);
    }
    const { store } = parts;
    expect(await store.routes.get(ids.route)).toMatchObject({ source_bot_id: ids.bot });
    expect(await store.tags.get(ids.tag)).toBeDefined();
    expect(await store.notes.ofUser(ids.bot, person)).toHaveLength(1);
    expect(await store.users.list()).toMatchObject([{ id: ids.user, disabled: false }]);
    expect(await store.bots.get(ids.bot)).toMatchObject({ name: marker, disabled: false });
  });
});

const laterToday = () => Math.floor(Date.now() / 1_000) + 3_600;

function operationsOf(document: OpenApiDocument): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase() as 'GET' | 'POST',
      path,
      scope: operation['x-scope'] as Operation['scope'],
      chats: operation['x-chats'] ?? '',
      operation,
    })),
  );
}

function isStream({ operation }: Operation): boolean {
  const content = (operation.responses['200']?.['content'] ?? {}) as Record<string, unknown>;
  return Object.keys(content).some((type) => type.includes('event-stream'));
}

const botFields = new Set(['bot_id', 'source_bot_id', 'target_bot_id']);

function namesBot({ operation }: Operation): boolean {
  const { schema } = operation.requestBody?.content['application/json'] ?? {};
  const names = (operation.parameters ?? []).map(({ name }) => String(name));
  return [...names, ...Object.keys(schema?.properties ?? {})].some((name) => botFields.has(name));
}

/** A request that fits; without a bot to name, it names none unless it has to. */
function requestTo(
  { path, operation }: Operation,
  ids: Ids,
  bot: number | null,
  chat: number | null,
) {
  const valueOf = (name: string, schema: JsonSchema, example: unknown): unknown => {
    if (botFields.has(name)) return bot ?? ids.bot;
    if (name === 'bot_ids') return [bot ?? ids.bot];
    if (name === 'chat_id') return chat ?? person;
    if (name === 'user_id') return chat ?? person;
    if (name === 'q') return secret;
    if (name === 'scheduled_id') return ids.scheduled;
    return name === 'id' && schema.type === 'integer' ? idAt(path, ids) : example;
  };
  const isWanted = (name: string, required: boolean) =>
    required || (botFields.has(name) && bot !== null) || (name === 'chat_id' && chat !== null);
  const query = (operation.parameters ?? [])
    .filter((one) => one['in'] === 'query' && isWanted(String(one['name']), !!one['required']))
    .map((one) => {
      const name = String(one['name']);
      const schema = one['schema'] as JsonSchema;
      return `${name}=${encodeURIComponent(String(valueOf(name, schema, exampleOf(schema))))}`;
    });
  const { example, schema } = operation.requestBody?.content['application/json'] ?? {};
  const fields = Object.entries((example ?? {}) as Record<string, unknown>).map(
    ([name, value]) => [name, valueOf(name, schema?.properties?.[name] ?? {}, value)] as const,
  );
  return {
    url: query.length > 0 ? `${path}?${query.join('&')}` : path,
    payload: schema ? Object.fromEntries(fields) : undefined,
  };
}

function idAt(path: string, ids: Ids): number {
  if (path.startsWith('/api/routes/')) return ids.route;
  if (path.startsWith('/api/tags/')) return ids.tag;
  if (path.startsWith('/api/auth/api-keys/')) return ids.key;
  if (path.startsWith('/api/auth/users/')) return ids.user;
  if (path.startsWith('/api/users/')) return ids.note;
  if (path.startsWith('/api/ask')) return ids.question;
  if (path.startsWith('/api/replies/')) return ids.reply;
  if (path.startsWith('/api/broadcasts/')) return ids.broadcast;
  if (path.startsWith('/api/desks/')) return ids.desk;
  return path.startsWith('/api/outbox/') ? ids.send : ids.bot;
}
