import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readSettings, toConfig } from '../../src/config.ts';
import { createLogger } from '../../src/logger.ts';
import { type Service, startService } from '../../src/main.ts';
import { createDatabase, type Database, dialects } from '../support/engines.ts';

interface Shown {
  id: number;
  text: string;
  deleted_at?: number;
  extra?: { business_connection_id?: string; message_id?: number };
}

describe.each(dialects)('a business account over the API on %s', (dialect) => {
  let database: Database;
  let service: Service;

  beforeEach(async () => {
    database = await createDatabase(dialect);
    const env = { ...database.settings, PORT: '0', RELAY_SECRET_KEY: 'k'.repeat(40) };
    const config = toConfig(readSettings({ env, workingDir: database.dataDir }));
    service = await startService(config, { logger: createLogger({ level: 'silent' }) });
  });
  afterEach(async () => {
    await service.close();
    await database.drop();
  });

  async function call<T>(path: string, body?: object): Promise<T> {
    const answer = await fetch(service.address + path, {
      headers: {
        authorization: `Bearer ${service.localKey}`,
        'content-type': 'application/json',
      },
      ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
    });
    const json: unknown = await answer.json();
    expect(answer.status, JSON.stringify(json)).toBe(200);
    return json as T;
  }
  const eventually = (check: () => Promise<void>) =>
    vi.waitFor(check, { timeout: 10_000, interval: 20 });

  it('is connected, heard, answered, shown and forgotten', async () => {
    const issued = await call<{ token: string; id: number }>('/api/sandbox/bots', {});
    const bot = await call<{ id: number }>('/api/bots/add', {
      token: issued.token,
      manage_enabled: true,
    });
    const people: { id: number }[] = [];
    for (const first_name of ['Olga', 'Ann']) {
      people.push(await call('/api/sandbox/users/create', { first_name }));
    }
    const [owner = { id: 0 }, ann = { id: 0 }] = people;
    const room = await call<{ id: number }>('/api/sandbox/chats/create', {
      title: 'Desk',
      owner: owner.id,
      members: [issued.id],
    });
    await call('/api/routes/add', {
      source_bot_id: bot.id,
      target_bot_id: bot.id,
      target_chat_id: room.id,
      action: 'forward',
      condition_type: 'user_id',
      condition_value: `${ann.id}`,
    });
    const connection = await call<{ id: string }>('/api/sandbox/business/connect', {
      user: owner.id,
      bot: issued.id,
      rights: { can_reply: true },
    });
    const asked = await call<{ message_id: number }>('/api/sandbox/say', {
      user: ann.id,
      chat: owner.id,
      text: 'Are you open?',
    });
    const inRoom = () =>
      call<{ message: { message_id: number; text?: string } }[]>(
        `/api/sandbox/history?user=${owner.id}&chat=${room.id}`,
      );
    let carried = 0;
    await eventually(async () => {
      const last = (await inRoom()).at(-1)?.message;
      expect(last?.text).toBe('Ann:\nAre you open?');
      carried = last?.message_id ?? 0;
    });
    await call('/api/sandbox/say', {
      user: owner.id,
      chat: room.id,
      text: 'Until six',
      reply_to: carried,
    });
    await eventually(async () => {
      const seen = await call<{ message: { text: string } }[]>(
        `/api/sandbox/history?user=${ann.id}&chat=${owner.id}`,
      );
      expect(seen.map(({ message }) => message.text)).toEqual(['Are you open?', 'Until six']);
    });

    const shown = (await call<Shown[]>(`/api/messages?bot_id=${bot.id}&chat_id=${ann.id}`)).find(
      ({ text }) => text === 'Are you open?',
    );
    expect(shown?.id).toBeLessThan(-(2 ** 51));
    const key = `bot_id=${bot.id}&chat_id=${ann.id}&id=${shown?.id}`;
    await eventually(async () => {
      const context = await call<Shown[]>(`/api/messages/context?${key}`);
      expect(context.map(({ text, extra }) => [text, extra?.message_id])).toEqual([
        ['Are you open?', asked.message_id],
        ['Until six', expect.any(Number)],
      ]);
    });

    await call('/api/sandbox/delete', {
      user: ann.id,
      chat: owner.id,
      message_id: asked.message_id,
    });
    await eventually(async () => {
      expect((await inRoom()).map(({ message }) => message.text)).not.toContain(
        'Ann:\nAre you open?',
      );
      const [decision] = await call<object[]>('/api/routes/decisions?outcome=deleted');
      expect(decision).toMatchObject({
        business_connection_id: connection.id,
        chat_id: ann.id,
        message_id: asked.message_id,
        matched: [{ sends: [{ state: 'sent', method: 'deleteMessage', error: '' }] }],
      });
      const rows = await call<Shown[]>(`/api/messages?bot_id=${bot.id}&chat_id=${ann.id}`);
      expect(rows.find(({ id }) => id === shown?.id)?.deleted_at).toBeGreaterThan(0);
    });
    await call('/api/sandbox/business/disconnect', { user: owner.id });
  });
});
