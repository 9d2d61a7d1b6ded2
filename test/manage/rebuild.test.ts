import { describe, expect, it } from 'vitest';
import { readSettings, toConfig } from '../../src/config.ts';
import { createVault } from '../../src/core/access/vault.ts';
import { readWordQuery } from '../../src/core/search/search-grams.ts';
import { rebuildFromMessages } from '../../src/main.ts';
import { createAuditRepository } from '../../src/store/access/audit.ts';
import { beginRebuild } from '../../src/store/messages/rebuild.ts';
import { createStore, type Store } from '../../src/store/store.ts';
import { createDatabase, dialects } from '../support/database/engines.ts';
import { archived } from '../support/database/store.ts';

const key = 'a master key for tests, long enough to be';
const chatId = 5;
const texts = ['apple', 'pear', 'plum'];

describe.each(dialects)('rebuilding on %s', (dialect) => {
  async function rig() {
    const database = await createDatabase(dialect);
    const env = { ...database.settings, RELAY_SECRET_KEY: key, RELAY_SANDBOX: 'off' };
    const config = toConfig(readSettings({ env, workingDir: database.dataDir }));
    const use = async <T>(work: (store: Store) => Promise<T>): Promise<T> => {
      const engine = await database.open();
      try {
        return await work(createStore(engine, createVault([key])));
      } finally {
        await engine.close();
      }
    };
    const ids = await use(async (store) => {
      const made: number[] = [];
      for (const isManaged of [true, false]) {
        const token = `${made.length + 1}:x`;
        const bot = await store.bots.insert({ token, source: 'web', manage_enabled: isManaged }, 1);
        made.push(bot.id);
        const chat = { id: chatId, type: 'private', first_name: 'Ann' };
        const from = { id: chatId, is_bot: false, first_name: 'Ann' };
        const messages = texts.map((text, index) =>
          archived(bot.id, { message_id: index + 1, date: 3_600, chat, from, text }),
        );
        await store.messages.archive(messages, 1);
      }
      return { managed: made[0] as number, plain: made[1] as number };
    });
    /** What search finds for each text, and the messages that the statistics and the chat count. */
    const look = (botId: number) =>
      use(async (store) => {
        const found: string[] = [];
        for (const text of texts) {
          const { grams = [] } = readWordQuery(text) ?? {};
          const filter = { botId, grams, chatIds: undefined, limit: 9 };
          found.push(...(await store.messageSearch.find(filter)).map(({ row }) => row.text));
        }
        const hours = await store.stats.hours({ botId, chatId }, [0, 10]);
        const people = await store.stats.people({ botId, chatId }, [0, 10]);
        return {
          found,
          hours,
          people,
          chat: (await store.chats.get(botId, chatId))?.message_count,
        };
      });
    return { config, drop: database.drop, ids, look, use };
  }

  it('restores what search and statistics say, from the messages of managed bots', async () => {
    const { config, drop, ids, look, use } = await rig();
    try {
      expect(await rebuildFromMessages(config, () => {})).toEqual({ bots: 1, messages: 3 });
      const right = await look(ids.managed);
      expect(right).toMatchObject({ found: texts, hours: [{ received: 3 }], chat: 3 });
      await use((store) =>
        store.engine.write(function* () {
          const wrong = [
            'update stats_hours set received = 99',
            'update chats set message_count = 99',
            dialect === 'postgres'
              ? 'delete from message_search where message_id > 1'
              : 'delete from message_search where rowid > 1',
          ];
          for (const sql of wrong) yield { sql, parameters: [] };
        }),
      );
      expect(await look(ids.managed)).toMatchObject({ found: ['apple'], chat: 99 });
      await rebuildFromMessages(config, () => {});
      expect(await look(ids.managed)).toEqual(right);
      expect(await look(ids.plain)).toMatchObject({ found: [], hours: [] });
      expect(
        await use((store) => createAuditRepository(store.engine).list({ botIds: null, limit: 1 })),
      ).toMatchObject([{ action: 'messages.rebuild', actor_name: 'command line' }]);
    } finally {
      await drop();
    }
  });

  it('continues what was interrupted, and counts nothing twice', async () => {
    const { config, drop, ids, look, use } = await rig();
    try {
      await rebuildFromMessages(config, () => {});
      const right = await look(ids.managed);
      await use(async (store) => {
        await beginRebuild(store.engine);
        await store.messageSearch.index(1);
        await store.stats.backfill(2);
        await store.stats.countMessages(1);
      });
      expect((await look(ids.managed)).hours).toMatchObject([{ received: 1 }]);
      // The loops of the service do the same.
      await use(async ({ messageSearch, stats }) => {
        while ((await messageSearch.index()) === 'more');
        while ((await stats.backfill(9)) + (await stats.countMessages(9)) > 0);
      });
      expect(await look(ids.managed)).toEqual(right);
    } finally {
      await drop();
    }
  });
});
