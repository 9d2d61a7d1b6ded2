import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dialects } from '../support/database/engines.ts';
import {
  type Bot,
  type ManagedPeople,
  startManagedPeople,
} from '../support/rigs/managed-people.ts';
import { archived } from '../support/database/store.ts';

interface Person {
  user_id: number;
  first_name: string;
  status: string;
  messages: number;
}

describe.each(dialects)('people on %s', (dialect) => {
  let rig: ManagedPeople;
  let bot: Bot;
  beforeAll(async () => {
    rig = await startManagedPeople(dialect);
    bot = await rig.addBot();
  });
  afterAll(() => rig.close());

  const list = async (more: string) =>
    (await rig.admin.get<Person[]>(`/api/users/list?bot_id=${bot.id}${more}`)).body;
  const profile = (userId: number, more = '') =>
    rig.admin.get(`/api/users/profile?bot_id=${bot.id}&user_id=${userId}${more}`);

  it('lists who wrote and who was seen to come, by page and by name', async () => {
    const { chatId, owner, ann } = await rig.group(bot);
    const carl = rig.sandboxed.createUser({ first_name: 'Carl' }).id;
    rig.sandboxed.addMember(owner, chatId, carl);
    const zoya = rig.sandboxed.createUser({ first_name: 'Зоя', last_name: 'Ёлкина' }).id;
    rig.sandboxed.addMember(owner, chatId, zoya);
    rig.sandboxed.say(ann, chatId, 'one');
    rig.sandboxed.say(ann, chatId, 'two');
    rig.sandboxed.say(zoya, chatId, 'три');
    await rig.receive(bot);

    const all = await list(`&chat_id=${chatId}`);
    expect(all.map((person) => person.user_id)).toEqual(
      [...all.map((person) => person.user_id)].sort((a, b) => a - b),
    );
    const byId = new Map(all.map((person) => [person.user_id, person]));
    expect(byId.get(ann)).toMatchObject({ first_name: 'Ann', messages: 2 });
    expect(byId.get(zoya)).toMatchObject({ status: 'member', messages: 1 });
    expect(byId.get(carl)).toMatchObject({ status: 'member', messages: 0 });

    const first = await list(`&chat_id=${chatId}&limit=2`);
    const rest = await list(`&chat_id=${chatId}&limit=200&after=${first[1]?.user_id}`);
    expect([...first, ...rest]).toEqual(all);

    const found = async (q: string) =>
      (await list(`&chat_id=${chatId}&q=${encodeURIComponent(q)}`)).map((one) => one.user_id);
    expect(await found('зоя')).toEqual([zoya]);
    expect(await found('ёлк')).toEqual([zoya]);
    expect(await found('aN')).toEqual([ann]);
    expect(await found(String(carl))).toEqual([carl]);
    expect(await found('%')).toEqual([]);
    expect((await list('&q=Зоя')).map((one) => one.user_id)).toEqual([zoya]);
  });

  it('shows names over time, chats, counts, tags, notes, warnings and rights', async () => {
    const { chatId, owner, ann } = await rig.group(bot, { can_promote_members: true });
    const say = (id: number, first_name: string, date: number) =>
      rig.store.messages.archive(
        [
          archived(bot.id, {
            message_id: id,
            date,
            chat: { id: chatId, type: 'supergroup', title: 'Team' },
            from: { id: ann, first_name, username: 'ann' },
            text: 'hello',
          }),
        ],
        date * 1000,
      );
    await say(901, 'Ann', 1_700_000_001);
    await say(902, 'Anna', 1_700_000_002);
    await say(903, 'Anna', 1_700_000_003);
    const asked = { chat_id: chatId, user_id: ann };
    await rig.admin.post('/api/tags/add', { ...asked, tag: 'vip' });
    const note = await rig.admin.post<{ id: number }>('/api/users/notes/add', {
      bot_id: bot.id,
      user_id: ann,
      text: 'Likes tea.',
    });
    expect(note.status).toBe(200);
    const place = `?bot_id=${bot.id}&chat_id=${chatId}&user_id=${ann}`;
    await rig.admin.post(`/api/users/warn${place}`, { reason: 'shouting' });
    await rig.admin.post(`/api/admins/promote${place}`, { rights: ['can_promote_members'] });

    const { status, body } = await profile(ann, `&chat_id=${chatId}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      user_id: ann,
      first_name: 'Anna',
      messages: 3,
      chats: [
        {
          chat_id: chatId,
          title: 'Team',
          status: 'administrator',
          messages: 3,
          rights: ['can_manage_chat', 'can_promote_members'],
        },
      ],
      tags: [{ chat_id: chatId, tag: 'vip' }],
      notes: [{ text: 'Likes tea.', author: 'command line' }],
      warnings: [{ reason: 'shouting', active: true }],
      member: { status: 'administrator', rights: ['can_manage_chat', 'can_promote_members'] },
    });
    const names = body['names'] as { first_name: string }[];
    expect(names.slice(0, 2).map((name) => name.first_name)).toEqual(['Anna', 'Ann']);

    const remove = `/api/users/notes/delete?bot_id=${bot.id}&id=${note.body.id}`;
    expect((await rig.admin.post(remove)).body).toMatchObject({ text: 'Likes tea.' });
    expect((await rig.admin.post(remove)).status).toBe(404);
    expect((await profile(ann)).body).toMatchObject({ notes: [] });
    expect((await profile(ann)).body).not.toHaveProperty('member');

    // People known to another bot are unknown to this one.
    const other = await rig.addBot();
    const url = `/api/users/profile?bot_id=${other.id}&user_id=${owner}`;
    expect(await rig.admin.get(url)).toMatchObject({
      status: 404,
      body: { code: 'user_not_found' },
    });
  });

  it('keeps to managed bots and to bots the key may see', async () => {
    const plain = await rig.addBot({ manage_enabled: false });
    const limited = await rig.as('read', [plain.id]);
    for (const path of ['users/list?', 'users/profile?user_id=7&', 'users/rights?chat_id=-5&']) {
      expect(await limited.get(`/api/${path}bot_id=${plain.id}`)).toMatchObject({
        status: 409,
        body: { code: 'management_disabled' },
      });
      expect((await limited.get(`/api/${path}bot_id=${bot.id}`)).status).toBe(403);
      expect((await rig.admin.get(`/api/${path}bot_id=99999`)).status).toBe(404);
    }
  });
});
