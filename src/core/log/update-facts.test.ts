import { describe, expect, it } from 'vitest';
import { updateKinds } from './update-kinds.ts';
import { readUpdate } from './update-facts.ts';

const receivedAt = 1_700_000_000_000;
const read = (update: object) => {
  const facts = readUpdate(JSON.stringify(update), update, receivedAt);
  if (!facts) throw new Error('no update');
  return facts;
};
const ann = { id: 7, is_bot: false, first_name: 'Ann' };
const ben = { id: 8, is_bot: false, first_name: 'Ben', username: 'ben' };
const group = { id: -100, type: 'supergroup', title: 'Tea' };
const inGroup = { message_id: 3, date: 1_699_999_999, chat: group, from: ann };

/** A payload of each kind, and the queue that it must get. */
const payloads: Record<(typeof updateKinds)[number], [payload: object, queue: string]> = {
  message: [inGroup, 'c-100'],
  edited_message: [inGroup, 'c-100'],
  channel_post: [{ ...inGroup, from: undefined }, 'c-100'],
  edited_channel_post: [inGroup, 'c-100'],
  business_connection: [{ id: 'b', user: ann }, 'u7'],
  business_message: [inGroup, 'c-100'],
  edited_business_message: [inGroup, 'c-100'],
  deleted_business_messages: [{ chat: group, message_ids: [1] }, 'c-100'],
  guest_message: [{ ...inGroup, guest_query_id: 'q1' }, 'gq1'],
  stopped_message_generation: [{ chat: group, draft_id: 1 }, 's-100'],
  message_reaction: [{ chat: group, user: ann }, 'c-100'],
  message_reaction_count: [{ chat: group }, 'c-100'],
  inline_query: [{ from: ann }, 'u7'],
  chosen_inline_result: [{ from: ann }, 'u7'],
  callback_query: [{ from: ann, message: inGroup }, 'u7'],
  shipping_query: [{ from: ann }, 'u7'],
  pre_checkout_query: [{ from: ann }, 'u7'],
  purchased_paid_media: [{ from: ann }, 'u7'],
  poll: [{ id: '1' }, 'other'],
  poll_answer: [{ poll_id: '1', user: ann }, 'u7'],
  my_chat_member: [{ chat: group, from: ann }, 'c-100'],
  chat_member: [{ chat: group, from: ann }, 'c-100'],
  chat_join_request: [{ chat: group, from: ann }, 'c-100'],
  chat_boost: [{ chat: group }, 'c-100'],
  removed_chat_boost: [{ chat: group }, 'c-100'],
  managed_bot: [{ user: ann }, 'u7'],
  subscription: [{ user: ann }, 'u7'],
};

describe('an update', () => {
  it.each(updateKinds)('of kind %s is ordered within what it belongs to', (kind) => {
    const [payload, queue] = payloads[kind];
    expect(read({ update_id: 1, [kind]: payload })).toMatchObject({ updateId: 1, kind, queue });
  });

  it('of a kind that nobody knows yet keeps its name, and its place where one can be seen', () => {
    expect(read({ update_id: 1, telepathy: { chat: group } })).toMatchObject({
      kind: 'telepathy',
      queue: 'c-100',
    });
    expect(read({ update_id: 1, telepathy: { message: inGroup } }).queue).toBe('c-100');
    expect(read({ update_id: 1 })).toMatchObject({ kind: 'unknown', queue: 'other' });
    expect(readUpdate('[]', [], 0)).toBeUndefined();
    expect(readUpdate('{}', { message: inGroup }, 0)).toBeUndefined();
  });

  it.each([-5, 0, 1.5, 2 ** 53, '7'])('with the number %s is none', (update_id) => {
    expect(readUpdate('{}', { update_id, message: inGroup }, 0)).toBeUndefined();
  });

  it('tells who came into a chat and who left it', () => {
    const { archive } = read({
      update_id: 1,
      message: { ...inGroup, new_chat_members: [ben, 'nobody'], left_chat_member: ann },
    });
    expect(archive.memberships).toEqual([
      { chatId: -100, userId: 8, status: 'member', isSelf: false },
      { chatId: -100, userId: 7, status: 'left', isSelf: false },
    ]);
    expect(archive.people.map(({ userId }) => userId)).toEqual([7, 8, 7]);
  });

  it('tells whether it is the bot itself whose membership changed', () => {
    const change = { chat: group, from: ann, new_chat_member: { status: 'kicked', user: ben } };
    const changed = (kind: string) => read({ update_id: 1, [kind]: change }).archive.memberships;
    expect(changed('chat_member')).toEqual([
      { chatId: -100, userId: 8, status: 'kicked', isSelf: false },
    ]);
    expect(changed('my_chat_member')).toMatchObject([{ isSelf: true }]);
  });

  it('tells of a group that became a supergroup, from either side', () => {
    const moved = { fromChatId: -5, toChatId: -100 };
    const old = { ...inGroup, chat: { ...group, id: -5 }, migrate_to_chat_id: -100 };
    expect(read({ update_id: 1, message: old }).archive.migration).toEqual(moved);
    const next = { ...inGroup, migrate_from_chat_id: -5 };
    expect(read({ update_id: 2, message: next }).archive.migration).toEqual(moved);
  });

  it('tells who asks and who answers in a chat of a business account', () => {
    const chat = { id: 7, type: 'private', first_name: 'Ann' };
    const said = { ...inGroup, chat, business_connection_id: 'b' };
    const does = (more: object) =>
      read({ update_id: 1, business_message: { ...said, ...more } }).archive.turn?.does;
    expect(does({ text: 'Hi' })).toBe('asks');
    expect(does({ text: 'Hello', from: ben })).toBe('answers');
    // A bot, or an automatic greeting of the account.
    const bot = { id: 9, is_bot: true, first_name: 'Bot' };
    expect(does({ text: 'Hello', from: ben, sender_business_bot: bot })).toBeUndefined();
    expect(does({ text: 'Back soon', from: ben, is_from_offline: true })).toBeUndefined();
  });

  it('keeps a pressed button as a message that belongs to the one with the button', () => {
    const query = { id: '1', from: ann, message: inGroup, data: 'buy' };
    expect(read({ update_id: 1, callback_query: query }).archive.messages).toMatchObject([
      {
        chatId: -100,
        id: 'from-position',
        userId: 7,
        text: 'buy',
        date: 1_700_000_000,
        mediaType: 'callback',
        replyToMessageId: 3,
      },
    ]);
  });
});
