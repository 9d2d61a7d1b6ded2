import { beforeAll, describe, expect, it } from 'vitest';
import { type IncomingUpdate, readUpdate } from '../../src/core/log/update-facts.ts';
import { dialects } from '../support/database/engines.ts';
import { messagesForAllTests } from '../support/rigs/message-rig.ts';
import { archived } from '../support/database/store.ts';

describe.each(dialects)('listed messages on %s', (dialect) => {
  const { app, list } = messagesForAllTests(dialect);
  const chatId = -1_001_111;
  let botId: number;

  beforeAll(async () => {
    botId = (await app().talkingBot()).id;
    await app().store.messages.archive(
      Array.from({ length: 260 }, (_, index) =>
        archived(botId, {
          message_id: index + 1,
          date: 1_000 + Math.floor(index / 2),
          chat: { id: chatId, type: 'supergroup', title: 'Team' },
          text: `message ${index + 1}`,
        }),
      ),
      1,
    );
  });

  it('come newest first, 50 at a time, at most 200', async () => {
    const page = `chat_id=${chatId}&bot_id=${botId}`;
    const { body } = await list(page);
    expect(body.map(({ id }) => id)).toEqual(Array.from({ length: 50 }, (_, i) => 260 - i));
    expect((await list(`${page}&limit=200`)).body).toHaveLength(200);
    expect((await list(`${page}&limit=201`)).body).toHaveLength(200);
    expect((await list(`${page}&limit=100000`)).body).toHaveLength(200);
    expect((await list(`${page}&limit=99999999999999999999`)).body).toHaveLength(200);
    expect((await list(`${page}&limit=3&offset=10`)).body.map(({ id }) => id)).toEqual([
      250, 249, 248,
    ]);
    expect((await list(`${page}&offset=1000`)).body).toEqual([]);
    expect((await list(`${page}&limit=2&before_id=100`)).body.map(({ id }) => id)).toEqual([
      99, 98,
    ]);
  });

  it('are those of the chat alone, unless guest messages are asked for', async () => {
    const page = `chat_id=${chatId}&bot_id=${botId}&limit=1`;
    const chat = { id: chatId, type: 'supergroup', title: 'Elsewhere' };
    const message = { message_id: 260, date: 9_000, chat, text: '@bot help', guest_query_id: 'q1' };
    const update = { update_id: 7, guest_message: message };
    const incoming = readUpdate(JSON.stringify(update), update, 1) as IncomingUpdate;
    await app().store.log.append(() => [{ botId, updates: [incoming], receivedAt: 1 }]);
    const [guest] = (await list(`${page}&guest=true`)).body;
    expect(guest).toMatchObject({ id: 260, chat_id: chatId, text: '@bot help' });
    expect((await list(page)).body).toMatchObject([{ id: 260, text: 'message 260' }]);
    expect((await list(`${page}&guest=false`)).body).toMatchObject([{ text: 'message 260' }]);
    expect((await list(`bot_id=${botId}&guest=true`)).status).toBe(400);
  });

  it.each([
    ['limit', 'limit=0'],
    ['limit', 'limit=-1'],
    ['limit', 'limit=1.5'],
    ['limit', 'limit=ten'],
    ['limit', 'limit='],
    ['limit', 'limit=5&limit=6'],
    ['limit', 'limit=-99999999999999999999'],
    ['offset', 'offset=-1'],
    ['offset', 'offset=x'],
    ['offset', 'offset=9007199254740993'],
    ['before_id', 'before_id=0'],
    ['ofset', 'ofset=1'],
  ])('refuse a bad %s (%s)', async (field, parameter) => {
    const { status, body } = await list(`chat_id=${chatId}&bot_id=${botId}&${parameter}`);
    expect(status).toBe(400);
    expect(body).toMatchObject({ details: [{ field }] });
  });

  it('need their chat and their bot', async () => {
    const { status, body } = await list('');
    expect(status).toBe(400);
    expect(body).toMatchObject({ details: [{ field: 'chat_id' }, { field: 'bot_id' }] });
  });

  it('are none in a chat without any, and unknown of a bot that is not there', async () => {
    expect((await list(`chat_id=5&bot_id=${botId}`)).body).toEqual([]);
    expect((await list('chat_id=5&bot_id=999999')).status).toBe(404);
    expect((await list(`chat_id=5&bot_id=${botId}&before_id=9`)).status).toBe(404);
  });
});
