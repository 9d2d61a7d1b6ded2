import { expect, test } from 'vitest';
import { type Scene, scene } from '../helpers.ts';

/* Errors of calls, in Telegram's own words; calls are checked before chats. */

async function chatting(): Promise<Scene & { chat_id: number; group: number; basic: number }> {
  const made = await scene();
  const { sandbox, bot } = made;
  const ann = sandbox.createUser({ first_name: 'Ann' });
  sandbox.say(ann, bot, 'hi');
  const group = sandbox.createChat({ title: 'G', owner: ann, members: [bot] });
  const basic = sandbox.createChat({ type: 'group', title: 'B', owner: ann, members: [bot] });
  for (const chat of [group, basic]) sandbox.promote(ann, chat, bot);
  return { ...made, chat_id: ann.id, group: group.id, basic: basic.id };
}

type Case = [method: string, params: object, reason: string];

async function check(cases: (made: Awaited<ReturnType<typeof chatting>>) => Case[]) {
  const made = await chatting();
  for (const [method, params, reason] of cases(made)) {
    expect(
      await made.api.refused(method, params),
      `${method} ${JSON.stringify(params).slice(0, 90)}`,
    ).toBe(`Bad Request: ${reason}`);
  }
}

test('texts and entities', () =>
  check(({ chat_id }) => {
    const text = (more: object): object => ({ chat_id, text: 'hello', ...more });
    const entity = (fields: object): object => text({ entities: [fields] });
    return [
      ['sendMessage', { chat_id: 5 }, 'message text is empty'],
      ['sendMessage', { text: 'x' }, 'chat_id is empty'],
      ['sendMessage', { chat_id, text: 'я'.repeat(16_385) }, 'text is too long'],
      ['sendMessage', { chat_id, text: 'x'.repeat(4097) }, 'message is too long'],
      ['sendMessage', text({ parse_mode: 'BBCode' }), 'unsupported parse_mode'],
      ['sendMessage', text({ entities: [1] }), "can't parse MessageEntity: expected an Object"],
      [
        'sendMessage',
        entity({ type: 'bold' }),
        'can\'t parse MessageEntity: Can\'t find field "offset"',
      ],
      [
        'sendMessage',
        entity({ type: 'loud', offset: 0, length: 1 }),
        "can't parse MessageEntity: Unsupported type specified",
      ],
      [
        'sendMessage',
        entity({ type: 'text_link', offset: 0, length: 1 }),
        'can\'t parse MessageEntity: Can\'t find field "url"',
      ],
      [
        'sendMessage',
        entity({ type: 'text_mention', offset: 0, length: 1, user: null }),
        'can\'t parse MessageEntity: Can\'t find field "user"',
      ],
      [
        'sendMessage',
        entity({ type: 'constructor', offset: 0, length: 1 }),
        "can't parse MessageEntity: Unsupported type specified",
      ],
      [
        'sendMessage',
        { chat_id, parse_mode: 'HTML', text: '<constructor>x</constructor>' },
        'can\'t parse entities: Unsupported start tag "constructor" at byte offset 0',
      ],
      ['sendDice', { chat_id, emoji: 'constructor' }, 'wrong dice emoji specified'],
      ['sendMessage', text({ reply_parameters: '[]' }), 'object expected as reply parameters'],
      ['sendMessage', text({ reply_parameters: '{' }), "can't parse reply parameters JSON object"],
      ['sendMessage', text({ reply_parameters: { quote: 'x' } }), 'can\'t find field "message_id"'],
      [
        'sendMessage',
        text({ reply_parameters: { message_id: 99 } }),
        'message to be replied not found',
      ],
    ];
  }));

