import { describe, expect, it, onTestFinished } from 'vitest';
import { eitherDialect } from '../support/database/engines.ts';
import { serve } from '../support/local-server.ts';
import { serviceForAllTests } from '../support/whole-service.ts';

interface Seen {
  message_id: number;
  text?: string;
  caption?: string;
  entities?: { type: string }[];
  caption_entities?: { type: string }[];
  reply_markup?: object;
  reply_to_message?: { message_id: number };
  document?: { file_name: string };
}

type Body = NonNullable<RequestInit['body']>;

interface Envelope {
  ok: boolean;
  error_code?: number;
  description?: string;
  parameters?: { retry_after: number };
  result: Seen;
}

const long = (paragraphs: number) =>
  Array.from({ length: paragraphs }, (_, index) => `**${index}** ${'words '.repeat(160)}`).join(
    '\n\n',
  );
const bold = [{ type: 'bold', offset: 0, length: 4 }];

describe.each(eitherDialect)('an app with format: markdown on %s', (dialect) => {
  const whole = serviceForAllTests(dialect, { RELAY_SANDBOX: 'on' });
  const { call } = whole;

  /** An agent with its bot, and a person who talks to it. */
  async function agent(settings: object = {}) {
    const bot = await whole.addBot({ manage_enabled: true });
    const person = await whole.addPerson(`Ann ${bot.id}`);
    const { message_id: asked } = await whole.say(person, bot, '/start');
    const given = { bot_id: bot.id, name: 'agent', mode: 'send', format: 'markdown', ...settings };
    const { token, id } = await call<{ token: string; id: number }>('/api/bots/apps/add', given);
    const ask = async (method: string, body: Body, type?: string): Promise<Envelope> => {
      const { address } = whole.service();
      const headers = type === undefined ? {} : { 'content-type': type };
      const answer = await fetch(`${address}/bot${token}/${method}`, {
        method: 'POST',
        headers,
        body,
      });
      return (await answer.json()) as Envelope;
    };
    return {
      bot,
      asked,
      id,
      token,
      chat_id: person.id,
      ask,
      json: (method: string, params: object) =>
        ask(method, JSON.stringify({ chat_id: person.id, ...params }), 'application/json'),
      seen: async () =>
        (await whole.seen<Seen & { from: { id: number } }>(person, bot.platformId)).filter(
          ({ from }) => from.id === bot.platformId,
        ),
    };
  }

  it.each([
    ['JSON', (params: Record<string, string>) => [JSON.stringify(params), 'application/json']],
    ['a form', (params: Record<string, string>) => [new URLSearchParams(params)]],
    [
      'multipart',
      (params: Record<string, string>) => {
        const form = new FormData();
        for (const [name, value] of Object.entries(params)) form.set(name, value);
        return [form];
      },
    ],
  ] as const)('sends the Markdown of %s with entities', async (_kind, encode) => {
    const { ask, chat_id } = await agent();
    const reply_markup = '{"inline_keyboard":[[{"text":"A","callback_data":"a"}]]}';
    const params = { chat_id: String(chat_id), text: '**Done**: `x`', reply_markup };
    const [body, type] = encode(params) as [Body, string?];
    expect(await ask('sendMessage', body, type)).toMatchObject({
      ok: true,
      result: { text: 'Done: x', entities: [...bold, { type: 'code' }], reply_markup: {} },
    });
  });

  it('sends the Markdown of a query with entities', async () => {
    const { chat_id, token } = await agent();
    const query = new URLSearchParams({ chat_id: String(chat_id), text: '**Done**' });
    const answer = await fetch(
      `${whole.service().address}/bot${token}/sendMessage?${String(query)}`,
    );
    expect(await answer.json()).toMatchObject({ result: { text: 'Done', entities: bold } });
  });

  it.each([
    ['parse_mode', { parse_mode: 'HTML', text: '**<b>x</b>**' }, '**x**'],
    ['entities', { entities: [], text: '**x**' }, '**x**'],
  ])('leaves a text with %s as it is', async (_field, params, text) => {
    const { json } = await agent();
    expect(await json('sendMessage', params)).toMatchObject({ result: { text } });
  });

  it('sends a long text as several messages, in order, and answers with the first', async () => {
    const { asked, bot, chat_id, json, seen } = await agent();
    const reply_markup = { inline_keyboard: [[{ text: 'More', callback_data: 'more' }]] };
    const reply_parameters = { message_id: asked };
    const text = long(9);
    const { result } = await json('sendMessage', { text, reply_markup, reply_parameters });
    const messages = await seen();
    expect(messages).toHaveLength(3);
    expect(messages[0]).toMatchObject({ message_id: result.message_id, reply_to_message: {} });
    expect(messages.map((one) => 'reply_markup' in one)).toEqual([false, false, true]);
    const arrived = messages.map(({ text: part = '' }) => part).join('');
    expect(arrived.replace(/\s/g, '')).toBe(text.replace(/[\s*]/g, ''));
    const stored = await call<{ author?: object }[]>(
      `/api/messages?bot_id=${bot.id}&chat_id=${chat_id}&limit=1`,
    );
    expect(stored).toMatchObject([{ author: { kind: 'app', name: 'agent' } }]);
    expect(await appOf(bot.id)).toMatchObject({ sent: 3 });
  });

  it('sends a text of more than five messages as a file', async () => {
    const { json, seen } = await agent();
    expect(await json('sendMessage', { text: long(40) })).toMatchObject({
      result: { document: { file_name: 'message.md' } },
    });
    expect(await seen()).toHaveLength(1);
  });

  it('sends nothing after a part whose outcome is unknown', async () => {
    const { bot, json, seen } = await agent();
    const fault = (more: object) =>
      call('/api/sandbox/faults/add', {
        bot: bot.platformId,
        method: 'sendMessage',
        times: 1,
        ...more,
      });
    await fault({ kind: 'reset_after' });
    expect(await json('sendMessage', { text: long(9) })).toMatchObject({ error_code: 504 });
    expect(await seen()).toHaveLength(1);
  });

  it('passes on what Telegram says of a long text', async () => {
    const { ask } = await agent();
    const body = JSON.stringify({ chat_id: 4242, text: long(9) });
    expect(await ask('sendMessage', body, 'application/json')).toMatchObject({
      error_code: 400,
      description: 'Bad Request: chat not found',
    });
  });

  it('edits with entities, and leaves what needs two messages to Telegram', async () => {
    const { json } = await agent();
    const { result } = await json('sendMessage', { text: 'x' });
    const edit = (text: string) => json('editMessageText', { message_id: result.message_id, text });
    expect(await edit('**Done**')).toMatchObject({ result: { text: 'Done', entities: bold } });
    // With its formatting, it would be more than a message can have.
    const crowded = '`x` '.repeat(120).trim();
    expect(await edit(crowded)).toMatchObject({ result: { text: crowded } });
    expect(await edit(long(9))).toMatchObject({
      error_code: 400,
      description: 'Bad Request: message is too long',
    });
  });

  it('formats captions, also of uploads and albums', async () => {
    const { ask, chat_id, json } = await agent();
    const photo = new Blob([Buffer.from('89504e470d0a1a0a', 'hex')], { type: 'image/png' });
    const form = new FormData();
    form.set('chat_id', String(chat_id));
    form.set('caption', '**Done**');
    form.set('document', photo, 'a "b".png');
    const sent = await ask('sendDocument', form);
    expect(sent).toMatchObject({ result: { caption: 'Done', caption_entities: bold } });
    const { message_id, document } = sent.result as Seen & { document: { file_id: string } };
    expect(document).toMatchObject({ file_name: 'a "b".png', file_size: 8 });
    const edited = await json('editMessageCaption', { message_id, caption: '_Done_' });
    expect(edited).toMatchObject({ result: { caption_entities: [{ type: 'italic' }] } });
    const medium = { type: 'document', media: document.file_id, caption: '**Done**' };
    const album = await json('sendMediaGroup', { media: [medium, { ...medium, caption: '' }] });
    expect(album).toMatchObject({ result: [{ caption_entities: bold }, {}] });
    const media = JSON.stringify({ ...medium, caption: '`Done`' });
    expect(await json('editMessageMedia', { message_id, media })).toMatchObject({
      result: { caption_entities: [{ type: 'code' }] },
    });
  });

  it('keeps the presses on the last part for itself', async () => {
    const { bot, chat_id, json, seen, token } = await agent({ mode: 'poll', own_replies: true });
    const other = { bot_id: bot.id, name: 'other', mode: 'poll' };
    const { token: otherToken } = await call<{ token: string }>('/api/bots/apps/add', other);
    const reply_markup = { inline_keyboard: [[{ text: 'More', callback_data: 'more' }]] };
    await json('sendMessage', { text: long(9), reply_markup });
    const last = (await seen()).at(-1)?.message_id;
    await call('/api/sandbox/press', {
      user: chat_id,
      chat: bot.platformId,
      message_id: last,
      button: 'More',
    });
    const updates = async (of: string) => {
      const path = `/bot${of}/getUpdates?allowed_updates=["callback_query"]`;
      const answer = await fetch(whole.service().address + path);
      return ((await answer.json()) as { result: { callback_query?: object }[] }).result.filter(
        ({ callback_query }) => callback_query,
      );
    };
    await expect.poll(() => updates(token)).toHaveLength(1);
    expect(await updates(otherToken)).toEqual([]);
  });

  it('holds a long text in a flood wait like any other call, with pacing', async () => {
    const { bot, json, seen } = await agent({ pacing: 'on', patience: 30 });
    const fault = {
      kind: 'too_many_requests',
      retry_after_seconds: 1,
      method: 'sendMessage',
      times: 1,
    };
    await call('/api/sandbox/faults/add', { ...fault, bot: bot.platformId });
    expect(await json('sendMessage', { text: long(9) })).toMatchObject({ ok: true });
    expect(await seen()).toHaveLength(3);
    expect(await appOf(bot.id)).toMatchObject({ rate_limited: 1, sent: 3 });
  });

  it('formats what its backend answers an update with', async () => {
    const backend = await serve((_req, res) => {
      res.writeHead(200, { 'content-type': 'application/json' });
      res.end(JSON.stringify({ method: 'sendMessage', chat_id, text: long(9) }));
    });
    onTestFinished(backend.close);
    const receiving = { mode: 'webhook', backend_url: backend.url };
    const { bot, chat_id, seen } = await agent(receiving);
    await whole.say({ id: chat_id }, bot, 'Tell me all');
    await expect.poll(seen).toHaveLength(3);
    expect((await seen())[0]).toMatchObject({
      entities: expect.arrayContaining([
        expect.objectContaining({ type: 'bold', offset: 0 }),
      ]) as object[],
    });
  });

  async function appOf(botId: number): Promise<object | undefined> {
    const apps = await call<{ name: string }[]>(`/api/bots/apps?bot_id=${botId}`);
    return apps.find(({ name }) => name === 'agent');
  }
});
