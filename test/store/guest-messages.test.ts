import { beforeEach, describe, expect, it } from 'vitest';
import { localCaller } from '../../src/core/access/access.ts';
import { type IncomingUpdate, readUpdate } from '../../src/core/log/update-facts.ts';
import { createMessageService } from '../../src/manage/messages/messages.ts';
import type { Store } from '../../src/store/store.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { dialects } from '../support/database/engines.ts';
import { openStore } from '../support/database/store.ts';

const chat = { id: 5000, type: 'private', first_name: 'Ann' };
const ann = { id: 5000, is_bot: false, first_name: 'Ann' };

describe.each(dialects)('guest messages on %s', (dialect) => {
  let store: Store;
  let botId: number;
  let updateId = 0;

  beforeEach(async () => {
    store = await openStore(dialect);
    const bot = { token: '1:a', source: 'web', manage_enabled: true } as const;
    botId = (await store.bots.insert(bot, 1)).id;
  });

  async function receive(kind: string, message: object): Promise<void> {
    const update = { update_id: ++updateId, [kind]: { chat, from: ann, ...message } };
    const incoming = readUpdate(JSON.stringify(update), update, 1_000) as IncomingUpdate;
    await store.log.append(() => [{ botId, updates: [incoming], receivedAt: 1_000 }]);
  }
  const guest = (id: number, text: string, date = id) =>
    receive('guest_message', { message_id: id, text, date, guest_query_id: `q${id}` });
  const service = () =>
    createMessageService({
      store,
      sender: {} as never,
      scheduled: {} as never,
      clock: createManualClock(),
    });
  const list = async (query: object = {}) => {
    const page = { bot_id: botId, chat_id: chat.id, limit: 50, offset: 0, ...query };
    return (await service().list(localCaller, page)).map(({ id, text }) => [id, text]);
  };
  const count = async (table: string) =>
    Number(
      (await store.engine.readRaw<{ n: number }>(`select count(*) as n from ${table}`, []))[0]?.n,
    );

  it('are listed by themselves, newest first, and never among those of the chat', async () => {
    await receive('message', { message_id: 7, text: 'in the chat', date: 7 });
    await guest(7, 'as a guest');
    await guest(8, 'photo', 8);
    await guest(9, 'later');
    // Private chats of other people number their messages apart.
    await guest(7, 'of somebody else', 3);
    expect(await list()).toEqual([[7, 'in the chat']]);
    const all = [
      [9, 'later'],
      [8, 'photo'],
      [7, 'as a guest'],
      [7, 'of somebody else'],
    ];
    expect(await list({ guest: true })).toEqual(all);
    expect(await list({ guest: true, limit: 2, offset: 1 })).toEqual(all.slice(1, 3));
    expect(await list({ guest: true, before_id: 8 })).toEqual(all.slice(2));
    await expect(list({ guest: true, before_id: 6 })).rejects.toMatchObject({
      code: 'message_not_found',
    });
    expect(await list({ guest: true, chat_id: 1 })).toEqual([]);
  });

  it('make no chat, member, count, statistics or words to search for', async () => {
    await guest(7, 'as a guest');
    for (const table of ['messages', 'chats', 'members', 'search_queue', 'stats_pending']) {
      expect([table, await count(table)]).toEqual([table, 0]);
    }
  });

  it('stay as they are when the message of the same number is edited, deleted or forgotten', async () => {
    await receive('message', { message_id: 7, text: 'in the chat', date: 7 });
    await guest(7, 'as a guest');
    await receive('edited_message', { message_id: 7, text: 'edited', date: 7, edit_date: 8 });
    await receive('deleted_business_messages', { message_ids: [7], business_connection_id: '' });
    expect(await list()).toEqual([[7, 'edited']]);
    expect(await list({ guest: true })).toEqual([[7, 'as a guest']]);
    while (!(await store.chats.forget(botId, chat.id, 100)));
    expect(await list()).toEqual([]);
    expect(await list({ guest: true })).toEqual([[7, 'as a guest']]);
  });

  it('go with their bot', async () => {
    await guest(7, 'as a guest');
    await store.bots.remove(botId);
    expect(await count('guest_messages')).toBe(0);
  });
});
