import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPasswords, defaultScryptCost } from '../../src/core/access/passwords.ts';
import { ensureFirstAccess } from '../../src/manage/access/first-access.ts';
import { createSignInGuard } from '../../src/manage/access/sign-in-guard.ts';
import type { RelayError } from '../../src/errors.ts';
import { dialects } from '../support/database/engines.ts';
import { sampleEndpoints } from '../support/sample-endpoints.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

describe.each(dialects)('users and sessions on %s', (dialect) => {
  let test: TestApp;
  let admin: Record<string, string>;
  beforeEach(async () => {
    test = await startTestApp({ dialect, endpoints: sampleEndpoints() });
    admin = (await test.key('admin')).headers;
  });
  afterEach(() => test.close());

  const post = (url: string, payload?: object, headers: Record<string, string> = {}) =>
    test.app.inject({ method: 'POST', url, headers, ...(payload ? { payload } : {}) });
  const get = (url: string, headers: Record<string, string> = {}) =>
    test.app.inject({ url, headers });

  async function addUser(username: string, extra: object = {}) {
    const answer = await post(
      '/api/auth/users/create',
      { username, password: 'correct horse', ...extra },
      admin,
    );
    expect(answer.statusCode).toBe(200);
    return answer.json() as { id: number };
  }

  async function signIn(username: string, password = 'correct horse') {
    const answer = await post('/api/auth/sign-in', { username, password });
    expect(answer.statusCode).toBe(200);
    const [cookie] = String(answer.headers['set-cookie']).split(';');
    const headers = { cookie: cookie ?? '' };
    return { headers, full: { ...headers, 'x-csrf-token': answer.json().csrf_token as string } };
  }

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
    const stored = await test.engine.read(test.engine.sql.selectFrom('sessions').selectAll());
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
    const byKey = { ...admin, 'sec-fetch-site': 'cross-site' };
    expect((await get('/api/things?bot_id=1&chat_id=1', byKey)).statusCode).toBe(200);
  });

  it('give a user its own bots only, with the scope manage', async () => {
    const mine = await test.addBot();
    const other = await test.addBot();
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
    await test.clock.advance(30 * 24 * 3_600_000);
    expect(await works(second.headers)).toBe(false);

    const third = await signIn('anna');
    await post('/api/auth/users/password', { id: anna.id, password: 'another one' }, admin);
    expect(await works(third.headers)).toBe(false);

    const fourth = await signIn('anna', 'another one');
    await post('/api/auth/users/update', { id: anna.id, disabled: true }, admin);
    expect(await works(fourth.headers)).toBe(false);
    const refused = await post('/api/auth/sign-in', { username: 'anna', password: 'another one' });
    expect(refused.statusCode).toBe(401);

    await post('/api/auth/users/update', { id: anna.id, disabled: false }, admin);
    const fifth = await signIn('anna', 'another one');
    await post(`/api/auth/users/delete?id=${anna.id}`, undefined, admin);
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
      const answer = await post('/api/auth/users/update', { id: anna.id, ...change }, admin);
      expect(answer.json()).toMatchObject({ code: 'conflict' });
    }
    const gone = await post(`/api/auth/users/delete?id=${anna.id}`, undefined, admin);
    expect(gone.statusCode).toBe(409);
    const twice = await post(
      '/api/auth/users/create',
      { username: 'ANNA', password: 'correct horse' },
      admin,
    );
    expect(twice.json()).toMatchObject({ code: 'conflict' });
    await addUser('bert', { role: 'admin' });
    expect((await post(`/api/auth/users/delete?id=${anna.id}`, undefined, admin)).statusCode).toBe(
      200,
    );
  });

  it('slow guessing down, longer each time, the same for names that do not exist', async () => {
    await addUser('anna');
    for (const username of ['anna', 'nobody']) {
      await test.clock.advance(3_600_000);
      const guess = () => post('/api/auth/sign-in', { username, password: 'wrong wrong' });
      for (let n = 0; n < 5; n++) expect((await guess()).statusCode).toBe(401);
      const waits: number[] = [];
      for (let n = 0; n < 4; n++) {
        const refused = await guess();
        expect(refused.statusCode).toBe(429);
        const wait = Number(refused.headers['retry-after']);
        waits.push(wait);
        await test.clock.advance(wait * 1_000);
        expect((await guess()).statusCode).toBe(401);
      }
      expect(waits).toEqual([1, 2, 4, 8]);
    }
    await test.clock.advance(60_000);
    await signIn('anna');
  });

  it('count guesses made at the same time', async () => {
    await addUser('anna');
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        post('/api/auth/sign-in', { username: 'anna', password: 'wrong wrong' }),
      ),
    );
    expect(answers.filter((answer) => answer.statusCode === 401)).toHaveLength(5);
    expect(answers.filter((answer) => answer.statusCode === 429)).toHaveLength(15);
  });

  it('do not let a success of one account clear the guesses at others', async () => {
    await addUser('anna');
    await addUser('eve');
    const statuses: number[] = [];
    for (let n = 0; n < 12; n++) {
      const right = n % 4 === 3;
      const body = right
        ? { username: 'eve', password: 'correct horse' }
        : { username: `name${n}`, password: 'wrong wrong' };
      statuses.push((await post('/api/auth/sign-in', body)).statusCode);
    }
    expect(statuses).toEqual([401, 401, 401, 200, 401, 401, 429, 429, 429, 429, 429, 429]);
  });

  it('may sign in again and again', async () => {
    await addUser('anna');
    for (let n = 0; n < 12; n++) await signIn('anna');
  });

  it('are forgiven a failure every five minutes', async () => {
    for (let n = 0; n < 20; n++) {
      const wrong = { username: `name${n}`, password: 'wrong wrong' };
      expect((await post('/api/auth/sign-in', wrong)).statusCode).toBe(401);
      await test.clock.advance(5 * 60_000);
    }
  });

  it('are slowed down by all nodes together, and after a restart', async () => {
    const { store, clock } = test;
    const guards = [1, 2, 3].map(() => createSignInGuard({ store, clock }));
    const guess = async (address: string, n: number) => {
      try {
        await guards[n % 3]?.begin(address, `name${n}`);
        return 'tried';
      } catch (error) {
        return (error as RelayError).code;
      }
    };
    const outcomes: string[] = [];
    for (let n = 0; n < 7; n++) outcomes.push(await guess('192.0.2.7', n));
    expect(outcomes).toEqual([...Array(5).fill('tried'), 'rate_limited', 'rate_limited']);
    const restarted = createSignInGuard({ store, clock });
    await expect(restarted.begin('192.0.2.7', 'another')).rejects.toMatchObject({
      code: 'rate_limited',
      retryAfterSeconds: 1,
    });
    const together = await Promise.all(
      Array.from({ length: 12 }, (_, n) => guess('192.0.2.8', n + 100)),
    );
    expect(together.filter((outcome) => outcome === 'tried')).toHaveLength(5);
  });

  it('are refused without repeating the writes of others, and leave nothing behind', async () => {
    const { engine, store, clock } = test;
    const guard = createSignInGuard({ store, clock });
    for (let n = 0; n < 5; n++) await guard.begin('192.0.2.9', `name${n}`);
    let runs = 0;
    const otherWrite = () =>
      engine.write(function* () {
        runs++;
        yield { sql: 'select 1', parameters: [] };
      });
    const refused = () =>
      expect(guard.begin('192.0.2.9', 'another')).rejects.toMatchObject({ code: 'rate_limited' });
    await Promise.all([otherWrite(), otherWrite(), refused(), otherWrite()]);
    expect(runs).toBe(3);
    const rows = await engine.read(engine.sql.selectFrom('sign_in_attempts').selectAll());
    expect(rows).toHaveLength(6);
  });

  it('hold the rows they are counted in', async () => {
    const { engine, store } = test;
    const { holdStep, removeClearedStep } = store.signInAttempts;
    await engine.write(() => holdStep(['a', 'b']));
    let removed: Promise<void> | undefined;
    const rows = await engine.write(function* () {
      const steps = holdStep(['a', 'b']);
      let step = steps.next();
      while (!step.done) {
        step = steps.next(yield step.value);
        if (removed) continue;
        removed = engine.write(() => removeClearedStep(1));
        // Long enough for a removal that nothing holds up.
        const pause = dialect === 'postgres' ? 'select pg_sleep(0.3)' : 'select 1';
        yield { sql: pause, parameters: [] };
      }
      return step.value;
    });
    await removed;
    expect(rows.map(({ name_hash }) => name_hash)).toEqual(['a', 'b']);
  });

  it('wait no longer because the clock was set back', async () => {
    const guess = () => post('/api/auth/sign-in', { username: 'nobody', password: 'wrong wrong' });
    for (let n = 0; n < 5; n++) expect((await guess()).statusCode).toBe(401);
    test.clock.shiftWall(-86_400_000);
    expect((await guess()).statusCode).toBe(401);
  });

  it('count guesses of one IPv6 network together', async () => {
    const statuses: number[] = [];
    for (let n = 1; n <= 6; n++) {
      const answer = await test.app.inject({
        method: 'POST',
        url: '/api/auth/sign-in',
        remoteAddress: `2001:db8:1:2::${n}`,
        payload: { username: `name${n}`, password: 'wrong wrong' },
      });
      statuses.push(answer.statusCode);
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
    const neighbour = await test.app.inject({
      method: 'POST',
      url: '/api/auth/sign-in',
      remoteAddress: '2001:db8:1:3::1',
      payload: { username: 'name7', password: 'wrong wrong' },
    });
    expect(neighbour.statusCode).toBe(401);
  });

  it('begin with a set-up link that works once', async () => {
    await test.engine.write(function* () {
      yield { sql: 'delete from api_keys', parameters: [] };
    });
    const starts = await Promise.all(
      [1, 2].map(() => ensureFirstAccess({ store: test.store, clock: test.clock, adminKey: '' })),
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
      ensureFirstAccess({ store: test.store, clock: test.clock, adminKey: '' }),
    ).resolves.toBeUndefined();
  });

  it('take a set-up link for a day', async () => {
    await test.engine.write(function* () {
      yield { sql: 'delete from api_keys', parameters: [] };
    });
    const first = await ensureFirstAccess({ store: test.store, clock: test.clock, adminKey: '' });
    const use = () =>
      post('/api/auth/setup', {
        token: first?.setupToken,
        username: 'anna',
        password: 'correct horse',
      });
    await test.clock.advance(24 * 3_600_000);
    const late = await use();
    expect(late.statusCode).toBe(401);
    expect(late.json()).toMatchObject({
      code: 'invalid_credentials',
      error: expect.stringContaining('bot-relay users add'),
    });
    test.clock.shiftWall(-1);
    expect((await use()).statusCode).toBe(200);
  });

  it('take no set-up link any more once there is an admin', async () => {
    await test.engine.write(function* () {
      yield { sql: 'delete from api_keys', parameters: [] };
    });
    const first = await ensureFirstAccess({ store: test.store, clock: test.clock, adminKey: '' });
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

    // Somebody without that role lets nobody in: the link is still needed.
    await create({ username: 'ben', role: 'admin' });
    for (const id of [anna.id, 2]) {
      await test.engine.write(() => test.store.users.deleteStep(id));
    }
    await create({ username: 'cleo', role: 'user' });
    expect((await use('dora')).json()).toMatchObject({ name: 'dora', scope: 'admin' });
  });

  it('install the admin key of the settings, and replace it when it changes', async () => {
    const adminKeys = [`brs_${'a'.repeat(32)}`, `brs_${'b'.repeat(40)}`];
    const install = (adminKey: string) =>
      ensureFirstAccess({ store: test.store, clock: test.clock, adminKey });
    const status = async (key: string) =>
      (await get('/api/auth/api-keys', { authorization: `Bearer ${key}` })).statusCode;
    const [one = '', two = ''] = adminKeys;
    expect(await install(one)).toBeUndefined();
    await install(one);
    expect(await status(one)).toBe(200);
    await install(two);
    expect(await status(one)).toBe(401);
    expect(await status(two)).toBe(200);
    expect((await get('/api/auth/api-keys', admin)).json()).toHaveLength(2);
    await expect(install('brs_short')).rejects.toMatchObject({ code: 'bad_setting' });
  });
});

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
  const create = { method: 'POST', url: '/api/auth/users/create', headers, payload: user } as const;
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
