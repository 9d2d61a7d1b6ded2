import { beforeEach, describe, expect, it } from 'vitest';
import { localCaller } from '../../src/core/access/access.ts';
import { type IncomingUpdate, readUpdate } from '../../src/core/log/update-facts.ts';
import { readAnswer } from '../../src/core/messages/answer-facts.ts';
import { createMessageService } from '../../src/manage/messages/messages.ts';
import { createTopicService } from '../../src/manage/people/topics.ts';
import type { Store } from '../../src/store/store.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { dialects } from '../support/database/engines.ts';
import { openStore } from '../support/database/store.ts';

const forum = { id: -1001, type: 'supergroup', title: 'Team', is_forum: true };
const ann = { id: 5000, is_bot: false, first_name: 'Ann' };
const inTopic = (id: number) => ({ message_thread_id: id, is_topic_message: true });
const opening = (id: number, name: string) => ({
  reply_to_message: {
    message_id: id,
    from: { id: 900, is_bot: true, first_name: 'Bot' },
    forum_topic_created: { name, icon_color: 7322096 },
  },
});

describe.each(dialects)('topics on %s', (dialect) => {
  let store: Store;
  let botId: number;
  let updateId = 0;

  beforeEach(async () => {
    store = await openStore(dialect);
    const bot = { token: '1:a', source: 'web', manage_enabled: true } as const;
    botId = (await store.bots.insert(bot, 1)).id;
  });

  async function receive(
    id: number,
    message: object,
    chat: object = forum,
    kind = 'message',
  ): Promise<IncomingUpdate> {
    const update = {
      update_id: ++updateId,
      [kind]: { message_id: id, date: id, chat, from: ann, ...message },
    };
    const incoming = readUpdate(JSON.stringify(update), update, 1_000) as IncomingUpdate;
    await store.log.append(() => [{ botId, updates: [incoming], receivedAt: 1_000 }]);
    return incoming;
  }
  const answered = (method: string, params: object, result: unknown = true, nowMs = 2_000) => {
    const { archive: facts } = readAnswer(method, { chat_id: forum.id, ...params }, result);
    return store.messages.archive([{ botId, facts, origin: 'gateway', position: 0 }], nowMs);
  };
  const topics = (query: object = {}) =>
    createTopicService({ store }).list(localCaller, {
      bot_id: botId,
      chat_id: forum.id,
      limit: 50,
      ...query,
    });
  const names = async (query: object = {}) => (await topics(query)).map(({ name }) => name);
  const messages = async (query: object) => {
    const service = createMessageService({
      store,
      sender: {} as never,
      scheduled: {} as never,
      clock: createManualClock(),
    });
    const page = { bot_id: botId, chat_id: forum.id, limit: 50, offset: 0, ...query };
    return (await service.list(localCaller, page)).map(({ id }) => id);
  };

  it('are learned from service messages', async () => {
    const created = { name: 'Refunds', icon_color: 7322096, icon_custom_emoji_id: 'e1' };
    await receive(4, { ...inTopic(4), forum_topic_created: created });
    await receive(5, { ...inTopic(4), text: 'hello' });
    expect(await topics()).toEqual([
      {
        bot_id: botId,
        chat_id: forum.id,
        message_thread_id: 4,
        name: 'Refunds',
        icon_color: 7322096,
        icon_custom_emoji_id: 'e1',
        closed: false,
        hidden: false,
        gone: false,
        last_message_at: '1970-01-01T00:00:05.000Z',
        last_message: expect.objectContaining({ id: 5, text: 'hello', first_name: 'Ann' }),
        cursor: '5000:4',
      },
    ]);
    // Telegram shows messages in topics as replies to the opening.
    const later = { ...inTopic(4), ...opening(4, 'Refunds') };
    await receive(6, { ...later, forum_topic_edited: { icon_custom_emoji_id: '' } });
    await receive(7, { ...later, forum_topic_edited: { name: 'Money' } });
    await receive(8, { ...later, forum_topic_closed: {} });
    expect(await topics()).toMatchObject([
      { name: 'Money', icon_color: 7322096, icon_custom_emoji_id: '', closed: true },
    ]);
    await receive(9, { ...later, forum_topic_reopened: {} });
    expect(await topics()).toMatchObject([{ closed: false }]);
    await receive(10, { general_forum_topic_hidden: {} });
    expect(await topics({ q: 'general' })).toMatchObject([
      { message_thread_id: 1, name: 'General', hidden: true },
    ]);
  });

  it('are known from their first message on, which is no reply, and keep later names', async () => {
    const first = await receive(5, { ...inTopic(4), ...opening(4, 'Old'), text: 'x' });
    expect(first.repliesTo).toBeUndefined();
    const [message] = await store.messages.list({ botId, chatId: -1001, limit: 1, offset: 0 });
    expect(message).toMatchObject({ id: 5, message_thread_id: 4 });
    expect(message).not.toHaveProperty('reply_to_message_id');
    expect(await names()).toEqual(['Old']);
    await receive(6, { ...inTopic(4), forum_topic_edited: { name: 'New' } });
    await receive(7, { ...inTopic(4), ...opening(4, 'Old'), text: 'y' });
    expect(await names()).toEqual(['New']);
  });

  it('are learned from answers, and gone once deleted', async () => {
    await receive(3, { text: 'in General' });
    const made = { message_thread_id: 9, name: 'Made', icon_color: 7 };
    await answered('createForumTopic', { name: 'Made' }, made);
    expect(await topics({ q: '9' })).toMatchObject([{ name: 'Made', icon_color: 7, gone: false }]);
    await answered('EditForumTopic', { message_thread_id: '9', name: 'Edited' });
    await answered('closeForumTopic', { message_thread_id: 9 });
    expect(await topics({ q: 'edit' })).toMatchObject([{ closed: true }]);
    await answered('reopenForumTopic', { message_thread_id: 9 });
    await answered('hideGeneralForumTopic', {});
    await answered('deleteForumTopic', { message_thread_id: 9 });
    expect(await topics()).toMatchObject([
      { message_thread_id: 1, closed: true, hidden: true, gone: false },
      { message_thread_id: 9, closed: false, hidden: false, gone: true },
    ]);
    // People still write into old topics of large groups; a message of the bot proves that it can.
    await receive(10, { ...inTopic(9), text: 'x' });
    expect(await topics({ q: '9' })).toMatchObject([{ gone: true }]);
    const sent = { message_id: 11, date: 11, chat: forum, ...inTopic(9), text: 'y' };
    await answered('sendMessage', {}, sent);
    expect(await topics({ q: '9' })).toMatchObject([{ gone: false }]);
  });

  it('page and search like chats', async () => {
    for (const id of [4, 5, 6])
      await receive(id, { ...inTopic(id), forum_topic_created: { name: `T${id}` } });
    const [first] = await topics({ limit: 1 });
    expect(first).toMatchObject({ name: 'T6' });
    expect(await names({ before: first?.cursor })).toEqual(['T5', 'T4']);
    expect(await names({ q: 't4' })).toEqual(['T4']);
    expect(await names({ q: '5' })).toEqual(['T5']);
    await expect(topics({ chat_id: 77 })).rejects.toMatchObject({ code: 'chat_not_found' });
  });

  it('filter the messages of a chat', async () => {
    await receive(3, { text: 'in General' });
    await receive(4, { ...inTopic(4), forum_topic_created: { name: 'A' } });
    await receive(5, { message_thread_id: 3, text: 'a reply in General' });
    await receive(6, { ...inTopic(4), text: 'a' });
    await receive(7, { ...inTopic(8), text: 'b' });
    expect(await messages({})).toEqual([7, 6, 5, 4, 3]);
    expect(await messages({ message_thread_id: 4 })).toEqual([6, 4]);
    expect(await messages({ message_thread_id: 1 })).toEqual([5, 3]);
    expect(await messages({ message_thread_id: 4, before_id: 6 })).toEqual([4]);
    expect(await messages({ message_thread_id: 4, limit: 1, offset: 1 })).toEqual([4]);
    expect(await messages({ message_thread_id: 99 })).toEqual([]);
    const newest = await store.messageHistory.get({ botId, chatId: forum.id, id: 6 });
    if (!newest) throw new Error('the message is not stored');
    const around = await store.messageHistory.around(newest, 5, 5, 4);
    expect(around.map(({ id }) => id)).toEqual([4, 6]);
  });

  it('of private chats have presses, too, and replies outside of forums are in none', async () => {
    const chat = { id: 5000, type: 'private', first_name: 'Ann' };
    await receive(4, { ...inTopic(2), text: 'x' }, chat);
    const pressed = { message_id: 5, date: 5, chat, ...inTopic(2) };
    await receive(0, { id: 'q', message: pressed, data: 'd' }, chat, 'callback_query');
    await receive(6, { text: 'in no topic' }, chat);
    expect(await messages({ chat_id: 5000, message_thread_id: 2 })).toHaveLength(2);
    expect(await messages({ chat_id: 5000, message_thread_id: 1 })).toEqual([]);
    const group = { id: -1002, type: 'supergroup', title: 'No forum' };
    await receive(7, { message_thread_id: 3, text: 'a reply' }, group);
    expect(await topics({ chat_id: -1002 })).toEqual([]);
    expect(await store.chats.get(botId, -1002)).toMatchObject({ has_topics: 0 });
    expect(await store.chats.get(botId, 5000)).toMatchObject({ has_topics: 1 });
  });

  it('are forgotten with their chat, and deleted with their bot', async () => {
    await receive(4, { ...inTopic(4), text: 'x' });
    while (!(await store.chats.forget(botId, forum.id, 1)));
    await expect(topics()).rejects.toMatchObject({ code: 'chat_not_found' });
    await receive(5, { ...inTopic(4), ...opening(4, 'Back'), text: 'x' });
    expect(await names()).toEqual(['Back']);
    await store.bots.remove(botId);
    expect(await store.topics.list(botId, forum.id, undefined, 9)).toEqual([]);
  });
});
