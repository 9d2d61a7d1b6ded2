import type { BotCommand, CallbackQuery, Message, Update } from '@grammyjs/types';
import { Bot } from 'grammy';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ShownMessage } from '../../src/sandbox/actions/show.ts';
import { createManualClock } from '../../src/sandbox/clock.ts';
import { createSandbox } from '../../src/sandbox/sandbox.ts';
import { paintPicture } from '../../src/sandbox/world/picture.ts';
import type { ChatRecord, UserRecord } from '../../src/sandbox/world/records.ts';
import { type Api, apiOf, pending, type Scene, scene } from './helpers.ts';

const TOO_OLD = 'Bad Request: query is too old and response timeout expired or query ID is invalid';
const COMMANDS: BotCommand[] = [
  { command: 'balance', description: 'What you have', is_ephemeral: true },
  { command: 'help', description: 'Help' },
];

interface Group extends Scene {
  clock: ReturnType<typeof createManualClock>;
  ann: UserRecord;
  ben: UserRecord;
  group: ChatRecord;
  chat_id: number;
  /** Another bot, which reads everything it can. */
  other: Api;
  /** Text of what only this person sees. */
  alone(user: UserRecord): (string | undefined)[];
  act<T = Message & { error?: string }>(action: string, input: object): Promise<T>;
  newest<K extends keyof Update>(kind: K): Promise<Update[K] | undefined>;
}

