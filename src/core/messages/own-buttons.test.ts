import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { newNonce, ownButtonData, pressOf, readOwnButton } from './own-buttons.ts';

const nonce = newNonce(randomBytes);
const button = { part: 'ask', id: 2 ** 52 - 1, nonce, action: '9' };
const data = ownButtonData(button);

describe('the data of own buttons', () => {
  it('is read as it was written, and fits into what Telegram allows', () => {
    expect(readOwnButton('ask', data)).toEqual(button);
    expect(Buffer.byteLength(data)).toBeLessThanOrEqual(64);
  });

  it('is for one part only, and must have its form', () => {
    expect(readOwnButton('desk', data)).toBeUndefined();
    for (const wrong of ['', 'ask:1', data.slice(0, -2), `${data}:1`, data.replace(nonce, 'x')]) {
      expect(readOwnButton('ask', wrong)).toBeUndefined();
    }
  });
});

describe('a press', () => {
  const from = { id: 7, first_name: 'Ann\n', last_name: 'Lee', username: 'ann' };
  const reply_markup = { inline_keyboard: [[{ text: 'Yes', callback_data: data }]] };

  it('names the person and says whether the message has the button', () => {
    const message = { message_id: 3, chat: { id: -5 }, reply_markup };
    expect(pressOf({ id: 'q', from, message, data })).toEqual({
      queryId: 'q',
      chatId: -5,
      messageId: 3,
      userId: 7,
      userName: 'Ann  Lee',
      data,
      isShown: true,
    });
    expect(pressOf({ id: 'q', from, message, data: 'bot-relay:ask:1' })?.isShown).toBe(false);
  });

  it('without a message in a chat is none', () => {
    expect(pressOf({ id: 'q', from, inline_message_id: 'i', data })).toBeUndefined();
  });
});
