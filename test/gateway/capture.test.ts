import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { archivedId } from '../../src/core/messages/business-messages.ts';
import type { BotRecord } from '../../src/store/bots/bots.ts';
import { dialects } from '../support/database/engines.ts';
import { type GatewayApp, startGatewayApp } from './gateway-app.ts';

const shownBot = { id: 700, is_bot: true, first_name: 'Robot', username: 'robot_bot' };
const chat = { id: -1005, type: 'supergroup', title: 'Room' };

describe.each(dialects)('what clients send through the gateway, on %s', (dialect) => {
  let gateway: GatewayApp;
  let bot: BotRecord;

  beforeEach(async () => {
    gateway = await startGatewayApp({ dialect });
    bot = await gateway.addBot({ name: 'Robot', username: 'robot_bot' });
  });
  afterEach(() => gateway.close());

  const message = (id: number, more: object) => ({
    message_id: id,
    date: 1_700_000_000,
    chat,
    from: shownBot,
    ...more,
  });
  function call(method: string, params: object, answer?: unknown) {
    if (answer !== undefined) gateway.platform.answerJson(200, { ok: true, result: answer });
    return gateway.call(`/bot${bot.token}/${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(params),
    });
  }
  const stored = (id: number) => gateway.captured(bot.id, chat.id, id);

  it('is stored from the answer: messages, albums, edits', async () => {
    await call('sendMessage', {}, message(1, { text: 'hello' }));
    expect(await stored(1)).toMatchObject({
      text: 'hello',
      user_id: 700,
      username: 'robot_bot',
      origin: 'gateway',
    });
    const photo = { photo: [{ file_id: 'f', width: 1, height: 1 }], media_group_id: 'g' };
    await call('SENDMEDIAGROUP', {}, [message(2, { ...photo, caption: 'a' }), message(3, photo)]);
    expect(await stored(3)).toMatchObject({ media_type: 'photo', file_id: 'f' });
    expect(await stored(2)).toMatchObject({ text: 'a', media_group_id: 'g' });
    await call('editMessageText', {}, message(1, { text: 'better', edit_date: 1_700_000_009 }));
    expect(await stored(1)).toMatchObject({ text: 'better', edited_at: 1_700_000_009 });
    expect(gateway.sent.map(({ method, chatId, status }) => [method, chatId, status])).toEqual([
      ['sendMessage', -1005, 200],
      ['SENDMEDIAGROUP', -1005, 200],
      ['editMessageText', -1005, 200],
    ]);
  });

  it('is stored for an upload that is too large to be held', async () => {
    gateway.platform.answerJson(200, {
      ok: true,
      result: message(8, { document: { file_id: 'd', file_name: 'a.bin' } }),
    });
    await gateway.call(`/bot${bot.token}/sendDocument?chat_id=-1005`, {
      method: 'POST',
      body: Buffer.alloc(500_000),
    });
    expect(await stored(8)).toMatchObject({ media_type: 'document', file_id: 'd' });
  });

  it('is stored for copies, of which the platform tells only the number', async () => {
    const original = message(11, { text: 'original', from: { id: 5, first_name: 'Ann' } });
    await call('sendMessage', {}, original);
    await stored(11);
    const from = { chat_id: String(chat.id), from_chat_id: chat.id };
    await call('copyMessage', { ...from, message_id: 11 }, { message_id: 12 });
    expect(await stored(12)).toMatchObject({
      text: 'original',
      user_id: bot.platform_id,
      first_name: 'Robot',
      origin: 'gateway',
    });
    await call('copyMessages', { ...from, message_ids: '[11, 99]' }, [
      { message_id: 13 },
      { message_id: 14 },
    ]);
    expect(await stored(14)).toMatchObject({ text: '' });
    expect(await stored(13)).toMatchObject({ text: 'original' });
  });

  it('names topics, and the topic of a copy', async () => {
    const made = { message_thread_id: 7, name: 'Refunds', icon_color: 7322096 };
    await call('createForumTopic', { chat_id: String(chat.id), name: 'Refunds' }, made);
    const from = { chat_id: chat.id, from_chat_id: chat.id, message_thread_id: '7' };
    await call('copyMessage', { ...from, message_id: 11 }, { message_id: 12 });
    expect(await stored(12)).toMatchObject({ thread_id: 7 });
    expect(await gateway.engine.readRaw('select thread_id, name from topics', [])).toEqual([
      { thread_id: 7, name: 'Refunds' },
    ]);
    expect(gateway.sent.map(({ method }) => method)).toEqual(['copyMessage']);
  });

  it('marks topics that Telegram refuses, but makes none of them', async () => {
    const made = { message_thread_id: 7, name: 'Refunds', icon_color: 7322096 };
    await call('createForumTopic', { chat_id: chat.id, name: 'Refunds' }, made);
    const gone = () =>
      gateway.engine.readRaw(
        'select thread_id, case when gone_at > 0 then 1 else 0 end as gone from topics order by 1',
        [],
      );
    const refuse = (message_thread_id: number | string, description: string) => {
      gateway.platform.answerJson(400, { ok: false, error_code: 400, description });
      return call('sendMessage', { chat_id: String(chat.id), text: 'x', message_thread_id });
    };
    const inTopic = { message_thread_id: 7, is_topic_message: true, text: 'x' };
    await refuse('7', 'Bad Request: TOPIC_CLOSED');
    await call('sendMessage', {}, message(1, inTopic));
    await stored(1);
    expect(await gone()).toEqual([{ thread_id: 7, gone: 0 }]);
    await call('sendMessage', {}, message(2, { ...inTopic, message_thread_id: 1 }));
    for (const id of ['7', 1, 99]) await refuse(id, 'Bad Request: message thread not found');
    await call('deleteForumTopic', { chat_id: chat.id, message_thread_id: 98 }, true);
    await call('sendMessage', {}, message(3, { text: 'outside' }));
    await stored(3);
    expect(await gone()).toEqual([
      { thread_id: 1, gone: 0 },
      { thread_id: 7, gone: 1 },
    ]);
    // Topics were switched on again: the last answer counts.
    await refuse(7, 'Bad Request: message thread not found');
    await call('sendMessage', {}, message(4, inTopic));
    await stored(4);
    expect((await gone())[1]).toEqual({ thread_id: 7, gone: 0 });
  });

  it('marks what was deleted', async () => {
    await call('sendMessage', {}, message(1, { text: 'a' }));
    await stored(1);
    await call('sendMessage', {}, message(2, { text: 'b' }));
    await stored(2);
    await call('deleteMessage', { chat_id: chat.id, message_id: 1 }, true);
    await call('deleteMessages', { chat_id: chat.id, message_ids: [2, 3] }, true);
    await call('sendMessage', {}, message(4, { text: 'last' }));
    await stored(4);
    // Writes keep their order on one connection only, so look until both are there.
    let rows: { id: number; deleted: number }[] = [];
    do {
      rows = await gateway.engine.readRaw(
        'select id, case when deleted_at is null then 0 else 1 end as deleted from messages order by id',
        [],
      );
    } while (rows.filter((row) => row.deleted === 1).length < 2);
    expect(rows).toEqual([
      { id: 1, deleted: 1 },
      { id: 2, deleted: 1 },
      { id: 4, deleted: 0 },
    ]);
  });

  it('is not stored when it was refused, and is reported with the wait it costs', async () => {
    gateway.platform.answerJson(
      429,
      { ok: false, error_code: 429, description: 'x', parameters: { retry_after: 9 } },
      { 'retry-after': '9' },
    );
    await call('sendMessage', { chat_id: 5, text: 'x' });
    await gateway.call(`/bot${bot.token}/sendMessage?chat_id=@name`);
    await call('getChat', { chat_id: 5 });
    gateway.platform.answerJson(200, { ok: true, result: true });
    await call('sendChatAction', { chat_id: 5 });
    await call('sendMessage', {}, message(2, { text: 'y' }));
    await stored(2);
    const sent = { botId: bot.id, app: 'default', isPaced: false, method: 'sendMessage' };
    expect(gateway.sent).toEqual([
      { ...sent, chatId: 5, status: 429, retryAfterSeconds: 9 },
      { ...sent, chatId: undefined, status: 429, retryAfterSeconds: 9 },
      { ...sent, chatId: -1005, status: 200, retryAfterSeconds: undefined },
    ]);
    const rows = await gateway.engine.readRaw('select id from messages', []);
    expect(rows).toEqual([{ id: 2 }]);
  });

  it('does not replace another message when it was sent for a business account', async () => {
    const business_connection_id = 'b';
    await call('sendMessage', {}, message(1, { text: 'in the own chat' }));
    await call(
      'sendMessage',
      { business_connection_id },
      message(1, { text: 'for the account', business_connection_id }),
    );
    const apart = await stored(archivedId(business_connection_id, 1));
    expect(apart).toMatchObject({ text: 'for the account' });
    expect(await stored(1)).toMatchObject({ text: 'in the own chat' });
  });

  it('passes an answer that is too large to look at', async () => {
    const text = 'x'.repeat(1_200_000);
    const large = await call('sendMessage', {}, message(1, { text }));
    expect(large.text.length).toBeGreaterThan(1_200_000);
    await call('sendMessage', {}, message(2, { text: 'y' }));
    await stored(2);
    expect(await gateway.engine.readRaw('select id from messages', [])).toEqual([{ id: 2 }]);
  });

  it('is finished before the service has stopped', async () => {
    let id = 0;
    gateway.platform.answer((res) => {
      res.writeHead(200, { 'content-type': 'application/json' });
      res.end(JSON.stringify({ ok: true, result: message(++id, { text: 'x' }) }));
    });
    await Promise.all(Array.from({ length: 20 }, () => call('sendMessage', {})));
    await gateway.app.close();
    const rows = await gateway.engine.readRaw('select count(*) as n from messages', []);
    expect(rows).toEqual([{ n: 20 }]);
    expect(gateway.sent.length).toBe(20);
  });
});
