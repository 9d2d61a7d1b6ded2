import { expect, it, onTestFinished } from 'vitest';
import { effect, raw } from '../../../src/store/engine.ts';
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
  return { engine, stored };
}

const put = (name: string) =>
  effect(`insert into settings (name, value) values ($1, '')`, [`test ${name}`]);

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
  const { engine, stored } = await open({ statementMs: 300 });
  await engine.write(function* () {
    for (let n = 0; n < 10; n++) yield* effect('select pg_sleep(0.25)', []);
    yield* put('done');
  });
  expect(await stored()).toEqual(['test done']);
});
