import { execFileSync } from 'node:child_process';
import { expect, it, onTestFinished } from 'vitest';
import { raw } from '../../src/store/engine.ts';
import { openPostgres } from '../../src/store/postgres/engine.ts';
import { createDatabase } from '../support/database/engines.ts';
import { patienceMs } from '../support/patience.ts';

const untilLetGo = `
  import pg from 'pg';
  const client = new pg.Client(process.env.DATABASE_URL);
  await client.connect();
  const open = \`select 1 from pg_stat_activity
    where datname = current_database() and state = 'idle in transaction'\`;
  while ((await client.query(open)).rowCount > 0) await client.query('select pg_sleep(0.05)');
  await client.end();
`;

/** Like a stopped process or machine, until the server has ended its transaction: nothing is reported. */
function freeze(DATABASE_URL: string): void {
  execFileSync(process.execPath, ['--input-type=module', '--eval', untilLetGo], {
    cwd: import.meta.dirname,
    env: { DATABASE_URL },
    timeout: patienceMs,
  });
}

it('PostgreSQL lets go of what a node had locked when it froze in the middle of a transaction', async () => {
  const database = await createDatabase('postgres');
  onTestFinished(() => database.drop());
  const frozen = await openPostgres(database.databaseUrl, { frozenAfterMs: 2_000 });
  const other = await database.open();
  onTestFinished(async () => {
    await frozen.close();
    await other.close();
  });
  const [limit] = await other.write(() => raw('show idle_in_transaction_session_timeout'));
  expect(limit).toEqual({ idle_in_transaction_session_timeout: '5s' });

  const set = (value: string) =>
    raw(
      `insert into settings (name, value) values ('x', $1)
       on conflict (name) do update set value = excluded.value`,
      [value],
    );
  await other.write(() => set('before'));
  const late = frozen.write(function* () {
    yield* set('of the frozen one');
    freeze(database.databaseUrl);
    yield* set('of the frozen one, later');
  });
  await expect(late).rejects.toMatchObject({ code: 'database_unavailable' });
  // Had the lock been kept, this would wait for it.
  await other.write(() => set('of another'));
  expect(
    await frozen.readRaw("select value from settings where name <> 'schema_written_by'", []),
  ).toEqual([{ value: 'of another' }]);
  await frozen.write(() => set('awake again'));
});
