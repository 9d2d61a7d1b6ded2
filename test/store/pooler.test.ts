import { expect, it, onTestFinished } from 'vitest';
import { type Engine, raw } from '../../src/store/engine.ts';
import { detectPooling } from '../../src/store/postgres/pooler.ts';
import { createDatabase } from '../support/database/engines.ts';
import { behindPooler } from '../support/database/pooling-proxy.ts';

async function openPooled() {
  const database = await createDatabase('postgres');
  onTestFinished(() => database.drop());
  return { database, pooled: await behindPooler(database) };
}

it('the PostgreSQL engine tells a pooler in transaction mode from the server itself', async () => {
  const { database, pooled } = await openPooled();
  expect(await detectPooling(database.databaseUrl)).toBe('none');
  expect(await detectPooling(pooled.databaseUrl)).toBe('transaction');
});

it('the PostgreSQL engine works through a pooler that changes connections between transactions', async () => {
  const { pooled } = await openPooled();
  const engines: Engine[] = [];
  for (let node = 0; node < 2; node++) engines.push(await pooled.open());
  onTestFinished(async () => {
    for (const engine of engines) await engine.close();
  });
  const count = (engine: Engine, name: string) =>
    engine.write(function* () {
      yield* raw(
        `insert into settings (name, value) values ($1, '0') on conflict (name) do nothing`,
        [name],
      );
      yield* raw('select 1 from settings where name = $1 for update', [name]);
      yield* raw(
        `update settings set value = cast(cast(value as bigint) + 1 as text) where name = $1`,
        [name],
      );
    });
  const work = Array.from({ length: 60 }, (_, index) => {
    const engine = engines[index % 2] as Engine;
    const lane = index % 3 === 0 ? engine : engine.reserved;
    return [
      count(lane, `counter ${index % 4}`),
      lane.readRaw('select value from settings where name = $1', ['counter 0']),
      engine.readHeavy('select count(*) as n from settings where name <> $1', ['x']),
    ];
  });
  await Promise.all(work.flat());
  const [first] = engines as [Engine];
  const rows = await first.readRaw<{ value: string }>(
    `select value from settings where name like 'counter%' order by name`,
    [],
  );
  expect(rows.map(({ value }) => Number(value))).toEqual([15, 15, 15, 15]);
  // Settings of a transaction end with it.
  const limit = await first.readRaw('show idle_in_transaction_session_timeout', []);
  expect(limit).toEqual([{ idle_in_transaction_session_timeout: '0' }]);
});
