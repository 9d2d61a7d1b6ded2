import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ContextMessage } from '../../src/manage/messages/message-lookup.ts';
import type { StoredMessage } from '../../src/store/messages/messages.ts';
import { dialects } from '../support/database/engines.ts';
import {
  type Caller,
  type ManagedBot,
  type ManagedChats,
  startManagedChats,
} from '../support/rigs/managed-chats.ts';

describe.each(dialects)('messages of managed chats on %s', (dialect) => {
  let chats: ManagedChats;
  let manager: Caller;
  let bot: ManagedBot;
  let annId: number;
  let groupId: number;

  beforeAll(async () => {
    chats = await startManagedChats(dialect);
    manager = await chats.asUser('manage');
    bot = await chats.addManagedBot();
    annId = chats.sandbox.createUser({ first_name: 'Ann' }).id;
    groupId = chats.sandbox.createChat({
      title: 'Team',
      owner: annId,
      members: [bot.platformId],
    }).id;
  });
  afterAll(() => chats.close());

  const say = async (text: string, replyTo?: number) => {
    const message = chats.sandbox.say(
      annId,
      groupId,
      text,
      replyTo === undefined ? {} : { replyTo },
    );
    await chats.receive(bot);
    return message.message_id;
  };
  const send = async (text: string) => {
    const message = { bot_id: bot.id, chat_id: groupId, text };
    return (await manager.post<StoredMessage>('/api/messages/send', message)).body.id;
  };
  const key = (id: number) => `bot_id=${bot.id}&chat_id=${groupId}&id=${id}`;
  const target = (id: number) => `bot_id=${bot.id}&chat_id=${groupId}&message_id=${id}`;
  const stored = (id: number) => chats.store.messages.get(bot.id, groupId, id);

  it('are shown in context', async () => {
    const ids: number[] = [];
    for (const text of ['a', 'b', 'c', 'd', 'e']) ids.push(await say(text));
    const url = `/api/messages/context?${key(ids[2] ?? 0)}&before=1&after=2`;
    const { body } = await manager.get<ContextMessage[]>(url);
    expect(body.map(({ text }) => text)).toEqual(['b', 'c', 'd', 'e']);
    expect(body[0]).toMatchObject({ origin: 'received' });
    // Whether it may delete others' messages is not known before the chat was refreshed.
    expect(body[0]).not.toHaveProperty('can_delete');
    expect((await manager.get(`/api/messages/context?${key(987_654)}`)).status).toBe(404);
  });

  it('are shown as a thread of replies', async () => {
    const root = await say('root');
    const middle = await say('middle', root);
    await say('apart');
    const leaf = await say('leaf', middle);
    await say('second leaf', middle);
    await say('below', leaf);
    const texts = async (id: number) =>
      (await manager.get<StoredMessage[]>(`/api/messages/thread?${key(id)}`)).body.map(
        ({ text }) => text,
      );
    expect(await texts(middle)).toEqual(['root', 'middle', 'leaf', 'second leaf', 'below']);
    expect(await texts(leaf)).toEqual(['root', 'middle', 'leaf', 'below']);
  });

  it('keep what they said before their edits, also when all came at once', async () => {
    const id = await say('first');
    await chats.clock.advance(1_000);
    chats.sandbox.edit(annId, groupId, id, 'second');
    await chats.receive(bot);
    await chats.clock.advance(1_000);
    chats.sandbox.edit(annId, groupId, id, 'third');
    await chats.receive(bot);
    const edits = async (message: number) =>
      (await manager.get<{ text: string }[]>(`/api/messages/edits?${key(message)}`)).body;
    expect((await edits(id)).map(({ text }) => text)).toEqual(['first', 'second', 'third']);

    const quick = chats.sandbox.say(annId, groupId, 'typo').message_id;
    await chats.clock.advance(1_000);
    chats.sandbox.edit(annId, groupId, quick, 'no typo');
    await chats.receive(bot);
    expect((await edits(quick)).map(({ text }) => text)).toEqual(['typo', 'no typo']);
  });

  it('are edited, and the archive follows', async () => {
    const id = await send('frist');
    await chats.clock.advance(1_000);
    const { status, body } = await manager.post(`/api/messages/edit?${target(id)}`, {
      text: 'first',
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ id, text: 'first', edited_at: expect.any(Number) });
    expect((await stored(id))?.text).toBe('first');
    const others = await say('mine');
    expect(await manager.post(`/api/messages/edit?${target(others)}`, { text: 'x' })).toMatchObject(
      {
        status: 422,
        body: { code: 'platform_refused' },
      },
    );
    expect(await stored(others)).toMatchObject({ text: 'mine' });
  });

  it('are edited with formatting and buttons', async () => {
    const id = await send('plain');
    const edit = async (body: object) =>
      (await manager.post<StoredMessage>(`/api/messages/edit?${target(id)}`, body)).body;
    const inline_keyboard = [[{ text: 'Go', url: 'https://example.com/' }]];
    const edited = await edit({
      text: '*bold*',
      parse_mode: 'MarkdownV2',
      reply_markup: { inline_keyboard },
    });
    expect(edited).toMatchObject({ text: 'bold', buttons: [[{ text: 'Go' }]] });
    const rich = await edit({ rich_message: { markdown: '# Title' } });
    expect(rich).toMatchObject({ text: 'Title' });
    expect(rich).not.toHaveProperty('buttons');
    expect(await edit({ rich_message: {}, entities: [] })).toMatchObject({
      details: [{ field: 'entities' }],
    });
  });

  it('are pinned and unpinned where the bot may', async () => {
    const id = await say('important');
    const refused = await manager.post(`/api/messages/pin?${target(id)}`);
    expect(refused).toMatchObject({
      status: 422,
      body: { platform: { description: expect.stringMatching(/not enough rights/) } },
    });
    chats.sandbox.promote(annId, groupId, bot.platformId, {
      can_pin_messages: true,
      can_delete_messages: true,
    });
    expect(await manager.post(`/api/messages/pin?${target(id)}`)).toMatchObject({
      status: 200,
      body: { ok: true, message: { id, text: 'important' } },
    });
    expect((await manager.post(`/api/messages/unpin?${target(id)}`)).status).toBe(200);
    expect((await manager.post(`/api/messages/unpin?${target(id)}`)).status).toBe(422);
  });

  it('are deleted on the platform and marked here; a refusal marks nothing', async () => {
    const old = chats.sandbox.say(annId, bot.platformId, 'long ago').message_id;
    await chats.receive(bot);
    const inPrivate = `bot_id=${bot.id}&chat_id=${annId}`;
    const context = `/api/messages/context?${inPrivate}&id=${old}`;
    expect((await manager.get<ContextMessage[]>(context)).body).toMatchObject([
      { can_delete: true, delete_until: expect.any(Number) },
    ]);
    await chats.clock.advance(49 * 3_600_000);
    expect((await manager.get<ContextMessage[]>(context)).body).toMatchObject([
      { can_delete: false },
    ]);
    expect(await manager.post(`/api/messages/delete?${inPrivate}&message_id=${old}`)).toMatchObject(
      {
        status: 422,
        body: { platform: { description: expect.stringMatching(/can't be deleted/) } },
      },
    );
    expect(await chats.store.messages.get(bot.id, annId, old)).not.toHaveProperty('deleted_at');

    const id = await send('oops');
    const { status, body } = await manager.post(`/api/messages/delete?${target(id)}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ ok: true, message: { id, deleted_at: expect.any(Number) } });
    const { body: listed } = await manager.get<StoredMessage[]>(
      `/api/messages?bot_id=${bot.id}&chat_id=${groupId}&limit=1`,
    );
    expect(listed).toMatchObject([{ id, text: 'oops', deleted_at: expect.any(Number) }]);
  });
});
