import type { Message } from '@grammyjs/types';
import { describe, expect, onTestFinished, test } from 'vitest';
import { paintPicture } from '../../sandbox/src/world/messages/picture.ts';
import type { UserRecord } from '../../sandbox/src/world/records.ts';
import { type Api, pending, type Scene } from './helpers.ts';
import { inGroup } from './support/bank.ts';

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
    // Watchers of the chat do not get the text.
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
