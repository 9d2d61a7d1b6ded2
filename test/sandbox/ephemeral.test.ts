import type { CallbackQuery } from '@grammyjs/types';
import { Bot } from 'grammy';
import { describe, expect, test } from 'vitest';
import type { ShownMessage } from '../../sandbox/src/actions/show.ts';
import { createSandbox } from '../../sandbox/src/sandbox.ts';
import { type Api, pending } from './helpers.ts';
import { at, commands, inGroup, tooOld } from './support/bank.ts';

describe('an ephemeral command', () => {
  test('reaches only one bot', async () => {
    const { act, api, ann, bot, other, sandbox, group, ben, newest, alone } = await inGroup();
    expect(await api.ok('getMyCommands')).toEqual(commands);
    const before = (await pending(other)).length;
    const command = await act('ephemeral/say', { ...at, text: '/balance now' });
    const received = await newest('message');
    expect(received).toEqual({
      message_id: 0,
      from: expect.objectContaining({ id: ann.id }) as object,
      chat: { id: group.id, type: 'supergroup', title: 'Bank', username: 'bank' },
      date: command.date,
      receiver_user: expect.objectContaining({ id: bot.id, is_bot: true }) as object,
      ephemeral_message_id: command.ephemeral_message_id,
      text: '/balance now',
      entities: [{ type: 'bot_command', offset: 0, length: 8 }],
    });
    expect(await pending(other)).toHaveLength(before);
    expect(sandbox.history(ben, group).some(({ message }) => message.text)).toBe(false);
    expect(alone(ann)).toEqual(['/balance now']);
    expect(alone(ben)).toEqual([]);
  });

  test('is only what a bot declared to be one', async () => {
    const { act } = await inGroup();
    const none = { error: 'No bot in this chat has this ephemeral command.' };
    for (const text of ['/help', 'balance', '/balance@nosy_bot', '/balances']) {
      expect(await act('ephemeral/say', { ...at, text }), text).toMatchObject(none);
    }
    expect(await act('ephemeral/say', { ...at, text: '/balance@Scene_bot' })).toMatchObject({
      message_id: 0,
    });
    expect(
      await act('ephemeral/say', { ...at, chat: 'scene_bot', text: '/balance' }),
    ).toMatchObject({
      error: 'Ephemeral messages exist in groups only.',
    });
  });

  test('is answered within 15 seconds, as a reply', async () => {
    const made = await inGroup();
    const { act, api, ann, ben, chat_id, clock, alone, other, bot } = made;
    const command = await act('ephemeral/say', { ...at, text: '/balance' });
    const reply = {
      chat_id,
      text: 'Ten.',
      ephemeral_message_parameters: { receiver_user_id: ann.id },
      reply_parameters: { ephemeral_message_id: command.ephemeral_message_id },
    };
    clock.advance(15_000);
    const sent = await api.ok('sendMessage', reply);
    expect(sent).toEqual({
      message_id: 0,
      from: expect.objectContaining({ id: bot.id }) as object,
      chat: expect.objectContaining({ id: chat_id }) as object,
      date: Math.floor(clock.now() / 1000),
      receiver_user: expect.objectContaining({ id: ann.id }) as object,
      ephemeral_message_id: expect.any(Number) as number,
      text: 'Ten.',
    });
    expect(sent.ephemeral_message_id).not.toBe(command.ephemeral_message_id);
    expect(alone(ann)).toEqual(['/balance', 'Ten.']);
    expect(alone(ben)).toEqual([]);

    const cases: [Api, object, string][] = [
      [
        api,
        { ...reply, ephemeral_message_parameters: undefined },
        'replies to ephemeral messages must be ephemeral',
      ],
      [
        api,
        { ...reply, ephemeral_message_parameters: { receiver_user_id: ben.id } },
        'message to be replied not found',
      ],
      [api, { ...reply, reply_parameters: undefined }, 'CHAT_ADMIN_REQUIRED'],
      [other, reply, 'message to be replied not found'],
      [
        api,
        { ...reply, reply_parameters: { ephemeral_message_id: sent.ephemeral_message_id } },
        'message to be replied not found',
      ],
    ];
    for (const [one, params, reason] of cases) {
      expect(await one.refused('sendMessage', params)).toBe(`Bad Request: ${reason}`);
    }
    clock.advance(1_000);
    expect(await api.refused('sendMessage', reply)).toBe(
      'Bad Request: message to be replied not found',
    );
    // The person continues by replying to the bot.
    const reply_to = sent.ephemeral_message_id;
    expect(await act('ephemeral/say', { ...at, text: 'All of it?', reply_to })).toMatchObject({
      text: 'All of it?',
    });
    expect(
      await act('ephemeral/say', { ...at, text: 'x', reply_to: command.ephemeral_message_id }),
    ).toMatchObject({ error: 'Only messages of a bot can be answered like this.' });
  });
});

