import { expect, it, onTestFinished } from 'vitest';
import { createVault } from '../../src/core/access/vault.ts';
import { createStore } from '../../src/store/store.ts';
import { fillEarlier } from '../support/database/earlier-schema.ts';
import { createDatabase, dialects } from '../support/database/engines.ts';

const author = '{"kind":"key","id":1,"name":"agent"}';
const stored = [
  `insert into bots (platform_id, token_hash, token_sealed, name, source, created_at, updated_at)
   values (1, 'h', '', 'Bot', 'web', 1, 1)`,
  `insert into log_heads (bot_id, open_questions) values (1, 1)`,
  `insert into questions (id, bot_id, chat_id, text, options, user_ids, asked_by, nonce, intent,
     message_id, created_at, expires_at)
   values (900, 1, 5, 'Refund?', '["Yes","No"]', '[]', '${author}', 'nonce', 'ask:900:5', 7, 1, 9000)`,
  `insert into questions (id, bot_id, chat_id, text, options, user_ids, asked_by, nonce, intent,
     message_id, state, answer, answered_by, answerer_name, created_at, expires_at, ended_at,
     callback_url, callback_state, callback_at)
   values (800, 1, 5, 'Why?', '[]', '[]', '${author}', 'nonce', 'ask:800:5', 6, 'answered', 'Because',
     5, 'Ann', 1, 9000, 2, 'https://example.com/a', 'waiting', 2)`,
];

it.each(dialects)(
  'questions of an earlier version go on after an upgrade on %s',
  async (dialect) => {
    const database = await createDatabase(dialect, { empty: true });
    onTestFinished(() => database.drop());
    await fillEarlier(database, 53, stored);
    const engine = await database.open();
    onTestFinished(() => engine.close());
    const { questions } = createStore(engine, createVault(['a master key for tests, long enough']));

    const all = { botIds: null, chatIds: null, limit: 10 };
    expect(await questions.list(all)).toMatchObject([
      { id: 900, state: 'open', options: ['Yes', 'No'], messageId: 7, sendState: 'sent' },
      { id: 800, state: 'answered', answer: 'Because', answererName: 'Ann' },
    ]);
    const due = await questions.takeCalls(3, 60_003, { limit: 10, ofBot: 10, busy: [] });
    expect(due.map(({ id }) => id)).toEqual([800]);

    // A question without a key is never taken for one with a key.
    const asked = {
      botId: 1,
      chatId: 5,
      threadId: 0,
      text: 'Refund?',
      options: ['Yes', 'No'],
      userIds: [],
      askedBy: { kind: 'key', id: 1, name: 'agent' },
      nonce: 'other',
      expiresAt: 9_000,
      callbackUrl: '',
    } as const;
    const ask = () => questions.ask(asked, { key: 'key:1 deploy', hash: 'h' }, 1_000);
    const first = await ask();
    expect(first).toMatchObject({ id: 1_000, state: 'open' });
    expect(await ask()).toBe(1_000);
    const { end } = questions;
    expect(await end({ id: 900, state: 'cancelled', nowMs: 4 })).toMatchObject({ answer: '' });
    expect(await end({ id: 900, state: 'expired', nowMs: 5 })).toBeUndefined();
  },
);