test('keyboards', () =>
  check(({ chat_id }) => {
    const markup = (reply_markup: unknown): object => ({ chat_id, text: 'x', reply_markup });
    const button = (fields: object): object => markup({ inline_keyboard: [[fields]] });
    return [
      ['sendMessage', markup('{'), "can't parse reply keyboard markup JSON object"],
      ['sendMessage', markup([1]), 'object expected as reply markup'],
      ['sendMessage', button({ text: 'x'.repeat(70_000), url: 'a.b' }), 'reply markup is too long'],
      ['sendMessage', markup({ keyboard: 1 }), 'field "keyboard" must be of type Array'],
      ['sendMessage', markup({ keyboard: ['x'] }), 'field "keyboard" must be an Array of Arrays'],
      [
        'sendMessage',
        markup({ keyboard: [[1]] }),
        "can't parse keyboard button: KeyboardButton must be a String or an Object",
      ],
      [
        'sendMessage',
        markup({ keyboard: [[{}]] }),
        'can\'t parse keyboard button: Can\'t find field "text"',
      ],
      [
        'sendMessage',
        markup({ inline_keyboard: ['x'] }),
        'field "inline_keyboard" of the InlineKeyboardMarkup must be an Array of Arrays',
      ],
      [
        'sendMessage',
        button({ text: 'x', callback_data: '' }),
        "can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard",
      ],
      ['sendMessage', button({ text: 'x', callback_data: 'x'.repeat(65) }), 'BUTTON_DATA_INVALID'],
    ];
  }));

test('media', () =>
  check(({ chat_id }) => {
    const album = (media: unknown): object => ({ chat_id, media });
    return [
      ['sendPhoto', { chat_id }, 'there is no photo in the request'],
      ['sendVideoNote', { chat_id }, 'there is no video note in the request'],
      ['sendPhoto', { chat_id, photo: 'nonsense' }, 'wrong file identifier/HTTP URL specified'],
      ['sendMediaGroup', { chat_id }, 'parameter "media" is required'],
      ['sendMediaGroup', album('{'), "can't parse media JSON object"],
      ['sendMediaGroup', album({}), 'expected an Array of InputMedia'],
      ['sendMediaGroup', album([1]), "can't parse InputMedia: expected an Object"],
      ['sendMediaGroup', album([{}]), 'can\'t parse InputMedia: Can\'t find field "type"'],
      [
        'sendMediaGroup',
        album([{ type: 'song' }]),
        'can\'t parse InputMedia: type "song" is unsupported',
      ],
      [
        'sendMediaGroup',
        album([{ type: 'animation', media: 'x' }]),
        'can\'t parse InputMedia: type "animation" can\'t be used in sendMediaGroup',
      ],
      ['sendMediaGroup', album([{ type: 'photo' }]), "can't parse InputMedia: media not found"],
      ['getFile', {}, 'file_id not specified'],
    ];
  }));

test('messages that are not there', () =>
  check(({ chat_id }) => [
    ['deleteMessage', {}, 'chat identifier is not specified'],
    ['deleteMessage', { chat_id }, 'message identifier is not specified'],
    ['deleteMessage', { chat_id, message_id: 99 }, 'message to delete not found'],
    ['deleteMessages', { chat_id }, 'message identifiers are not specified'],
    ['deleteMessages', { chat_id, message_ids: '{' }, "can't parse message_ids JSON object"],
    ['deleteMessages', { chat_id, message_ids: {} }, 'expected an Array of message identifiers'],
    ['deleteMessages', { chat_id, message_ids: [true] }, 'message identifier must be a Number'],
    ['deleteMessages', { chat_id, message_ids: ['x'] }, "can't parse message identifier as Number"],
    ['deleteMessages', { chat_id, message_ids: [0] }, 'invalid message identifier specified'],
    ['editMessageText', { text: 'x' }, 'message identifier is not specified'],
    ['editMessageText', { chat_id, text: 'x' }, 'message to edit not found'],
    ['editMessageText', { chat_id, message_id: 1 }, 'message text is empty'],
    ['editMessageMedia', { chat_id, message_id: 99 }, 'message to edit not found'],
    ['forwardMessage', { chat_id }, 'parameter "from_chat_id" is required'],
    ['forwardMessage', { chat_id, from_chat_id: chat_id }, 'message to forward not found'],
    ['copyMessage', { chat_id, from_chat_id: chat_id }, 'message to copy not found'],
    [
      'copyMessages',
      { chat_id, from_chat_id: chat_id, message_ids: [99] },
      'there are no messages to forward',
    ],
    ['pinChatMessage', { chat_id }, 'message to pin not found'],
    ['stopPoll', { chat_id, message_id: 1 }, 'message with poll to stop not found'],
    ['setMessageReaction', { chat_id, message_id: 99 }, 'message to react not found'],
    ['setMessageReaction', { chat_id, reaction: {} }, 'expected an Array of ReactionType'],
    ['setMessageReaction', { chat_id, reaction: '{' }, "can't parse reaction types JSON object"],
    [
      'setMessageReaction',
      { chat_id, reaction: [{}] },
      'can\'t parse ReactionType: Can\'t find field "type"',
    ],
    [
      'setMessageReaction',
      { chat_id, reaction: [{ type: 'wink' }] },
      "can't parse ReactionType: invalid reaction type specified",
    ],
  ]));

