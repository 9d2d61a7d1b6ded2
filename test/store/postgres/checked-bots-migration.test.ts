import pg from 'pg';
import { expect, it, onTestFinished, vi } from 'vitest';
import { fillEarlier } from '../../support/database/earlier-schema.ts';
import { createDatabase } from '../../support/database/engines.ts';

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

it('migrates while a node of the version before appends', async () => {
  const database = await createDatabase('postgres', { empty: true });
  onTestFinished(() => database.drop());
  await fillEarlier(database, 24, [
    `insert into bots (platform_id, token_hash, token_sealed, name, source, created_at, updated_at)
       values (1, 'h', '', 'Bot', 'web', 1, 1)`,
    'insert into log_heads (bot_id) values (1)',
  ]);
  const older = await connect(database.databaseUrl);
  const watcher = await connect(database.databaseUrl);
  // Who finds out first that two wait for each other is refused: were it so, the older node.
  await older.query(`set deadlock_timeout = '10ms'`);
  await older.query('begin');
  await older.query('select 1 from log_heads for update');
  await older.query('select 1 from bots');
  const migrated = database.open();
  migrated.catch(() => {});
  await vi.waitFor(async () => {
    const { rows } = await watcher.query(
      `select 1 from pg_locks l join pg_database d on d.oid = l.database
       where not granted and datname = current_database()`,
    );
    expect(rows).toHaveLength(1);
  });
  await older.query(
    `insert into log (bot_id, position, update_id, kind, queue, received_at, raw)
       values (1, 1, 1, 'message', '', 1, '{}')`,
  );
  await older.query('commit');
  const engine = await migrated;
  onTestFinished(() => engine.close());
  expect(await engine.readRaw('select position from log', [])).toEqual([{ position: 1 }]);
});
