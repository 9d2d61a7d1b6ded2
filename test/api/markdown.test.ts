import { describe, expect, it, vi } from 'vitest';
import { eitherDialect } from '../support/database/engines.ts';
import { serviceForAllTests } from '../support/whole-service.ts';

interface Sent {
  id: number;
  text: string;
  parts?: number[];
}

describe.each(eitherDialect)('Markdown over HTTP on %s', (dialect) => {
  const whole = serviceForAllTests(dialect, { RELAY_SANDBOX: 'on' });
  const { ask, call } = whole;

  /** A person who talks to a bot. */
  async function chat() {
    const bot = await whole.addBot({ manage_enabled: true });
    const person = await whole.addPerson(`Ann ${bot.id}`);
    const { message_id: asked } = await whole.say(person, bot, '/start');
    const to = { bot_id: bot.id, chat_id: person.id };
    const seen = async () =>
      (
        await whole.seen<{ message_id: number; text?: string; from: { id: number } }>(
          person,
          bot.platformId,
        )
      ).filter(({ from }) => from.id === bot.platformId);
    return { bot, to, asked, seen };
  }
  const long = (paragraphs: number) =>
    Array.from({ length: paragraphs }, (_, index) => `**${index}** ${'words '.repeat(160)}`).join(
      '\n\n',
    );

  it('arrives with entities, without parse_mode', async () => {
    const { to, seen } = await chat();
    const sent = await call<Sent>('/api/messages/send', {
      ...to,
      format: 'markdown',
      text: '# Hi\n\n- **a** `b`\n- [c](https://example.com) 1. _ * [',
    });
    expect(sent).toMatchObject({ text: 'Hi\n\n• a b\n• c 1. _ * [', parts: [sent.id] });
    expect(await seen()).toMatchObject([
      { entities: [{ type: 'bold' }, { type: 'bold' }, { type: 'code' }, { type: 'text_link' }] },
    ]);
  });

  it('is split into messages, sent in order, once for a key', async () => {
    const { to, asked, seen } = await chat();
    const text = long(9);
    const reply_markup = { inline_keyboard: [[{ text: 'More', callback_data: 'more' }]] };
    const body = { ...to, format: 'markdown', text, reply_markup, reply_to_message_id: asked };
    const send = () =>
      ask('/api/messages/send', body, { headers: { 'idempotency-key': `long ${to.bot_id}` } });
    const [first, again] = await Promise.all([send(), send()]);
    expect(first).toMatchObject({ status: 200, json: { reply_to_message_id: asked } });
    expect(again.json).toEqual(first.json);
    const messages = await seen();
    expect(messages.map(({ message_id }) => message_id)).toEqual((first.json as Sent).parts);
    expect(messages).toHaveLength(3);
    expect(messages.map((one) => 'reply_markup' in one)).toEqual([false, false, true]);
    expect(
      messages
        .map(({ text: part }) => part)
        .join('')
        .replace(/\s/g, ''),
    ).toBe(text.replace(/[\s*]/g, ''));
    const stored = await call<Sent[]>(`/api/messages?bot_id=${to.bot_id}&chat_id=${to.chat_id}`);
    expect(stored.filter(({ text: part }) => part.startsWith('0 words'))).toHaveLength(1);
  });

  it('sends nothing after a part whose outcome is unknown, and the rest when it is sent again', async () => {
    const { bot, to, seen } = await chat();
    const fault = (kind: string, more: object = {}) =>
      call('/api/sandbox/faults/add', {
        kind,
        bot: bot.platformId,
        method: 'sendMessage',
        times: 1,
        ...more,
      });
    // While the first part is slow, a fault waits for the second.
    await fault('slow', { delay_ms: 500 });
    const sending = ask('/api/messages/send', { ...to, format: 'markdown', text: long(9) });
    await vi.waitFor(async () => expect(await call('/api/sandbox/faults/list')).toEqual([]));
    await fault('reset_after');
    const answer = await sending;
    expect(answer).toMatchObject({
      status: 504,
      json: { reason_code: 'partly_sent', params: { sent: 1, parts: 3 } },
    });
    const arrived = await seen();
    expect(arrived).toHaveLength(2);
    expect(answer.json).toMatchObject({ params: { message_ids: [arrived[0]?.message_id] } });
    const [part] = await call<{ id: number; state: string }[]>(
      `/api/outbox?bot_id=${bot.id}&limit=1`,
    );
    expect(part).toMatchObject({ state: 'unknown' });
    await ask(`/api/outbox/send-again?id=${part?.id}`, undefined, { method: 'POST' });
    await vi.waitFor(async () => expect(await seen()).toHaveLength(4));
  });

  it('is sent as a file if it needs more than five messages', async () => {
    const { to, seen } = await chat();
    const text = long(40);
    const sent = await call<Sent & { file_id: string; media_type: string }>('/api/messages/send', {
      ...to,
      format: 'markdown',
      text,
    });
    expect(sent).toMatchObject({ media_type: 'document', parts: [sent.id] });
    expect(sent.text).toMatch(/^0 words .*…$/s);
    expect(await seen()).toHaveLength(1);
    const path = `/api/media?bot_id=${to.bot_id}&file_id=${sent.file_id}`;
    const { address } = whole.service();
    const key = whole.service().localKey;
    const file = await fetch(address + path, { headers: { authorization: `Bearer ${key}` } });
    expect(await file.text()).toBe(text);
  });

  it('edits a message', async () => {
    const { to } = await chat();
    const { id } = await call<Sent>('/api/messages/send', { ...to, text: 'x' });
    const path = `/api/messages/edit?bot_id=${to.bot_id}&chat_id=${to.chat_id}&message_id=${id}`;
    const edit = (text: string) => ask(path, { text, format: 'markdown' });
    expect((await edit('**done**')).json).toMatchObject({ text: 'done' });
    expect(await edit(long(9))).toMatchObject({
      status: 400,
      json: { details: [{ field: 'text' }] },
    });
  });

  it('formats captions, of a known file and of a form', async () => {
    const { to, seen } = await chat();
    const { address, localKey } = whole.service();
    const form = new FormData();
    const fields = { ...to, type: 'document', caption: '**a** _b_', format: 'markdown' };
    for (const [name, value] of Object.entries(fields)) form.set(name, String(value));
    form.set('file', new Blob(['x']), 'x.txt');
    const path = '/api/messages/send-media';
    const headers = { authorization: `Bearer ${localKey}` };
    const uploaded = await fetch(address + path, { method: 'POST', headers, body: form });
    const entities = [{ type: 'bold' }, { type: 'italic' }];
    const sent = (await uploaded.json()) as { file_id: string };
    expect(sent).toMatchObject({ text: 'a b', entities });
    const again = { ...fields, file_id: sent.file_id };
    expect(await call(path, again)).toMatchObject({ text: 'a b', entities });
    const plain = { ...again, format: undefined, caption: '**a**' };
    expect(await call(path, plain)).toMatchObject({ text: '**a**' });
    // Only what is shown counts.
    const link = `[a](https://example.com/${'x'.repeat(1_100)})`;
    expect(await call(path, { ...again, caption: link })).toMatchObject({ text: 'a' });
    expect(await seen()).toHaveLength(4);
    for (const [field, wrong] of [
      ['caption', { caption: 'x'.repeat(1_025) }],
      ['caption', { caption: 'x'.repeat(1_025), format: undefined }],
      ['caption_entities', { caption_entities: [] }],
      ['parse_mode', { parse_mode: 'HTML' }],
    ] as const) {
      const refused = { status: 400, json: { details: [{ field }] } };
      expect(await ask(path, { ...again, ...wrong })).toMatchObject(refused);
    }
  });

  it.each([
    ['text', { text: ' \n ' }],
    ['text', { text: 'x'.repeat(100_001) }],
    ['parse_mode', { text: 'x', parse_mode: 'HTML' }],
    ['format', { text: 'x', format: 'html' }],
  ])('is refused with a wrong %s', async (field, body) => {
    const { to } = await chat();
    const answer = await ask('/api/messages/send', { ...to, format: 'markdown', ...body });
    expect(answer).toMatchObject({ status: 400, json: { details: [{ field }] } });
  });
});