describe('which commands are ephemeral', () => {
  const set = (api: Api, scope: object, command: string, is_ephemeral = true) =>
    api.ok<boolean>('setMyCommands', {
      scope,
      commands: [{ command, description: 'Quietly', is_ephemeral }],
    });

  test('is told by the narrowest scope that has any, for this chat and this person', async () => {
    const { api, sandbox, ann, ben, group, chat_id, bot } = await inGroup();
    const elsewhere = sandbox.createChat({ title: 'Other', owner: ben, members: [ann, bot] });
    const takes = (user: number, chat: number, command: string): boolean => {
      try {
        return sandbox.sayUnseen(user, chat, `/${command}`).text === `/${command}`;
      } catch {
        return false;
      }
    };
    await set(api, { type: 'all_private_chats' }, 'alone');
    expect(takes(ann.id, chat_id, 'alone')).toBe(false);
    await set(api, { type: 'chat', chat_id }, 'here');
    expect(takes(ann.id, chat_id, 'here')).toBe(true);
    expect(takes(ann.id, elsewhere.id, 'here')).toBe(false);
    // The chat's own commands replace the default ones.
    expect(takes(ann.id, chat_id, 'balance')).toBe(false);
    expect(takes(ann.id, elsewhere.id, 'balance')).toBe(true);

    await set(api, { type: 'chat_administrators', chat_id }, 'admins');
    await set(api, { type: 'chat_member', chat_id, user_id: ann.id }, 'ann');
    expect(takes(ben.id, chat_id, 'admins')).toBe(true);
    expect(takes(ben.id, chat_id, 'here')).toBe(false);
    expect(takes(ann.id, chat_id, 'ann')).toBe(true);
    expect(takes(ben.id, chat_id, 'ann')).toBe(false);
    await api.ok('deleteMyCommands', { scope: { type: 'chat_administrators', chat_id } });
    expect(takes(ben.id, group.id, 'here')).toBe(true);

    await set(api, { type: 'all_chat_administrators' }, 'leaders');
    await set(api, { type: 'all_group_chats' }, 'groups');
    expect(takes(ben.id, elsewhere.id, 'leaders')).toBe(true);
    expect(takes(ann.id, elsewhere.id, 'groups')).toBe(true);
    expect(takes(ann.id, elsewhere.id, 'balance')).toBe(false);
  });

  test('is told in the language of the person first', async () => {
    const { api, sandbox, chat_id } = await inGroup();
    const olga = sandbox.createUser({ username: 'olga', language_code: 'ru' });
    sandbox.addMember('ben', chat_id, olga);
    await api.ok('setMyCommands', {
      language_code: 'ru',
      commands: [{ command: 'balance', description: 'Вслух' }],
    });
    expect(() => sandbox.sayUnseen(olga, chat_id, '/balance')).toThrow('No bot in this chat');
    expect(sandbox.sayUnseen('ann', chat_id, '/balance').text).toBe('/balance');
  });
});

