import { expect, it, onTestFinished } from 'vitest';
import { createVault } from '../../src/core/access/vault.ts';
import { deskDefaults } from '../../src/core/desks/desk.ts';
import { raw } from '../../src/store/engine.ts';
import { createStore } from '../../src/store/store.ts';
import { fillEarlier } from '../support/database/earlier-schema.ts';
import { createDatabase, dialects } from '../support/database/engines.ts';

const call = {
  method: 'sendMessage',
  params: { text: 'waits' },
  author: { kind: 'desk', id: 1, name: 'Team' },
  isOfCustomer: true,
};
const stored = [
  ...[1, 2].map(
    (
      id,
    ) => `insert into bots (platform_id, token_hash, token_sealed, name, source, manage_enabled, created_at, updated_at)
      values (${id}, 'h${id}', '', 'Bot ${id}', 'web', 1, 1, 1)`,
  ),
  `insert into desks (name, desk_bot_id, chat_id, settings, created_at, updated_at)
   values ('Team', 2, -100, '{"person_ids":[7]}', 1, 1)`,
  'insert into desk_bots (bot_id, desk_id) values (1, 1)',
  `insert into desk_topics (desk_id, bot_id, chat_id, name, thread_id, created_at)
   values (1, 1, 5, 'Anna', 40, 1), (1, 1, 6, 'Ben', null, 1)`,
  `insert into desk_items (topic_id, rank, key, call) values (1, 1, 'k', '${JSON.stringify(call)}')`,
];

it.each(dialects)('a desk of its first version goes on with its topics on %s', async (dialect) => {
  const database = await createDatabase(dialect, { empty: true });
  onTestFinished(() => database.drop());
  await fillEarlier(database, 48, stored);
  const engine = await database.open();
  onTestFinished(() => engine.close());
  const { desks, outbox } = createStore(engine, createVault(['a master key, long enough for it']));

  const before = { name: 'Team', desk_bot_id: 2, chat_id: -100, bot_ids: [1], person_ids: [7] };
  expect(await desks.list()).toMatchObject([
    { ...deskDefaults, ...before, problems: [], checked_at: 0 },
  ]);
  expect(await desks.topicAt(1, 40)).toMatchObject({ id: 1, chatId: 5, personIds: [7] });
  expect(await desks.waiting()).toEqual([]);
  expect(await desks.ratingsOfDesks(0)).toEqual(new Map());
  expect(await desks.takeDueChecks(1)).toEqual([1]);
  // What waited is sent into its topic, which has a card once somebody asks for it.
  expect(await desks.takeUp(1)).toEqual(new Set([2]));
  const [send] = await outbox.list({ botIds: null, chatIds: null, limit: 2 });
  expect(send?.params).toContain('"message_thread_id":40');
  const info = { command: 'info', text: '', key: 'i', at: Infinity } as const;
  await engine.write(() => desks.act(1, info, 1));
  expect(await engine.readRaw('select key from desk_items order by rank, id', [])).toEqual(
    ['desk:card:1:1', 'k', 'i'].map((key) => ({ key })),
  );
  await engine.write(() => raw('update desk_topics set banned = 1 where id = 2', []));
  expect(await desks.unanswered(1, 1, 1)).toEqual({ count: 0, chats: [] });
});
