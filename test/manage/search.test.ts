import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SearchAnswer } from '../../src/manage/messages/message-lookup.ts';
import { dialects } from '../support/database/engines.ts';
import {
  type Caller,
  type ManagedBot,
  type ManagedChats,
  startManagedChats,
} from '../support/rigs/managed-chats.ts';
import { advanceUntil } from '../support/manual-clock.ts';
import { archived } from '../support/database/store.ts';

describe.each(dialects)('search on %s', (dialect) => {
  let chats: ManagedChats;
  let reader: Caller;
  let bot: ManagedBot;
  const team = { id: -1_001_111, type: 'supergroup', title: 'Team' };
  const ann = { id: 501, is_bot: false, first_name: 'Ann' };
  const bob = { id: 502, is_bot: false, first_name: 'Bob' };

  const store = async (messages: Record<string, unknown>[], of = bot) => {
    await chats.store.messages.archive(
      messages.map((message) => archived(of.id, { chat: team, from: ann, ...message })),
      1,
    );
    await chats.management.indexer.catchUp();
  };
  const search = async (q: string, more = '', of = bot) => {
    const url = `/api/messages/search?bot_id=${of.id}&q=${encodeURIComponent(q)}${more}`;
    return (await reader.get<SearchAnswer>(url)).body;
  };
  const ids = async (q: string, more = '') => (await search(q, more)).messages.map(({ id }) => id);

  beforeAll(async () => {
    chats = await startManagedChats(dialect);
    reader = await chats.asUser('read');
    bot = await chats.addManagedBot();
    const texts = [
      'Верните деньги за Заказ 4711, пожалуйста',
      'The refund for your order is on its way',
      '我们明天去北京开会',
      '北方有佳人，京城遥远',
      'Ёлка и café crème',
      'a plain ok',
      'pre-order OKAY?',
    ];
    await store([
      ...texts.map((text, index) => ({ message_id: index + 1, date: 1_000 + index, text })),
      {
        message_id: 8,
        date: 1_008,
        from: bob,
        chat: { id: -1_002_222, type: 'supergroup', title: 'Other' },
        caption: 'photo of the order',
        photo: [{ file_id: 'p', file_unique_id: 'p', width: 1, height: 1 }],
      },
    ]);
  });
  afterAll(() => chats.close());

  it('names the chat of each message', async () => {
    const { messages } = await search('order');
    expect(messages.map(({ chat_title }) => chat_title)).toEqual(['Other', team.title, team.title]);
  });

  it.each([
    ['words whatever their case', 'заказ', [1]],
    ['parts of words', 'аказ', [1]],
    ['parts of Latin words', 'efun', [2]],
    ['several words in any order', 'way refund', [2]],
    ['only messages with all words', 'refund деньги', []],
    ['two Chinese characters that stand together', '北京', [3]],
    ['longer Chinese', '去北京开', [3]],
    ['one Chinese character', '北', [4, 3]],
    ['without accents', 'cafe creme', [5]],
    ['е for ё', 'елка', [5]],
    ['beginnings of two letters', 'ok', [7, 6]],
    ['digits', '4711', [1]],
    ['numbers in part', '471', [1]],
    ['newest first', 'order', [8, 7, 2]],
    ['nothing that is not there', 'refunded', []],
  ])('finds %s', async (_what, q, expected) => {
    expect(await ids(q)).toEqual(expected);
  });

  it('filters by chat, person, media and time', async () => {
    expect(await ids('order', `&chat_id=${team.id}`)).toEqual([7, 2]);
    expect(await ids('order', `&user_id=${bob.id}`)).toEqual([8]);
    expect(await ids('order', '&media_type=photo')).toEqual([8]);
    expect(await ids('order', '&media_type=text')).toEqual([7, 2]);
    expect(await ids('order', '&from=1002&to=1007')).toEqual([7]);
  });

  it('shows where the words are, in the text as it was written', async () => {
    const { messages } = await search('creme ЁЛ');
    const { snippet } = messages[0] as SearchAnswer['messages'][number];
    const marked = snippet.highlights.map(({ offset, length }) =>
      snippet.text.slice(offset, offset + length),
    );
    expect(marked).toEqual(['Ёл', 'crème']);
  });

  it('pages without gaps or repeats', async () => {
    const found: number[] = [];
    for (let cursor = '', pages = 0; pages < 5; pages++) {
      const page = await search('order', `&limit=1${cursor}`);
      found.push(...page.messages.map(({ id }) => id));
      if (page.next === '') break;
      cursor = `&cursor=${page.next}`;
    }
    expect(found).toEqual([8, 7, 2]);
  });

  it('follows edits, and forgets what a deleted bot had', async () => {
    const counting =
      dialect === 'sqlite'
        ? 'select count(*) as n from message_search_docsize'
        : 'select count(*) as n from message_search';
    const indexed = () => chats.engine.readRaw(counting, []);
    const others = await indexed();
    const other = await chats.addManagedBot();
    await store([{ message_id: 1, date: 5, text: 'before' }], other);
    expect(await indexed()).not.toEqual(others);
    await store([{ message_id: 1, date: 5, edit_date: 6, text: 'afterwards' }], other);
    expect((await search('before', '', other)).messages).toEqual([]);
    expect((await search('afterwards', '', other)).messages).toMatchObject([{ edited_at: 6 }]);
    await chats.store.bots.remove(other.id);
    expect(
      await chats.engine.readRaw('select bot_id from messages where bot_id = $1', [other.id]),
    ).toEqual([]);
    expect(await indexed()).toEqual(others);
  });

  it('finds what was stored before management was switched on', async () => {
    const late = await chats.addManagedBot({ manage_enabled: false });
    await store(
      Array.from({ length: 250 }, (_, index) => ({
        message_id: index + 1,
        date: 10 + index,
        text: `early bird ${index}`,
      })),
      late,
    );
    await chats.store.bots.update(late.id, { manage_enabled: true }, 1);
    await chats.management.indexer.catchUp();
    const page = await search('early', '&limit=200', late);
    expect(page.messages).toHaveLength(200);
    const [chat] = (await reader.get<{ message_count: number }[]>(`/api/chats?bot_id=${late.id}`))
      .body;
    expect(chat?.message_count).toBe(250);
  });

  it('finds new messages by itself once the service listens', async () => {
    await chats.app.listen({ host: '127.0.0.1', port: 0 });
    const entry = archived(bot.id, {
      message_id: 900,
      date: 2_000,
      chat: team,
      from: ann,
      text: 'serendipity',
    });
    await chats.store.messages.archive([entry], 1);
    await advanceUntil(chats.clock, async () => (await ids('serendip')).length > 0, 100);
    expect(await ids('serendip')).toEqual([900]);
  });

  it('refuses a question without a word', async () => {
    const url = `/api/messages/search?bot_id=${bot.id}&q=${encodeURIComponent('?!')}`;
    expect(await reader.get(url)).toMatchObject({
      status: 400,
      body: { details: [{ field: 'q' }] },
    });
  });
});
