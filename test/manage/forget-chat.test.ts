import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dialects } from '../support/database/engines.ts';
import { type ManagedPeople, startManagedPeople } from '../support/rigs/managed-people.ts';
import { archived } from '../support/database/store.ts';

const start = Date.UTC(2023, 10, 1) / 1000;
const day = 86_400;

describe.each(dialects)('forgetting a chat on %s', (dialect) => {
  let rig: ManagedPeople;
  beforeAll(async () => {
    rig = await startManagedPeople(dialect);
  });
  afterAll(() => rig.close());

  const message = (botId: number, chatId: number, id: number, date: number, userId: number) =>
    archived(
      botId,
      {
        message_id: id,
        date,
        chat: { id: chatId, type: 'supergroup', title: 'Team' },
        from: { id: userId, first_name: `P${userId}` },
        text: `message ${id}`,
      },
      userId === 0 ? 'sent' : 'received',
    );
  const store = (entries: ReturnType<typeof archived>[]) => rig.store.messages.archive(entries, 1);
  const stats = async (botId: number, chatId?: number) => {
    const chat = chatId === undefined ? '' : `&chat_id=${chatId}`;
    const range = `&from=2023-10-01T00:00:00Z&to=2024-12-01T00:00:00Z`;
    const { bot_id, ...counted } = (
      await rig.admin.get(`/api/stats?bot_id=${botId}${chat}${range}`)
    ).body;
    expect(bot_id).toBe(botId);
    return counted;
  };
  const forget = (botId: number, chatId: number) =>
    rig.admin.post(`/api/chats/forget?bot_id=${botId}&chat_id=${chatId}`);
  /** The rows of a long conversation: more than one portion. */
  const talk = (botId: number, chatId: number, people: number[]) =>
    Array.from({ length: 1_300 }, (_, index) =>
      message(
        botId,
        chatId,
        index + 1,
        start + Math.floor(index * 0.3 * day),
        index % 5 === 4 ? 0 : (people[index % people.length] ?? 0),
      ),
    );

  it('takes its statistics away, out of the totals of the bot too', async () => {
    const bot = await rig.addBot();
    const twin = await rig.addBot();
    const [kept, gone] = [-1_000_000_000_101, -1_000_000_000_102];
    for (const { id } of [bot, twin]) await store(talk(id, kept, [1, 2, 3]));
    await store(talk(bot.id, gone, [3, 4, 5, 6]));
    expect(await stats(bot.id)).toMatchObject({ messages: { total: 2_600 }, active_users: 6 });
    // Stored and not counted yet.
    await store([message(bot.id, gone, 5_000, start + 9 * day, 7)]);
    expect((await forget(bot.id, gone)).status).toBe(200);

    expect(await stats(bot.id, gone)).toMatchObject({
      messages: { total: 0, received: 0, sent: 0 },
      by_day: [],
      active_users: 0,
      top_people: [],
      responses: { answers: 0 },
    });
    // As if that chat had never been.
    expect(await stats(bot.id)).toEqual(await stats(twin.id));
    expect(await stats(bot.id, kept)).toEqual(await stats(twin.id, kept));
    for (const user of [4, 5, 6, 7]) {
      expect(await rig.store.stats.chatsOf(bot.id, user)).toEqual([]);
    }

    await store([message(bot.id, gone, 5_001, start + 10 * day, 4)]);
    expect(await stats(bot.id, gone)).toMatchObject({ messages: { total: 1 }, active_users: 1 });
    expect(await stats(bot.id)).toMatchObject({ messages: { total: 1_301 } });
  });

  it('takes its warnings and their rule away, and leaves other chats, tags and notes', async () => {
    const bot = await rig.addBot();
    const { chatId, ann } = await rig.group(bot, { can_restrict_members: true });
    const other = await rig.group(bot, { can_restrict_members: true });
    rig.sandboxed.say(ann, chatId, 'hello');
    rig.sandboxed.say(ann, bot.platformId, '/start');
    await rig.receive(bot);
    const place = (chat: number) => `bot_id=${bot.id}&chat_id=${chat}`;
    const rule = { threshold: 2, action: 'mute', action_seconds: 600, expire_seconds: 0 };
    for (const [chat, user] of [
      [chatId, ann],
      [other.chatId, other.ann],
    ] as const) {
      await rig.admin.post(`/api/chats/warn-settings?${place(chat)}`, rule);
      const warned = await rig.admin.post(`/api/users/warn?${place(chat)}&user_id=${user}`, {});
      expect(warned).toMatchObject({ status: 200, body: { active: 1 } });
    }
    await rig.admin.post('/api/tags/add', { chat_id: chatId, user_id: ann, tag: 'vip' });
    await rig.admin.post('/api/users/notes/add', { bot_id: bot.id, user_id: ann, text: 'kind' });
    expect((await forget(bot.id, chatId)).status).toBe(200);

    const person = (chat: number, user: number) => ({ botId: bot.id, chatId: chat, userId: user });
    const { warnings } = rig.store;
    expect(await warnings.countActive(person(chatId, ann), rig.clock.now())).toBe(0);
    expect(await warnings.ofUser(bot.id, ann)).toEqual([]);
    expect(await warnings.settings(bot.id, chatId)).toBeUndefined();
    const others = person(other.chatId, other.ann);
    expect(await warnings.countActive(others, rig.clock.now())).toBe(1);
    expect(await warnings.settings(bot.id, other.chatId)).toMatchObject(rule);
    expect((await rig.admin.get(`/api/tags?chat_id=${chatId}`)).body).toMatchObject([
      { tag: 'vip' },
    ]);
    const profile = `/api/users/profile?bot_id=${bot.id}&user_id=${ann}`;
    expect((await rig.admin.get(profile)).body).toMatchObject({ notes: [{ text: 'kind' }] });
  });

  it('takes what was said before the group became a supergroup along', async () => {
    const bot = await rig.addBot();
    const owner = rig.sandboxed.createUser({ first_name: 'Olga' }).id;
    const members = [bot.platformId];
    const group = rig.sandboxed.createChat({ type: 'group', title: 'Club', owner, members });
    rig.sandboxed.say(owner, group.id, 'in the old group');
    await rig.receive(bot);
    const next = rig.sandboxed.upgradeGroup(owner, group.id);
    rig.sandboxed.say(owner, next.id, 'in the new group');
    await rig.receive(bot);
    const listed = async () =>
      (await rig.admin.get<unknown[]>(`/api/messages?bot_id=${bot.id}&chat_id=${next.id}`)).body;
    expect(await listed()).not.toEqual([]);
    expect((await forget(bot.id, next.id)).status).toBe(200);
    expect(await listed()).toEqual([]);
    expect((await rig.admin.get(`/api/chats?bot_id=${bot.id}`)).body).toEqual([]);
    const now = (await rig.admin.get(`/api/stats?bot_id=${bot.id}`)).body;
    expect(now).toMatchObject({ messages: { total: 0 }, active_users: 0 });
  });
});
