import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { effect, type Engine, raw } from '../../../src/store/engine.ts';
import { openPostgres, type PostgresOptions } from '../../../src/store/postgres/engine.ts';
import { createDatabase } from '../../support/database/engines.ts';

async function open(options: PostgresOptions = {}) {
  const database = await createDatabase('postgres');
  onTestFinished(() => database.drop());
  const engine = await openPostgres(database.databaseUrl, options);
  onTestFinished(() => engine.close());
  const stored = async () => {
    const sql = `select name from settings where name like 'test %' order by name`;
    return (await engine.readRaw<{ name: string }>(sql, [])).map(({ name }) => name);
  };
  return { engine, stored, url: database.databaseUrl };
}

const put = (name: string) =>
  effect(`insert into settings (name, value) values ($1, '')`, [`test ${name}`]);

describe('the PostgreSQL engine', () => {
  it('refuses a second statement where there is no transaction around it', async () => {
    const { engine, stored } = await open();
    const write = engine.write(
      function* () {
        yield* put('first');
        yield* put('second');
      },
      { isSingle: true },
    );
    await expect(write).rejects.toThrow('one statement too many');
    expect(await stored()).toEqual(['test first']);
  });

  it('says why a transaction did not begin, not that its first statement failed', async () => {
    // More than the server takes for this setting.
    await expect(open({ frozenAfterMs: 2 ** 40 })).rejects.toThrow(
      /idle_in_transaction_session_timeout/,
    );
  });

  it('fails a write that passed over the failure of one of its statements', async () => {
    const { engine, stored } = await open();
    await engine.write(() => put('1'));
    const write = engine.write(function* () {
      yield* put('2');
      yield* put('1');
      try {
        yield* raw('select 1 as one');
      } catch {
        // What it did before is lost.
      }
    });
    await expect(write).rejects.toThrow('PostgreSQL did not commit');
    expect(await stored()).toEqual(['test 1']);
  });

  it('gives each statement its own time, though they are sent together', async () => {
    // The connection is given up 2 s after the server should have ended the statement.
    const { engine, stored } = await open({ statementMs: 2_000 });
    await engine.write(function* () {
      for (let n = 0; n < 10; n++) yield* effect('select pg_sleep(0.5)', []);
      yield* put('done');
    });
    expect(await stored()).toEqual(['test done']);
  });

  /** Puts a row and gives back the id of the transaction that it is stored by. */
  const putFor = (engine: Engine, botId: number, name: string) =>
    engine.write(
      function* () {
        yield* put(name);
        const [row] = yield* raw<{ id: string }>('select pg_current_xact_id()::text as id');
        return row?.id;
      },
      { ofBot: botId },
    );

  it('writes for several bots in one transaction', async () => {
    const { engine, stored } = await open();
    const ids = await Promise.all([3, 1, 2].map((bot) => putFor(engine, bot, String(bot))));
    expect(new Set(ids).size).toBe(1);
    expect(await stored()).toEqual(['test 1', 'test 2', 'test 3']);
  });

  it('has what comes meanwhile wait for the next', async () => {
    const { engine } = await open();
    const first = await Promise.all([1, 2].map((bot) => putFor(engine, bot, `first ${bot}`)));
    const second = await Promise.all([1, 2].map((bot) => putFor(engine, bot, `second ${bot}`)));
    expect(new Set([...first, ...second]).size).toBe(2);
  });

  it('has a write that fails cost those of other bots nothing', async () => {
    const { engine, stored } = await open();
    await putFor(engine, 1, 'taken');
    const lost = new Error('another node runs it');
    const outcomes = await Promise.allSettled([
      putFor(engine, 1, 'one'),
      putFor(engine, 2, 'taken'),
      engine.write(
        function* () {
          yield* put('never');
          yield* raw('select 1 as one');
          throw lost;
        },
        { ofBot: 3 },
      ),
      putFor(engine, 4, 'four'),
    ]);
    expect(outcomes).toMatchObject([
      { status: 'fulfilled' },
      { status: 'rejected', reason: { code: '23505' } },
      { status: 'rejected', reason: lost },
      { status: 'fulfilled' },
    ]);
    expect(await stored()).toEqual(['test four', 'test one', 'test taken']);
  });

  it.each([
    ['in the same transaction', true],
    ['before them', false],
  ])(
    'has a write that waits for a lock %s hold up those of other bots for a moment only',
    async (_, isTogether) => {
      const { engine, stored, url } = await open({ groupMs: 200 });
      await putFor(engine, 1, 'held');
      const other = new pg.Client(url);
      await other.connect();
      onTestFinished(() => other.end());
      await other.query('begin');
      await other.query(`select 1 from settings where name = 'test held' for update`);
      let isDone = false;
      const waiting = engine
        .write(() => raw(`delete from settings where name = 'test held'`), { ofBot: 1 })
        .then(() => (isDone = true));
      if (!isTogether) await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
      await Promise.all([putFor(engine, 2, 'two'), putFor(engine, 3, 'three')]);
      expect(isDone).toBe(false);
      await other.query('commit');
      await waiting;
      expect(await stored()).toEqual(['test three', 'test two']);
    },
  );

  it('writes twice for one bot in two transactions, as their rows have no order', async () => {
    const { engine } = await open();
    const ids = await Promise.all([1, 2, 1].map((bot, index) => putFor(engine, bot, `${index}`)));
    expect(ids[0]).toBe(ids[1]);
    expect(ids[2]).not.toBe(ids[0]);
  });
});
