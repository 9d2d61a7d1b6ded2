import pg from 'pg';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import { addBotRow, createTestStore, plainRoute } from '../support/database/store.ts';
import { routingReader } from '../../src/core/log/reader-kinds.ts';

/** Two transactions at once, of which one waits: only PostgreSQL has that. */
describe('readers of routing under transactions that overlap', () => {
  const route = { ...plainRoute, source_bot_id: 1, target_bot_id: 2 };
  let store: Store;
  let other: pg.Client;

  beforeEach(async () => {
    const test = await createTestStore('postgres');
    ({ store } = test);
    other = new pg.Client({ connectionString: test.database.databaseUrl });
    await other.connect();
    onTestFinished(async () => {
      await other.end();
      await test.close();
    });
    for (const id of [1, 2]) await addBotRow(store.engine, id);
    await store.log.openReader(1, routingReader, 0);
    await other.query('begin');
  });

  const oneWaits = () =>
    vi.waitFor(
      async () => {
        const { rows } = await other.query<{ count: string }>(
          `select count(*) from pg_stat_activity
           where datname = current_database() and wait_event_type = 'Lock'`,
        );
        expect(rows[0]?.count).toBe('1');
      },
      { interval: 5 },
    );
  const readers = async (botId: number) => (await store.log.readers(botId)).map(({ name }) => name);

  it('one is not ended while a route of its bot is about to be there', async () => {
    await other.query(
      `insert into routes (source_bot_id, target_bot_id, action, condition_type, created_at,
         updated_at) values (1, 2, 'copy', 'all', 0, 0)`,
    );
    const ended = store.routing.endReader(1);
    await oneWaits();
    await other.query('commit');
    expect(await ended).toBe(false);
    expect(await readers(1)).toEqual([routingReader]);
  });

  it('one that is about to be ended is there again with the route', async () => {
    await other.query('select 1 from bots where id = 1 for update');
    await other.query('delete from readers where bot_id = 1');
    const inserted = store.routes.insert(route, 0);
    await oneWaits();
    await other.query('commit');
    expect(await inserted).toMatchObject({ source_bot_id: 1 });
    expect(await readers(1)).toEqual([routingReader]);
    expect(await readers(2)).toEqual([routingReader]);
  });

  it('none is opened for a bot that is being deleted', async () => {
    await store.routes.insert(route, 0);
    await other.query('delete from bots where id = 1');
    const opened = store.routing.openReader(1, 0);
    await oneWaits();
    await other.query('commit');
    expect(await opened).toBe(false);
    expect(await readers(1)).toEqual([]);
  });
});
