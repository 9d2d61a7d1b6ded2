import type { Message, MessageId } from '@grammyjs/types';
import { expect, test } from 'vitest';
import type { ChatRecord, UserRecord } from '../../sandbox/src/world/records.ts';
import { type Api, apiOf, pending, type Scene, scene } from './helpers.ts';

interface Group extends Scene {
  ann: UserRecord;
  group: ChatRecord;
  /** A bot that is sent everything people write. */
  reader: Api;
}

async function inGroup(type: 'group' | 'supergroup' = 'supergroup'): Promise<Group> {
  const made = await scene();
  const { sandbox, bot, url } = made;
  const ann = sandbox.createUser({ first_name: 'Ann' });
  const reader = sandbox.createBot({ username: 'reader_bot', privacyMode: false });
  const group = sandbox.createChat({ type, title: 'G', owner: ann, members: [bot, reader] });
  sandbox.say(ann, bot, '/start');
  return { ...made, ann, group, reader: apiOf(url, reader.token) };
}

/** What a bot may do with a message of the group: all of these, or none. */
async function uses(api: Api, { group }: Group, message_id: number): Promise<string[]> {
  const from_chat_id = group.id;
  const results: string[] = [];
  const calls: [string, object][] = [
    ['forwardMessage', { chat_id: group.id, from_chat_id, message_id }],
    ['copyMessage', { chat_id: group.id, from_chat_id, message_id }],
    ['sendMessage', { chat_id: group.id, text: 'Yes?', reply_parameters: { message_id } }],
    ['setMessageReaction', { chat_id: group.id, message_id, reaction: [] }],
  ];
  for (const [method, params] of calls) {
    const { body } = await api.call(method, params);
    results.push(body.ok ? 'done' : body.description);
  }
  return results;
}

const all = ['done', 'done', 'done', 'done'];
const none = [
  'Bad Request: message to forward not found',
  'Bad Request: message to copy not found',
  'Bad Request: message to be replied not found',
  'Bad Request: message to react not found',
];

test('a bot in privacy mode cannot use what it was not sent', async () => {
  const made = await inGroup();
  const { api, reader, sandbox, ann, group, bot } = made;
  const between = sandbox.say(ann, group, 'between us').message_id;
  const command = sandbox.say(ann, group, '/help@scene_bot').message_id;
  const general = sandbox.say(ann, group, '/help').message_id;
  expect(await uses(api, made, between)).toEqual(none);
  expect(await uses(reader, made, between)).toEqual(all);
  // The other bot wrote last, but the command was given before.
  for (const one of [command, general]) expect(await uses(api, made, one)).toEqual(all);
  const copies = await api.ok<MessageId[]>('copyMessages', {
    chat_id: ann.id,
    from_chat_id: group.id,
    message_ids: [between, command, general],
  });
  expect(copies).toHaveLength(2);
  expect(sandbox.history(ann, bot).map(({ message }) => message.text)).toEqual([
    '/start',
    '/help@scene_bot',
    '/help',
  ]);
  expect(
    await api.refused('forwardMessages', {
      chat_id: ann.id,
      from_chat_id: group.id,
      message_ids: [between],
    }),
  ).toBe('Bad Request: there are no messages to forward');
  const anyway = await api.ok('sendMessage', {
    chat_id: group.id,
    text: 'Yes?',
    reply_parameters: { message_id: between, allow_sending_without_reply: true },
  });
  expect(anyway.reply_to_message).toBeUndefined();
  sandbox.promote(ann, group, bot, {});
  expect(await uses(api, made, between)).toEqual(all);
});

test('no bot can use what another bot wrote, an administrator neither', async () => {
  const made = await inGroup();
  const { api, reader, sandbox, ann, group } = made;
  sandbox.promote(ann, group, 'reader_bot', {});
  const { message_id } = await api.ok('sendMessage', { chat_id: group.id, text: 'Mine' });
  expect(await uses(reader, made, message_id)).toEqual(none);
  expect(await uses(api, made, message_id)).toEqual(all);
});

test('in a supergroup a bot is shown what was answered or pinned, and can use it', async () => {
  const made = await inGroup();
  const { api, sandbox, ann, group } = made;
  const messageId = sandbox.say(ann, group, 'look at this').message_id;
  const pinned = sandbox.say(ann, group, 'and at that').message_id;
  expect(await uses(api, made, messageId)).toEqual(none);
  sandbox.say(ann, group, '/keep@scene_bot', { replyTo: messageId });
  sandbox.pin(ann, group, pinned);
  const shown = (await pending(api)).flatMap(({ message }) => message ?? []);
  expect(shown.at(-2)?.reply_to_message?.text).toBe('look at this');
  expect((shown.at(-1)?.pinned_message as Message | undefined)?.text).toBe('and at that');
  for (const one of [messageId, pinned]) expect(await uses(api, made, one)).toEqual(all);
});

test('in a basic group it is shown only what it was sent before', async () => {
  const made = await inGroup('group');
  const { api, sandbox, ann, group } = made;
  const messageId = sandbox.say(ann, group, 'look at this').message_id;
  const command = sandbox.say(ann, group, '/keep@scene_bot', { replyTo: messageId }).message_id;
  sandbox.say(ann, group, '/keep@scene_bot', { replyTo: command });
  sandbox.pin(ann, group, messageId);
  const shown = (await pending(api)).flatMap(({ message }) => message ?? []);
  expect(shown.at(-3)).not.toHaveProperty('reply_to_message');
  expect(shown.at(-2)?.reply_to_message?.message_id).toBe(command);
  expect(shown.at(-1)?.pinned_message).toMatchObject({ message_id: messageId, date: 0 });
  expect(await uses(api, made, messageId)).toEqual(none);
  const seen = sandbox.history(ann, group).find(({ message }) => message.message_id === command);
  expect(seen?.message.reply_to_message?.text).toBe('look at this');
});
