import { describe, expect, test } from 'vitest';
import { chatting } from '../support/scenes.ts';

const keyboard = { inline_keyboard: [[{ text: 'A', callback_data: 'a' }]] };

describe('sending', () => {
  test('parameters are checked in Telegram words', async () => {
    const { api, ann } = await chatting();
    const cases: [object, string][] = [
      [{ text: 'x' }, 'chat_id is empty'],
      [{ chat_id: 'abc', text: 'x' }, 'chat not found'],
      [{ chat_id: '@nowhere', text: 'x' }, 'chat not found'],
      [{ chat_id: ann.id }, 'message text is empty'],
      [{ chat_id: ann.id, text: '   ' }, 'text must be non-empty'],
      [{ chat_id: ann.id, text: 'x'.repeat(4097) }, 'message is too long'],
      [{ chat_id: ann.id, text: 'x', parse_mode: 'Word' }, 'unsupported parse_mode'],
      [
        { chat_id: ann.id, text: 'x', reply_parameters: { message_id: 99 } },
        'message to be replied not found',
      ],
      [{ chat_id: ann.id, text: 'x', reply_to_message_id: 99 }, 'message to be replied not found'],
      [{ chat_id: ann.id, text: 'x', message_thread_id: 5 }, 'message thread not found'],
      [
        { chat_id: ann.id, text: 'x', reply_markup: '{' },
        "can't parse reply keyboard markup JSON object",
      ],
      [{ chat_id: ann.id, text: 'x', reply_markup: '[]' }, 'object expected as reply markup'],
      [
        {
          chat_id: ann.id,
          text: 'x',
          reply_markup: { inline_keyboard: [[{ text: 'a', callback_data: 'x'.repeat(65) }]] },
        },
        'BUTTON_DATA_INVALID',
      ],
      [
        { chat_id: ann.id, text: 'x', reply_markup: { inline_keyboard: [[{ text: 'a' }]] } },
        "can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard",
      ],
    ];
    for (const [params, reason] of cases) {
      expect(await api.refused('sendMessage', params)).toBe(`Bad Request: ${reason}`);
    }
    expect(
      (await api.ok('sendMessage', { chat_id: String(ann.id), text: 'x'.repeat(4096) })).text,
    ).toHaveLength(4096);
  });

  test('replies, protected content, previews and keyboards', async () => {
    const { api, ann, sandbox, bot } = await chatting();
    const sent = await api.ok('sendMessage', {
      chat_id: ann.id,
      text: '  trimmed  ',
      reply_parameters: { message_id: 1 },
      protect_content: true,
      link_preview_options: { is_disabled: true },
      reply_markup: keyboard,
    });
    expect(sent).toMatchObject({
      text: 'trimmed',
      reply_to_message: { message_id: 1, text: '/start' },
      has_protected_content: true,
      link_preview_options: { is_disabled: true },
      reply_markup: keyboard,
    });
    const lenient = await api.ok('sendMessage', {
      chat_id: ann.id,
      text: 'x',
      reply_parameters: { message_id: 99, allow_sending_without_reply: true },
      reply_markup: JSON.stringify({ keyboard: [['Yes', 'No']] }),
    });
    expect(lenient.reply_to_message).toBeUndefined();
    expect(lenient.reply_markup).toBeUndefined();
    expect(sandbox.history(ann, bot).at(-1)?.keyboard).toEqual({ keyboard: [['Yes', 'No']] });
  });

  test('locations, venues, contacts, dice, invoices, actions, drafts', async () => {
    const { api, ann } = await chatting();
    const chat_id = ann.id;
    const place = { latitude: 52.5, longitude: 13.4 };
    expect((await api.ok('sendLocation', { chat_id, ...place, live_period: 60 })).location).toEqual(
      {
        ...place,
        live_period: 60,
      },
    );
    expect(
      (await api.ok('sendVenue', { chat_id, ...place, title: 'T', address: 'A' })).venue,
    ).toMatchObject({
      title: 'T',
      location: place,
    });
    expect(
      (await api.ok('sendContact', { chat_id, phone_number: '+49123', first_name: 'B' })).contact,
    ).toEqual({
      phone_number: '+49123',
      first_name: 'B',
    });
    const { dice } = await api.ok('sendDice', { chat_id, emoji: '🎯' });
    expect(dice?.emoji).toBe('🎯');
    expect(dice?.value).toBeGreaterThanOrEqual(1);
    expect(dice?.value).toBeLessThanOrEqual(6);
    const invoice = {
      chat_id,
      title: 'T',
      description: 'D',
      payload: 'p',
      prices: [{ label: 'L', amount: 5 }],
    };
    expect(
      (await api.ok('sendInvoice', { ...invoice, currency: 'XTR' })).invoice?.total_amount,
    ).toBe(5);
    expect(await api.refused('sendInvoice', { ...invoice, currency: 'EUR' })).toBe(
      'Bad Request: PAYMENT_PROVIDER_INVALID',
    );
    expect(await api.ok('sendChatAction', { chat_id, action: 'typing' })).toBe(true);
    expect(await api.refused('sendChatAction', { chat_id, action: 'dancing' })).toBe(
      'Bad Request: wrong parameter action in request',
    );
    expect(await api.ok('sendMessageDraft', { chat_id, draft_id: 1, text: 'thinking' })).toBe(true);
    expect(await api.refused('sendLocation', { chat_id, latitude: 1 })).toBe(
      'Bad Request: longitude is empty',
    );
    expect(await api.refused('sendGame', { chat_id, game_short_name: 'x' })).toBe(
      'Bad Request: wrong game short name specified',
    );
  });

  test('a member without the permission is told what it may not send', async () => {
    const { api, ann, sandbox, bot } = await chatting();
    const group = sandbox.createChat({ title: 'G', owner: ann, members: [bot] });
    group.permissions.can_send_messages = false;
    expect(await api.refused('sendMessage', { chat_id: group.id, text: 'x' })).toBe(
      'Bad Request: not enough rights to send text messages to the chat',
    );
    expect((await api.ok('sendDice', { chat_id: group.id })).dice?.emoji).toBe('🎲');
  });
});
