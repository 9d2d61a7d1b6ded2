import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { localCaller } from '../../src/core/access/access.ts';
import { dialects } from '../support/database/engines.ts';
import { sampleEndpoints } from '../support/sample-endpoints.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

describe.each(dialects)('API keys on %s', (dialect) => {
  let test: TestApp;
  let headers: Record<string, string>;
  beforeEach(async () => {
    test = await startTestApp({ dialect, endpoints: sampleEndpoints() });
    headers = (await test.key('admin')).headers;
  });
  afterEach(() => test.close());

  const call = (
    method: 'GET' | 'POST',
    url: string,
    payload?: object,
    as: Record<string, string> = headers,
  ) => test.app.inject({ method, url, headers: as, ...(payload ? { payload } : {}) });

  it('are created, shown once, listed without their secret, and work', async () => {
    for (const path of ['/api/auth/api-keys', '/api/auth/api-keys/create']) {
      const created = (await call('POST', path, { name: 'deploy' })).json();
      expect(created).toMatchObject({
        name: 'deploy',
        scope: 'read',
        bot_ids: null,
        expires_at: '',
        disabled: false,
        created_by: 'admin key',
        last_used_at: '',
      });
      expect(created.key).toMatch(/^brs_[\w-]{43}$/);
      const list = await call('GET', '/api/auth/api-keys');
      expect(list.body).not.toContain(created.key);
      const { key: _key, ...record } = created;
      expect(list.json()).toContainEqual(record);
      const own = { authorization: `Bearer ${created.key}` };
      expect((await call('GET', '/api/version', undefined, own)).statusCode).toBe(200);
    }
    const stored = await test.engine.readRaw('select * from api_keys');
    expect(JSON.stringify(stored)).not.toMatch(/brs_[\w-]{43}/);
  });

  it('cannot lock everyone out by themselves', async () => {
    const [{ id }] = (await call('GET', '/api/auth/api-keys')).json() as [{ id: number }];
    await test.key('manage');
    await test.key('admin', [await test.addBot()]);
    for (const action of ['toggle', 'delete']) {
      const refused = await call('POST', `/api/auth/api-keys/${action}?id=${id}`);
      expect(refused.statusCode).toBe(409);
      expect(refused.json()).toMatchObject({
        error: expect.stringContaining('Create another admin key first'),
        code: 'conflict',
      });
    }
    const other = await test.key('admin');
    const off = await call('POST', `/api/auth/api-keys/toggle?id=${id}`);
    expect(off.json()).toMatchObject({ id, disabled: true });
    // A user can let it in again, so it may go although no key is left.
    const user = { username: 'anna', password: 'a good password', role: 'admin' as const };
    await test.access.users.create(localCaller, user);
    const gone = await call(
      'POST',
      `/api/auth/api-keys/delete?id=${other.id}`,
      undefined,
      other.headers,
    );
    expect(gone.statusCode).toBe(200);
  });

  it('stop at once when switched off or deleted, and work again when switched on', async () => {
    const key = await test.key('read');
    const use = async () => (await call('GET', '/api/version', undefined, key.headers)).statusCode;
    expect(await use()).toBe(200);
    const off = await call('POST', `/api/auth/api-keys/toggle?id=${key.id}`);
    expect(off.json()).toMatchObject({ id: key.id, disabled: true });
    expect(await use()).toBe(401);
    await call('POST', `/api/auth/api-keys/toggle?id=${key.id}`);
    expect(await use()).toBe(200);
    expect((await call('POST', `/api/auth/api-keys/delete?id=${key.id}`)).statusCode).toBe(200);
    expect(await use()).toBe(401);
    const again = await call('POST', `/api/auth/api-keys/delete?id=${key.id}`);
    expect(again.statusCode).toBe(404);
    expect(again.json()).toMatchObject({ code: 'key_not_found' });
  });

  it('expire', async () => {
    const expires_at = new Date(test.clock.now() + 60_000).toISOString();
    const created = (await call('POST', '/api/auth/api-keys', { name: 'x', expires_at })).json();
    expect(created.expires_at).toBe(expires_at);
    const own = { authorization: `Bearer ${created.key}` };
    await test.clock.advance(59_999);
    expect((await call('GET', '/api/version', undefined, own)).statusCode).toBe(200);
    await test.clock.advance(1);
    expect((await call('GET', '/api/version', undefined, own)).statusCode).toBe(401);
  });

  it.each([
    [{ name: '' }, 'name'],
    [{ name: 'x', expires_at: 'tomorrow' }, 'expires_at'],
    [{ name: 'x', expires_at: '2001-01-01T00:00:00Z' }, 'expires_at'],
    [{ name: 'x', scope: 'root' }, 'scope'],
    [{ name: 'x', bot_ids: [] }, 'bot_ids'],
    [{ name: 'x', bot_ids: [0] }, 'bot_ids[0]'],
    [{ name: 'x', bot_ids: [1, 1] }, 'bot_ids'],
  ])('are not made from %o', async (payload, field) => {
    const before = (await call('GET', '/api/auth/api-keys')).json().length;
    const answer = await call('POST', '/api/auth/api-keys', payload);
    expect(answer.statusCode).toBe(400);
    expect(answer.json().details[0].field).toBe(field);
    expect((await call('GET', '/api/auth/api-keys')).json().length).toBe(before);
  });

  it('limited to bots see those only', async () => {
    const mine = await test.addBot();
    const other = await test.addBot();
    const key = await test.key('read', [mine]);
    const ask = (botId: number) =>
      call('GET', `/api/things?bot_id=${botId}&chat_id=5`, undefined, key.headers);
    expect((await ask(mine)).statusCode).toBe(200);
    expect((await ask(other)).json()).toMatchObject({ code: 'bot_not_allowed' });
    const missing = await call('POST', '/api/auth/api-keys', { name: 'x', bot_ids: [other + 1] });
    expect(missing.json()).toMatchObject({ code: 'bot_not_found' });
  });

  it('never reach beyond the key that made them', async () => {
    const mine = await test.addBot();
    const other = await test.addBot();
    const limited = await test.key('admin', [mine]);
    const open = await test.key('read');
    const as = limited.headers;
    const made = (
      await call('POST', '/api/auth/api-keys', { name: 'x', scope: 'admin' }, as)
    ).json();
    expect(made.bot_ids).toEqual([mine]);
    const wide = await call(
      'POST',
      '/api/auth/api-keys',
      { name: 'x', bot_ids: [mine, other] },
      as,
    );
    expect(wide.json()).toMatchObject({ code: 'bot_not_allowed' });
    const toggled = await call('POST', `/api/auth/api-keys/toggle?id=${open.id}`, undefined, as);
    expect(toggled.statusCode).toBe(403);
    const list = (await call('GET', '/api/auth/api-keys', undefined, as)).json();
    expect(list.map((key: { id: number }) => key.id)).toEqual([limited.id, made.id]);
    const user = await call(
      'POST',
      '/api/auth/users/create',
      { username: 'eve', password: 'long enough', role: 'admin' },
      as,
    );
    expect(user.statusCode).toBe(403);
  });

  it('limited to bots have no power over a user without bots', async () => {
    const mine = await test.addBot();
    const limited = (await test.key('admin', [mine])).headers;
    const user = { username: 'newcomer', password: 'long enough' };
    const created = (await call('POST', '/api/auth/users/create', user)).json();
    const attempts: [string, object | undefined][] = [
      ['/api/auth/users/password', { id: created.id, password: 'mine by now' }],
      ['/api/auth/users/update', { id: created.id, bot_ids: [mine] }],
      [`/api/auth/users/delete?id=${created.id}`, undefined],
      ['/api/auth/users/create', { ...user, username: 'sleeper' }],
    ];
    for (const [url, body] of attempts) {
      const answer = await call('POST', url, body, limited);
      expect(answer.json(), url).toMatchObject({ code: 'bot_not_allowed' });
    }
    const own = { ...user, username: 'colleague', bot_ids: [mine] };
    expect((await call('POST', '/api/auth/users/create', own, limited)).statusCode).toBe(200);
  });

  it('are for admins to manage', async () => {
    const { headers: manage } = await test.key('manage');
    expect((await call('GET', '/api/auth/api-keys', undefined, manage)).statusCode).toBe(403);
    const made = await call('POST', '/api/auth/api-keys', { name: 'x' }, manage);
    expect(made.json()).toMatchObject({ code: 'insufficient_scope' });
  });

  it('remember their last use, to the minute', async () => {
    const key = await test.key('read');
    const lastUse = async () => {
      const list = (await call('GET', '/api/auth/api-keys')).json() as {
        id: number;
        last_used_at: string;
      }[];
      return list.find((record) => record.id === key.id)?.last_used_at;
    };
    const first = test.clock.now();
    await call('GET', '/api/version', undefined, key.headers);
    await expect.poll(lastUse).toBe(new Date(first).toISOString());
    await test.clock.advance(30_000);
    await call('GET', '/api/version', undefined, key.headers);
    await test.clock.advance(30_000);
    await call('GET', '/api/version', undefined, key.headers);
    await expect.poll(lastUse).toBe(new Date(first + 60_000).toISOString());
  });

  it.each([
    '',
    'Bearer',
    'Bearer ',
    'Basic abc',
    'Bearer brs_short',
    `Bearer brs_${'A'.repeat(43)}`,
    `bearer xyz_${'A'.repeat(43)}`,
    `Bearer brs_${'A'.repeat(5_000)}`,
    "Bearer brs_' or 1=1 --aaaaaaaaaaaaaaaaaaaaaaaaa",
  ])('refuse the header %s', async (authorization) => {
    const answer = await call('GET', '/api/version', undefined, { authorization });
    expect(answer.statusCode).toBe(401);
    expect(answer.json()).toMatchObject({ code: 'unauthorized' });
  });
});
