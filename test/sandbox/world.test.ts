import type { Message, Update } from '@grammyjs/types';
import { describe, expect, test } from 'vitest';
import { apiOf, pending, scene } from './helpers.ts';

const texts = (updates: Update[]): (string | undefined)[] =>
  updates.flatMap((update) =>
    update.message && !isService(update.message) ? [update.message.text] : [],
  );

const isService = (message: Message): boolean => message.text === undefined;

describe('private chats', () => {
  test('message ids are numbered per bot, over all its private chats', async () => {
    const { api, sandbox, bot } = await scene();
    const [ann, ben] = [sandbox.createUser(), sandbox.createUser()];
    const other = sandbox.createBot();
    expect(sandbox.say(ann, bot, 'one').message_id).toBe(1);
    expect(sandbox.say(ben, bot, 'two').message_id).toBe(2);
    expect((await api.ok('sendMessage', { chat_id: ann.id, text: 'three' })).message_id).toBe(3);
    expect(sandbox.say(ann, other, 'one again').message_id).toBe(1);
  });

  test('a bot writes only to who started it, and not to who stopped it', async () => {
    const { api, sandbox, bot } = await scene();
    const ann = sandbox.createUser();
    const send = { chat_id: ann.id, text: 'hello' };
    expect(await api.refused('sendMessage', send)).toBe('Bad Request: chat not found');
    sandbox.createChat({ title: 'Met here', owner: ann, members: [bot] });
    expect(await api.refused('sendMessage', send)).toBe(
      "Forbidden: bot can't initiate conversation with a user",
    );
    sandbox.say(ann, bot, '/start');
    await api.ok('sendMessage', send);
    sandbox.blockBot(ann, bot);
    expect(await api.refused('sendMessage', send)).toBe('Forbidden: bot was blocked by the user');
    sandbox.say(ann, bot, '/start');
    await api.ok('sendMessage', send);
    const statuses = (await pending(api)).flatMap(({ my_chat_member: change }) =>
      change?.chat.type === 'private' ? [change.new_chat_member.status] : [],
    );
    expect(statuses).toEqual(['kicked', 'member']);
    ann.deactivated = true;
    expect(await api.refused('sendMessage', send)).toBe('Forbidden: user is deactivated');
    const other = sandbox.createBot();
    expect(await api.refused('sendMessage', { chat_id: other.id, text: 'x' })).toBe(
      "Forbidden: bots can't send messages to bots",
    );
  });

  test('a user sees the bot as the chat, the bot sees the user', async () => {
    const { api, sandbox, bot } = await scene();
    const ann = sandbox.createUser({ first_name: 'Ann', last_name: 'Lee', username: 'ann' });
    sandbox.say(ann, bot, 'hi');
    const [update] = await pending(api);
    expect(update?.message?.chat).toEqual({
      id: ann.id,
      type: 'private',
      first_name: 'Ann',
      last_name: 'Lee',
      username: 'ann',
    });
    expect(sandbox.history(ann, bot)[0]?.message.chat).toMatchObject({
      id: bot.id,
      username: 'scene_bot',
    });
    expect(sandbox.chatsOf(ann).map((chat) => chat.chat.id)).toEqual([bot.id]);
  });
});

