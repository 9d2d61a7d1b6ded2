import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readSettings, toConfig } from '../../src/config.ts';
import { createLogger } from '../../src/logger.ts';
import { startService } from '../../src/main.ts';
import { databaseFileName } from '../../src/store/sqlite/database-file.ts';
import { createDatabase, type Database } from '../support/database/engines.ts';
import { databaseFiles, onPostgres } from './database-files.ts';
import { loadDatabase } from './load-database.ts';
import { adminKey, annaId, type Call, masterKey, messages, story, until } from './story.ts';

describe('a database of an earlier version', () => {
  it.each(databaseFiles())(
    'of schema $version on $dialect is upgraded with all it holds',
    async (file) => {
      const database = await loadDatabase(file);
      const call = await serviceOn(database);
      const fresh = await createDatabase(file.dialect);
      onTestFinished(() => fresh.drop());
      expect(await schemaOf(database)).toEqual(await schemaOf(fresh));

      const bots = await call<Record<string, unknown>[]>('/api/bots');
      const [shop, desk] = bots;
      expect(bots).toHaveLength(2);
      expect(shop).toMatchObject({
        name: story.shop.name,
        description: story.shop.description,
        secret_token: story.shop.secret,
        token: expect.stringMatching(/^99\d+:[\w-]{35}$/),
      });
      expect(desk).toMatchObject({ name: story.desk.name });
      expect(await call('/api/routes')).toMatchObject([
        {
          condition_value: story.keyword,
          source_bot_id: shop?.['id'],
          target_bot_id: desk?.['id'],
        },
      ]);
      const chat = { botId: Number(shop?.['id']), chatId: annaId };
      expect(await call(`/api/tags?chat_id=${chat.chatId}`)).toMatchObject([{ tag: story.tag }]);
      const texts = (await messages(call, chat.botId, chat.chatId)).map(({ text }) => text);
      expect(texts.sort()).toEqual([...story.lines, story.answer].sort());
      expect(await call('/api/auth/users')).toMatchObject([{ username: 'boris' }]);
      const keys = await call<{ name: string }[]>('/api/auth/api-keys');
      expect(keys.map(({ name }) => name)).toContain('reporting');
      if (file.version >= 2) await expectLog(call, chat.botId, String(shop?.['token']));
      if (file.version >= 8) {
        const profile = await call<object>(
          `/api/users/profile?bot_id=${chat.botId}&user_id=${annaId}`,
        );
        expect(profile).toMatchObject({ notes: [{ text: story.note }] });
      }
      // Indexed in the background where the version did not index.
      await until(async () => {
        const path = `/api/messages/search?bot_id=${chat.botId}&q=green`;
        const found = await call<{ messages: { text: string }[] }>(path);
        return found.messages[0]?.text === story.lines[0];
      });
    },
  );
});

async function expectLog(call: Call, botId: number, token: string): Promise<void> {
  const { result } = await call<{ result: { message: { text: string } }[] }>(
    `/bot${token}/getUpdates`,
  );
  expect(result.map(({ message }) => message.text)).toEqual(story.lines);
  const { readers } = await call<{ readers: { name: string }[] }>(
    `/api/bots/readers?bot_id=${botId}`,
  );
  expect(readers.map(({ name }) => name)).toContain(story.consumer);
  expect(await call(`/api/outbox?bot_id=${botId}`)).toMatchObject([{ state: 'sent' }]);
}

async function serviceOn(database: Database): Promise<Call> {
  const env = {
    ...database.settings,
    PORT: '0',
    RELAY_SECRET_KEY: masterKey,
    RELAY_ADMIN_KEY: adminKey,
  };
  const config = toConfig(readSettings({ env, workingDir: database.dataDir }));
  const service = await startService(config, { logger: createLogger({ level: 'silent' }) });
  onTestFinished(() => service.close());
  return async <T>(to: string) => {
    const answer = await fetch(service.address + to, {
      headers: { authorization: `Bearer ${adminKey}` },
    });
    const json = await answer.json();
    expect(answer.status, `${to}: ${JSON.stringify(json)}`).toBe(200);
    return json as T;
  };
}

/** Tables with their columns, indexes and triggers, as the engine tells them. */
async function schemaOf(database: Database): Promise<unknown[]> {
  if (database.dialect === 'sqlite') {
    const db = new DatabaseSync(path.join(database.dataDir, databaseFileName), { readOnly: true });
    try {
      return db
        .prepare(
          `select type, name, coalesce(c, sql) as is_ from (
             select type, name, sql, (
               select group_concat(name || ' ' || type || ' ' || "notnull" || ' ' || coalesce(dflt_value, ''), ', ')
               from pragma_table_info(m.name) where m.type = 'table'
             ) as c from sqlite_master m
           ) order by type, name`,
        )
        .all()
        .map((row) => ({ ...row }));
    } finally {
      db.close();
    }
  }
  return onPostgres(database.databaseUrl, async (client) => {
    const { rows } = await client.query(
      `select table_name || '.' || column_name as name, data_type || ' ' || is_nullable || ' ' ||
         coalesce(column_default, '') as is_
       from information_schema.columns where table_schema = 'public'
       union all select indexname, indexdef from pg_indexes where schemaname = 'public'
       union all select tgname, pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
       order by 1, 2`,
    );
    return rows as unknown[];
  });
}
