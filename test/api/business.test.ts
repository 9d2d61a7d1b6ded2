import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readSettings, toConfig } from '../../src/config.ts';
import { createLogger } from '../../src/logger.ts';
import { type Service, startService } from '../../src/main.ts';
import { createDatabase, type Database, dialects } from '../support/engines.ts';

interface Shown {
  id: number;
  user_id: number;
  text: string;
  deleted_at?: number;
  business_connection_id?: string;
  reply_to_message_id?: number;
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

  async function ask(path: string, body?: object, headers: Record<string, string> = {}) {
    const answer = await fetch(service.address + path, {
      headers: {
        authorization: `Bearer ${service.localKey}`,
        'content-type': 'application/json',
        ...headers,
      },
      ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
    });
    return { status: answer.status, json: (await answer.json()) as Record<string, unknown> };
  }
  async function call<T>(path: string, body?: object): Promise<T> {
    const { status, json } = await ask(path, body);
    expect(status, JSON.stringify(json)).toBe(200);
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

  it('is answered by hand in its name, and kept apart from the chat with the bot', async () => {
    const issued = await call<{ token: string; id: number }>('/api/sandbox/bots', {});
    const bot = await call<{ id: number }>('/api/bots/add', {
      token: issued.token,
      manage_enabled: true,
    });
    const create = (first_name: string) =>
      call<{ id: number }>('/api/sandbox/users/create', { first_name });
    const olga = await create('Olga');
    const oleg = await create('Oleg');
    const ann = await create('Ann');
    const connect = (user: { id: number }) =>
      call<{ id: string }>('/api/sandbox/business/connect', { user: user.id, bot: issued.id });
    const connection = await connect(olga);
    const other = await connect(oleg);
    const say = (chat: number, text: string) =>
      call<{ message_id: number }>('/api/sandbox/say', { user: ann.id, chat, text });
    await say(issued.id, '/start');
    const asked = await say(olga.id, 'Are you open?');
    await say(oleg.id, 'And you?');
    const listed = async () =>
      new Map(
        (await call<Shown[]>(`/api/messages?bot_id=${bot.id}&chat_id=${ann.id}`)).map((one) => [
          one.text,
          one,
        ]),
      );
    await eventually(async () => expect((await listed()).size).toBe(3));
    const shown = await listed();
    expect(shown.get('/start')).not.toHaveProperty('business_connection_id');
    expect(shown.get('And you?')?.business_connection_id).toBe(other.id);
    const question = shown.get('Are you open?');
    expect(question?.business_connection_id).toBe(connection.id);

    const place = { bot_id: bot.id, chat_id: ann.id, business_connection_id: connection.id };
    const answer = { ...place, text: 'Until six', reply_to_message_id: question?.id };
    const once = { 'idempotency-key': 'until-six' };
    const first = await ask('/api/messages/send', answer, once);
    expect(first.json).toMatchObject({
      text: 'Until six',
      chat_id: ann.id,
      user_id: olga.id,
      business_connection_id: connection.id,
      reply_to_message_id: question?.id,
    });
    expect(await ask('/api/messages/send', answer, once)).toEqual(first);
    // By the number that the account gave it; the same to another account is another send.
    const byNumber = { ...place, text: 'Come in', reply_to_message_id: asked.message_id };
    const again = { 'idempotency-key': 'come-in' };
    expect((await ask('/api/messages/send', byNumber, again)).status).toBe(200);
    const elsewhere = { ...byNumber, business_connection_id: other.id };
    expect(await ask('/api/messages/send', elsewhere, again)).toMatchObject({
      status: 409,
      json: { code: 'idempotency_mismatch' },
    });
    const heard = async (chat: number) =>
      (
        await call<{ message: { text: string; reply_to_message?: { message_id: number } } }[]>(
          `/api/sandbox/history?user=${ann.id}&chat=${chat}`,
        )
      ).map(({ message }) => [message.text, message.reply_to_message?.message_id]);
    expect(await heard(olga.id)).toEqual([
      ['Are you open?', undefined],
      ['Until six', asked.message_id],
      ['Come in', asked.message_id],
    ]);
    expect(await heard(issued.id)).toEqual([['/start', undefined]]);

    await call('/api/sandbox/send-media', { user: ann.id, chat: olga.id, kind: 'photo' });
    let fileId = '';
    await eventually(async () => {
      const found = [...(await listed()).values()] as (Shown & { file_id?: string })[];
      fileId = found.find(({ file_id }) => file_id)?.file_id ?? '';
      expect(fileId).not.toBe('');
    });
    const media = { ...place, type: 'photo', file_id: fileId, caption: 'Our door' };
    expect(await call('/api/messages/send-media', media)).toMatchObject({
      text: 'Our door',
      media_type: 'photo',
      business_connection_id: connection.id,
    });

    const wrong = (body: object) => ask('/api/messages/send', { ...answer, ...body });
    const problemOf = async (body: object) => {
      const { status, json } = await wrong(body);
      expect(status, JSON.stringify(json)).toBe(400);
      return (json['details'] as { field: string; problem: string }[])[0];
    };
    expect(await problemOf({ business_connection_id: other.id })).toEqual({
      field: 'reply_to_message_id',
      problem: 'names no message of this business account',
    });
    expect((await problemOf({ business_connection_id: '' }))?.field).toBe('reply_to_message_id');
    expect(await wrong({ business_connection_id: 'nobody', reply_to_message_id: 1 })).toMatchObject(
      {
        status: 422,
        json: { code: 'platform_refused' },
      },
    );
    const sends = await call<{ state: string; text: string; message_id: number }[]>(
      `/api/outbox?bot_id=${bot.id}`,
    );
    // By the numbers and words of the archive, and what never arrived by what was asked for.
    expect(sends.map(({ state, text, message_id }) => [state, text, message_id < 0])).toEqual([
      ['failed', 'Until six', false],
      ['sent', 'Our door', true],
      ['sent', 'Come in', true],
      ['sent', 'Until six', true],
    ]);
    expect(sends.at(-1)?.message_id).toBe(first.json['id']);
    await call(`/api/chats/forget?bot_id=${bot.id}&chat_id=${ann.id}`, {});
    const later = await call<{ state: string; text: string }[]>(`/api/outbox?bot_id=${bot.id}`);
    expect(later.map(({ text }) => text)).toEqual(['Until six', '', '', '']);
    await call('/api/sandbox/business/disconnect', { user: olga.id });
    expect(await wrong({})).toMatchObject({
      status: 422,
      json: { platform: { description: 'Bad Request: BUSINESS_CONNECTION_INVALID' } },
    });
  });
});
