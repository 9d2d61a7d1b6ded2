import { describe, expect, it } from 'vitest';
import { gramsOfMessage, readWordQuery } from '../../src/core/search/search-grams.ts';
import { createVault } from '../../src/core/access/vault.ts';
import { createStore, type Store } from '../../src/store/store.ts';
import { fillEarlier } from '../support/database/earlier-schema.ts';
import { createDatabase, type Database, dialects } from '../support/database/engines.ts';

const upTo = 11;
const group = -50;
const supergroup = -1_000_000_000_050;
const day = 20_000;

/** A database of the previous version. */
function* earlier(dialect: Database['dialect']): Generator<string> {
  yield `insert into bots (platform_id, token_hash, token_sealed, name, source, manage_enabled,
      created_at, updated_at) values (1, 'h', '', 'Bot', 'web', 1, 1, 1)`;
  for (const [chatId, movedTo] of [
    [group, supergroup],
    [supergroup, 0],
  ]) {
    yield `insert into chats (bot_id, chat_id, type, updated_at, migrated_to)
      values (1, ${chatId}, 'group', 1, ${movedTo})`;
  }
  for (const [id, text] of ['gone', 'apple tree', 'gone too', 'pear tree'].entries()) {
    yield `insert into messages (bot_id, chat_id, id, date, text, origin)
      values (1, ${supergroup}, ${id}, ${day * 86_400 + id}, '${text}', 'received')`;
  }
  yield 'delete from messages where id in (0, 2)';
  for (const id of [7, 8, 9, 12, 20, 21]) {
    yield `insert into seen_updates (bot_id, update_id, seen_at) values (1, ${id}, ${1_000 + id})`;
  }
  for (const [id, text] of [
    [1, 'apple tree'],
    [3, 'pear tree'],
  ] as const) {
    if (dialect === 'sqlite') {
      const facts = { botId: 1, chatId: supergroup, userId: 0, mediaType: null };
      const words = gramsOfMessage(text, facts).map((gram) => `g${(gram >>> 0).toString(36)}`);
      yield `insert into message_search (rowid, grams)
        select rowid, '${words.join(' ')}' from messages where id = ${id}`;
    } else {
      yield `insert into search_queue (bot_id, chat_id, message_id) values (1, ${supergroup}, ${id})`;
    }
  }
  for (const [chatId, received] of [
    [group, 5],
    [supergroup, 2],
  ]) {
    yield `insert into stats_hours values (1, ${chatId}, ${day * 24 + 3}, ${received}, 1, 0)`;
    for (const [grain, bucket] of [
      [0, day],
      [1, 2024 * 12 + 9],
      [2, 0],
      [3, 2024],
    ]) {
      yield `insert into stats_people values (1, ${chatId}, ${grain}, ${bucket}, 7, ${received})`;
    }
  }
}

async function found(store: Store, q: string): Promise<string[]> {
  const search = store.messageSearch;
  while ((await search.index(100)) > 0);
  const grams = readWordQuery(q)?.grams ?? [];
  const hits = await search.find({ botId: 1, grams, chatIds: undefined, limit: 10 });
  return hits.map(({ row }) => row.text);
}

describe.each(dialects)('a database of the version before, on %s', (dialect) => {
  it('keeps its messages and their index, its counters, and what it has seen', async () => {
    const database = await createDatabase(dialect, { empty: true });
    await fillEarlier(database, upTo, earlier(dialect));
    const engine = await database.open();
    try {
      const store = createStore(engine, createVault(['a master key for tests, long enough to be']));
      expect(await found(store, 'tree')).toEqual(['pear tree', 'apple tree']);
      const place = { botId: 1, chatId: supergroup };
      expect(await store.stats.days(place, [day * 24, (day + 1) * 24])).toMatchObject([
        { day, received: 2, sent: 1 },
      ]);
      while ((await store.stats.applyChatMove()) > 0);
      const hours = [day * 24, (day + 1) * 24] as const;
      expect(await store.stats.days(place, hours)).toMatchObject([{ day, received: 7, sent: 2 }]);
      expect(await store.stats.hoursOfDay(place, [(day - 40) * 24, (day + 40) * 24])).toEqual([
        { hour: 3, messages: 9 },
      ]);
      for (const before of [0, 5, 40]) {
        expect(await store.stats.people(place, [day - before, day + 5])).toMatchObject({
          active: 1,
          top: [{ user_id: 7, messages: 7 }],
        });
      }
      expect(await store.stats.hours({ botId: 1, chatId: group }, hours)).toEqual([]);
      expect(await engine.readRaw('select * from seen_ranges order by first_id', [])).toEqual(
        [
          [7, 9],
          [12, 12],
          [20, 21],
        ].map(([first = 0, last = 0]) => ({
          bot_id: 1,
          first_id: first,
          last_id: last,
          begun_at: 1_000 + first,
          seen_at: 1_000 + last,
        })),
      );
    } finally {
      await engine.close();
      await database.drop();
    }
  });
});
