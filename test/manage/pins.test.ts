import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DetailedMessage, StoredMessage } from '../../src/store/messages.ts';
import { dialects } from '../support/engines.ts';
import {
  type Caller,
  type ManagedBot,
  type ManagedChats,
  startManagedChats,
} from '../support/managed-chats.ts';

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
    const said: number[] = [];
    for (const text of ['one', 'two', 'three']) {
      await chats.clock.advance(1_000);
      said.push(chats.sandbox.say(owner, id, text).message_id);
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
    return { id, owner, key, act, pinned, said: said as [number, number, number] };
  }

  it('are told by the answer, the list of messages and a list of their own', async () => {
    const { key, act, pinned, said } = await group();
    expect(await act('pin', said[0])).toMatchObject({ text: 'one', pinned: true });
    await act('pin', said[2]);
    expect(await pinned()).toEqual(['three', 'one']);
    const { body } = await manager.get<StoredMessage[]>(`/api/messages?${key}`);
    expect(body.filter((message) => message.pinned).map(({ id }) => id)).toEqual([
      said[2],
      said[0],
    ]);
    expect(await act('unpin', said[2])).not.toHaveProperty('pinned');
    expect(await pinned()).toEqual(['one']);
    expect((await manager.get(`/api/messages/pinned?${key}&limit=0`)).status).toBe(400);
  });

  it('follow what others pin, and after a refresh what they unpin', async () => {
    const { id, owner, key, pinned, said } = await group();
    for (const messageId of said) chats.sandbox.pin(owner, id, messageId);
    await chats.receive(bot);
    expect(await pinned()).toEqual(['three', 'two', 'one']);
    chats.sandbox.pin(owner, id, said[2], false);
    await manager.post(`/api/chats/refresh?${key}`);
    expect(await pinned()).toEqual(['two', 'one']);
    for (const messageId of said) chats.sandbox.pin(owner, id, messageId, false);
    await manager.post(`/api/chats/refresh?${key}`);
    expect(await pinned()).toEqual([]);
  });

  it('are unpinned all at once, the newest without being named, or by being deleted', async () => {
    const { id, owner, key, act, pinned, said } = await group();
    for (const messageId of said) await act('pin', messageId);
    const answer = { chatId: id, messageId: 'newest', isPinned: false } as const;
    const facts = { messages: [], chats: [], people: [], memberships: [], migration: null };
    const entry = { botId: bot.id, facts: { ...facts, pin: answer }, position: 0 } as const;
    await chats.store.messages.archive([{ ...entry, origin: 'gateway' }], 1);
    expect(await pinned()).toEqual(['two', 'one']);
    chats.sandbox.promote(owner, id, bot.platformId, {
      can_pin_messages: true,
      can_delete_messages: true,
    });
    await act('delete', said[1]);
    expect(await pinned()).toEqual(['one']);
    const told: unknown[] = [];
    const end = chats.events.subscribe(({ type, data }) => type === 'message' && told.push(data));
    expect((await manager.post(`/api/messages/unpin-all?${key}`)).body).toEqual({ ok: true });
    end();
    expect(told).toContainEqual({ chat_id: id, id: 0, kind: 'changed' });
    expect(await pinned()).toEqual([]);
  });

  it('stay as they are where the platform refuses', async () => {
    const { id, owner, act, pinned, key, said } = await group();
    await act('pin', said[0]);
    chats.sandbox.promote(owner, id, bot.platformId, { can_delete_messages: true });
    const refused = await manager.post(`/api/messages/unpin-all?${key}`);
    const lacking = { status: 422, body: { details: [{ right: 'can_pin_messages' }] } };
    expect(refused).toMatchObject(lacking);
    const unpin = `/api/messages/unpin?${key}&message_id=${said[0]}`;
    expect(await manager.post(unpin)).toMatchObject(lacking);
    expect(await pinned()).toEqual(['one']);
  });
});
