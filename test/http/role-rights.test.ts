import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSettings, toConfig } from '../../src/config.ts';
import { localCaller, type Role, roles, type Scope, scopes } from '../../src/core/access/access.ts';
import { areas, roleRights } from '../../src/core/access/rights.ts';
import type { OpenApiDocument } from '../../src/http/openapi/openapi.ts';
import { createLogger } from '../../src/logger.ts';
import { compose, type Parts } from '../../src/main/compose.ts';
import { createApiKeys } from '../../src/manage/access/api-keys.ts';
import { createDatabase, type Database } from '../support/database/engines.ts';
import { cheapPasswords } from '../support/test-app.ts';

/** Written by hand, so that an endpoint in the wrong area shows. */
const openToAgents = [
  'GET /api/admins',
  'GET /api/ask',
  'GET /api/ask/list',
  'GET /api/auth/session',
  'GET /api/bots',
  'GET /api/chats',
  'GET /api/chats/assignees',
  'GET /api/chats/counts',
  'GET /api/chats/get',
  'GET /api/chats/topics',
  'GET /api/chats/warn-settings',
  'GET /api/events',
  'GET /api/media',
  'GET /api/messages',
  'GET /api/messages/context',
  'GET /api/messages/edits',
  'GET /api/messages/export',
  'GET /api/messages/marks',
  'GET /api/messages/pinned',
  'GET /api/messages/scheduled',
  'GET /api/messages/search',
  'GET /api/messages/thread',
  'GET /api/messages/timeline',
  'GET /api/outbox',
  'GET /api/replies',
  'GET /api/tags',
  'GET /api/tags/user',
  'GET /api/users/list',
  'GET /api/users/profile',
  'GET /api/users/rights',
  'GET /api/version',
  'POST /api/ask',
  'POST /api/ask/cancel',
  'POST /api/auth/sign-out',
  'POST /api/auth/users/password',
  'POST /api/chats/assign',
  'POST /api/chats/read',
  'POST /api/chats/snooze',
  'POST /api/chats/state',
  'POST /api/chats/writing',
  'POST /api/messages/preview',
  'POST /api/messages/scheduled/cancel',
  'POST /api/messages/scheduled/update',
  'POST /api/messages/send',
  'POST /api/messages/send-media',
  'POST /api/outbox/send-again',
  'POST /api/replies/add',
  'POST /api/replies/delete',
  'POST /api/replies/update',
  'POST /api/replies/used',
  'POST /api/tags/add',
  'POST /api/tags/remove',
  'POST /api/users/notes/add',
  'POST /api/users/notes/delete',
];

interface Operation {
  name: string;
  method: 'GET' | 'POST';
  url: string;
  scope: Scope;
  said: string;
}

describe('the rights of every role', () => {
  let database: Database;
  let parts: Parts;
  let operations: Operation[];
  let admin: Record<string, string>;

  beforeAll(async () => {
    database = await createDatabase('sqlite');
    const env = {
      ...database.settings,
      TELEGRAM_API_URL: 'http://127.0.0.1:9',
      RELAY_RATE_PER_KEY: '1000000',
      RELAY_RATE_PER_ADDRESS: '1000000',
      RELAY_SANDBOX: 'off',
    };
    const config = toConfig(readSettings({ env, workingDir: database.dataDir }));
    const logger = createLogger({ level: 'silent' });
    parts = await compose(config, { logger, offline: 'create', passwords: cheapPasswords() });
    const apiKeys = createApiKeys(parts);
    const { key } = await apiKeys.create(localCaller, { name: 'admin', scope: 'admin' });
    admin = { authorization: `Bearer ${key}` };
    const { paths } = (await parts.app.inject('/openapi.json')).json<OpenApiDocument>();
    operations = Object.entries(paths).flatMap(([url, methods]) =>
      Object.entries(methods)
        .filter(([, operation]) => operation['x-scope'] !== 'public')
        .map(([method, operation]) => ({
          name: `${method.toUpperCase()} ${url}`,
          method: method.toUpperCase() as Operation['method'],
          url,
          scope: operation['x-scope'] as Scope,
          said: operation.description ?? '',
        })),
    );
  });
  afterAll(async () => {
    await parts?.close();
    await database.drop();
  });

  async function signIn(role: Role): Promise<Record<string, string>> {
    const payload = { username: `a-${role}`, password: 'correct horse' };
    const post = (url: string, body: object) =>
      parts.app.inject({ method: 'POST', url, headers: admin, payload: body });
    // The user may be known already.
    await post('/api/auth/users/create', { ...payload, role });
    const answer = await post('/api/auth/sign-in', payload);
    const [cookie = ''] = String(answer.headers['set-cookie']).split(';');
    return { cookie, 'x-csrf-token': answer.json<{ csrf_token: string }>().csrf_token };
  }

  /** A request that gets past the rights fails at its input, or changes nothing of others. */
  async function openTo(role: Role): Promise<string[]> {
    const headers = await signIn(role);
    const open: string[] = [];
    // The last one ends the session, and a stream never ends.
    const last = 'POST /api/auth/sign-out';
    const asked = operations.filter(({ name }) => name !== last && name !== 'GET /api/events');
    for (const { method, name, url } of [
      ...asked,
      ...operations.filter((one) => one.name === last),
    ]) {
      const answer = await parts.app.inject({ method, url, headers });
      const code = answer.statusCode >= 400 ? answer.json<{ code: string }>().code : '';
      expect(code, name).not.toBe('unauthorized');
      expect(code, name).not.toBe('csrf_failed');
      if (code === 'insufficient_scope') expect(answer.json()).toMatchObject({ params: { role } });
      else open.push(name);
    }
    return [...open, 'GET /api/events'].toSorted();
  }

  const upTo = (highest: Scope) =>
    operations
      .filter(({ scope }) => scopes.indexOf(scope) <= scopes.indexOf(highest))
      .map(({ name }) => name)
      .toSorted();

  it('gives a viewer what a key may read', async () => {
    expect(await openTo('viewer')).toEqual(upTo('read'));
  });

  it('gives an agent the chats', async () => {
    expect(await openTo('agent')).toEqual(openToAgents);
  });

  it.each(['manager', 'user'] as const)('gives a %s what a key may manage', async (role) => {
    expect(await openTo(role)).toEqual(upTo('manage'));
  });

  it('gives an admin everything', async () => {
    expect(await openTo('admin')).toEqual(upTo('admin'));
  });

  it('is what the reference and the session say', async () => {
    for (const role of roles) {
      const headers = await signIn(role);
      const session = await parts.app.inject({ url: '/api/auth/session', headers });
      expect(session.json()).toMatchObject({ role, rights: roleRights[role] });
      expect(Object.keys(session.json<{ rights: object }>().rights)).toEqual([...areas]);
      if (role === 'user') continue;
      const said = operations.filter((one) => lastWords(one).includes(`\`${role}\``));
      expect(said.map(({ name }) => name).toSorted()).toEqual(await openTo(role));
    }
  });
});

const lastWords = ({ said }: Operation) =>
  (said.split('\n\n').at(-1) ?? '').replace(/.*?\bor\b/, '');