describe('a press', () => {
  const reply_markup = { inline_keyboard: [[{ text: 'Mine', callback_data: 'mine' }]] };

  test('is answered to one person, in place of the message if wanted', async () => {
    const made = await inGroup();
    const { api, sandbox, ann, ben, group, chat_id, alone, clock } = made;
    const menu = await api.ok('sendMessage', { chat_id, text: 'Menu', reply_markup });
    const pressed = sandbox.press(ann, group, menu.message_id, 'Mine');
    const callback_query_id = pressed.type === 'callback' ? pressed.id : '';
    const answer = {
      chat_id,
      text: 'Only yours',
      ephemeral_message_parameters: {
        receiver_user_id: ann.id,
        callback_query_id,
        replace_callback_query_message: true,
      },
    };
    await api.ok('sendMessage', answer);
    expect(sandbox.unseenByOthers(ann, group)).toMatchObject([
      { message: { text: 'Only yours' }, outgoing: false, replaces: menu.message_id },
    ]);
    expect(alone(ben)).toEqual([]);
    const toBen = { ...answer.ephemeral_message_parameters, receiver_user_id: ben.id };
    expect(
      await api.refused('sendMessage', { ...answer, ephemeral_message_parameters: toBen }),
    ).toBe(tooOld);
    clock.advance(16_000);
    expect(await api.refused('sendMessage', answer)).toBe(tooOld);
  });

  test('of a button that only one person sees', async () => {
    const made = await inGroup();
    const { api, act, ann, chat_id, sandbox, group, ben, newest, alone } = made;
    sandbox.promote(ben, group, made.bot, {});
    const sent = await api.ok('sendMessage', {
      chat_id,
      text: 'Yours',
      reply_markup,
      ephemeral_message_parameters: { receiver_user_id: ann.id },
    });
    const { ephemeral_message_id } = sent;
    const press = { ...at, ephemeral_message_id, button: 'mine' };
    expect(await act('ephemeral/press', { ...press, user: 'ben' })).toMatchObject({
      error: `Unknown ephemeral message ${ephemeral_message_id} for Ben. List them with GET /sandbox/ephemeral.`,
    });
    expect(await act('ephemeral/press', press)).toMatchObject({ type: 'callback' });
    const query = (await newest('callback_query')) as CallbackQuery;
    expect(query).toMatchObject({
      data: 'mine',
      from: { id: ann.id },
      message: { message_id: 0, ephemeral_message_id, text: 'Yours' },
    });
    const parameters = { receiver_user_id: ann.id, callback_query_id: query.id };
    const answer = { chat_id, text: 'More' };
    expect(
      await api.refused('sendMessage', {
        ...answer,
        ephemeral_message_parameters: { ...parameters, replace_callback_query_message: true },
      }),
    ).toBe('Bad Request: MESSAGE_ID_INVALID');
    await api.ok('sendMessage', { ...answer, ephemeral_message_parameters: parameters });
    await api.ok('answerCallbackQuery', { callback_query_id: query.id });
    expect(alone(ann)).toEqual(['Yours', 'More']);
  });
});

test('a kept world keeps them; one from before has none', async () => {
  const { act, sandbox, ann, group, bot } = await inGroup();
  await act('ephemeral/say', { ...at, text: '/balance' });
  const saved = sandbox.exportState();
  const next = createSandbox();
  next.importState(saved);
  const shown: ShownMessage[] = next.unseenByOthers(ann.id, group.id);
  expect(shown.map(({ message }) => message.text)).toEqual(['/balance']);
  const command = next.sayUnseen(ann.id, group.id, '/balance');
  expect(command.ephemeral_message_id).toBe((shown[0]?.message.ephemeral_message_id ?? 0) + 1);
  await next.close();
  expect(bot.commands).not.toEqual({});
});

test('grammY answers unseen', async () => {
  const { sandbox, url, bot, ann, group, alone } = await inGroup();
  const whisperer = new Bot(bot.token, { client: { apiRoot: url } });
  const answered = new Promise<number | undefined>((resolve, reject) => {
    whisperer.command('balance', async (ctx) => {
      const ephemeral_message_id = ctx.msg.ephemeral_message_id ?? 0;
      const sent = await ctx.reply('Ten.', {
        ephemeral_message_parameters: { receiver_user_id: ctx.msg.from?.id ?? 0 },
        reply_parameters: { ephemeral_message_id },
      });
      resolve(sent.receiver_user?.id);
    });
    whisperer.catch(reject);
  });
  const polling = whisperer.start();
  sandbox.sayUnseen(ann, group, '/balance');
  expect(await answered).toBe(ann.id);
  expect(alone(ann)).toEqual(['/balance', 'Ten.']);
  await whisperer.stop();
  await polling;
});
