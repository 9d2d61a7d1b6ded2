import { describe, expect, it } from 'vitest';
import { ensureFirstAccess } from '../../src/manage/access/first-access.ts';
import { dialects } from '../support/database/engines.ts';
import { accountApp } from '../support/rigs/account-app.ts';

describe.each(dialects)('the first access on %s', (dialect) => {
  const { test, admin, post, get } = accountApp(dialect);

  it('begin with a set-up link that works once', async () => {
    await test().engine.write(function* () {
      yield { sql: 'delete from api_keys', parameters: [] };
    });
    const starts = await Promise.all(
      [1, 2].map(() =>
        ensureFirstAccess({ store: test().store, clock: test().clock, adminKey: '' }),
      ),
    );
    const first = starts.find((start) => start !== undefined);
    expect(starts.filter((start) => start !== undefined)).toHaveLength(1);
    const key = { authorization: `Bearer ${first?.key}` };
    expect((await get('/api/auth/session', key)).json()).toMatchObject({ scope: 'admin' });

    const use = (token: string) =>
      post('/api/auth/setup', { token, username: 'anna', password: 'correct horse' });
    const isUsable = async (token: string) =>
      (await post('/api/auth/setup/check', { token })).json<{ usable: boolean }>().usable;
    expect((await use('wrong')).statusCode).toBe(401);
    expect(await isUsable('wrong')).toBe(false);
    expect(await isUsable(first?.setupToken ?? '')).toBe(true);
    const done = await use(first?.setupToken ?? '');
    expect(await isUsable(first?.setupToken ?? '')).toBe(false);
    expect(done.json()).toMatchObject({ name: 'anna', scope: 'admin' });
    expect(done.headers['set-cookie']).toBeDefined();
    expect((await use(first?.setupToken ?? '')).statusCode).toBe(401);
    expect((await get('/api/auth/users', key)).json()).toHaveLength(1);
    await expect(
      ensureFirstAccess({ store: test().store, clock: test().clock, adminKey: '' }),
    ).resolves.toBeUndefined();
  });

  it('take a set-up link for a day', async () => {
    await test().engine.write(function* () {
      yield { sql: 'delete from api_keys', parameters: [] };
    });
    const first = await ensureFirstAccess({
      store: test().store,
      clock: test().clock,
      adminKey: '',
    });
    const use = () =>
      post('/api/auth/setup', {
        token: first?.setupToken,
        username: 'anna',
        password: 'correct horse',
      });
    await test().clock.advance(24 * 3_600_000);
    const late = await use();
    expect(late.statusCode).toBe(401);
    expect(late.json()).toMatchObject({
      code: 'invalid_credentials',
      error: expect.stringContaining('bot-relay users add'),
    });
    test().clock.shiftWall(-1);
    expect((await use()).statusCode).toBe(200);
  });

  it('refuse the set-up link once there is an admin', async () => {
    await test().engine.write(function* () {
      yield { sql: 'delete from api_keys', parameters: [] };
    });
    const first = await ensureFirstAccess({
      store: test().store,
      clock: test().clock,
      adminKey: '',
    });
    const key = { authorization: `Bearer ${first?.key}` };
    const password = 'correct horse';
    const create = (body: object) => post('/api/auth/users/create', { password, ...body }, key);
    const use = (username: string) =>
      post('/api/auth/setup', { token: first?.setupToken, username, password });
    const anna = (await create({ username: 'anna', role: 'user' })).json<{ id: number }>();
    await post('/api/auth/users/update', { id: anna.id, role: 'admin' }, key);
    const refused = await use('eve');
    expect(refused.statusCode).toBe(401);
    expect(refused.json()).toMatchObject({ error: expect.stringContaining('bot-relay users add') });
    expect((await get('/api/auth/users', key)).json()).toHaveLength(1);

    // A user without that role cannot add others: the link is still needed.
    await create({ username: 'ben', role: 'admin' });
    for (const id of [anna.id, 2]) {
      await test().engine.write(() => test().store.users.deleteStep(id));
    }
    await create({ username: 'cleo', role: 'user' });
    expect((await use('dora')).json()).toMatchObject({ name: 'dora', scope: 'admin' });
  });

  it('install the admin key of the settings, and replace it when it changes', async () => {
    const adminKeys = [`brs_${'a'.repeat(32)}`, `brs_${'b'.repeat(40)}`];
    const install = (adminKey: string) =>
      ensureFirstAccess({ store: test().store, clock: test().clock, adminKey });
    const status = async (key: string) =>
      (await get('/api/auth/api-keys', { authorization: `Bearer ${key}` })).statusCode;
    const [one = '', two = ''] = adminKeys;
    expect(await install(one)).toBeUndefined();
    await install(one);
    expect(await status(one)).toBe(200);
    await install(two);
    expect(await status(one)).toBe(401);
    expect(await status(two)).toBe(200);
    expect((await get('/api/auth/api-keys', admin())).json()).toHaveLength(2);
    await expect(install('brs_short')).rejects.toMatchObject({ code: 'bad_setting' });
  });
});
