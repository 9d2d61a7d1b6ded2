import type { Message } from '@grammyjs/types';
import { describe, expect, it } from 'vitest';
import { nowhere } from '../support/rigs/domain-app.ts';
import { dialects } from '../support/database/engines.ts';
import { messagesForAllTests } from '../support/rigs/message-rig.ts';

describe.each(dialects)('messages over HTTP on %s', (dialect) => {
  const { app, send, list, sentBy } = messagesForAllTests(dialect);

  it('sends through the platform, stores the answer and gives what is stored', async () => {
    const bot = await app().talkingBot();
    const sent = sentBy(bot.platformId);
    const text = 'hello 😀 "quoted"';
    const { status, body } = await send({ bot_id: bot.id, chat_id: bot.chatId, text });
    expect(status).toBe(200);
    expect(sent).toEqual([text]);
    expect(body).toMatchObject({
      chat_id: bot.chatId,
      bot_id: bot.id,
      user_id: bot.platformId,
      text,
    });
    expect(body).not.toHaveProperty('reply_to_message_id');
    expect(body).not.toHaveProperty('media_type');
    expect((await list(`chat_id=${bot.chatId}&bot_id=${bot.id}`)).body).toEqual([body]);
  });

  it('replies', async () => {
    const bot = await app().talkingBot();
    const first = await send({ bot_id: bot.id, chat_id: bot.chatId, text: 'one' });
    const { body } = await send({
      bot_id: bot.id,
      chat_id: bot.chatId,
      text: 'two',
      reply_to_message_id: first.body.id,
    });
    expect(body.reply_to_message_id).toBe(first.body.id);
    expect(Object.keys(body)).toEqual([
      'id',
      'chat_id',
      'bot_id',
      'user_id',
      'username',
      'first_name',
      'last_name',
      'text',
      'date',
      'reply_to_message_id',
      'author',
    ]);
  });

  it('sends into groups, whose ids are negative', async () => {
    const bot = await app().talkingBot();
    const group = app().sandbox.createChat({
      title: 'Team',
      owner: bot.chatId,
      members: [bot.platformId],
    });
    const { status, body } = await send({ bot_id: bot.id, chat_id: group.id, text: 'all' });
    expect(status).toBe(200);
    expect(body.chat_id).toBe(group.id);
    expect(body.chat_id).toBeLessThan(0);
  });

  it('takes 4096 UTF-16 units and not one more', async () => {
    const bot = await app().talkingBot();
    const to = { bot_id: bot.id, chat_id: bot.chatId };
    expect((await send({ ...to, text: '😀'.repeat(2_048) })).status).toBe(200);
    const long = await send({ ...to, text: `${'😀'.repeat(2_048)}x` });
    expect(long).toMatchObject({ status: 400, body: { details: [{ field: 'text' }] } });
    expect((await send({ ...to, text: '' })).status).toBe(400);
  });

  it.each([
    ['chat_id', { chat_id: 0 }],
    ['chat_id', { chat_id: '5' }],
    ['chat_id', { chat_id: 2 ** 53 }],
    ['bot_id', { bot_id: 0 }],
    ['bot_id', { bot_id: -1 }],
    ['reply_to_message_id', { reply_to_message_id: 0 }],
    ['text', { text: 'a\u0000b' }],
    ['text', { text: '\ud800' }],
    ['text', { text: null }],
    ['text', { text: undefined }],
    ['text', { rich_message: { markdown: 'x' } }],
    ['link_preview_options', { text: undefined, rich_message: {}, link_preview_options: {} }],
    ['parse_mode', { parse_mode: 'LaTeX' }],
    ['entities', { parse_mode: 'HTML', entities: [] }],
    ['reply_markup', { reply_markup: '{"inline_keyboard":[]}' }],
    ['message_thread_id', { message_thread_id: 0 }],
  ])('refuses a bad %s by name and sends nothing', async (field, fields) => {
    const bot = await app().talkingBot();
    const sent = sentBy(bot.platformId);
    const { status, body } = await send({
      bot_id: bot.id,
      chat_id: bot.chatId,
      text: 'x',
      ...fields,
    });
    expect(status).toBe(400);
    expect(body).toMatchObject({ details: [{ field }] });
    expect(sent).toEqual([]);
  });

  it('sends with formatting, buttons and the options of Telegram', async () => {
    const bot = await app().talkingBot();
    const posted: Message[] = [];
    app().sandbox.onChange((change) => {
      if (change.type === 'message_added') posted.push(change.message);
    });
    const to = { bot_id: bot.id, chat_id: bot.chatId };
    const inline_keyboard = [[{ text: 'Yes', callback_data: 'yes' }]];
    const { body } = await send({
      ...to,
      text: '<b>Ready?</b>',
      parse_mode: 'HTML',
      reply_markup: { inline_keyboard },
      link_preview_options: { is_disabled: true },
      protect_content: true,
      disable_notification: true,
      message_thread_id: 1,
    });
    expect(body).toMatchObject({
      text: 'Ready?',
      buttons: [[{ text: 'Yes', type: 'callback_data', value: 'yes' }]],
    });
    await send({ ...to, text: 'code', entities: [{ type: 'code', offset: 0, length: 4 }] });
    const rich = await send({ ...to, rich_message: { markdown: '# Order\n\n- paid' } });
    expect(rich.body.text).toBe('Order\npaid');
    expect(posted).toMatchObject([
      {
        entities: [{ type: 'bold', offset: 0, length: 6 }],
        reply_markup: { inline_keyboard },
        link_preview_options: { is_disabled: true },
        has_protected_content: true,
      },
      { entities: [{ type: 'code', offset: 0, length: 4 }] },
      { rich_message: { blocks: [{ type: 'heading' }, { type: 'list' }] } },
    ]);
  });

  it.each([
    ['<b>half', /can't parse entities/],
    ['x', /Text buttons are unallowed/, { inline_keyboard: [[{ text: 'no action' }]] }],
  ])(
    'stores nothing of %j, whose markup Telegram refuses',
    async (text, words, reply_markup: object = {}) => {
      const bot = await app().talkingBot();
      const message = {
        bot_id: bot.id,
        chat_id: bot.chatId,
        text,
        parse_mode: 'HTML',
        reply_markup,
      };
      const key = `refused ${bot.id}`;
      expect(await send(message, key)).toMatchObject({
        status: 422,
        body: { platform: { error_code: 400, description: expect.stringMatching(words) } },
      });
      expect((await list(`chat_id=${bot.chatId}&bot_id=${bot.id}`)).body).toEqual([]);
      // The key is free again.
      const mended = { ...message, text: 'x', reply_markup: {} };
      expect((await send(mended, key)).status).toBe(200);
    },
  );

  it('passes the platform’s refusal on in its own words', async () => {
    const bot = await app().talkingBot();
    const { status, body } = await send({ bot_id: bot.id, chat_id: 999_999, text: 'x' });
    expect(status).toBe(422);
    expect(body).toMatchObject({
      code: 'platform_refused',
      platform: { error_code: 400, description: 'Bad Request: chat not found' },
    });
  });

  it('passes on how long the platform wants it to wait', async () => {
    const bot = await app().talkingBot();
    app().sandbox.fault({ kind: 'too_many_requests', retryAfterSeconds: 7, botId: bot.platformId });
    const { status, headers, body } = await send({
      bot_id: bot.id,
      chat_id: bot.chatId,
      text: 'x',
    });
    expect(status).toBe(429);
    expect(headers['retry-after']).toBe('7');
    expect(body).toMatchObject({ code: 'platform_rate_limited' });
  });

  it('tells a platform that is not there from one that never answered', async () => {
    const bot = await app().talkingBot();
    const message = { bot_id: bot.id, chat_id: bot.chatId, text: 'x' };
    app().sandbox.fault({ kind: 'reset_after', botId: bot.platformId, times: 1 });
    expect(await send(message)).toMatchObject({ status: 504, body: { code: 'platform_timeout' } });
    app().movePlatform(nowhere);
    expect(await send(message)).toMatchObject({
      status: 502,
      body: { code: 'platform_unreachable' },
    });
  });

  it('does not send through a disabled bot, nor through none', async () => {
    const bot = await app().talkingBot();
    await app().store.bots.toggle(bot.id, 1);
    const message = { bot_id: bot.id, chat_id: bot.chatId, text: 'x' };
    expect(await send(message)).toMatchObject({ status: 409, body: { code: 'bot_disabled' } });
    expect(await send({ ...message, bot_id: 999_999 })).toMatchObject({
      status: 404,
      body: { code: 'bot_not_found' },
    });
  });

  it('leaves sending to those who may', async () => {
    const bot = await app().talkingBot();
    const message = { bot_id: bot.id, chat_id: bot.chatId, text: 'x' };
    const reader = await app().user('read');
    expect((await reader.post('/api/messages/send', message)).status).toBe(403);
    const limited = await app().user('send', [(await app().talkingBot()).id]);
    expect(await limited.post('/api/messages/send', message)).toMatchObject({
      status: 403,
      body: { code: 'bot_not_allowed' },
    });
    const query = `/api/messages?chat_id=${bot.chatId}&bot_id=${bot.id}`;
    expect((await limited.get(query)).status).toBe(403);
  });
});