async function inGroup(): Promise<Group> {
  const clock = createManualClock();
  const made = await scene({ clock });
  const { sandbox, bot, url, api } = made;
  const ann = sandbox.createUser({ first_name: 'Ann', username: 'ann' });
  const ben = sandbox.createUser({ first_name: 'Ben', username: 'ben' });
  const nosy = sandbox.createBot({ username: 'nosy_bot', privacyMode: false });
  const group = sandbox.createChat({
    title: 'Bank',
    username: 'bank',
    owner: ben,
    members: [ann, bot, nosy],
  });
  await api.ok('setMyCommands', { commands: COMMANDS });
  return {
    ...made,
    clock,
    ann,
    ben,
    group,
    chat_id: group.id,
    other: apiOf(url, nosy.token),
    alone: (user) => sandbox.unseenByOthers(user, group).map(({ message }) => message.text),
    async act(action, input) {
      const response = await fetch(`${url}/sandbox/${action}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(input),
      });
      return (await response.json()) as never;
    },
    newest: async (kind) =>
      (await pending(api)).findLast((update) => update[kind] !== undefined)?.[kind],
  };
}

const at = { user: 'ann', chat: 'bank' };

describe('an ephemeral command', () => {
  test('reaches one bot, and nobody else', async () => {
    const { act, api, ann, bot, other, sandbox, group, ben, newest, alone } = await inGroup();
    expect(await api.ok('getMyCommands')).toEqual(COMMANDS);
    const before = (await pending(other)).length;
    const said = await act('ephemeral/say', { ...at, text: '/balance now' });
    const received = await newest('message');
    expect(received).toEqual({
      message_id: 0,
      from: expect.objectContaining({ id: ann.id }) as object,
      chat: { id: group.id, type: 'supergroup', title: 'Bank', username: 'bank' },
      date: said.date,
      receiver_user: expect.objectContaining({ id: bot.id, is_bot: true }) as object,
      ephemeral_message_id: said.ephemeral_message_id,
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
    const none = { error: 'No bot here takes this as an ephemeral command.' };
    for (const text of ['/help', 'balance', '/balance@nosy_bot', '/balances']) {
      expect(await act('ephemeral/say', { ...at, text }), text).toEqual(none);
    }
    expect(await act('ephemeral/say', { ...at, text: '/balance@Scene_bot' })).toMatchObject({
      message_id: 0,
    });
    expect(await act('ephemeral/say', { ...at, chat: 'scene_bot', text: '/balance' })).toEqual({
      error: 'Such messages are only in groups.',
    });
  });

  test('is answered within 15 seconds, as a reply', async () => {
    const made = await inGroup();
    const { act, api, ann, ben, chat_id, clock, alone, other, bot } = made;
    const said = await act('ephemeral/say', { ...at, text: '/balance' });
    const reply = {
      chat_id,
      text: 'Ten.',
      ephemeral_message_parameters: { receiver_user_id: ann.id },
      reply_parameters: { ephemeral_message_id: said.ephemeral_message_id },
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
    expect(sent.ephemeral_message_id).not.toBe(said.ephemeral_message_id);
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
    // The person goes on by answering the bot.
    const reply_to = sent.ephemeral_message_id;
    expect(await act('ephemeral/say', { ...at, text: 'All of it?', reply_to })).toMatchObject({
      text: 'All of it?',
    });
    expect(
      await act('ephemeral/say', { ...at, text: 'x', reply_to: said.ephemeral_message_id }),
    ).toEqual({ error: 'Only what a bot said can be answered so.' });
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
    ).toBe(TOO_OLD);
    clock.advance(16_000);
    expect(await api.refused('sendMessage', answer)).toBe(TOO_OLD);
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
    expect(await act('ephemeral/press', { ...press, user: 'ben' })).toEqual({
      error: `There is no ephemeral message ${ephemeral_message_id} for Ben.`,
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

describe('an administrator', () => {
  async function admin() {
    const made = await inGroup();
    const { sandbox, ben, group, bot, ann, chat_id } = made;
    sandbox.promote(ben, group, bot, {});
    const to = { chat_id, ephemeral_message_parameters: { receiver_user_id: ann.id } };
    return { ...made, to };
  }

  test('sends, edits and deletes unseen at any time', async () => {
    const { api, ann, chat_id, to, alone, sandbox, group, ben } = await admin();
    const text = await api.ok('sendMessage', { ...to, text: 'one' });
    const photo = await api.ok('sendPhoto', {
      ...to,
      caption: 'a picture',
      photo: await uploaded(api, sandbox, ann, paintPicture(40, 30, 7)),
    });
    expect(photo).toMatchObject({ message_id: 0, receiver_user: { id: ann.id } });
    const place = (message: Message) => ({
      chat_id,
      receiver_user_id: ann.id,
      ephemeral_message_id: message.ephemeral_message_id,
    });
    const seen: string[] = [];
    onTestFinished(sandbox.onChange((change) => seen.push(change.type)));
    expect(
      await api.ok('editEphemeralMessageText', {
        ...place(text),
        text: '<b>two</b>',
        parse_mode: 'HTML',
      }),
    ).toBe(true);
    expect(await api.ok('editEphemeralMessageCaption', { ...place(photo), caption: 'b' })).toBe(
      true,
    );
    const inline_keyboard = [[{ text: 'Go', callback_data: 'go' }]];
    expect(
      await api.ok('editEphemeralMessageReplyMarkup', {
        ...place(photo),
        reply_markup: { inline_keyboard },
      }),
    ).toBe(true);
    expect(
      await api.ok('editEphemeralMessageMedia', {
        ...place(photo),
        media: { type: 'photo', media: photo.photo?.at(-1)?.file_id, caption: 'c' },
      }),
    ).toBe(true);
    expect(sandbox.unseenByOthers(ann, group)).toMatchObject([
      { message: { text: 'two', entities: [{ type: 'bold' }] } },
      { message: { caption: 'c' } },
    ]);
    // Who watches the chat is not shown the words.
    expect(new Set(seen)).toEqual(new Set(['ephemeral_changed']));
    const gone = 'Bad Request: message to edit not found';
    expect(
      await api.refused('editEphemeralMessageText', {
        ...place(text),
        receiver_user_id: ben.id,
        text: 'x',
      }),
    ).toBe(gone);
    expect(await api.refused('editMessageText', { chat_id, message_id: 0, text: 'x' })).toBe(gone);
    expect(await api.refused('deleteMessage', { chat_id, message_id: 0 })).toBe(
      'Bad Request: message identifier is not specified',
    );
    expect(await api.ok('deleteEphemeralMessage', place(text))).toBe(true);
    expect(await api.refused('deleteEphemeralMessage', place(text))).toBe(
      'Bad Request: message to delete not found',
    );
    expect(alone(ann)).toEqual([undefined]);
  });

  test('is refused what cannot be', async () => {
    const { api, ann, ben, to, sandbox, group, bot, chat_id } = await admin();
    const stranger = sandbox.createUser();
    const receiver = (receiver_user_id: unknown) => ({
      ...to,
      ephemeral_message_parameters: { receiver_user_id },
    });
    sandbox.say(ann, bot, 'hi');
    const channel = sandbox.createChat({ type: 'channel', title: 'C', owner: ben, members: [bot] });
    const login = [[{ text: 'x', login_url: { url: 'https://example.com' } }]];
    const groups = 'ephemeral messages can be sent only to group and supergroup chats';
    const cases: [string, object, string][] = [
      ['sendMessage', receiver(undefined), 'can\'t find field "receiver_user_id"'],
      ['sendMessage', receiver(5), 'user not found'],
      ['sendMessage', receiver(bot.id), 'user not found'],
      ['sendMessage', receiver(stranger.id), 'USER_NOT_PARTICIPANT'],
      [
        'sendMessage',
        { ...to, ephemeral_message_parameters: '[]' },
        'object expected as ephemeral message parameters',
      ],
      ['sendMessage', { ...to, chat_id: ann.id }, groups],
      ['sendMessage', { ...to, chat_id: channel.id }, groups],
      ['sendMessage', { ...to, reply_markup: { inline_keyboard: login } }, 'BUTTON_TYPE_INVALID'],
      [
        'sendMessage',
        { ...to, reply_parameters: { message_id: 99, allow_sending_without_reply: true } },
        'message to be replied not found',
      ],
      ['sendDice', to, "messages of this type can't be ephemeral"],
      [
        'sendLocation',
        { ...to, latitude: 1, longitude: 1, live_period: 60 },
        'wrong live location period specified',
      ],
    ];
    for (const [method, params, reason] of cases) {
      expect(
        await api.refused(method, { text: 'x', ...params }),
        `${method} ${JSON.stringify(params)}`,
      ).toBe(`Bad Request: ${reason}`);
    }
    // Nothing of it came to the chat.
    expect(sandbox.history(ben, group).some(({ message }) => message.text === 'x')).toBe(false);
    expect(sandbox.unseenByOthers(ann, group)).toEqual([]);
    expect(chat_id).toBe(group.id);
  });

  test.each([
    ['sendContact', { phone_number: '1', first_name: 'A' }, 'contact'],
    ['sendLocation', { latitude: 1, longitude: 2 }, 'location'],
    ['sendVenue', { latitude: 1, longitude: 2, title: 'T', address: 'A' }, 'venue'],
    ['sendRichMessage', { rich_message: { markdown: '# Yours' } }, 'rich_message'],
  ] as const)('%s', async (method, params, field) => {
    const { api, to } = await admin();
    const sent = await api.ok(method, { ...to, ...params });
    expect(sent).toHaveProperty(field);
    expect(sent.message_id).toBe(0);
    expect(sent.ephemeral_message_id).toBeGreaterThan(0);
  });
});

/** A file_id of this bot. */
async function uploaded(
  api: Api,
  sandbox: Scene['sandbox'],
  user: UserRecord,
  bytes: Buffer,
): Promise<string> {
  sandbox.sendMedia(user, 'scene_bot', { bytes });
  const update = (await pending(api)).findLast((one) => one.message?.photo);
  return update?.message?.photo?.at(-1)?.file_id ?? '';
}

test('a kept world keeps them; one from before has none', async () => {
  const { act, sandbox, ann, group, bot } = await inGroup();
  await act('ephemeral/say', { ...at, text: '/balance' });
  const saved = sandbox.exportState();
  const next = createSandbox();
  next.importState(saved);
  const shown: ShownMessage[] = next.unseenByOthers(ann.id, group.id);
  expect(shown.map(({ message }) => message.text)).toEqual(['/balance']);
  const said = next.sayUnseen(ann.id, group.id, '/balance');
  expect(said.ephemeral_message_id).toBe((shown[0]?.message.ephemeral_message_id ?? 0) + 1);
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
