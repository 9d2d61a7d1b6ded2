import { beforeEach, describe, expect, it } from 'vitest';
import { reason } from '../../src/core/reasons/reason.ts';
import { readUpdate } from '../../src/core/log/update-facts.ts';
import type { ArchiveEntry } from '../../src/core/messages/archive-facts.ts';
import { readAnswer } from '../../src/core/messages/answer-facts.ts';
import type { Store } from '../../src/store/store.ts';
import { endConversation } from '../../src/store/desks/desk-ratings.ts';
import { dropTurn } from '../../src/store/messages/conversation-turns.ts';
import { dialects } from '../support/database/engines.ts';
import { openStore } from '../support/database/store.ts';

const ann = { id: 5000, is_bot: false, first_name: 'Ann' };
const chat = { id: ann.id, type: 'private', first_name: 'Ann' };
const owner = { id: 6000, is_bot: false, first_name: 'Olga' };
const menu = { inline_keyboard: [[{ text: 'Talk to a person', callback_data: 'a:17' }]] };
const olga = { kind: 'user', id: 3, name: 'olga' } as const;

describe.each(dialects)('the turns of a conversation on %s', (dialect) => {
  let store: Store;
  let botId: number;
  let position = 0;

  beforeEach(async () => {
    store = await openStore(dialect);
    const bot = { token: '1:a', source: 'web', manage_enabled: true } as const;
    ({ id: botId } = await store.bots.insert(bot, 1));
    await store.bots.update(botId, { handoff: ['/agent', 'Talk to a person'] }, 1);
  });

  function update(kind: string, content: object, at: number): ArchiveEntry {
    const received = { update_id: ++position, [kind]: content };
    const read = readUpdate(JSON.stringify(received), received, at * 1_000);
    if (!read) throw new Error('the update is unreadable');
    return { botId, facts: read.archive, origin: 'received', position };
  }
  const asks = (id: number, text: string, more: object = {}) =>
    update('message', { message_id: id, date: id, chat, from: ann, text, ...more }, id);
  const presses = (message_id: number, data: string, at: number) => {
    const message = { message_id, date: 1, chat, reply_markup: menu, text: 'Menu' };
    return update('callback_query', { id: `p${at}`, from: ann, data, message }, at);
  };
  function answers(id: number, by: Pick<ArchiveEntry, 'answeredBy' | 'author'>, more = {}) {
    const from = { id: 1, is_bot: true, first_name: 'Shop' };
    const result = { message_id: id, date: id, chat, from, text: 'Here', ...more };
    const { archive: facts } = readAnswer('sendMessage', { chat_id: ann.id }, result);
    return { botId, facts, origin: 'gateway', position: 0, ...by } satisfies ArchiveEntry;
  }
  const person = { answeredBy: 'person', author: olga } as const;
  const automatic = { answeredBy: 'automatic' } as const;
  const commit = (...entries: ArchiveEntry[]) => store.messages.archive(entries, 1);
  async function state() {
    const { is_done, needs_person, unanswered_since } = (await store.chats.get(botId, ann.id)) as {
      is_done: number;
      needs_person?: number;
      unanswered_since: number;
    };
    return { is_done, needs_person, since: unanswered_since / 1_000 };
  }

  const decide = (messageId: number, at: number) =>
    store.engine.write(function* () {
      yield* store.routing.decisions.add([dropped(messageId, at)]);
      return yield* dropTurn(botId, at);
    });
  const dropped = (messageId: number, at: number) => ({
    botId,
    position: at,
    chatId: ann.id,
    messageId,
    outcome: 'dropped' as const,
    reason: reason('superseded', { position: 1 }),
    updateId: at,
    connection: '',
    userId: ann.id,
    asked: '',
    matched: '[]',
    createdAt: 1,
  });

  it('are the same in one commit as in several', async () => {
    await commit(asks(10, 'Hello?'), answers(11, person));
    expect(await state()).toEqual({ is_done: 0, needs_person: 0, since: 0 });
    await store.conversations.setState({ botId, chatId: ann.id, threadId: 0 }, 'done');
    await commit(asks(12, 'Hello?'), answers(13, automatic));
    expect(await state()).toMatchObject({ is_done: 1, since: 0 });
    await commit(answers(14, person));
    expect(await state()).toMatchObject({ is_done: 1 });
    await commit(asks(15, 'And?'), answers(16, person), asks(17, 'Also,'), asks(18, 'this'));
    expect(await state()).toMatchObject({ is_done: 0, since: 17 });
  });

  it('wait for a person after a press of a handoff button, by its label or its data', async () => {
    await commit(answers(10, automatic, { reply_markup: menu }));
    await commit(presses(10, 'a:17', 11));
    await commit(answers(12, automatic));
    expect(await state()).toMatchObject({ needs_person: 1, since: 11 });
    await commit(answers(13, person));
    expect(await state()).toMatchObject({ is_done: 0, needs_person: 0, since: 0 });
  });

  it('wait since the first question, which a later one wakes and may hand over', async () => {
    const conversation = { botId, chatId: ann.id, threadId: 0 };
    await commit(asks(10, 'Hello?'));
    await store.conversations.snooze(conversation, 1_000_000);
    expect(await store.chats.get(botId, ann.id)).toMatchObject({ snoozed_until: 1_000_000 });
    await commit(asks(11, 'Are you there?'));
    expect(await store.chats.get(botId, ann.id)).toMatchObject({
      message_count: 2,
      snoozed_until: 0,
    });
    expect(await state()).toMatchObject({ needs_person: 0, since: 10 });
    await commit(asks(12, '/agent'));
    expect(await state()).toMatchObject({ needs_person: 1, since: 10 });
    await commit(asks(13, 'Please'));
    expect(await state()).toMatchObject({ needs_person: 1, since: 10 });
    expect(await store.chats.get(botId, ann.id)).toMatchObject({ message_count: 4 });
  });

  it('are not answered by the message whose button is pressed before it is stored', async () => {
    await commit(presses(10, 'more', 11));
    await commit(answers(10, automatic, { reply_markup: menu }));
    expect(await state()).toMatchObject({ since: 11 });
    await commit(answers(12, automatic, { reply_markup: menu }));
    expect(await state()).toMatchObject({ since: 0 });
  });

  it('are answered by the owner of a business account, not by their bot or greeting', async () => {
    const business = (id: number, from: object, more: object = {}) => {
      const content = { message_id: id, date: id, chat, from, text: 'Hi', ...more };
      return update('business_message', { ...content, business_connection_id: 'b1' }, id);
    };
    await commit(business(10, ann));
    await commit(business(11, owner, { is_from_offline: true }));
    expect(await state()).toMatchObject({ since: 10 });
    await commit(business(12, owner));
    expect(await state()).toMatchObject({ is_done: 0, since: 0 });
  });

  it('go on with the next question after one that was dropped, and /start or joining is none', async () => {
    await commit(asks(10, 'casino'), asks(11, '/start'), asks(12, 'casino'));
    await commit(
      asks(13, '', { text: undefined, pinned_message: { message_id: 1, date: 0, chat } }),
    );
    await commit(asks(14, 'Are you open?'));
    await decide(12, 3);
    expect(await state()).toMatchObject({ since: 10 });
    const whole = { botId, chatId: ann.id, threadId: 0 };
    expect(await decide(10, 1)).toEqual(whole);
    expect(await state()).toMatchObject({ since: 14 });
    expect(await decide(14, 4)).toEqual(whole);
    expect(await state()).toMatchObject({ is_done: 1, since: 0 });
  });

  it('are those of a topic if the bot has per_topic, also of a press and after a drop', async () => {
    await store.bots.update(botId, { per_topic: true }, 1);
    const inTopic = (id: number) => ({ message_thread_id: id, is_topic_message: true });
    const topic = async (threadId: number) => {
      const row = await store.chats.get(botId, ann.id, threadId);
      return row && { is_done: row.is_done, since: row.unanswered_since / 1_000 };
    };
    await commit(asks(10, 'casino', inTopic(3)), asks(11, 'Hello', inTopic(4)), asks(12, 'Out'));
    await commit(asks(13, 'Hello again', inTopic(3)), answers(14, person, inTopic(4)));
    expect(await topic(3)).toEqual({ is_done: 1, since: 10 });
    expect(await topic(4)).toEqual({ is_done: 0, since: 0 });
    expect(await state()).toMatchObject({ is_done: 1, since: 12 });
    // The next message of the topic counts, not that of another one.
    expect(await decide(10, 1)).toEqual({ botId, chatId: ann.id, threadId: 3 });
    expect(await topic(3)).toEqual({ is_done: 1, since: 13 });
    expect(await decide(12, 3)).toEqual({ botId, chatId: ann.id, threadId: 0 });
    expect(await state()).toMatchObject({ since: 0 });

    const message = { message_id: 14, date: 1, chat, text: 'Menu', ...inTopic(4) };
    const press = { id: 'p', from: ann, data: 'a', message };
    await commit(update('callback_query', press, 15));
    expect(await topic(4)).toEqual({ is_done: 0, since: 15 });
    await commit(answers(16, automatic, inTopic(4)));
    expect(await topic(4)).toEqual({ is_done: 0, since: 0 });
    // What a person of the desk finishes is finished in all topics of the customer.
    await store.engine.write(() => endConversation(() => 'n', { botId, chatId: ann.id }, 1));
    expect([await topic(3), await topic(4)]).toEqual([
      { is_done: 1, since: 0 },
      { is_done: 1, since: 0 },
    ]);
  });

  it('are forgotten with the chat', async () => {
    await commit(asks(10, '/agent'));
    expect(await state()).toMatchObject({ needs_person: 1, since: 10 });
    while (!(await store.chats.forget(botId, ann.id, 100)));
    await commit(asks(11, '/start'));
    expect(await state()).toEqual({ is_done: 1, needs_person: 0, since: 0 });
    expect(await store.chats.get(botId, ann.id)).toMatchObject({ assignee: '' });
  });
});
