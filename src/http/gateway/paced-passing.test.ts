import { describe, expect, it } from 'vitest';
import { cpuMs } from '../../../test/support/cpu-time.ts';
import { chatInForm, chatOf, messagesOf } from './paced-passing.ts';

const part = (headers: string, value: string) =>
  Buffer.from(`--x\r\nContent-Disposition: form-data; ${headers}\r\n\r\n${value}\r\n--x`);

describe('the chat in the beginning of a form', () => {
  it.each([
    ['name="chat_id"', '-1001'],
    ['name=chat_id', '-1001'],
    ['name="chat_id"\r\nContent-Type: text/plain', '-1001'],
    ['name="text"', ''],
  ])('is found after %s', (headers, chat) => {
    expect(chatInForm(part(headers, '-1001'))).toBe(chat);
  });

  it('is searched in little time where a body repeats the field', () => {
    const hostile = Buffer.from('name=chat_id\r\n'.repeat(4_681));
    const from = cpuMs();
    expect(chatInForm(hostile)).toBe('');
    expect(cpuMs() - from).toBeLessThan(200);
  });
});

describe('what a call names', () => {
  it('is left out if it is too long to be a name', () => {
    const long = 'x'.repeat(129);
    expect(chatOf({ chat_id: ' @News ' })).toBe('@news');
    expect(chatOf({ inline_message_id: 'A1' })).toBe('inline A1');
    expect(chatOf({ chat_id: long, inline_message_id: long })).toBe('');
    expect(messagesOf('edit', { message_id: long })).toEqual([]);
  });

  it('is no more messages than Telegram deletes at once', () => {
    const message_ids = Array.from({ length: 500 }, (_, index) => index + 1);
    expect(messagesOf('delete', { message_ids })).toHaveLength(100);
  });
});
