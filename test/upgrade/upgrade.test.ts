import { expect, it, onTestFinished } from 'vitest';
import { readSettings, toConfig } from '../../src/config.ts';
import { createLogger } from '../../src/logger.ts';
import { startService } from '../../src/main.ts';
import { createDatabase, type Database, dialects } from '../support/database/engines.ts';
import { annaId, loadBase, masterKey, story } from './base-database.ts';
import { schemaOf } from './schema-of.ts';

const adminKey = `brs_${'u'.repeat(40)}`;
type Call = <T>(path: string, body?: object) => Promise<T>;

it.each(dialects)(
  'a database of the base on %s is upgraded with all it holds, and has the schema of a new one',
  async (dialect) => {
    const database = await loadBase(dialect);
    const call = await serviceOn(database);
    const fresh = await createDatabase(dialect);
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
    const stored = await call<{ text: string }[]>(
      `/api/messages?bot_id=${chat.botId}&chat_id=${chat.chatId}`,
    );
    const texts = stored.map(({ text }) => text);
    expect(texts.sort()).toEqual([...story.lines, story.answer].sort());
    await expectUser(call, chat.botId);
    const keys = await call<{ name: string }[]>('/api/auth/api-keys');
    expect(keys.map(({ name }) => name)).toContain('reporting');
    await expectLog(call, chat.botId, String(shop?.['token']));
    expect(await call(`/api/users/profile?bot_id=${chat.botId}&user_id=${annaId}`)).toMatchObject({
      notes: [{ text: story.note }],
    });
    expect(await call(`/api/messages/search?bot_id=${chat.botId}&q=green`)).toMatchObject({
      messages: [{ text: story.lines[0] }],
    });
  },
);

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

/** The role `user` has the rights that it had, and only for the bots of that user. */
async function expectUser(call: Call, botId: number): Promise<void> {
  const [boris] = await call<{ id: number }[]>('/api/auth/users');
  expect(boris).toMatchObject({ username: 'boris', role: 'user', bot_ids: [botId] });
  const password = 'correct horse battery';
  await call('/api/auth/users/password', { id: boris?.id, password });
  expect(await call('/api/auth/sign-in', { username: 'boris', password })).toMatchObject({
    role: 'user',
    scope: 'manage',
    bot_ids: [botId],
    rights: {
      account: 'manage',
      chats: 'manage',
      notes: 'manage',
      bots: 'manage',
      service: 'none',
    },
  });
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
  return async <T>(to: string, body?: object) => {
    const answer = await fetch(service.address + to, {
      headers: {
        authorization: `Bearer ${adminKey}`,
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
    });
    const json = await answer.json();
    expect(answer.status, `${to}: ${JSON.stringify(json)}`).toBe(200);
    return json as T;
  };
}
