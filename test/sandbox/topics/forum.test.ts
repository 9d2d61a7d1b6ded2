import type { Chat, File, Message, Sticker, UserFromGetMe } from '@grammyjs/types';
import { describe, expect, it } from 'vitest';
import { apiOf, pending, scene } from '../helpers.ts';
import { expectRefusals, inForum, lastMessage } from '../support/topics.ts';

describe('a forum', () => {
  it('is a supergroup with General, made by its administrators', async () => {
    const { api, bot, sandbox } = await scene();
    const owner = sandbox.createUser({ first_name: 'Owner' });
    const ben = sandbox.createUser({ first_name: 'Ben' });
    const group = sandbox.createChat({ title: 'F', owner, members: [ben, bot] });
    expect(await api.ok<Chat>('getChat', { chat_id: group.id })).not.toHaveProperty('is_forum');
    expect(() => sandbox.enableTopics(ben, group)).toThrow('Ben may not do this');
    sandbox.enableTopics(owner, group);
    expect(await api.ok<Chat>('getChat', { chat_id: group.id })).toMatchObject({ is_forum: true });
    expect(sandbox.topics(ben, group)).toMatchObject([{ message_thread_id: 1, name: 'General' }]);
    const basic = sandbox.createChat({ title: 'B', owner, type: 'group' });
    expect(() => sandbox.enableTopics(owner, basic)).toThrow('Only supergroups');
  });

  it('keeps its topics while they are off', async () => {
    const { api, create, forum, owner, sandbox, send } = await inForum();
    const { message_thread_id } = await create('Orders');
    sandbox.enableTopics(owner, forum, false);
    const sent = await send('to nowhere', { message_thread_id });
    expect(sent).not.toHaveProperty('message_thread_id');
    await expectRefusals(api, [
      ['createForumTopic', { chat_id: forum.id, name: 'T' }, 'the chat is not a forum'],
      [
        'unpinAllForumTopicMessages',
        { chat_id: forum.id, message_thread_id },
        "chat doesn't have topics",
      ],
    ]);
    sandbox.enableTopics(owner, forum);
    expect((await send('back', { message_thread_id })).message_thread_id).toBe(message_thread_id);
  });

  it('tells every bot in it about topics, also the one that changed them', async () => {
    const { api, create, forum, owner, sandbox, url } = await inForum();
    const other = sandbox.createBot({ username: 'other_bot' });
    sandbox.addMember(owner, forum, other);
    const topic = await create('Orders', { icon_color: 16_766_590 });
    expect(topic).toEqual({
      message_thread_id: topic.message_thread_id,
      name: 'Orders',
      icon_color: 16_766_590,
    });
    const at = { chat_id: forum.id, message_thread_id: topic.message_thread_id };
    await api.ok('editForumTopic', {
      ...at,
      name: 'Sales',
      icon_custom_emoji_id: '5312241539987020022',
    });
    await api.ok('editForumTopic', { ...at, icon_custom_emoji_id: '' });
    await api.ok('closeForumTopic', at);
    await api.ok('reopenForumTopic', at);
    for (const reader of [api, apiOf(url, other.token)]) {
      const told = (await pending(reader))
        .map(({ message }) => message as Message)
        .filter((message) => message?.message_thread_id !== undefined);
      expect(told[0]).toMatchObject({
        message_id: topic.message_thread_id,
        is_topic_message: true,
        forum_topic_created: { name: 'Orders', icon_color: 16_766_590 },
      });
      expect(told.slice(1)).toMatchObject([
        { forum_topic_edited: { name: 'Sales', icon_custom_emoji_id: '5312241539987020022' } },
        { forum_topic_edited: { icon_custom_emoji_id: '' } },
        { forum_topic_closed: {} },
        { forum_topic_reopened: {} },
      ]);
    }
  });

  it('has messages in topics, which bots see as replies to the first message', async () => {
    const { api, ben, create, forum, sandbox, send } = await inForum();
    const { message_thread_id } = await create('Orders');
    const sent = await send('Hello', { message_thread_id });
    expect(sent).toMatchObject({
      message_thread_id,
      is_topic_message: true,
      reply_to_message: { message_id: message_thread_id, forum_topic_created: { name: 'Orders' } },
    });
    const shown = sandbox.history(ben, forum, { topicId: message_thread_id });
    expect(shown.map(({ message }) => message.text)).toEqual([undefined, 'Hello']);
    expect(shown[1]?.message).not.toHaveProperty('reply_to_message');
    const general = sandbox.say(ben, forum, 'To all');
    expect(general).not.toHaveProperty('message_thread_id');
    expect(await lastMessage(api)).not.toHaveProperty('is_topic_message');
    expect(sandbox.history(ben, forum, { topicId: 1 }).at(-1)?.message.text).toBe('To all');
  });

  it('keeps replies in the topic of their target', async () => {
    const { api, ben, create, forum, sandbox, send } = await inForum();
    const orders = await create('Orders');
    const other = await create('Other');
    const asked = sandbox.say(ben, forum, 'Price?', { topicId: orders.message_thread_id });
    const reply_parameters = { message_id: asked.message_id };
    const { message_thread_id } = orders;
    expect(await send('One euro', { reply_parameters })).toMatchObject({
      message_thread_id,
      reply_to_message: { text: 'Price?' },
    });
    const elsewhere = await send('See there', {
      reply_parameters,
      message_thread_id: other.message_thread_id,
    });
    expect(elsewhere).toMatchObject({
      message_thread_id: other.message_thread_id,
      external_reply: { message_id: asked.message_id, chat: { id: forum.id } },
    });
    const again = sandbox.say(ben, forum, 'Thanks', { replyTo: asked.message_id });
    expect(again.message_thread_id).toBe(message_thread_id);
    expect((await lastMessage(api)).message_thread_id).toBe(message_thread_id);
  });

  it('closes topics to members, but not to their creator and to administrators', async () => {
    const { ben, forum, owner, sandbox, url } = await inForum();
    const member = sandbox.createBot({ username: 'member_bot' });
    sandbox.addMember(owner, forum, member);
    const api = apiOf(url, member.token);
    const own = sandbox.createTopic(ben, forum, { name: 'Mine' });
    const foreign = sandbox.createTopic(owner, forum, { name: 'Rules' });
    for (const id of [own, foreign]) sandbox.changeTopic(owner, forum, id, { isClosed: true });
    sandbox.say(ben, forum, 'I may', { topicId: own });
    expect(() => sandbox.say(ben, forum, 'I may not', { topicId: foreign })).toThrow(
      'Ben may not write in the closed topic "Rules".',
    );
    const { id: chat_id } = forum;
    await expectRefusals(api, [
      ['sendMessage', { chat_id, text: 'x', message_thread_id: own }, 'TOPIC_CLOSED'],
      ['sendDice', { chat_id, message_thread_id: foreign }, 'TOPIC_CLOSED'],
    ]);
    sandbox.promote(owner, forum, member, { can_manage_topics: true });
    await api.ok('sendMessage', { chat_id, text: 'x', message_thread_id: own });
  });

  it('hides General, which closes it, and opens it, which shows it', async () => {
    const { api, ben, forum, owner, sandbox } = await inForum();
    const at = { chat_id: forum.id };
    await api.ok('hideGeneralForumTopic', at);
    expect(sandbox.topics(ben, forum)).toMatchObject([{ isClosed: true, isHidden: true }]);
    expect(() => sandbox.say(ben, forum, 'Hello?')).toThrow('closed topic "General"');
    await api.ok('reopenGeneralForumTopic', at);
    expect(sandbox.topics(ben, forum)).toMatchObject([{ isClosed: false, isHidden: false }]);
    await api.ok('closeGeneralForumTopic', at);
    await api.ok('editGeneralForumTopic', { ...at, name: 'Lobby' });
    sandbox.changeTopic(owner, forum, 1, { isHidden: true });
    await api.ok('unhideGeneralForumTopic', at);
    expect(sandbox.topics(ben, forum)).toMatchObject([{ name: 'Lobby', isClosed: true }]);
    const told = (await pending(api)).map(({ message }) => Object.keys(message ?? {}).at(-1));
    expect(told.slice(-6)).toEqual([
      'general_forum_topic_hidden',
      'forum_topic_reopened',
      'forum_topic_closed',
      'forum_topic_edited',
      'general_forum_topic_hidden',
      'general_forum_topic_unhidden',
    ]);
  });

  it('deletes topics with their messages', async () => {
    const { api, ben, create, forum, sandbox } = await inForum();
    const { message_thread_id } = await create('Orders');
    sandbox.say(ben, forum, 'Gone soon', { topicId: message_thread_id });
    sandbox.say(ben, forum, 'Stays');
    await api.ok('deleteForumTopic', { chat_id: forum.id, message_thread_id });
    expect(sandbox.history(ben, forum).at(-1)?.message.text).toBe('Stays');
    expect(sandbox.history(ben, forum, { topicId: message_thread_id })).toEqual([]);
    expect(() => sandbox.say(ben, forum, 'x', { topicId: message_thread_id })).toThrow(
      `Unknown topic ${message_thread_id}`,
    );
  });

  it('pins and unpins within topics', async () => {
    const { api, create, forum, send } = await inForum();
    const { message_thread_id } = await create('Orders');
    const at = { chat_id: forum.id };
    const inTopic = await send('pinned', { message_thread_id });
    const inGeneral = await send('pinned too');
    for (const { message_id } of [inTopic, inGeneral]) {
      await api.ok('pinChatMessage', { ...at, message_id });
    }
    expect((await pending(api, { offset: -2 })).map(({ message }) => message)).toMatchObject([
      { message_thread_id, pinned_message: { text: 'pinned' } },
      { pinned_message: { text: 'pinned too' } },
    ]);
    await api.ok('unpinAllForumTopicMessages', { ...at, message_thread_id });
    expect(forum.pinned).toEqual([inGeneral.message_id]);
    await api.ok('unpinAllGeneralForumTopicMessages', at);
    expect(forum.pinned).toEqual([]);
  });

  it('refuses what a bot may not do, in Telegram words', async () => {
    const { api, create, forum, owner, sandbox, url } = await inForum();
    const { message_thread_id } = await create('Orders');
    const at = { chat_id: forum.id, message_thread_id };
    const member = sandbox.createBot({ username: 'member_bot' });
    sandbox.addMember(owner, forum, member);
    const noRight = 'not enough rights to close or open the topic';
    await expectRefusals(apiOf(url, member.token), [
      ['createForumTopic', { ...at, name: 'T' }, 'not enough rights to create a topic'],
      ['editForumTopic', { ...at, name: 'T' }, 'not enough rights to edit the topic'],
      ['closeForumTopic', at, noRight],
      ['reopenGeneralForumTopic', at, noRight],
      ['hideGeneralForumTopic', at, noRight],
      ['deleteForumTopic', at, 'not enough rights to delete the topic'],
      ['unpinAllForumTopicMessages', at, 'not enough rights to manage pinned messages in the chat'],
    ]);
    await expectRefusals(api, [
      ['createForumTopic', at, 'name must be non-empty'],
      ['createForumTopic', { ...at, name: 'T', icon_color: -1 }, 'invalid icon color specified'],
      ['editForumTopic', { ...at, name: ' ' }, 'name must be non-empty'],
      ['editForumTopic', { ...at, name: 'Orders' }, 'TOPIC_NOT_MODIFIED'],
      [
        'editForumTopic',
        { chat_id: forum.id, name: 'T' },
        'invalid forum topic identifier specified',
      ],
      ['editForumTopic', { ...at, message_thread_id: 999, name: 'T' }, 'TOPIC_ID_INVALID'],
      [
        'editForumTopic',
        { ...at, message_thread_id: 1, icon_custom_emoji_id: '1' },
        'GENERAL_MODIFY_ICON_FORBIDDEN',
      ],
      ['reopenForumTopic', at, 'TOPIC_NOT_MODIFIED'],
      ['unhideGeneralForumTopic', at, 'TOPIC_NOT_MODIFIED'],
      ['closeForumTopic', { ...at, message_thread_id: 999 }, 'TOPIC_ID_INVALID'],
      ['deleteForumTopic', { ...at, message_thread_id: 1 }, 'TOPIC_ID_INVALID'],
      ['deleteMessage', { ...at, message_id: message_thread_id }, "message can't be deleted"],
    ]);
    expect(await api.ok('editForumTopic', at)).toBe(true);
  });

  it('lets the creator of a topic change it without a right', async () => {
    const { api, bot, create, forum, owner, sandbox } = await inForum();
    const { message_thread_id } = await create('Orders');
    sandbox.promote(owner, forum, bot, { can_pin_messages: true });
    const at = { chat_id: forum.id, message_thread_id };
    await api.ok('closeForumTopic', at);
    await api.ok('sendMessage', { ...at, text: 'still mine' });
    await api.ok('deleteForumTopic', at);
    expect(sandbox.topics(owner, forum)).toHaveLength(1);
  });

  it('copies, forwards and albums go into topics', async () => {
    const { api, create, forum, send } = await inForum();
    const { message_thread_id } = await create('Orders');
    const { message_id } = await send('from General');
    const at = { chat_id: forum.id, message_thread_id };
    const from = { ...at, from_chat_id: forum.id, message_id };
    expect((await api.ok('forwardMessage', from)).message_thread_id).toBe(message_thread_id);
    await api.ok('copyMessage', from);
    expect([...forum.messages.values()].at(-1)?.topicId).toBe(message_thread_id);
  });
});

it('getForumTopicIconStickers lists icons with their custom emoji', async () => {
  const { api, bot, url } = await scene();
  const icons = await api.ok<Sticker[]>('getForumTopicIconStickers');
  expect(icons).toHaveLength(10);
  expect(icons[1]).toMatchObject({ type: 'custom_emoji', emoji: '💡' });
  const { file_path, file_size } = await api.ok<File>('getFile', { file_id: icons[1]?.file_id });
  const file = await fetch(`${url}/file/bot${bot.token}/${file_path}`);
  expect((await file.bytes()).length).toBe(file_size);
  expect((await api.ok<UserFromGetMe>('getMe')).has_topics_enabled).toBe(false);
});