describe('groups', () => {
  test('privacy mode: commands, mentions, replies and service messages only', async () => {
    const { api, sandbox, bot, url } = await scene();
    const nosy = sandbox.createBot({ username: 'nosy_bot', privacyMode: false });
    const ann = sandbox.createUser();
    const group = sandbox.createChat({ title: 'G', owner: ann, members: [bot, nosy] });
    const own = await api.ok('sendMessage', { chat_id: group.id, text: 'I am here' });
    const sentTexts = [
      'just talking',
      '/help',
      '/help@scene_bot',
      '/help@nosy_bot',
      'hey @scene_bot, look',
      'hey @somebody',
    ];
    for (const text of sentTexts) sandbox.say(ann, group, text);
    sandbox.say(ann, group, 'an answer', { replyTo: own.message_id });
    expect(texts(await pending(api))).toEqual([
      '/help',
      '/help@scene_bot',
      'hey @scene_bot, look',
      'an answer',
    ]);
    expect(texts(await pending(apiOf(url, nosy.token)))).toEqual([...sentTexts, 'an answer']);
    expect(await api.ok('getMe')).toMatchObject({ can_read_all_group_messages: false });
    sandbox.promote(ann, group, bot);
    sandbox.say(ann, group, 'administrators see all');
    expect(texts(await pending(api)).at(-1)).toBe('administrators see all');
  });

  test('a general command goes to the bot that wrote last', async () => {
    const { api, sandbox, bot, url } = await scene();
    const second = sandbox.createBot({ username: 'second_bot' });
    const secondApi = apiOf(url, second.token);
    const ann = sandbox.createUser();
    const group = sandbox.createChat({ title: 'G', owner: ann, members: [bot, second] });
    sandbox.say(ann, group, '/first');
    await secondApi.ok('sendMessage', { chat_id: group.id, text: 'me' });
    sandbox.say(ann, group, '/again');
    expect(texts(await pending(api))).toEqual(['/first']);
    expect(texts(await pending(secondApi))).toEqual(['/first', '/again']);
  });

  test('bots do not see the messages of other bots, nor their own', async () => {
    const { api, sandbox, bot, url } = await scene({}, { privacyMode: false });
    const other = sandbox.createBot({ privacyMode: false });
    const group = sandbox.createChat({
      title: 'G',
      owner: sandbox.createUser(),
      members: [bot, other],
    });
    await api.ok('sendMessage', { chat_id: group.id, text: '/hello @scene_bot' });
    expect(texts(await pending(api))).toEqual([]);
    expect(texts(await pending(apiOf(url, other.token)))).toEqual([]);
  });

  test('joining and leaving: service messages, my_chat_member, and what a bot outside is told', async () => {
    const { api, sandbox, bot } = await scene();
    const ann = sandbox.createUser({ first_name: 'Ann' });
    const ben = sandbox.createUser({ first_name: 'Ben' });
    const group = sandbox.createChat({ type: 'group', title: 'G', owner: ann });
    sandbox.addMember(ann, group, bot);
    sandbox.join(ben, group);
    sandbox.leave(ben, group);
    sandbox.removeMember(ann, group, bot);
    const updates = await pending(api);
    expect(updates.map((update) => Object.keys(update)[1])).toEqual([
      'my_chat_member',
      'message',
      'message',
      'message',
      'my_chat_member',
    ]);
    expect(updates[0]?.my_chat_member).toMatchObject({
      from: { first_name: 'Ann' },
      old_chat_member: { status: 'left' },
      new_chat_member: { status: 'member', user: { id: bot.id } },
    });
    expect(updates[2]?.message?.new_chat_members?.[0]).toMatchObject({ first_name: 'Ben' });
    expect(updates[3]?.message?.left_chat_member).toMatchObject({ first_name: 'Ben' });
    expect(updates[4]?.my_chat_member?.new_chat_member).toMatchObject({
      status: 'kicked',
      until_date: 0,
    });
    const send = { chat_id: group.id, text: 'x' };
    expect(await api.refused('sendMessage', send)).toBe(
      'Forbidden: bot was kicked from the group chat',
    );
    const supergroup = sandbox.createChat({ title: 'S', owner: ann, members: [bot] });
    await api.ok('leaveChat', { chat_id: supergroup.id });
    expect(await api.refused('sendMessage', { chat_id: supergroup.id, text: 'x' })).toBe(
      'Forbidden: bot is not a member of the supergroup chat',
    );
    const unknown = sandbox.createChat({ title: 'U', owner: ann });
    expect(await api.refused('sendMessage', { chat_id: unknown.id, text: 'x' })).toBe(
      'Bad Request: chat not found',
    );
  });

  test('an upgrade gives a new chat and tells of both ids', async () => {
    const { api, sandbox, bot } = await scene();
    const ann = sandbox.createUser();
    const group = sandbox.createChat({ type: 'group', title: 'G', owner: ann, members: [bot] });
    const next = sandbox.upgradeGroup(ann, group);
    const messages = (await pending(api)).flatMap((update) => update.message ?? []);
    expect(messages.at(-2)).toMatchObject({
      chat: { id: group.id, type: 'group' },
      migrate_to_chat_id: next.id,
    });
    expect(messages.at(-1)).toMatchObject({
      message_id: 1,
      chat: { id: next.id, type: 'supergroup' },
      migrate_from_chat_id: group.id,
    });
    // People are led to the new chat.
    expect(sandbox.say(ann, group, 'hello').chat.id).toBe(next.id);
  });

  test('channels: posts, edits and signatures of nobody', async () => {
    const { api, sandbox, bot } = await scene();
    const ann = sandbox.createUser();
    const channel = sandbox.createChat({
      type: 'channel',
      title: 'News',
      owner: ann,
      username: 'news',
      members: [bot],
    });
    const post = sandbox.say(ann, channel, 'first post');
    sandbox.edit(ann, channel, post.message_id, 'corrected');
    const mine = await api.ok('sendMessage', { chat_id: '@news', text: 'by the bot' });
    expect(mine.from).toBeUndefined();
    expect(mine.sender_chat).toMatchObject({ id: channel.id, username: 'news' });
    await api.ok('editMessageText', {
      chat_id: '@news',
      message_id: mine.message_id,
      text: 'by the bot, edited',
    });
    const updates = (await pending(api)).slice(1);
    expect(updates.map((update) => Object.keys(update)[1])).toEqual([
      'channel_post',
      'edited_channel_post',
    ]);
    expect(updates[1]?.edited_channel_post).toMatchObject({
      text: 'corrected',
      edit_date: expect.any(Number),
    });
    sandbox.promote(ann, channel, bot, { can_change_info: true });
    expect(await api.refused('sendMessage', { chat_id: channel.id, text: 'x' })).toBe(
      'Bad Request: need administrator rights in the channel chat',
    );
  });

  test('what a user may not do is refused', async () => {
    const { sandbox, bot } = await scene();
    const [ann, ben] = [
      sandbox.createUser({ first_name: 'Ann' }),
      sandbox.createUser({ first_name: 'Ben' }),
    ];
    const group = sandbox.createChat({ title: 'G', owner: ann });
    expect(() => sandbox.say(ben, group, 'x')).toThrow('Ben is not a member of G.');
    sandbox.join(ben, group);
    expect(() => sandbox.promote(ben, group, bot)).toThrow('may not appoint');
    expect(() => sandbox.removeMember(ben, group, ann)).toThrow('may not remove');
    const { message_id } = sandbox.say(ann, group, 'mine');
    expect(() => sandbox.edit(ben, group, message_id, 'x')).toThrow('Only the author');
    expect(() => sandbox.delete(ben, group, message_id)).toThrow('may not delete');
    expect(() => sandbox.say(ann, 12345, 'x')).toThrow('Unknown chat 12345.');
    expect(() => sandbox.say(999, group, 'x')).toThrow('Unknown user 999.');
  });
});
