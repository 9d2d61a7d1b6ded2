import { describe, expect, it, onTestFinished } from 'vitest';
import { deferred, effect, raw } from '../../src/store/engine.ts';
import { binaryArray } from '../../src/store/postgres/binary-array.ts';
import { createPipeline } from '../../src/store/postgres/pipeline.ts';
import { openPostgres, type PostgresOptions } from '../../src/store/postgres/engine.ts';
import { createDatabase } from '../support/database/engines.ts';

async function open(options: PostgresOptions = {}) {
  const database = await createDatabase('postgres');
  const engine = await openPostgres(database.databaseUrl, options);
  onTestFinished(async () => {
    await engine.close();
    await database.drop();
  });
  return engine;
}

const set = (name: string) =>
  effect("insert into settings (name, value) values ($1, 'set')", [name]);

describe('statements of a write that nobody waits for', () => {
  it('are all stored, or none with the first failure', async () => {
    const engine = await open();
    const stored = () => engine.readRaw("select name from settings where value = 'set'", []);
    await engine.write(function* () {
      yield* set('a');
      yield* set('b');
    });
    expect(await stored()).toHaveLength(2);
    const failing = engine.write(function* () {
      yield* set('c');
      yield* set('a');
      yield* effect('select no_such_function()');
    });
    await expect(failing).rejects.toMatchObject({ code: '23505' });
    expect(await stored()).toHaveLength(2);
  });

  it('go with an exception of the write itself', async () => {
    const engine = await open();
    const failing = engine.write(function* () {
      yield* set('a');
      throw new Error('changed its mind');
    });
    await expect(failing).rejects.toThrow('changed its mind');
    expect(await engine.readRaw("select 1 from settings where value = 'set'", [])).toEqual([]);
  });

  it('have their rows once a later one is answered', async () => {
    const engine = await open();
    const rows = await engine.write(function* () {
      const early = yield* deferred<{ n: number }>('select 1 as n', []);
      const late = yield* raw<{ n: number }>('select 2 as n', []);
      return [...early.rows, ...late];
    });
    expect(rows).toEqual([{ n: 1 }, { n: 2 }]);
  });

  it('each have their own time', async () => {
    const engine = await open({ statementMs: 2_000 });
    // Together longer than the time that one has before its connection is given up.
    const writing = engine.write(function* () {
      for (let index = 0; index < 4; index++) yield* effect('select pg_sleep(1.1)');
      return 'done';
    });
    expect(await writing).toBe('done');
  });

  it('are of no use once one before them failed', async () => {
    const pipeline = createPipeline((query) =>
      query === 'begin' ? Promise.reject(new Error('refused')) : Promise.resolve({} as never),
    );
    pipeline.sendOnly('begin', 1);
    await expect(pipeline.send('insert', 1)).rejects.toThrow('refused');
    await expect(pipeline.settle()).rejects.toThrow('refused');
  });
});

describe('arrays in the format of PostgreSQL', () => {
  it('arrive as they were', async () => {
    const engine = await open();
    const numbers = [0, 1, -1, 2 ** 31, -(2 ** 32), 2 ** 53 - 1, -(2 ** 53) + 1, null];
    const texts = ['', 'a "quoted" \\ text', 'Привет 👋', '{}', 'NULL', null];
    const [row] = await engine.readRaw<{ numbers: string; texts: string; empty: string }>(
      `select to_json($1::bigint[])::text as numbers, to_json($2::text[])::text as texts,
         to_json($3::text[])::text as empty`,
      [binaryArray('bigint', numbers), binaryArray('text', texts), binaryArray('text', [])],
    );
    expect(JSON.parse(row?.numbers ?? '')).toEqual(numbers);
    expect(JSON.parse(row?.texts ?? '')).toEqual(texts);
    expect(JSON.parse(row?.empty ?? '')).toEqual([]);
  });

  it('hold only whole numbers', () => {
    expect(() => binaryArray('bigint', [1.5])).toThrow(RangeError);
    expect(() => binaryArray('integer', [Number.NaN])).toThrow(RangeError);
  });
});
