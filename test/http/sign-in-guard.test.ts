import { describe, expect, it } from 'vitest';
import type { RelayError } from '../../src/errors.ts';
import { createSignInGuard } from '../../src/manage/access/sign-in-guard.ts';
import { dialects } from '../support/database/engines.ts';
import { accountApp } from '../support/rigs/account-app.ts';

describe.each(dialects)('guesses at passwords on %s', (dialect) => {
  const { test, post, addUser, signIn } = accountApp(dialect);

  it('slow guessing down, longer each time, the same for names that do not exist', async () => {
    await addUser('anna');
    for (const username of ['anna', 'nobody']) {
      await test().clock.advance(3_600_000);
      const guess = () => post('/api/auth/sign-in', { username, password: 'wrong wrong' });
      for (let n = 0; n < 5; n++) expect((await guess()).statusCode).toBe(401);
      const waits: number[] = [];
      for (let n = 0; n < 4; n++) {
        const refused = await guess();
        expect(refused.statusCode).toBe(429);
        const wait = Number(refused.headers['retry-after']);
        waits.push(wait);
        await test().clock.advance(wait * 1_000);
        expect((await guess()).statusCode).toBe(401);
      }
      expect(waits).toEqual([1, 2, 4, 8]);
    }
    await test().clock.advance(60_000);
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

  it('may sign in many times in a row', async () => {
    await addUser('anna');
    for (let n = 0; n < 12; n++) await signIn('anna');
  });

  it('have a failure forgotten every five minutes', async () => {
    for (let n = 0; n < 20; n++) {
      const wrong = { username: `name${n}`, password: 'wrong wrong' };
      expect((await post('/api/auth/sign-in', wrong)).statusCode).toBe(401);
      await test().clock.advance(5 * 60_000);
    }
  });

  it('are slowed down by all nodes together, and after a restart', async () => {
    const { store, clock } = test();
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
    const { engine, store, clock } = test();
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
    const rows = await engine.readRaw('select * from sign_in_attempts');
    expect(rows).toHaveLength(6);
  });

  it('hold the rows they are counted in', async () => {
    const { engine, store } = test();
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
    test().clock.shiftWall(-86_400_000);
    expect((await guess()).statusCode).toBe(401);
  });

  it('count guesses of one IPv6 network together', async () => {
    const statuses: number[] = [];
    for (let n = 1; n <= 6; n++) {
      const answer = await test().app.inject({
        method: 'POST',
        url: '/api/auth/sign-in',
        remoteAddress: `2001:db8:1:2::${n}`,
        payload: { username: `name${n}`, password: 'wrong wrong' },
      });
      statuses.push(answer.statusCode);
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
    const neighbour = await test().app.inject({
      method: 'POST',
      url: '/api/auth/sign-in',
      remoteAddress: '2001:db8:1:3::1',
      payload: { username: 'name7', password: 'wrong wrong' },
    });
    expect(neighbour.statusCode).toBe(401);
  });
});