test('polls, queries and commands', () =>
  check(({ chat_id }) => {
    const poll = { chat_id, question: 'Tea?', options: ['yes', 'no'] };
    return [
      ['sendPoll', { ...poll, options: undefined }, "can't parse options JSON object"],
      ['sendPoll', { ...poll, options: {} }, 'expected an Array of String as options'],
      ['sendPoll', { ...poll, options: [1, 2] }, 'expected an option to be of type String'],
      [
        'sendPoll',
        { ...poll, options: [{ text: [], text_entities: [1] }] },
        "can't parse MessageEntity: expected an Object",
      ],
      ['sendPoll', { ...poll, type: 'exam' }, 'unsupported poll type specified'],
      [
        'answerInlineQuery',
        { inline_query_id: '1', results: [] },
        'query is too old and response timeout expired or query ID is invalid',
      ],
      ['setMyCommands', { commands: {} }, 'expected an Array of BotCommand'],
      ['setMyCommands', { commands: '{' }, "can't parse commands JSON object"],
      ['getMyCommands', { scope: { type: 'chat', chat_id: 5 } }, 'chat not found'],
      ['setChatMenuButton', { chat_id: 5 }, 'chat not found'],
      ['getChatMenuButton', { chat_id: 'toString' }, 'invalid chat_id specified'],
      [
        'setMyCommands',
        { commands: [{ command: 'x' }] },
        'can\'t parse BotCommand: Can\'t find field "description"',
      ],
      [
        'setMyCommands',
        { commands: [], scope: { type: 'moon' } },
        "can't parse BotCommandScope: Unsupported type specified",
      ],
      [
        'setChatMenuButton',
        { menu_button: { type: 'moon' } },
        "can't parse menu button: MenuButton has unsupported type",
      ],
      ['sendChatAction', { action: 'dance' }, 'wrong parameter action in request'],
    ];
  }));

test('members and permissions', () =>
  check(({ chat_id, group, basic }) => {
    const large = 'method is available for supergroup and channel chats only';
    return [
      ['banChatMember', { chat_id: group }, 'invalid user_id specified'],
      ['promoteChatMember', { chat_id: basic, user_id: chat_id }, large],
      ['promoteChatMember', { chat_id, user_id: chat_id }, large],
      ['unbanChatMember', { chat_id, user_id: chat_id }, large],
      ['unbanChatMember', { chat_id: basic, user_id: chat_id }, large],
      [
        'restrictChatMember',
        { chat_id: basic, user_id: chat_id },
        'method is available only for supergroups',
      ],
      [
        'setChatPermissions',
        { chat_id: group, permissions: '{' },
        "can't parse permissions JSON object",
      ],
      [
        'setChatPermissions',
        { chat_id: group, permissions: '[]' },
        'object expected as permissions',
      ],
    ];
  }));

test('what is nested too deeply to be written down again is refused before anything is done', async () => {
  const { sandbox, bot, url, chat_id } = await chatting();
  const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
  const post = async (path: string, body: object): Promise<unknown> => {
    const response = await fetch(`${url}/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body).replace('"deep"', deep),
    });
    return response.json();
  };
  const before = sandbox.exportState().length;
  const entity = { type: 'bold', offset: 0, length: 1, x: 'deep' };
  const poll = { chat_id, question: 'Q', options: ['a'], open_period: 5 };
  expect(
    await post(`bot${bot.token}/sendPoll`, { ...poll, question_entities: [entity] }),
  ).toMatchObject({ description: "Bad Request: can't parse question entities JSON object" });
  expect(
    await post('sandbox/send-content', { user: chat_id, chat: bot.id, contact: { x: 'deep' } }),
  ).toMatchObject({ error: 'The body is nested too deeply.' });
  expect(sandbox.exportState()).toHaveLength(before);
});
