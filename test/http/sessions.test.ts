import { describe, expect, it } from 'vitest';
import { createPasswords, defaultScryptCost } from '../../src/core/access/passwords.ts';
import { dialects } from '../support/database/engines.ts';
import { accountApp } from '../support/rigs/account-app.ts';
import { startTestApp } from '../support/test-app.ts';

describe.each(dialects)('users and sessions on %s', (dialect) => {
  const { test, admin, post, get, addUser, signIn } = accountApp(dialect);

  it('sign in with a cookie no script can read', async () => {
    await addUser('Anna', { role: 'admin' });
    const answer = await post('/api/auth/sign-in', { username: 'ANNA', password: 'correct horse' });
    expect(answer.json()).toMatchObject({
      kind: 'user',
      name: 'anna',
      scope: 'admin',
      bot_ids: null,
    });
    const cookie = String(answer.headers['set-cookie']);
    expect(cookie).toMatch(
      /^relay_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+$/,
    );
    const stored = await test().engine.readRaw<{ token_hash: string }>(
      'select token_hash from sessions',
    );
    expect(stored).toHaveLength(1);
    expect(cookie).not.toContain(String(stored[0]?.token_hash));
  });

  it('need the CSRF token of the session for everything but reading', async () => {
    await addUser('anna', { role: 'admin' });
    const session = await signIn('anna');
    expect((await get('/api/auth/api-keys', session.headers)).statusCode).toBe(200);
    for (const token of [undefined, 'wrong', '']) {
      const headers = {
        ...session.headers,
        ...(token === undefined ? {} : { 'x-csrf-token': token }),
      };
      const answer = await post('/api/auth/api-keys', { name: 'x' }, headers);
      expect(answer.statusCode).toBe(403);
      expect(answer.json()).toMatchObject({ code: 'csrf_failed' });
    }
    expect((await post('/api/auth/api-keys', { name: 'x' }, session.full)).statusCode).toBe(200);
    const who = await get('/api/auth/session', session.headers);
    expect(who.json().csrf_token).toBe(session.full['x-csrf-token']);
  });

  it('are not for pages of another origin, though its browser shows the cookie', async () => {
    await addUser('anna', { role: 'admin' });
    const { full } = await signIn('anna');
    for (const from of ['same-site', 'cross-site']) {
      const headers = { ...full, 'sec-fetch-site': from };
      for (const answer of [
        await get('/api/things?bot_id=1&chat_id=1', headers),
        await post('/api/things/add', { name: 'a' }, headers),
      ]) {
        expect(answer.statusCode).toBe(403);
        expect(answer.json()).toMatchObject({ code: 'csrf_failed' });
      }
    }
    for (const from of ['same-origin', 'none']) {
      const headers = { ...full, 'sec-fetch-site': from };
      expect((await get('/api/things?bot_id=1&chat_id=1', headers)).statusCode).toBe(200);
    }
    const byKey = { ...admin(), 'sec-fetch-site': 'cross-site' };
    expect((await get('/api/things?bot_id=1&chat_id=1', byKey)).statusCode).toBe(200);
  });

  it('give a user its own bots only, with the scope manage', async () => {
    const mine = await test().addBot();
    const other = await test().addBot();
    await addUser('bert', { bot_ids: [mine] });
    const { full, headers } = await signIn('bert');
    expect((await get('/api/auth/session', headers)).json()).toMatchObject({
      scope: 'manage',
      bot_ids: [mine],
    });
    expect((await get(`/api/things?bot_id=${mine}&chat_id=1`, headers)).statusCode).toBe(200);
    expect((await get(`/api/things?bot_id=${other}&chat_id=1`, headers)).statusCode).toBe(403);
    expect((await post('/api/things/add', { name: 'a' }, full)).statusCode).toBe(200);
    expect((await get('/api/auth/users', headers)).statusCode).toBe(403);
  });

  it('have the rights of a new role at once', async () => {
    const mine = await test().addBot();
    const bert = await addUser('bert', { role: 'viewer', bot_ids: [mine] });
    const { full, headers } = await signIn('bert');
    const rights = async () => (await get('/api/auth/session', headers)).json();
    expect(await rights()).toMatchObject({ role: 'viewer', scope: 'read', bot_ids: [mine] });
    const adds = async () => (await post('/api/notes/add', { name: 'a' }, full)).json();
    expect(await adds()).toMatchObject({ code: 'insufficient_scope', params: { role: 'viewer' } });
    const change = (role: string) => post('/api/auth/users/update', { id: bert.id, role }, admin());
    await change('agent');
    expect(await adds()).toEqual({ body: { name: 'a' } });
    expect(await rights()).toMatchObject({ role: 'agent', scope: 'send', bot_ids: [mine] });
    await change('viewer');
    expect(await adds()).toMatchObject({ code: 'insufficient_scope' });
    expect((await change('boss')).statusCode).toBe(400);
  });

  it('end with sign-out, expiry, a disabled or deleted user, or a new password', async () => {
    const anna = await addUser('anna');
    const works = async (headers: Record<string, string>) =>
      (await get('/api/version', headers)).statusCode === 200;
    const first = await signIn('anna');
    expect((await post('/api/auth/sign-out', undefined, first.full)).json()).toEqual({
      signed_out: true,
    });
    expect(await works(first.headers)).toBe(false);

    const second = await signIn('anna');
    await test().clock.advance(30 * 24 * 3_600_000);
    expect(await works(second.headers)).toBe(false);

    const third = await signIn('anna');
    await post('/api/auth/users/password', { id: anna.id, password: 'another one' }, admin());
    expect(await works(third.headers)).toBe(false);

    const fourth = await signIn('anna', 'another one');
    await post('/api/auth/users/update', { id: anna.id, disabled: true }, admin());
    expect(await works(fourth.headers)).toBe(false);
    const refused = await post('/api/auth/sign-in', { username: 'anna', password: 'another one' });
    expect(refused.statusCode).toBe(401);

    await post('/api/auth/users/update', { id: anna.id, disabled: false }, admin());
    const fifth = await signIn('anna', 'another one');
    await post(`/api/auth/users/delete?id=${anna.id}`, undefined, admin());
    expect(await works(fifth.headers)).toBe(false);
  });

  it('change their own password by showing the old one, keeping this session', async () => {
    await addUser('anna');
    const here = await signIn('anna');
    const elsewhere = await signIn('anna');
    const wrong = await post(
      '/api/auth/users/password',
      { current_password: 'nope nope', password: 'brand new pw' },
      here.full,
    );
    expect(wrong.json()).toMatchObject({ code: 'invalid_credentials' });
    const right = await post(
      '/api/auth/users/password',
      { current_password: 'correct horse', password: 'brand new pw' },
      here.full,
    );
    expect(right.statusCode).toBe(200);
    expect((await get('/api/version', here.headers)).statusCode).toBe(200);
    expect((await get('/api/version', elsewhere.headers)).statusCode).toBe(401);
    await signIn('anna', 'brand new pw');
  });

  it('may not set the password of another without being an admin', async () => {
    const anna = await addUser('anna');
    await addUser('bert');
    const { full } = await signIn('bert');
    const answer = await post(
      '/api/auth/users/password',
      { id: anna.id, password: 'mine now!' },
      full,
    );
    expect(answer.json()).toMatchObject({ code: 'insufficient_scope' });
  });

  it('keep at least one admin and one of each name', async () => {
    const anna = await addUser('anna', { role: 'admin' });
    for (const change of [{ role: 'user' }, { disabled: true }]) {
      const answer = await post('/api/auth/users/update', { id: anna.id, ...change }, admin());
      expect(answer.json()).toMatchObject({ code: 'conflict' });
    }
    const gone = await post(`/api/auth/users/delete?id=${anna.id}`, undefined, admin());
    expect(gone.statusCode).toBe(409);
    const twice = await post(
      '/api/auth/users/create',
      { username: 'ANNA', password: 'correct horse' },
      admin(),
    );
    expect(twice.json()).toMatchObject({ code: 'conflict' });
    await addUser('bert', { role: 'admin' });
    expect(
      (await post(`/api/auth/users/delete?id=${anna.id}`, undefined, admin())).statusCode,
    ).toBe(200);
  });
});

