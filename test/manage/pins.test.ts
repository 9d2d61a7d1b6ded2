import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addMessageFacts, emptyFacts } from '../../src/core/messages/message-facts.ts';
import type { Wire } from '../../src/core/log/wire.ts';
import type { DetailedMessage, StoredMessage } from '../../src/store/messages/messages.ts';
import { dialects } from '../support/database/engines.ts';
import {
  type Caller,
  type ManagedBot,
  type ManagedChats,
  startManagedChats,
} from '../support/rigs/managed-chats.ts';

describe.each(dialects)('pinned messages on %s', (dialect) => {
  let chats: ManagedChats;
  let manager: Caller;
  let bot: ManagedBot;
  beforeAll(async () => {
    chats = await startManagedChats(dialect);
    manager = await chats.asUser('manage');
    bot = await chats.addManagedBot();
  });
  afterAll(() => chats.close());

  /** A group in which the bot may pin, with three messages of its owner. */
  async function group() {
    const { id: owner } = chats.sandbox.createUser({ first_name: 'Ann' });
    const { id } = chats.sandbox.createChat({
      title: 'Team',
      owner,
      members: [bot.platformId],
    });
    chats.sandbox.promote(owner, id, bot.platformId, { can_pin_messages: true });
    const messageIds: number[] = [];
    for (const text of ['one', 'two', 'three']) {
      await chats.clock.advance(1_000);
      messageIds.push(chats.sandbox.say(owner, id, text).message_id);
    }
    await chats.receive(bot);
    const key = `bot_id=${bot.id}&chat_id=${id}`;
    const act = async (action: string, messageId: number) =>
      (
        await manager.post<{ message: StoredMessage }>(
          `/api/messages/${action}?${key}&message_id=${messageId}`,
        )
      ).body.message;
    const pinned = async () =>
      (await manager.get<DetailedMessage[]>(`/api/messages/pinned?${key}`)).body.map(
        ({ text }) => text,
      );
    return { id, owner, key, act, pinned, messageIds: messageIds as [number, number, number] };
  }

  it('are told by the answer, the list of messages and a list of their own', async () => {
    const { key, act, pinned, messageIds } = await group();
    expect(await act('pin', messageIds[0])).toMatchObject({ text: 'one', pinned: true });
    await act('pin', messageIds[2]);
    expect(await pinned()).toEqual(['three', 'one']);
    const { body } = await manager.get<StoredMessage[]>(`/api/messages?${key}`);
    expect(body.filter((message) => message.pinned).map(({ id }) => id)).toEqual([
      messageIds[2],
      messageIds[0],
    ]);
    expect(await act('unpin', messageIds[2])).not.toHaveProperty('pinned');
    expect(await pinned()).toEqual(['one']);
    expect((await manager.get(`/api/messages/pinned?${key}&limit=0`)).status).toBe(400);
  });

  it('follow what others pin, and after a refresh what they unpin', async () => {
    const { id, owner, key, pinned, messageIds } = await group();
    for (const messageId of messageIds) chats.sandbox.pin(owner, id, messageId);
    await chats.receive(bot);
    expect(await pinned()).toEqual(['three', 'two', 'one']);
    chats.sandbox.pin(owner, id, messageIds[2], false);
    await manager.post(`/api/chats/refresh?${key}`);
    expect(await pinned()).toEqual(['two', 'one']);
    for (const messageId of messageIds) chats.sandbox.pin(owner, id, messageId, false);
    await manager.post(`/api/chats/refresh?${key}`);
    expect(await pinned()).toEqual([]);
  });

  it('stay unpinned when the pin before is announced later, until someone pins them again', async () => {
    const { id, owner, act, pinned, messageIds } = await group();
    await act('pin', messageIds[0]);
    await act('unpin', messageIds[0]);
    await chats.receive(bot);
    expect(await pinned()).toEqual([]);
    await chats.clock.advance(1_000);
    chats.sandbox.pin(owner, id, messageIds[0]);
    await chats.receive(bot);
    expect(await pinned()).toEqual(['one']);
  });

  it('are unpinned all at once, the newest without being named, or by being deleted', async () => {
    const { id, owner, key, act, pinned, messageIds } = await group();
    for (const messageId of messageIds) await act('pin', messageId);
    const answer = { chatId: id, messageId: 'newest', isPinned: false } as const;
    const facts = { messages: [], chats: [], people: [], memberships: [], migration: null };
    const entry = { botId: bot.id, facts: { ...facts, pin: answer }, position: 0 } as const;
    await chats.store.messages.archive([{ ...entry, origin: 'gateway' }], 1);
    expect(await pinned()).toEqual(['two', 'one']);
    chats.sandbox.promote(owner, id, bot.platformId, {
      can_pin_messages: true,
      can_delete_messages: true,
    });
    await act('delete', messageIds[1]);
    expect(await pinned()).toEqual(['one']);
    const events: unknown[] = [];
    const end = chats.events.subscribe(({ type, data }) => type === 'message' && events.push(data));
    expect((await manager.post(`/api/messages/unpin-all?${key}`)).body).toEqual({ ok: true });
    end();
    expect(events).toContainEqual({ chat_id: id, id: 0, kind: 'changed' });
    expect(await pinned()).toEqual([]);
  });

  it('are known though what was pinned is older than the bot in that chat', async () => {
    const { id: owner } = chats.sandbox.createUser({ first_name: 'Ann' });
    const { id } = chats.sandbox.createChat({ title: 'Old team', owner });
    const rules = chats.sandbox.say(owner, id, 'Be kind').message_id;
    chats.sandbox.addMember(owner, id, bot.platformId);
    chats.sandbox.pin(owner, id, rules);
    await chats.receive(bot);
    const key = `bot_id=${bot.id}&chat_id=${id}`;
    const { body } = await manager.get<DetailedMessage[]>(`/api/messages/pinned?${key}`);
    expect(body).toMatchObject([{ id: rules, text: 'Be kind', user_id: owner, pinned: true }]);
    expect((await manager.get(`/api/chats/get?${key}`)).body).toMatchObject({ message_count: 3 });
  });

  it('may be told before what they pin is stored', async () => {
    const { id, key, pinned, messageIds } = await group();
    const before = (await manager.get<{ message_count: number }>(`/api/chats/get?${key}`)).body;
    const chat = { id, type: 'supergroup', title: 'Team' };
    const from = { id: bot.platformId, is_bot: true, first_name: 'Desk' };
    const sent = { message_id: 900, date: 1_800_000_000, chat, from, text: 'Read this' };
    const notice = { ...sent, message_id: 901, text: undefined, pinned_message: sent };
    const archived = async (message: object, origin: 'received' | 'sent') => {
      const facts = emptyFacts();
      addMessageFacts(facts, message as Wire);
      await chats.store.messages.archive([{ botId: bot.id, facts, origin, position: 0 }], 1);
    };
    await archived(notice, 'received');
    expect(await pinned()).toEqual(['Read this']);
    // The answer to the call that sent it comes later, and has more fields.
    await archived({ ...sent, reply_to_message: { message_id: messageIds[0] } }, 'sent');
    const [message] = (await manager.get<DetailedMessage[]>(`/api/messages/pinned?${key}`)).body;
    expect(message).toMatchObject({ id: 900, origin: 'sent', reply_to_message_id: messageIds[0] });
    const after = (await manager.get<{ message_count: number }>(`/api/chats/get?${key}`)).body;
    expect(after.message_count - before.message_count).toBe(2);
    // Messages that the platform does not show are not invented.
    const gone = { message_id: 902, date: 0, chat };
    await archived({ ...notice, message_id: 903, pinned_message: gone }, 'received');
    expect(await pinned()).toEqual(['Read this']);
  });

  it('stay as they are where the platform refuses', async () => {
    const { id, owner, act, pinned, key, messageIds } = await group();
    await act('pin', messageIds[0]);
    chats.sandbox.promote(owner, id, bot.platformId, { can_delete_messages: true });
    const refused = await manager.post(`/api/messages/unpin-all?${key}`);
    const lacking = { status: 422, body: { details: [{ right: 'can_pin_messages' }] } };
    expect(refused).toMatchObject(lacking);
    const unpin = `/api/messages/unpin?${key}&message_id=${messageIds[0]}`;
    expect(await manager.post(unpin)).toMatchObject(lacking);
    expect(await pinned()).toEqual(['one']);
  });
});
