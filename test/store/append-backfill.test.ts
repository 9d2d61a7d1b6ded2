import { describe, expect, it } from 'vitest';
import { type IncomingUpdate, readUpdate } from '../../src/core/log/update-facts.ts';
import { dialects } from '../support/database/engines.ts';
import { archived, openStore } from '../support/database/store.ts';

const date = 1_700_000_000;
const said = (chatId: number, id: number) => ({
  message_id: id,
  date,
  chat: { id: chatId, type: 'private', first_name: 'Ann' },
  from: { id: chatId, is_bot: false, first_name: 'Ann' },
  text: 'x',
});

function update(chatId: number, id: number): IncomingUpdate {
  const content = { update_id: id, message: said(chatId, id) };
  return readUpdate(JSON.stringify(content), content, date * 1000) as IncomingUpdate;
}

describe.each(dialects)('an append during a backfill on %s', (dialect) => {
  it('counts what the backfill has passed, and leaves the rest to it', async () => {
    const store = await openStore(dialect);
    const bot = await store.bots.insert({ token: '1:x', source: 'web' }, 1);
    const other = await store.bots.insert({ token: '2:x', source: 'web', manage_enabled: true }, 1);
    const stored = [10, 20, 30].map((chatId) => archived(bot.id, said(chatId, 1)));
    await store.messages.archive(stored, 1);
    await store.bots.update(bot.id, { manage_enabled: true }, 1);
    expect(await store.stats.backfill(2)).toBe(2);
    const receivedAt = date * 1000;
    await store.log.append(() => [
      { botId: bot.id, updates: [update(15, 101), update(40, 102)], receivedAt },
      { botId: other.id, updates: [update(40, 103)], receivedAt },
    ]);
    const pending = await store.engine.readRaw(
      'select bot_id, chat_id from stats_pending order by bot_id, chat_id',
    );
    expect(pending).toEqual([
      { bot_id: bot.id, chat_id: 10 },
      { bot_id: bot.id, chat_id: 15 },
      { bot_id: bot.id, chat_id: 20 },
      { bot_id: other.id, chat_id: 40 },
    ]);
    while ((await store.stats.backfill(2)) + (await store.stats.countMessages(2)) > 0);
    const hour = Math.floor(date / 3_600);
    for (const [botId, received] of [
      [bot.id, 5],
      [other.id, 1],
    ] as const) {
      expect(await store.stats.hours({ botId, chatId: 0 }, [hour, hour + 1])).toMatchObject([
        { received },
      ]);
    }
  });
});
