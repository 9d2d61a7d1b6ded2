import { expect, it, onTestFinished } from 'vitest';
import { type Engine, raw } from '../../../src/store/engine.ts';
import { createStatsCounting } from '../../../src/store/stats/stats-count.ts';
import { createStore } from '../../../src/store/store.ts';
import { createVault } from '../../../src/core/access/vault.ts';
import { createDatabase } from '../../support/database/engines.ts';

it('the store finds deliveries to count without looking at those counted before', async () => {
  const database = await createDatabase('postgres');
  const engine = await database.open();
  onTestFinished(async () => {
    await engine.close();
    await database.drop();
  });
  const vault = createVault(['a master key of at least thirty-two characters']);
  const { id } = await createStore(engine, vault).bots.insert(
    { token: '4711:AAcounted', source: 'web' },
    1,
  );
  const stored = 20_000;
  await engine.write(function* () {
    yield* raw(
      `insert into delivery_attempts
         (bot_id, position, update_id, queue, started_at, duration_ms, status, error, answer)
       select $2, n, n, '', 0, 1, 200, '', '' from generate_series(1, $1::bigint) as n`,
      [stored, id],
    );
    yield* raw('analyze delivery_attempts');
  });
  const asked: string[] = [];
  const watched: Engine = {
    ...engine,
    readRaw(sql, parameters) {
      asked.push(sql);
      return engine.readRaw(sql, parameters);
    },
  };
  const nowMs = 1_000_000_000;
  expect(await createStatsCounting(watched).countAttempts(stored, nowMs)).toBe(stored);
  const [sql] = asked;
  const plan = await engine.readRaw<{ 'QUERY PLAN': string }>(`explain ${sql}`, []);
  const scan = plan
    .map((row) => row['QUERY PLAN'])
    .find((line) => line.includes('delivery_attempts'));
  expect(scan).toMatch(/Index (Only )?Scan/);
});
