import type { MessageEntity } from '@grammyjs/types';
import { expect, test } from 'vitest';
import { scene } from '../helpers.ts';

/** JSON that a careless String() or Number() stumbles over. */
const stubborn = { toString: 1, valueOf: 1 };

test('an object where a text or a number belongs is refused, not stumbled over', async () => {
  const { api, sandbox, bot } = await scene();
  const ann = sandbox.createUser();
  const group = sandbox.createChat({ title: 'G', owner: ann, members: [bot] });
  sandbox.say(ann, bot, '/start');
  const chat_id = ann.id;
  const text = 'x';
  const rich = (block: object) => ({ chat_id, rich_message: { blocks: [block] } });
  const button = { text, url: stubborn };
  const commands = [{ command: stubborn, description: text }];
  const poll = { chat_id: group.id, question: text, options: ['a', 'b'], type: 'quiz' };
  const calls: [string, object][] = [
    ['setMyCommands', { commands }],
    ['setMyCommands', { commands: [{ command: 'a', description: 'b' }], scope: stubborn }],
    ['sendMessage', { chat_id: stubborn, text }],
    ['sendMessage', { chat_id, text, entities: [{ type: 'bold', offset: stubborn, length: 1 }] }],
    ['sendMessage', { chat_id, text, entities: [{ type: stubborn, offset: 0, length: 1 }] }],
    ['sendMessage', { chat_id, text, reply_markup: { inline_keyboard: [[button]] } }],
    ['sendPoll', { ...poll, correct_option_ids: [stubborn] }],
    ['sendRichMessage', rich({ type: '__proto__', text })],
    ['sendRichMessage', rich({ type: 'constructor', text })],
    ['sendRichMessage', rich({ type: 'heading', text, size: stubborn })],
    ['sendRichMessage', rich({ type: 'paragraph', text: { type: 'toString', text } })],
    [
      'sendMessage',
      {
        chat_id: group.id,
        text,
        ephemeral_message_parameters: { receiver_user_id: stubborn },
      },
    ],
  ];
  for (const [method, params] of calls) {
    const { status, body } = await api.call(method, params);
    expect(status, `${method} ${JSON.stringify([params, body])}`).toBe(400);
  }
  // As at Telegram, an answer to no message is no answer.
  const reply_parameters = { message_id: stubborn };
  const sent = await api.ok('sendMessage', { chat_id, text, reply_parameters });
  expect(sent).not.toHaveProperty('reply_to_message');
});

test('the control API tells what is wrong with a list or a number', async () => {
  const { sandbox, url } = await scene();
  sandbox.createUser({ username: 'ann' });
  const act = async (action: string, input: object) => {
    const response = await fetch(`${url}/sandbox/${action}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(input),
    });
    return [response.status, ((await response.json()) as { error: string }).error];
  };
  for (const member of [{}, [], null, true]) {
    expect(await act('chats/create', { title: 'x', owner: 'ann', members: [member] })).toEqual([
      400,
      '"members" must be an id or a username.',
    ]);
  }
  expect(
    await act('edit', { user: 'ann', chat: 'scene_bot', message_id: stubborn, text: 'x' }),
  ).toEqual([400, '"message_id" must be an integer.']);
});

test('numbers of entities may come as texts, and go out as numbers', async () => {
  const { api, sandbox, bot } = await scene();
  const ann = sandbox.createUser();
  sandbox.say(ann, bot, '/start');
  const entities = [{ type: 'bold', offset: '1', length: '2' }];
  const sent = await api.ok('sendMessage', { chat_id: ann.id, text: 'abcd', entities });
  expect(sent.entities).toEqual<MessageEntity[]>([{ type: 'bold', offset: 1, length: 2 }]);
});

test('a file may be called anything', async () => {
  const { api, sandbox, bot, url } = await scene();
  const ann = sandbox.createUser();
  sandbox.say(ann, bot, '/start');
  const sent = sandbox.sendMedia(ann, bot, {
    kind: 'document',
    name: 'notes.constructor',
    bytes: Buffer.from('x'),
  });
  expect(typeof sent.document?.mime_type).toBe('string');
  const shown = await fetch(`${url}/sandbox/file/${sent.document?.file_id}`);
  expect(await shown.text()).toBe('x');
  expect(await api.ok('getMe')).toMatchObject({ is_bot: true });
});
