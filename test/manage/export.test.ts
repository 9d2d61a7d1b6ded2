import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dialects } from '../support/database/engines.ts';
import {
  type Caller,
  type ManagedBot,
  type ManagedChats,
  startManagedChats,
} from '../support/rigs/managed-chats.ts';
import { archived } from '../support/database/store.ts';

const chatId = -1_003_333;

describe.each(dialects)('export on %s', (dialect) => {
  let chats: ManagedChats;
  let reader: Caller;
  let bot: ManagedBot;

  beforeAll(async () => {
    chats = await startManagedChats(dialect);
    reader = await chats.asUser('read');
    bot = await chats.addManagedBot();
    const chat = { id: chatId, type: 'supergroup', title: 'Team' };
    const texts = ['=1+1', '+1', '-1', '@x', '\tx', 'a "quoted", line\nbreak', 'привет 北京'];
    await chats.store.messages.archive(
      Array.from({ length: 2_300 }, (_, index) =>
        archived(bot.id, {
          message_id: index + 1,
          // Several in one second, so that pages end in the middle of one.
          date: 1_700_000_000 + Math.floor(index / 7),
          chat,
          from: { id: 7, is_bot: false, first_name: '=cmd', username: 'ann' },
          text: texts[index] ?? `message ${index + 1}`,
        }),
      ),
      1,
    );
  });
  afterAll(() => chats.close());

  const exported = (format: string, chat = chatId) =>
    chats.app.inject({
      url: `/api/messages/export?bot_id=${bot.id}&chat_id=${chat}&format=${format}`,
      headers: reader.headers,
    });

  it('gives every message once as JSON lines, oldest first', async () => {
    const { body, headers, statusCode } = await exported('jsonl');
    expect(statusCode).toBe(200);
    expect(headers['content-type']).toMatch(/ndjson/);
    expect(headers['content-disposition']).toMatch(/^attachment/);
    const messages = body
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: number; text: string; origin: string });
    expect(messages.map(({ id }) => id)).toEqual(Array.from({ length: 2_300 }, (_, i) => i + 1));
    expect(messages[0]).toMatchObject({ text: '=1+1', origin: 'received', chat_id: chatId });
  });

  it('gives CSV whose cells no spreadsheet runs', async () => {
    const { body, headers } = await exported('csv');
    expect(headers['content-type']).toMatch(/text\/csv/);
    const lines = body.split('\r\n');
    expect(lines[0]).toBe(
      '\uFEFFid,chat_id,date,user_id,username,first_name,last_name,text,media_type,file_id,reply_to_message_id,edited_at,deleted_at,origin,author_kind,author_id,author_name,author_person,message_thread_id',
    );
    expect(lines[1]).toBe(
      "1,-1003333,2023-11-14T22:13:20.000Z,7,ann,'=cmd,,'=1+1,,,,,,received,,,,,",
    );
    for (const [line, cell] of [
      [2, "'+1"],
      [3, "'-1"],
      [4, "'@x"],
      [5, "'\tx"],
      [6, '"a ""quoted"", line\nbreak"'],
      [7, 'привет 北京'],
    ] as const) {
      expect(lines[line]).toContain(`,${cell},`);
    }
    expect(lines).toHaveLength(2_302);
  });

  it('knows no chat that is not there, and no other format', async () => {
    expect((await exported('jsonl', -55)).statusCode).toBe(404);
    expect((await exported('xlsx')).statusCode).toBe(400);
  });
});
