import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { dialects } from '../support/database/engines.ts';
import {
  type Bot,
  type ManagedPeople,
  startManagedPeople,
} from '../support/rigs/managed-people.ts';

interface Admin {
  user_id: number;
  status: string;
  title: string;
  rights: string[];
  can_be_edited: boolean;
}

describe.each(dialects)('administrators on %s', (dialect) => {
  let rig: ManagedPeople;
  let bot: Bot;
  beforeAll(async () => {
    rig = await startManagedPeople(dialect);
    bot = await rig.addBot();
  });
  afterAll(() => rig.close());

  const at = (action: string, chatId: number, userId: number) =>
    `/api/admins/${action}?bot_id=${bot.id}&chat_id=${chatId}&user_id=${userId}`;
  const list = async (chatId: number) => {
    const url = `/api/admins?bot_id=${bot.id}&chat_id=${chatId}`;
    const { body } = await rig.admin.get<Admin[]>(url);
    return new Map(body.map((admin) => [admin.user_id, admin]));
  };

  it('lists, promotes with single rights, titles and demotes', async () => {
    const { chatId, owner, ann } = await rig.group(bot, {
      can_promote_members: true,
      can_delete_messages: true,
      can_pin_messages: true,
    });
    const before = await list(chatId);
    expect([...before.keys()].sort()).toEqual([owner, bot.platformId].sort());
    expect(before.get(owner)).toMatchObject({ status: 'creator', can_be_edited: false });
    expect(before.get(bot.platformId)?.rights).toEqual(
      expect.arrayContaining(['can_promote_members', 'can_delete_messages']),
    );

    const promoted = await rig.admin.post<Admin>(at('promote', chatId, ann), {
      rights: ['can_pin_messages'],
      title: 'Keeper of pins',
    });
    expect(promoted).toMatchObject({
      status: 200,
      body: { status: 'administrator', title: 'Keeper of pins', can_be_edited: true },
    });
    expect(promoted.body.rights).toEqual(['can_manage_chat', 'can_pin_messages']);
    expect((await list(chatId)).get(ann)?.rights).toEqual(promoted.body.rights);
    expect(await rig.store.members.get(bot.id, chatId, ann)).toMatchObject({
      status: 'administrator',
      title: 'Keeper of pins',
    });

    const titled = await rig.admin.post<Admin>(at('title', chatId, ann), { title: 'Chief' });
    expect(titled.body.title).toBe('Chief');
    expect((await rig.admin.post(at('title', chatId, ann), { title: 'x'.repeat(17) })).status).toBe(
      400,
    );
    expect((await rig.admin.post<Admin>(at('demote', chatId, ann))).body.status).toBe('member');
    expect((await list(chatId)).has(ann)).toBe(false);
  });

  it('does not promote a member whose title is refused', async () => {
    const { chatId, ann } = await rig.group(bot, {
      can_promote_members: true,
      can_pin_messages: true,
      can_delete_messages: true,
    });
    const emoji = { rights: ['can_pin_messages'], title: 'Boss 🎉' };
    expect(await rig.admin.post(at('promote', chatId, ann), emoji)).toMatchObject({
      status: 422,
      body: { platform: { description: 'Bad Request: ADMIN_RANK_EMOJI_NOT_ALLOWED' } },
    });
    expect((await list(chatId)).has(ann)).toBe(false);
    // Earlier administrators stay as they were.
    const rights = ['can_delete_messages'];
    await rig.admin.post(at('promote', chatId, ann), { rights, title: 'Deputy' });
    expect((await rig.admin.post(at('promote', chatId, ann), emoji)).status).toBe(422);
    expect((await list(chatId)).get(ann)).toMatchObject({
      title: 'Deputy',
      rights: ['can_manage_chat', 'can_delete_messages'],
    });
  });

  it('says why the platform refuses', async () => {
    const { chatId, owner, ann, bob } = await rig.group(bot, { can_pin_messages: true });
    const rights = ['can_pin_messages'];
    expect(await rig.admin.post(at('promote', chatId, ann), { rights })).toMatchObject({
      status: 422,
      body: { details: [{ right: 'can_promote_members' }] },
    });
    rig.sandboxed.promote(owner, chatId, bot.platformId, { can_promote_members: true });
    // A right that the bot has not itself; the owner; somebody else's administrator; no admin.
    expect((await rig.admin.post(at('promote', chatId, ann), { rights })).status).toBe(422);
    expect((await rig.admin.post(at('demote', chatId, owner))).status).toBe(422);
    rig.sandboxed.promote(owner, chatId, bob, {});
    expect((await rig.admin.post(at('demote', chatId, bob))).status).toBe(422);
    expect((await rig.admin.post(at('title', chatId, ann), { title: 'a' })).status).toBe(422);
    expect((await rig.admin.post(at('promote', chatId, ann), { rights: ['all'] })).status).toBe(
      400,
    );
    expect((await rig.admin.get(`/api/admins?bot_id=${bot.id}&chat_id=-1009999`)).status).toBe(422);
  });

  it('answers 409 when the bot is deleted before the outcome is stored', async () => {
    const other = await rig.addBot();
    const { chatId, ann } = await rig.group(other, {
      can_promote_members: true,
      can_manage_chat: true,
    });
    const { members, bots } = rig.store;
    const save = members.save;
    onTestFinished(() => void (members.save = save));
    members.save = async (...rest) => {
      await bots.remove(other.id);
      return save(...rest);
    };
    const url = `/api/admins/promote?bot_id=${other.id}&chat_id=${chatId}&user_id=${ann}`;
    expect(await rig.admin.post(url, { rights: ['can_manage_chat'] })).toMatchObject({
      status: 409,
      body: { code: 'conflict', reason_code: 'deleted_meanwhile' },
    });
  });
});
