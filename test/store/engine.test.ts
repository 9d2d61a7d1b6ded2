import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { changes, effect, type Engine, raw } from '../../src/store/engine.ts';
import { createDatabase, type Database, dialects } from '../support/database/engines.ts';

describe.each(dialects)('engine on %s', (dialect) => {
  let database: Database;
  let engine: Engine;

  beforeEach(async () => {
    database = await createDatabase(dialect);
    engine = await database.open();
  });
  afterEach(async () => {
    await engine.close();
    await database.drop();
  });

  const insert = (name: string, value: string) =>
    changes('insert into settings (name, value) values ($1, $2)', [name, value]);
  const read = async (name: string) => {
    const sql = 'select * from settings where name = $1';
    return (await engine.readRaw<{ name: string; value: string }>(sql, [name]))[0];
  };

  it('shows a read everything whose write has resolved', async () => {
    await engine.write(() => insert('a', '1'));
    expect(await read('a')).toMatchObject({ name: 'a', value: '1' });
  });

  it('hands the results of one statement to the next within one transaction', async () => {
    const total = await engine.write(function* () {
      yield* insert('a', '1');
      yield* insert('b', '2');
      const rows = yield* raw<{ value: string }>(
        `select value from settings where name in ('a', 'b')`,
      );
      return rows.reduce((sum, row) => sum + Number(row.value), 0);
    });
    expect(total).toBe(3);
  });

  it('rolls back only the write that failed, also when writes share a commit', async () => {
    const outcomes = await Promise.allSettled([
      engine.write(() => insert('kept', '1')),
      engine.write(function* () {
        yield* insert('lost', '1');
        throw new Error('no');
      }),
      engine.write(() => insert('kept too', '1')),
    ]);
    expect(outcomes.map((outcome) => outcome.status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    expect(await read('kept')).toBeDefined();
    expect(await read('lost')).toBeUndefined();
    expect(await read('kept too')).toBeDefined();
  });

  describe('statements for effect', () => {
    const put = (name: string, value = '1') =>
      effect('insert into settings (name, value) values ($1, $2)', [name, value]);
    const storedNames = async () =>
      (await engine.readRaw<{ name: string }>('select name from settings order by name', []))
        .map(({ name }) => name)
        .filter((name) => name.startsWith('effect '));

    it('are done in order, before a statement whose result counts and before the commit', async () => {
      const value = await engine.write(function* () {
        yield* put('effect 1', 'old');
        yield* effect('update settings set value = $2 where name = $1', ['effect 1', 'new']);
        const [row] = yield* raw<{ value: string }>(
          `select value from settings where name = 'effect 1'`,
        );
        yield* put('effect 2');
        return row?.value;
      });
      expect(value).toBe('new');
      expect(await storedNames()).toEqual(['effect 1', 'effect 2']);
    });

    it('take the whole write back when the last of them fails', async () => {
      await engine.write(() => put('effect 1'));
      const failing = engine.write(function* () {
        yield* put('effect 2');
        yield* put('effect 1');
        yield* put('effect 3');
      });
      await expect(failing).rejects.toThrow(/unique/i);
      expect(await storedNames()).toEqual(['effect 1']);
    });

    it('fail the next statement whose result counts, with their own reason', async () => {
      await engine.write(() => put('effect 1'));
      const failing = engine.write(function* () {
        yield* put('effect 1');
        yield* raw('select 1 as one');
      });
      await expect(failing).rejects.toThrow(/unique/i);
      // The connection serves others afterwards.
      await Promise.all(
        Array.from({ length: 20 }, (_, n) => engine.write(() => put(`effect ${n + 2}`))),
      );
      expect(await storedNames()).toHaveLength(21);
    });

    it('are taken back when the write ends otherwise', async () => {
      const failing = engine.write(function* () {
        yield* put('effect 1');
        throw new Error('not after all');
      });
      await expect(failing).rejects.toThrow('not after all');
      expect(await storedNames()).toEqual([]);
    });
  });

  it('stores a write of a single statement', async () => {
    await engine.write(() => insert('a', '1'), { isSingle: true });
    expect(await read('a')).toMatchObject({ value: '1' });
  });

  it('runs writes that read and then write one after the other, none lost', async () => {
    await engine.write(() => insert('counter', '0'));
    const lock = dialect === 'postgres' ? ' for update' : '';
    const increment = function* () {
      const [row] = yield* raw<{ value: string }>(
        `select value from settings where name = 'counter'${lock}`,
      );
      yield* raw(`update settings set value = $1 where name = 'counter'`, [
        String(Number(row?.value) + 1),
      ]);
    };
    await Promise.all(Array.from({ length: 50 }, () => engine.write(increment)));
    expect((await read('counter'))?.value).toBe('50');
  });

  it('keeps ids of 52 bits exact and booleans as 0 and 1', async () => {
    const id = -(2 ** 52 - 1);
    await engine.write(() =>
      raw('insert into people (user_id, is_bot, seen_at) values ($1, $2, 1)', [id, true]),
    );
    const [person] = await engine.readRaw('select * from people');
    expect(person).toMatchObject({ user_id: id, is_bot: 1 });
  });

  it('answers heavy reads like any other', async () => {
    await engine.write(() => insert('a', '1'));
    const rows = await engine.readHeavy<{ value: string }>(
      'select value from settings where name = $1',
      ['a'],
    );
    expect(rows.map((row) => row.value)).toEqual(['1']);
    await expect(engine.readHeavy('select nothing from nowhere', [])).rejects.toThrow();
  });

  it('is there again after it was closed and opened', async () => {
    await engine.write(() => insert('a', '1'));
    await engine.close();
    engine = await database.open();
    expect(await read('a')).toMatchObject({ value: '1' });
  });

  it('refuses a schema newer than it knows', async () => {
    const newer = await createDatabase(dialect);
    onTestFinished(() => newer.drop());
    const opened = await newer.open();
    await opened.write(() =>
      raw("insert into schema_migrations (id, name) values (9999, 'from the future')"),
    );
    await opened.close();
    await expect(newer.open()).rejects.toMatchObject({ code: 'schema_too_new' });
  });

  it('starts once when two start at the same time on an empty database', async () => {
    const fresh = await createDatabase(dialect, { empty: true });
    onTestFinished(() => fresh.drop());
    const outcomes = await Promise.allSettled([fresh.open(), fresh.open()]);
    const opened = outcomes.filter((outcome) => outcome.status === 'fulfilled');
    // The embedded engine belongs to one process; PostgreSQL may be shared.
    expect(opened.length).toBe(dialect === 'sqlite' ? 1 : 2);
    for (const outcome of outcomes) {
      if (outcome.status === 'fulfilled') await outcome.value.close();
      else expect(outcome.reason).toMatchObject({ code: 'data_dir_locked' });
    }
  });

  it('reads a value that a statement returned', async () => {
    const rows = await engine.write(() =>
      raw(`insert into settings (name, value) values ('a', '1') returning name`),
    );
    expect(rows).toEqual([{ name: 'a' }]);
    expect(await engine.readRaw('select 1 + 1 as two')).toEqual([{ two: 2 }]);
  });
});
