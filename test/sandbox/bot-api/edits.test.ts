import type { MessageId } from '@grammyjs/types';
import { describe, expect, test } from 'vitest';
import { createManualClock } from '../../../sandbox/src/clock.ts';
import { pending } from '../helpers.ts';
import { chatting } from '../support/scenes.ts';

const keyboard = { inline_keyboard: [[{ text: 'A', callback_data: 'a' }]] };

describe('editing', () => {
  test('text, keyboard, and what is refused', async () => {
    const { api, ann, sandbox, bot } = await chatting();
    const sent = await api.ok('sendMessage', {
      chat_id: ann.id,
      text: 'one',
      reply_markup: keyboard,
    });
    const at = { chat_id: ann.id, message_id: sent.message_id };
    const same =
      'Bad Request: message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message';
    expect(
      await api.refused('editMessageText', { ...at, text: 'one', reply_markup: keyboard }),
    ).toBe(same);
    expect(await api.refused('editMessageReplyMarkup', { ...at, reply_markup: keyboard })).toBe(
      same,
    );
    const edited = await api.ok('editMessageText', {
      ...at,
      text: '*two*',
      parse_mode: 'MarkdownV2',
    });
    expect(edited).toMatchObject({
      text: 'two',
      entities: [{ type: 'bold' }],
      edit_date: expect.any(Number),
    });
    expect(edited.reply_markup).toBeUndefined();
    const marked = await api.ok('editMessageReplyMarkup', { ...at, reply_markup: keyboard });
    expect(marked).toMatchObject({ text: 'two', reply_markup: keyboard });
    expect(
      await api.refused('editMessageText', { chat_id: ann.id, message_id: 99, text: 'x' }),
    ).toBe('Bad Request: message to edit not found');
    expect(
      await api.refused('editMessageText', { chat_id: ann.id, message_id: 1, text: 'x' }),
    ).toBe("Bad Request: message can't be edited");
    expect(await api.refused('editMessageCaption', { ...at, caption: 'x' })).toBe(
      'Bad Request: there is no caption in the message to edit',
    );
    expect(await api.refused('editMessageText', { inline_message_id: 'nope', text: 'x' })).toBe(
      'Bad Request: MESSAGE_ID_INVALID',
    );
    const dice = await api.ok('sendDice', { chat_id: ann.id });
    expect(
      await api.refused('editMessageText', {
        chat_id: ann.id,
        message_id: dice.message_id,
        text: 'x',
      }),
    ).toBe('Bad Request: there is no text in the message to edit');
    // The bot gets no update about its own edit.
    expect((await pending(api)).map((update) => Object.keys(update)[1])).toEqual(['message']);
    expect(sandbox.history(ann, bot).filter((shown) => shown.message.text === 'two')).toHaveLength(
      1,
    );
  });

  test('a live location moves and stops', async () => {
    const { api, ann } = await chatting();
    const sent = await api.ok('sendLocation', {
      chat_id: ann.id,
      latitude: 1,
      longitude: 2,
      live_period: 900,
    });
    const at = { chat_id: ann.id, message_id: sent.message_id };
    const moved = await api.ok('editMessageLiveLocation', {
      ...at,
      latitude: 3,
      longitude: 4,
      heading: 90,
    });
    expect(moved.location).toMatchObject({
      latitude: 3,
      longitude: 4,
      heading: 90,
      live_period: 900,
    });
    expect((await api.ok('stopMessageLiveLocation', at)).location).toEqual({
      latitude: 3,
      longitude: 4,
    });
    expect(await api.refused('stopMessageLiveLocation', at)).toBe(
      "Bad Request: message can't be edited",
    );
  });
});

