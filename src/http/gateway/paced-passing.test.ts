import { describe, expect, it } from 'vitest';
import { cpuMs } from '../../../test/support/cpu-time.ts';
import { chatInForm } from './paced-passing.ts';

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
