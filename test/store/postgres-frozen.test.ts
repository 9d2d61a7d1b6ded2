import { expect, it, onTestFinished } from 'vitest';
import { raw } from '../../src/store/engine.ts';
import { openPostgres } from '../../src/store/postgres/engine.ts';
import { createDatabase } from '../support/database/engines.ts';

/** Like a stopped process or machine: nothing is reported. */
function freeze(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

it('lets go of what a node had locked when it froze in the middle of a transaction', async () => {
  const database = await createDatabase('postgres');
  onTestFinished(() => database.drop());
  const frozen = await openPostgres(database.databaseUrl, { frozenAfterMs: 50 });
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
    freeze(500);
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
