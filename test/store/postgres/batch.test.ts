import pg from 'pg';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { deferred, effect, type Engine, raw } from '../../../src/store/engine.ts';
import { openPostgres, type PostgresOptions } from '../../../src/store/postgres/engine.ts';
import { createDatabase } from '../../support/database/engines.ts';

async function open(options: PostgresOptions = {}) {
  const database = await createDatabase('postgres');
  const engine = await openPostgres(database.databaseUrl, options);
  onTestFinished(async () => {
    await engine.close();
    await database.drop();
  });
  return { engine, url: database.databaseUrl };
}

const set = (name: string) =>
  effect("insert into settings (name, value) values ($1, 'set')", [name]);

const stored = (engine: Engine) =>
  engine.readRaw<{ name: string }>("select name from settings where value = 'set'", []);

describe('statements of a write that nobody waits for', () => {
  it('are all stored, or none with the first failure', async () => {
    const { engine } = await open();
    await engine.write(function* () {
      yield* set('a');
      yield* set('b');
    });
    expect(await stored(engine)).toHaveLength(2);
    const failing = engine.write(function* () {
      yield* set('c');
      yield* set('a');
      yield* effect('select no_such_function()');
    });
    await expect(failing).rejects.toMatchObject({ code: '23505' });
    expect(await stored(engine)).toHaveLength(2);
  });

  it('go with an exception of the write itself', async () => {
    const { engine } = await open();
    const failing = engine.write(function* () {
      yield* set('a');
      throw new Error('changed its mind');
    });
    await expect(failing).rejects.toThrow('changed its mind');
    expect(await stored(engine)).toEqual([]);
  });

  it('go with a value that cannot be sent', async () => {
    const { engine } = await open();
    const circular: { self?: object } = {};
    circular.self = circular;
    const failing = engine.write(function* () {
      yield* set('a');
      yield* effect('select $1::text', [circular]);
      yield* set('b');
    });
    await expect(failing).rejects.toThrow('circular');
    expect(await stored(engine)).toEqual([]);
    await engine.write(() => set('c'));
    expect(await stored(engine)).toHaveLength(1);
  });

  it('have their rows once a later one is answered', async () => {
    const { engine } = await open();
    const rows = await engine.write(function* () {
      const early = yield* deferred<{ n: number }>('select 1::bigint as n', []);
      const late = yield* raw<{ n: number }>('select 2::bigint as n', []);
      return [...early.rows, ...late];
    });
    expect(rows).toEqual([{ n: 1 }, { n: 2 }]);
  });

  it('each have their own time', async () => {
    const { engine } = await open({ statementMs: 2_000 });
    // Together longer than the time that one has before its connection is given up.
    const writing = engine.write(function* () {
      for (let index = 0; index < 4; index++) yield* effect('select pg_sleep(1.1)');
      return 'done';
    });
    expect(await writing).toBe('done');
  });

  it('can be prepared again on a connection where one before them failed', async () => {
    const { engine } = await open();
    const write = (divisor: number) =>
      engine.write(function* () {
        yield* effect('select 1 / $1::integer', [divisor]);
        yield* effect('select 2 as after_it');
      });
    // One after another they use the same connection.
    await expect(write(0)).rejects.toMatchObject({ code: '22012' });
    await write(1);
    await expect(write(0)).rejects.toMatchObject({ code: '22012' });
    await write(1);
  });

  it('fail together when the server ends the connection', async () => {
    const { engine, url } = await open();
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    onTestFinished(() => admin.end());
    const writing = engine.write(function* () {
      yield* set('a');
      yield* effect('select pg_sleep(30)');
      yield* set('b');
    });
    const failed = expect(writing).rejects.toMatchObject({
      reason: { code: 'database_unreachable' },
    });
    await vi.waitFor(async () => {
      const { rowCount } = await admin.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where query like '%pg_sleep(30)%' and pid <> pg_backend_pid()`,
      );
      expect(rowCount).toBe(1);
    });
    await failed;
    expect(await stored(engine)).toEqual([]);
  });
});
