import type { UserFromGetMe } from '@grammyjs/types';
import { describe, expect, it } from 'vitest';
import { pending, scene } from '../helpers.ts';
import { expectRefusals, inThreads, lastMessage } from '../support/topics.ts';

describe('a private chat with topics', () => {
  it('is one with a bot that has them', async () => {
    const { api } = await inThreads();
    expect(await api.ok<UserFromGetMe>('getMe')).toMatchObject({
      has_topics_enabled: true,
      allows_users_to_create_topics: true,
    });
  });

  it('has topics that both sides create', async () => {
    const { ann, api, bot, create, sandbox, send } = await inThreads();
    const made = await create('Trip');
    expect(await lastMessage(api)).toMatchObject({
      message_id: made.message_thread_id,
      message_thread_id: made.message_thread_id,
      is_topic_message: true,
      forum_topic_created: { name: 'Trip' },
    });
    const unnamed = sandbox.createTopic(ann, bot);
    expect(await lastMessage(api)).toMatchObject({
      from: { id: ann.id },
      forum_topic_created: { name: 'New Thread', is_name_implicit: true },
    });
    sandbox.say(ann, bot, 'In a topic', { topicId: unnamed });
    const asked = await lastMessage(api);
    expect(asked).toMatchObject({ message_thread_id: unnamed, is_topic_message: true });
    expect(asked).not.toHaveProperty('reply_to_message');
    const reply_parameters = { message_id: asked.message_id };
    expect((await send('Answer', { reply_parameters })).message_thread_id).toBe(unnamed);
    await api.ok('editForumTopic', { chat_id: ann.id, message_thread_id: unnamed, name: 'Food' });
    expect(sandbox.topics(ann, bot).map(({ name }) => name)).toEqual(['Food', 'Trip']);
    sandbox.removeTopic(ann, bot, unnamed);
    expect(sandbox.topics(ann, bot)).toHaveLength(1);
  });

  it('cannot close or hide them', async () => {
    const { ann, api, bot, create, sandbox } = await inThreads();
    const { message_thread_id } = await create('Trip');
    const at = { chat_id: ann.id, message_thread_id };
    await expectRefusals(api, [
      ['closeForumTopic', at, 'the chat is not a supergroup forum'],
      ['hideGeneralForumTopic', at, 'the chat is not a supergroup forum'],
      ['editGeneralForumTopic', { ...at, name: 'T' }, 'TOPIC_ID_INVALID'],
    ]);
    const close = () => sandbox.changeTopic(ann, bot, message_thread_id, { isClosed: true });
    expect(close).toThrow('Only topics of forums can be closed.');
  });

  it('has topics of the bot only, if the bot wants that', async () => {
    const { ann, api, bot, create, sandbox } = await inThreads({}, { usersManageTopics: false });
    expect(await api.ok('getMe')).toMatchObject({ allows_users_to_create_topics: false });
    expect(() => sandbox.createTopic(ann, bot, { name: 'Mine' })).toThrow('Ann may not do this');
    const { message_thread_id } = await create('Given');
    expect(() => sandbox.removeTopic(ann, bot, message_thread_id)).toThrow('Ann may not do this');
    sandbox.say(ann, bot, 'Fine', { topicId: message_thread_id });
  });

  it('has a draft for each topic, which a message in the topic replaces', async () => {
    const { ann, api, bot, create, sandbox, send } = await inThreads();
    const first = await create('First');
    const second = await create('Second');
    const draft = (topic: { message_thread_id: number }, draft_id: number) =>
      api.ok('sendMessageDraft', {
        chat_id: ann.id,
        message_thread_id: topic.message_thread_id,
        draft_id,
        can_stop: true,
        text: '…',
      });
    await draft(first, 1);
    await draft(second, 2);
    await send('Done', { message_thread_id: first.message_thread_id });
    const drafts = sandbox.topics(ann, bot).map(({ name, draft: one }) => [name, one?.id]);
    expect(drafts).toEqual([
      ['First', undefined],
      ['Second', 2],
    ]);
    sandbox.stopDraft(ann, bot, second.message_thread_id);
    expect((await pending(api, { offset: -1 }))[0]?.stopped_message_generation).toMatchObject({
      draft_id: 2,
      message_thread_id: second.message_thread_id,
    });
  });
});

it('a topic that is the first message of a chat is none with the ID of General', async () => {
  const { api, bot, sandbox } = await scene({}, { hasTopics: true });
  const ann = sandbox.createUser({ first_name: 'Ann' });
  const trip = sandbox.createTopic(ann, bot, { name: 'Trip' });
  const forum = sandbox.createChat({ title: 'F', owner: ann, isForum: true });
  const rules = sandbox.createTopic(ann, forum, { name: 'Rules' });
  expect([trip, rules]).toEqual([2, 2]);
  expect(sandbox.topics(ann, forum).map(({ name }) => name)).toEqual(['General', 'Rules']);
  await api.ok('sendMessage', { chat_id: ann.id, text: 'x', message_thread_id: trip });
});

it('a bot without topics refuses them, and nobody can turn them on', async () => {
  const { api, bot, sandbox } = await scene();
  const ann = sandbox.createUser({ first_name: 'Ann' });
  sandbox.say(ann, bot, 'hi');
  expect(() => sandbox.enableTopics(ann, bot)).toThrow('This bot has no topics');
  expect(() => sandbox.createTopic(ann, bot)).toThrow('This chat has no topics');
  await expectRefusals(api, [
    ['createForumTopic', { chat_id: ann.id, name: 'T' }, 'the chat is not a forum'],
  ]);
});