describe('deleting and pinning', () => {
  test('own messages, old messages, and those of others', async () => {
    const clock = createManualClock();
    const { api, ann, sandbox, bot } = await chatting({ clock });
    const sent = await api.ok('sendMessage', { chat_id: ann.id, text: 'x' });
    expect(await api.ok('deleteMessage', { chat_id: ann.id, message_id: sent.message_id })).toBe(
      true,
    );
    expect(
      await api.refused('deleteMessage', { chat_id: ann.id, message_id: sent.message_id }),
    ).toBe('Bad Request: message to delete not found');
    expect(await api.refused('deleteMessage', { chat_id: ann.id })).toBe(
      'Bad Request: message identifier is not specified',
    );
    const group = sandbox.createChat({ title: 'G', owner: ann, members: [bot] });
    const message = sandbox.say(ann, group, 'mine');
    const inGroup = { chat_id: group.id, message_id: message.message_id };
    expect(await api.refused('deleteMessage', inGroup)).toBe(
      "Bad Request: message can't be deleted",
    );
    sandbox.promote(ann, group, bot, { can_delete_messages: true });
    expect(await api.ok('deleteMessage', inGroup)).toBe(true);
    clock.advance(49 * 3_600_000);
    expect(await api.refused('deleteMessage', { chat_id: ann.id, message_id: 1 })).toBe(
      "Bad Request: message can't be deleted for everyone",
    );
    const ids = [1, 2, 3].map(() => sandbox.say(ann, bot, 'x').message_id);
    expect(await api.ok('deleteMessages', { chat_id: ann.id, message_ids: [...ids, 9999] })).toBe(
      true,
    );
    expect(sandbox.history(ann, bot).map((shown) => shown.message.message_id)).toEqual([1]);
    expect(await api.refused('deleteMessages', { chat_id: ann.id, message_ids: [] })).toBe(
      'Bad Request: message identifiers are not specified',
    );
  });

  test('pins are announced, listed and taken back', async () => {
    const { api, ann, sandbox, bot } = await chatting();
    const group = sandbox.createChat({ title: 'G', owner: ann, members: [bot] });
    const first = sandbox.say(ann, group, 'first');
    const second = sandbox.say(ann, group, 'second');
    const pin = { chat_id: group.id, message_id: first.message_id };
    expect(await api.refused('pinChatMessage', pin)).toBe(
      'Bad Request: not enough rights to manage pinned messages in the chat',
    );
    sandbox.promote(ann, group, bot, { can_pin_messages: true });
    await api.ok('pinChatMessage', pin);
    await api.ok('pinChatMessage', { ...pin, message_id: second.message_id });
    expect(sandbox.history(ann, group).at(-1)?.message.pinned_message).toMatchObject({
      text: 'second',
    });
    expect(await api.ok('getChat', { chat_id: group.id })).toMatchObject({
      pinned_message: { text: 'second' },
    });
    await api.ok('unpinChatMessage', { chat_id: group.id });
    expect(await api.ok('getChat', { chat_id: group.id })).toMatchObject({
      pinned_message: { text: 'first' },
    });
    await api.ok('unpinAllChatMessages', { chat_id: group.id });
    expect(await api.refused('unpinChatMessage', { chat_id: group.id })).toBe(
      'Bad Request: message to unpin not found',
    );
    expect(await api.refused('pinChatMessage', { chat_id: group.id, message_id: 999 })).toBe(
      'Bad Request: message to pin not found',
    );
  });
});

describe('forwarding and copying', () => {
  test('a forward shows its origin, a copy does not', async () => {
    const { api, ann, sandbox, bot } = await chatting();
    const ben = sandbox.createUser({ first_name: 'Ben' });
    sandbox.say(ben, bot, '/start');
    const photo = sandbox.sendMedia(ann, bot, { caption: 'look' });
    const from = { from_chat_id: ann.id, message_id: photo.message_id };
    const forwarded = await api.ok('forwardMessage', { chat_id: ben.id, ...from });
    expect(forwarded).toMatchObject({
      caption: 'look',
      forward_origin: { type: 'user', sender_user: { first_name: 'Ann' }, date: photo.date },
      photo: expect.any(Array),
    });
    const again = await api.ok('forwardMessage', {
      chat_id: ann.id,
      from_chat_id: ben.id,
      message_id: forwarded.message_id,
    });
    expect(again.forward_origin).toEqual(forwarded.forward_origin);
    const { message_id } = await api.ok<MessageId>('copyMessage', {
      chat_id: ben.id,
      ...from,
      caption: 'other',
    });
    const copy = sandbox
      .history(ben, bot)
      .find((shown) => shown.message.message_id === message_id)?.message;
    expect(copy).toMatchObject({ caption: 'other', photo: expect.any(Array) });
    expect(copy?.forward_origin).toBeUndefined();
  });

  test('many at once, missing ones passed over, and refusals', async () => {
    const { api, ann, sandbox, bot } = await chatting();
    const ids = ['a', 'b', 'c'].map((text) => sandbox.say(ann, bot, text).message_id);
    const all = { chat_id: ann.id, from_chat_id: ann.id, message_ids: [...ids, 900] };
    expect(await api.ok<MessageId[]>('copyMessages', all)).toHaveLength(3);
    expect(await api.ok<MessageId[]>('forwardMessages', all)).toHaveLength(3);
    expect(
      sandbox
        .history(ann, bot)
        .slice(-6)
        .map((shown) => shown.message.text),
    ).toEqual(['a', 'b', 'c', 'a', 'b', 'c']);
    expect(await api.refused('copyMessages', { ...all, message_ids: [3, 2] })).toBe(
      'Bad Request: message identifiers must be in a strictly increasing order',
    );
    const from = { chat_id: ann.id, from_chat_id: ann.id };
    expect(await api.refused('forwardMessage', { ...from, message_id: 900 })).toBe(
      'Bad Request: message to forward not found',
    );
    expect(await api.refused('copyMessage', { ...from, message_id: 900 })).toBe(
      'Bad Request: message to copy not found',
    );
    const secret = await api.ok('sendMessage', {
      chat_id: ann.id,
      text: 'secret',
      protect_content: true,
    });
    expect(await api.refused('forwardMessage', { ...from, message_id: secret.message_id })).toBe(
      "Bad Request: message can't be forwarded",
    );
    const channel = sandbox.createChat({
      type: 'channel',
      title: 'News',
      owner: ann,
      members: [bot],
    });
    const post = sandbox.say(ann, channel, 'news');
    const fromChannel = await api.ok('forwardMessage', {
      chat_id: ann.id,
      from_chat_id: channel.id,
      message_id: post.message_id,
    });
    expect(fromChannel.forward_origin).toMatchObject({
      type: 'channel',
      chat: { id: channel.id },
      message_id: post.message_id,
    });
  });
});
