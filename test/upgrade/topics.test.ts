import { expect, it, onTestFinished } from 'vitest';
import { createVault } from '../../src/core/access/vault.ts';
import { createStore } from '../../src/store/store.ts';
import { fillEarlier } from '../support/database/earlier-schema.ts';
import { createDatabase, dialects } from '../support/database/engines.ts';

const messages: [id: number, extra: object | null][] = [
  [3, null],
  [4, { thread_id: 4, content: 'forum_topic_created', about: { text: 'Geld "€" 💶' } }],
  [5, { thread_id: 4, forward_origin: { name: 'x' } }],
  // Bots may put any character into the data of a button.
  [7, { thread_id: 4, inline_keyboard: [[{ text: 'a', callback_data: '\u0000' }]] }],
  // A reply in General.
  [6, { thread_id: 3 }],
];
const stored = [
  `insert into bots (platform_id, token_hash, token_sealed, name, source, created_at, updated_at)
   values (1, 'h', '', 'Bot', 'web', 1, 1)`,
  ...messages.map(
    ([id, extra]) => `insert into messages (bot_id, chat_id, id, text, date, origin, extra)
     values (1, -100, ${id}, '', ${id}, 'received', ${extra ? `'${JSON.stringify(extra)}'` : 'null'})`,
  ),
];

it.each(dialects)('stored messages get their topics on %s', async (dialect) => {
  const database = await createDatabase(dialect, { empty: true });
  onTestFinished(() => database.drop());
  await fillEarlier(database, 35, stored);
  const engine = await database.open();
  onTestFinished(() => engine.close());
  const store = createStore(engine, createVault(['a master key for tests, long enough to be']));

  expect(await store.topics.list(1, -100, undefined, 10)).toMatchObject([
    { thread_id: 4, name: 'Geld "€" 💶', last_message_at: 7_000 },
  ]);
  const page = { botId: 1, chatId: -100, limit: 10, offset: 0 };
  const listed = await store.messages.list({ ...page, threadId: 4 });
  expect(listed.map(({ id }) => id)).toEqual([7, 5, 4]);
  expect(await store.messages.list(page)).toHaveLength(5);
});
