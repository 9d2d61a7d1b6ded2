import { expect, it } from 'vitest';
import { createManualClock } from '../../../sandbox/src/clock.ts';
import { telegramLimits } from '../../../sandbox/src/faults/flood.ts';
import { pending } from '../helpers.ts';
import { expectRefusals, inForum, inThreads } from '../support/topics.ts';

/* Where programs that write into topics break on Telegram. */

const notFound = 'message thread not found';

it('General has the ID 1, which sends refuse: they leave it out', async () => {
  for (const { api, chat_id } of [
    await inForum().then(({ api, forum }) => ({ api, chat_id: forum.id })),
    await inThreads().then(({ api, ann }) => ({ api, chat_id: ann.id })),
  ]) {
    await expectRefusals(api, [
      ['sendMessage', { chat_id, text: 'x', message_thread_id: 1 }, notFound],
      ['sendDice', { chat_id, message_thread_id: 1 }, notFound],
    ]);
    expect(await api.ok('sendMessage', { chat_id, text: 'x' })).not.toHaveProperty(
      'message_thread_id',
    );
  }
});

it('a topic that somebody deleted is noticed within a minute', async () => {
  const clock = createManualClock();
  const made = await inForum({ clock });
  const { api, bot, create, forum, owner, sandbox } = made;
  const { message_thread_id } = await create('Orders');
  const params = { chat_id: forum.id, text: 'x', message_thread_id };
  sandbox.removeTopic(owner, forum, message_thread_id);
  await expectRefusals(api, [['sendMessage', params, 'TOPIC_DELETED']]);
  expect(await api.ok('sendChatAction', { ...params, action: 'typing' })).toBe(true);
  clock.advance(60_000);
  await expectRefusals(api, [['sendMessage', params, notFound]]);
  // A bot knows at once what it deleted itself.
  const own = await create('Mine');
  const gone = { ...params, message_thread_id: own.message_thread_id };
  await api.ok('deleteForumTopic', gone);
  await expectRefusals(api, [['sendMessage', gone, notFound]]);

  const threads = await inThreads({ clock });
  const trip = await threads.create('Trip');
  threads.sandbox.removeTopic(threads.ann, threads.bot, trip.message_thread_id);
  clock.advance(60_000);
  const late = { chat_id: threads.ann.id, text: 'x', ...trip };
  await expectRefusals(threads.api, [['sendMessage', late, notFound]]);
  expect(bot.id).toBe(threads.bot.id);
});

it('a person who turns topics off ends every send into one, until they are back', async () => {
  const { ann, api, bot, create, sandbox, send } = await inThreads();
  const { message_thread_id } = await create('Trip');
  sandbox.enableTopics(ann, bot, false);
  const params = { chat_id: ann.id, text: 'x', message_thread_id };
  await expectRefusals(api, [
    ['sendMessage', params, notFound],
    ['createForumTopic', { ...params, name: 'T' }, 'the chat is not a forum'],
  ]);
  expect(await send('outside')).not.toHaveProperty('message_thread_id');
  sandbox.say(ann, bot, 'me too');
  expect((await pending(api, { offset: -1 }))[0]?.message).not.toHaveProperty('message_thread_id');
  sandbox.enableTopics(ann, bot);
  expect((await send('back', params)).message_thread_id).toBe(message_thread_id);
});

it('a topic whose first message was pruned takes messages of people, but not of bots', async () => {
  const { api, ben, create, forum, sandbox } = await inForum();
  const { message_thread_id } = await create('Old');
  sandbox.pruneTopic(ben, forum, message_thread_id);
  sandbox.say(ben, forum, 'People can', { topicId: message_thread_id });
  const [update] = await pending(api, { offset: -1 });
  expect(update?.message).toMatchObject({ message_thread_id, is_topic_message: true });
  expect(update?.message).not.toHaveProperty('reply_to_message');
  const params = { chat_id: forum.id, text: 'x', message_thread_id };
  await expectRefusals(api, [['sendMessage', params, notFound]]);
});

it('direct_messages_topic_id names no topic of a forum or a private chat', async () => {
  const forum = await inForum();
  const orders = await forum.create('Orders');
  const threads = await inThreads();
  const trip = await threads.create('Trip');
  for (const [send, topic] of [
    [forum.send, orders],
    [threads.send, trip],
  ] as const) {
    const sent = await send('x', { direct_messages_topic_id: topic.message_thread_id });
    expect(sent).not.toHaveProperty('message_thread_id');
    expect(sent).not.toHaveProperty('direct_messages_topic');
  }
});

it('all topics of a chat share one flood budget', async () => {
  const clock = createManualClock();
  const { api, ann, create, sandbox, send } = await inThreads({ clock });
  const first = await create('First');
  const second = await create('Second');
  sandbox.flood.set(telegramLimits);
  await send('x', { message_thread_id: first.message_thread_id });
  const late = { chat_id: ann.id, text: 'x', message_thread_id: second.message_thread_id };
  expect((await api.call('sendMessage', late)).body).toMatchObject({
    error_code: 429,
    parameters: { retry_after: 1 },
  });
});

it('a bot creates about 20 topics a minute', async () => {
  const clock = createManualClock();
  const { api, create, forum, sandbox } = await inForum({ clock });
  sandbox.flood.set(telegramLimits);
  for (let at = 0; at < 20; at += 1) {
    await create(`Topic ${at}`);
    clock.advance(1000);
  }
  const { body } = await api.call('createForumTopic', { chat_id: forum.id, name: 'One more' });
  expect(body).toMatchObject({ error_code: 429, parameters: { retry_after: 40 } });
});

it('a stop gets through although a message of the topic is being written', async () => {
  const { ann, api, bot, create, sandbox } = await inThreads();
  const { message_thread_id } = await create('Trip');
  const draft = { chat_id: ann.id, message_thread_id, draft_id: 7, text: '' };
  await api.ok('sendMessageDraft', draft);
  expect(() => sandbox.stopDraft(ann, bot, message_thread_id)).toThrow('cannot be stopped');
  await api.ok('sendMessageDraft', { ...draft, can_stop: true });
  sandbox.stopDraft(ann, bot, message_thread_id);
  expect((await pending(api)).at(-1)?.stopped_message_generation).toEqual({
    chat: expect.objectContaining({ id: ann.id }),
    draft_id: 7,
    message_thread_id,
  });
});
