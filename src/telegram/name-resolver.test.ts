import { describe, expect, it } from 'vitest';
import { createManualClock } from '../../test/support/manual-clock.ts';
import { createNameResolver } from './name-resolver.ts';

const noAnswer = new Promise<never>(() => {});
const notFound = Object.assign(new Error('not found'), { code: 'ENOTFOUND' });

function create() {
  const clock = createManualClock();
  /** Names whose servers are silent. */
  const silent = new Set<string>();
  const answers = new Map<string, () => Promise<string[]>>();
  const lookups: string[] = [];
  const resolve = createNameResolver({
    clock,
    probe: (hostname) => (silent.has(hostname) ? noAnswer : Promise.resolve()),
    lookUp(hostname) {
      lookups.push(hostname);
      if (silent.has(hostname)) return noAnswer;
      return answers.get(hostname)?.() ?? Promise.resolve(['192.0.2.1']);
    },
  });
  return { clock, silent, answers, lookups, resolve };
}

describe('name resolver', () => {
  it('looks a name up once for all who ask at the same time', async () => {
    const { lookups, resolve } = create();
    const all = await Promise.all(Array.from({ length: 40 }, () => resolve('a.test')));
    expect(all.every(([address]) => address === '192.0.2.1')).toBe(true);
    expect(lookups).toEqual(['a.test']);
  });

  it('does not let names of silent servers delay others, nor take more than one thread', async () => {
    const { clock, silent, lookups, resolve } = create();
    const dead = Array.from({ length: 40 }, (_, index) => `${index}.dead.test`);
    for (const name of dead) silent.add(name);
    const asked = Promise.allSettled(dead.map(resolve));
    await clock.advance(1_000);
    expect(await resolve('fine.test')).toEqual(['192.0.2.1']);
    expect(lookups).toEqual(['0.dead.test', 'fine.test']);
    await clock.advance(5_000);
    for (const outcome of await asked) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'EAI_AGAIN' } });
    }
    const again = resolve('0.dead.test');
    again.catch(() => {});
    await clock.advance(20_000);
    await expect(again).rejects.toMatchObject({ code: 'EAI_AGAIN' });
    expect(lookups).toEqual(['0.dead.test', 'fine.test']);
  });

  it('refuses at once when too many names of silent servers wait', async () => {
    const { clock, silent, resolve } = create();
    const dead = Array.from({ length: 101 }, (_, index) => `${index}.dead.test`);
    for (const name of dead) silent.add(name);
    const asked = dead.map(resolve);
    for (const one of asked) one.catch(() => {});
    await clock.advance(1_000);
    await expect(asked.at(-1)).rejects.toMatchObject({ code: 'EAI_AGAIN' });
  });

  it('keeps an answer for ten seconds and a failure for five', async () => {
    const { clock, answers, lookups, resolve } = create();
    await resolve('a.test');
    await clock.advance(9_999);
    await resolve('a.test');
    expect(lookups).toHaveLength(1);
    await clock.advance(1);
    await resolve('a.test');
    expect(lookups).toHaveLength(2);
    await clock.advance(10_000);
    answers.set('a.test', () => Promise.reject(notFound));
    await expect(resolve('a.test')).rejects.toBe(notFound);
    answers.delete('a.test');
    await clock.advance(4_999);
    await expect(resolve('a.test')).rejects.toBe(notFound);
    await clock.advance(1);
    expect(await resolve('a.test')).toEqual(['192.0.2.1']);
  });

  it('asks again at once after the system was out of files', async () => {
    const { answers, resolve } = create();
    const full = Object.assign(new Error('too many open files'), { code: 'EMFILE' });
    answers.set('a.test', () => Promise.reject(full));
    await expect(resolve('a.test')).rejects.toBe(full);
    answers.delete('a.test');
    expect(await resolve('a.test')).toEqual(['192.0.2.1']);
  });

  it('goes on with the last answer while the name server is silent', async () => {
    const { clock, silent, resolve } = create();
    await resolve('a.test');
    silent.add('a.test');
    await clock.advance(60_000);
    const later = resolve('a.test');
    await clock.advance(5_000);
    expect(await later).toEqual(['192.0.2.1']);
    await clock.advance(600_000);
    const tooLate = resolve('a.test');
    tooLate.catch(() => {});
    await clock.advance(5_000);
    await expect(tooLate).rejects.toMatchObject({ code: 'EAI_AGAIN' });
  });

  it('knows this machine', async () => {
    const addresses = await createNameResolver()('localhost');
    expect(addresses.some((address) => ['127.0.0.1', '::1'].includes(address))).toBe(true);
  });
});