describe('the sign-in', () => {
  it('sets the cookie for https only when the service is reached so', async () => {
    const test = await startTestApp({ publicUrl: 'https://relay.example' });
    const { headers } = await test.key('admin');
    await test.app.inject({
      method: 'POST',
      url: '/api/auth/users/create',
      headers,
      payload: { username: 'anna', password: 'correct horse' },
    });
    const answer = await test.app.inject({
      method: 'POST',
      url: '/api/auth/sign-in',
      payload: { username: 'anna', password: 'correct horse' },
    });
    expect(String(answer.headers['set-cookie'])).toContain('; Secure');
    await test.close();
  });

  it('sets the cookie for https only when a proxy that is believed says so', async () => {
    const test = await startTestApp({ trustProxy: ['127.0.0.1'] });
    const { headers } = await test.key('admin');
    const user = { username: 'anna', password: 'correct horse' };
    const create = {
      method: 'POST',
      url: '/api/auth/users/create',
      headers,
      payload: user,
    } as const;
    await test.app.inject(create);
    const cookieFor = async (remoteAddress: string) => {
      const answer = await test.app.inject({
        method: 'POST',
        url: '/api/auth/sign-in',
        remoteAddress,
        headers: { 'x-forwarded-proto': 'https' },
        payload: user,
      });
      return String(answer.headers['set-cookie']);
    };
    expect(await cookieFor('127.0.0.1')).toContain('; Secure');
    expect(await cookieFor('192.0.2.1')).not.toContain('Secure');
    await test.close();
  });

  it('hashes passwords with scrypt at a cost worth its name', async () => {
    const passwords = createPasswords();
    const hash = await passwords.hash('correct horse');
    expect(hash).toMatch(/^scrypt\$32768\$8\$3\$[\w-]+\$[\w-]{43}$/);
    expect(defaultScryptCost.cost * defaultScryptCost.blockSize * 128).toBeGreaterThanOrEqual(
      2 ** 25,
    );
    expect(await passwords.verify('correct horse', hash)).toBe(true);
    expect(await passwords.verify('wrong horse', hash)).toBe(false);
    expect(await passwords.verify('correct horse', undefined)).toBe(false);
    expect(await passwords.hash('correct horse')).not.toBe(hash);
  });
});
