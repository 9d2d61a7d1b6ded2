import { describe, expect, it, vi } from 'vitest';
import { eitherDialect } from '../support/database/engines.ts';
import { type Person, serviceForEachTest } from '../support/whole-service.ts';

interface Shown {
  id: number;
  user_id: number;
  text: string;
  deleted_at?: number;
  business_connection_id?: string;
  reply_to_message_id?: number;
  extra?: { business_connection_id?: string; message_id?: number };
}

describe.each(eitherDialect)('a business account over the API on %s', (dialect) => {
  const { ask, call, addBot, addPerson, addRoute, say, seen } = serviceForEachTest(dialect);
  const eventually = (check: () => Promise<void>) => vi.waitFor(check, { interval: 20 });

  it('is connected, heard, answered, shown and forgotten', async () => {
    const bot = await addBot({ manage_enabled: true });
    const owner = await addPerson('Olga');
    const ann = await addPerson('Ann');
    const room = await call<{ id: number }>('/api/sandbox/chats/create', {
      title: 'Desk',
      owner: owner.id,
      members: [bot.platformId],
    });
    await addRoute(bot, bot, {
      target_chat_id: room.id,
      action: 'forward',
      condition_type: 'user_id',
      condition_value: `${ann.id}`,
    });
    const connection = await call<{ id: string }>('/api/sandbox/business/connect', {
      user: owner.id,
      bot: bot.platformId,
      rights: { can_reply: true },
    });
    const asked = await say(ann, owner.id, 'Are you open?');
    const inRoom = () => seen<{ message_id: number; text?: string }>(owner, room.id);
    let carried = 0;
    await eventually(async () => {
      const last = (await inRoom()).at(-1);
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
      const messages = await seen(ann, owner.id);
      expect(messages.map(({ text }) => text)).toEqual(['Are you open?', 'Until six']);
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
      expect((await inRoom()).map(({ text }) => text)).not.toContain('Ann:\nAre you open?');
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

  it('has its messages changed, pinned and deleted in its name', async () => {
    const bot = await addBot({ manage_enabled: true });
    const olga = await addPerson('Olga');
    const ann = await addPerson('Ann');
    const connect = (rights: object) =>
      call<{ id: string }>('/api/sandbox/business/connect', {
        user: olga.id,
        bot: bot.platformId,
        rights: { can_reply: true, ...rights },
      });
    const { id: connection } = await connect({ can_delete_outgoing_messages: true });
    await say(ann, olga.id, 'Are you open?');
    const target = `bot_id=${bot.id}&chat_id=${ann.id}`;
    const stored = async (text: string) =>
      (await call<Shown[]>(`/api/messages?${target}`)).find((one) => one.text === text);
    await eventually(async () => expect(await stored('Are you open?')).toBeDefined());
    const asked = await stored('Are you open?');
    const sent = await call<Shown>('/api/messages/send', {
      bot_id: bot.id,
      chat_id: ann.id,
      business_connection_id: connection,
      text: 'Untl six',
    });
    const act = (action: string, id: number | undefined, body?: object) =>
      ask(`/api/messages/${action}?${target}&message_id=${id}`, body ?? {});
    const texts = async () => (await seen(ann, olga.id)).map(({ text }) => text);

    const edited = await act('edit', sent.id, { text: 'Until six' });
    expect(edited).toMatchObject({
      status: 200,
      json: { id: sent.id, text: 'Until six', business_connection_id: connection },
    });
    expect(await texts()).toEqual(['Are you open?', 'Until six']);

    const pinned = () => call<Shown[]>(`/api/messages/pinned?${target}`);
    expect((await act('pin', asked?.id)).json).toMatchObject({
      ok: true,
      message: { pinned: true },
    });
    expect((await pinned()).map(({ id }) => id)).toEqual([asked?.id]);
    expect((await act('unpin', asked?.id)).status).toBe(200);
    expect(await pinned()).toEqual([]);
    // The notice comes as a separate update, and does not pin it again.
    await eventually(async () =>
      expect(await call<{ content?: object }[]>(`/api/messages?${target}`)).toContainEqual(
        expect.objectContaining({ content: { type: 'pinned_message', text: 'Are you open?' } }),
      ),
    );
    expect(await pinned()).toEqual([]);

    expect(await act('delete', asked?.id)).toMatchObject({
      status: 422,
      json: { code: 'platform_refused' },
    });
    expect(await stored('Are you open?')).not.toHaveProperty('deleted_at');
    expect((await act('delete', sent.id)).status).toBe(200);
    expect(await texts()).not.toContain('Until six');
    expect((await stored('Until six'))?.deleted_at).toBeGreaterThan(0);

    const unknown = { status: 400, json: { details: [{ field: 'message_id' }] } };
    expect(await act('pin', (asked?.id ?? 0) + 1_000)).toMatchObject(unknown);
    expect(await act('delete', -5)).toMatchObject(unknown);
  });

  it('is answered by hand in its name, and kept apart from the chat with the bot', async () => {
    const bot = await addBot({ manage_enabled: true });
    const olga = await addPerson('Olga');
    const oleg = await addPerson('Oleg');
    const ann = await addPerson('Ann');
    const connect = (user: Person) =>
      call<{ id: string }>('/api/sandbox/business/connect', { user: user.id, bot: bot.platformId });
    const connection = await connect(olga);
    const other = await connect(oleg);
    await say(ann, bot.platformId, '/start');
    const asked = await say(ann, olga.id, 'Are you open?');
    await say(ann, oleg.id, 'And you?');
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

    const target = { bot_id: bot.id, chat_id: ann.id, business_connection_id: connection.id };
    const answer = { ...target, text: 'Until six', reply_to_message_id: question?.id };
    const once = { headers: { 'idempotency-key': 'until-six' } };
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
    const byNumber = { ...target, text: 'Come in', reply_to_message_id: asked.message_id };
    const again = { headers: { 'idempotency-key': 'come-in' } };
    expect((await ask('/api/messages/send', byNumber, again)).status).toBe(200);
    const elsewhere = { ...byNumber, business_connection_id: other.id };
    expect(await ask('/api/messages/send', elsewhere, again)).toMatchObject({
      status: 409,
      json: { code: 'idempotency_mismatch' },
    });
    const textsIn = async (chat: number) =>
      (await seen<{ text: string; reply_to_message?: { message_id: number } }>(ann, chat)).map(
        ({ text, reply_to_message }) => [text, reply_to_message?.message_id],
      );
    expect(await textsIn(olga.id)).toEqual([
      ['Are you open?', undefined],
      ['Until six', asked.message_id],
      ['Come in', asked.message_id],
    ]);
    expect(await textsIn(bot.platformId)).toEqual([['/start', undefined]]);

    await call('/api/sandbox/send-media', { user: ann.id, chat: olga.id, kind: 'photo' });
    let fileId = '';
    await eventually(async () => {
      const found = [...(await listed()).values()] as (Shown & { file_id?: string })[];
      fileId = found.find(({ file_id }) => file_id)?.file_id ?? '';
      expect(fileId).not.toBe('');
    });
    const media = { ...target, type: 'photo', file_id: fileId, caption: 'Our door' };
    expect(await call('/api/messages/send-media', media)).toMatchObject({
      text: 'Our door',
      media_type: 'photo',
      business_connection_id: connection.id,
    });

    const wrong = (body: object) => ask('/api/messages/send', { ...answer, ...body });
    const problemOf = async (body: object) => {
      const { status, json } = await wrong(body);
      expect(status, JSON.stringify(json)).toBe(400);
      const [detail] = (json as { details: { field: string; problem: string }[] }).details;
      return { field: detail?.field, problem: detail?.problem };
    };
    expect(await problemOf({ business_connection_id: other.id })).toEqual({
      field: 'reply_to_message_id',
      problem: 'is not a message of this business account',
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
    expect(first.json).toHaveProperty('id', sends.at(-1)?.message_id);
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
