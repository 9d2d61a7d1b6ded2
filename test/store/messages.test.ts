import { beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import { dialects } from '../support/database/engines.ts';
import { archived, openStore } from '../support/database/store.ts';

const chat = { id: -1_001_234_567_890, type: 'supergroup', title: 'Team' };

describe.each(dialects)('messages on %s', (dialect) => {
  let store: Store;
  let botId: number;

  beforeEach(async () => {
    store = await openStore(dialect);
    botId = (await store.bots.insert({ token: '1:a', source: 'web' }, 1)).id;
  });

  const keep = (...messages: Record<string, unknown>[]) =>
    store.messages.archive(
      messages.map((message) => archived(botId, { chat, ...message })),
      1,
    );
  const ids = async (page: { limit?: number; offset?: number } = {}) =>
    (await store.messages.list({ botId, chatId: chat.id, limit: 50, offset: 0, ...page })).map(
      (message) => message.id,
    );

  it('shows a plain message without the fields it does not have', async () => {
    await keep({
      message_id: 7,
      date: 1_700_000_000,
      text: 'it\'s "quoted" 😀 \'; drop table messages; --',
      from: { id: 5, is_bot: false, first_name: 'Ann', last_name: 'Lee', username: 'ann' },
    });
    const message = await store.messages.get(botId, chat.id, 7);
    expect(message).toStrictEqual({
      id: 7,
      chat_id: chat.id,
      bot_id: botId,
      user_id: 5,
      username: 'ann',
      first_name: 'Ann',
      last_name: 'Lee',
      text: 'it\'s "quoted" 😀 \'; drop table messages; --',
      date: 1_700_000_000,
    });
    expect(Object.keys(message ?? {})).toEqual([
      'id',
      'chat_id',
      'bot_id',
      'user_id',
      'username',
      'first_name',
      'last_name',
      'text',
      'date',
    ]);
  });

  it('shows media with its file and the message it replies to', async () => {
    await keep({
      message_id: 8,
      date: 1,
      caption: 'look',
      photo: [
        { file_id: 'large', width: 800, height: 600 },
        { file_id: 'small', width: 80, height: 60 },
      ],
      reply_to_message: { message_id: 7 },
    });
    expect(await store.messages.get(botId, chat.id, 8)).toMatchObject({
      text: 'look',
      media_type: 'photo',
      file_id: 'large',
      reply_to_message_id: 7,
    });
  });

  it('lists newest first by date and then by id', async () => {
    await keep(
      { message_id: 1, date: 100 },
      { message_id: 2, date: 300 },
      { message_id: 4, date: 200 },
      { message_id: 3, date: 200 },
    );
    expect(await ids()).toEqual([2, 4, 3, 1]);
    expect(await ids({ limit: 2 })).toEqual([2, 4]);
    expect(await ids({ limit: 2, offset: 1 })).toEqual([4, 3]);
    expect(await ids({ offset: 4 })).toEqual([]);
  });

  it('keeps bots and chats apart', async () => {
    const other = (await store.bots.insert({ token: '2:b', source: 'web' }, 1)).id;
    await keep({ message_id: 1, date: 1 }, { message_id: 1, date: 1, chat: { id: 9 } });
    await store.messages.archive([archived(other, { chat, message_id: 2, date: 1 })], 1);
    expect(await ids()).toEqual([1]);
  });

  it('pages by message without gaps or repeats', async () => {
    await keep(
      ...[5, 3, 9, 1, 7, 2].map((id) => ({ message_id: id, date: 100 + Math.floor(id / 3) })),
    );
    const whole = await ids();
    const walked: number[] = [];
    let page = await store.messages.list({ botId, chatId: chat.id, limit: 2, offset: 0 });
    while (page.length > 0) {
      walked.push(...page.map((message) => message.id));
      const beforeId = walked.at(-1) as number;
      page =
        (await store.messages.listBefore({
          botId,
          chatId: chat.id,
          limit: 2,
          offset: 0,
          beforeId,
        })) ?? [];
    }
    expect(walked).toEqual(whole);
    expect(
      await store.messages.listBefore({
        botId,
        chatId: chat.id,
        limit: 2,
        offset: 0,
        beforeId: 77,
      }),
    ).toBeUndefined();
  });

  it('reads a page by one scan of its index', async () => {
    const explain = dialect === 'sqlite' ? 'explain query plan' : 'explain';
    const plan = await store.engine.readRaw(
      `${explain} select id from messages where bot_id = 1 and chat_id = 2 order by date desc, id desc limit 50`,
      [],
    );
    const text = JSON.stringify(plan);
    expect(text).toContain('messages_newest');
    expect(text).not.toMatch(/temp b-tree|Sort/i);
  });
});
