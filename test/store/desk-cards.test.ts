import pg from 'pg';
import { expect, it, onTestFinished, vi } from 'vitest';
import { raw } from '../../src/store/engine.ts';
import { takeForDesk } from '../../src/store/desks/desk-queue.ts';
import { touchCards } from '../../src/store/people/touch-cards.ts';
import { addBotRow, createTestStore } from '../support/database/store.ts';

const customer = 5;

it('a card is edited again if what it shows changes while it is read', async () => {
  const { close, database, store } = await createTestStore('postgres');
  onTestFinished(close);
  const { engine } = store;
  await addBotRow(engine, 1);
  await engine.write(function* () {
    yield* raw(
      `insert into desks (id, name, desk_bot_id, chat_id, settings, created_at, updated_at)
       values (1, '', 1, -1, '{}', 1, 1)`,
      [],
    );
    yield* raw(
      `insert into desk_topics (desk_id, bot_id, chat_id, connection, from_thread_id, name,
         created_at, card_id, card_stale)
       values (1, 1, $1, '', 0, 'Ann', 1, 9, 1)`,
      [customer],
    );
  });
  // Another node refreshes the card, and has not committed it.
  const client = new pg.Client({ connectionString: database.databaseUrl });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query('begin');
  await client.query('update desk_topics set card_stale = 0');

  let isDone = false;
  const touched = engine
    .write(() => touchCards(customer, 1))
    .then(() => {
      isDone = true;
    });
  await vi.waitFor(async () => {
    const [row] = await engine.readRaw<{ n: number }>(
      `select count(*) as n from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
      [],
    );
    expect(isDone || Number(row?.n) > 0).toBe(true);
  });
  await client.query('commit');
  await touched;
  expect(await engine.readRaw('select card_stale as stale from desk_topics', [])).toEqual([
    { stale: 1 },
  ]);
});

it('a message for a desk waits for no topic of another bot', async () => {
  const { close, database, store } = await createTestStore('postgres');
  onTestFinished(close);
  const { engine } = store;
  for (const id of [1, 2]) await addBotRow(engine, id);
  await engine.write(function* () {
    yield* raw(
      `insert into desks (id, name, desk_bot_id, chat_id, settings, created_at, updated_at)
       values (1, '', 1, -1, '{}', 1, 1)`,
      [],
    );
    yield* raw('insert into desk_bots (bot_id, desk_id) values (1, 1), (2, 1)', []);
    yield* raw(
      `insert into desk_topics (desk_id, bot_id, chat_id, connection, from_thread_id, name,
         created_at, card_id)
       values (1, 2, $1, '', 0, 'Ann', 1, 9)`,
      [customer],
    );
  });
  const client = new pg.Client({ connectionString: database.databaseUrl });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query('begin');
  await client.query('select 1 from desk_topics for update');

  const ann = { botId: 1, chatId: customer, connection: '', fromThreadId: 0, name: 'Ann' };
  const author = { kind: 'desk', id: 1, name: '' } as const;
  const item = { key: 'one', call: { method: 'sendMessage', params: {}, author } };
  const take = () => takeForDesk('postgres', 1, ann, [item], 2, () => {});
  expect(await engine.write(take)).toBe(1);
});
