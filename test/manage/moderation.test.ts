import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dialects } from '../support/database/engines.ts';
import {
  type Bot,
  type ManagedPeople,
  startManagedPeople,
} from '../support/rigs/managed-people.ts';

interface Outcome {
  action: string;
  status: string;
  until: string;
}

describe.each(dialects)('moderation on %s', (dialect) => {
  let rig: ManagedPeople;
  let bot: Bot;
  beforeAll(async () => {
    rig = await startManagedPeople(dialect);
    bot = await rig.addBot();
  });
  afterAll(() => rig.close());

  const restricting = { can_restrict_members: true };
  const at = (action: string, chatId: number, userId: number, more = '') =>
    `/api/users/${action}?bot_id=${bot.id}&chat_id=${chatId}&user_id=${userId}${more}`;
  const onPlatform = (chatId: number, userId: number) =>
    rig.sandboxed.call(bot.token, 'getChatMember', { chat_id: chatId, user_id: userId });
  const stored = (chatId: number, userId: number) => rig.store.members.get(bot.id, chatId, userId);

  it('bans, unbans, kicks, mutes and unmutes', async () => {
    const { chatId, ann, bob } = await rig.group(bot, restricting);
    const inAnHour = new Date(rig.clock.now() + 3_600_000).toISOString();

    const muted = await rig.admin.post<Outcome>(at('mute', chatId, ann, '&duration_seconds=3600'));
    expect(muted).toMatchObject({ status: 200, body: { status: 'restricted', until: inAnHour } });
    expect(await onPlatform(chatId, ann)).toMatchObject({
      status: 'restricted',
      can_send_messages: false,
      until_date: Date.parse(inAnHour) / 1000,
    });
    expect((await rig.admin.post(at('unmute', chatId, ann))).status).toBe(200);
    expect(await onPlatform(chatId, ann)).toMatchObject({ status: 'member' });

    const kicked = await rig.admin.post<Outcome>(at('kick', chatId, ann));
    expect(kicked.body).toMatchObject({ action: 'kick', status: 'left', until: '' });
    expect(await onPlatform(chatId, ann)).toMatchObject({ status: 'left' });

    expect((await rig.admin.post(at('ban', chatId, bob, `&until=${inAnHour}`))).status).toBe(200);
    expect(await onPlatform(chatId, bob)).toMatchObject({ status: 'kicked' });
    expect(await stored(chatId, bob)).toMatchObject({
      status: 'kicked',
      until_at: Date.parse(inAnHour),
    });
    expect((await rig.admin.post(at('unban', chatId, bob))).status).toBe(200);
    expect(await onPlatform(chatId, bob)).toMatchObject({ status: 'left' });
    expect(await stored(chatId, bob)).toMatchObject({ status: 'left', until_at: 0 });
  });

  it('lets only those who manage try a refused action again', async () => {
    const { chatId, ann } = await rig.group(bot, { can_pin_messages: true });
    expect((await rig.admin.post(at('ban', chatId, ann))).status).toBe(422);
    const failed = `/api/outbox?bot_id=${bot.id}&state=failed&limit=1`;
    const [send] = (await rig.admin.get<{ id: number; method: string }[]>(failed)).body;
    expect(send?.method).toBe('banChatMember');
    const again = `/api/outbox/send-again?id=${send?.id}`;
    expect(await (await rig.as('send')).post(again)).toMatchObject({
      status: 403,
      body: { code: 'insufficient_scope' },
    });
    expect(await (await rig.as('manage')).post(again)).toMatchObject({
      status: 200,
      body: { state: 'queued' },
    });
  });

  it('passes refusals on, names the missing right and records nothing as done', async () => {
    const { chatId, owner, ann } = await rig.group(bot, { can_pin_messages: true });
    const before = await stored(chatId, ann);
    expect(await rig.admin.post(at('ban', chatId, ann))).toMatchObject({
      status: 422,
      body: {
        code: 'platform_refused',
        details: [{ right: 'can_restrict_members' }],
        platform: { error_code: 400 },
      },
    });
    expect(await stored(chatId, ann)).toEqual(before);
    const [log] = (await rig.admin.get<{ action: string; chat_id: number }[]>('/api/adminlog'))
      .body;
    expect(log?.chat_id).not.toBe(chatId);

    rig.sandboxed.promote(owner, chatId, bot.platformId, restricting);
    const onOwner = await rig.admin.post(at('ban', chatId, owner));
    expect(onOwner).toMatchObject({
      status: 422,
      body: { platform: { description: expect.stringContaining('owner') as string } },
    });
    expect(onOwner.body).not.toHaveProperty('details');
    expect((await rig.admin.post(at('mute', chatId, bot.platformId))).status).toBe(422);
    expect((await rig.admin.post(at('ban', -1_009_999, ann))).status).toBe(422);
    expect((await rig.admin.post(at('kick', ann, ann))).status).toBe(422);
  });

  it('tells beforehand what is allowed and what is missing', async () => {
    const { chatId, owner, ann } = await rig.group(bot, restricting);
    interface RightsCheck {
      action: string;
      allowed: boolean;
      missing: string;
      reason: string;
    }
    const rights = async (userId?: number) => {
      const person = userId === undefined ? '' : `&user_id=${userId}`;
      const { body } = await rig.admin.get<{ actions: RightsCheck[] }>(
        `/api/users/rights?bot_id=${bot.id}&chat_id=${chatId}${person}`,
      );
      return new Map(body.actions.map((decision) => [decision.action, decision]));
    };
    const ofAnn = await rights(ann);
    expect(ofAnn.get('ban')).toMatchObject({ allowed: true, missing: '' });
    expect(ofAnn.get('promote')).toMatchObject({ allowed: false, missing: 'can_promote_members' });
    expect((await rights()).get('pin')).toMatchObject({ missing: 'can_pin_messages' });
    const ofOwner = await rights(owner);
    expect(ofOwner.get('ban')).toMatchObject({ allowed: false, missing: '' });
    expect(ofOwner.get('ban')?.reason).toContain('owns the chat');

    // The bot's own rights are believed for some seconds, then asked for again.
    rig.sandboxed.promote(owner, chatId, bot.platformId, { can_promote_members: true });
    expect((await rights()).get('promote')?.allowed).toBe(false);
    await rig.clock.advance(11_000);
    expect((await rights()).get('promote')?.allowed).toBe(true);
    expect((await rights()).get('ban')?.missing).toBe('can_restrict_members');
  });

  it('warns, forgets expired warnings, and acts at the threshold', async () => {
    const { chatId, owner, ann, bob } = await rig.group(bot, restricting);
    const settingsUrl = `/api/chats/warn-settings?bot_id=${bot.id}&chat_id=${chatId}`;
    expect((await rig.admin.get(settingsUrl)).body).toMatchObject({ threshold: 3, action: 'none' });
    const settings = { threshold: 2, action: 'mute', action_seconds: 600, expire_seconds: 60 };
    expect((await rig.admin.post(settingsUrl, settings)).body).toEqual(settings);
    expect((await rig.admin.post(settingsUrl, { action_seconds: 5 })).status).toBe(400);

    const warn = async (userId: number, body: object = {}) =>
      (await rig.admin.post(at('warn', chatId, userId), body)).body;
    const spam = { reason: 'spam' };
    expect(await warn(ann, spam)).toMatchObject({
      active: 1,
      threshold: 2,
      action: '',
      warning: { ...spam, warned_by: 'command line', active: true },
    });
    await rig.clock.advance(61_000);
    expect(await warn(ann)).toMatchObject({ active: 1, action: '' });
    expect(await warn(ann)).toMatchObject({ active: 2, action: 'mute' });
    expect(await onPlatform(chatId, ann)).toMatchObject({ status: 'restricted' });
    // Counting starts again.
    const next = await warn(ann);
    expect(next).toMatchObject({ active: 1, action: '' });
    const { id } = next['warning'] as { id: number };
    const back = `/api/users/unwarn?bot_id=${bot.id}&id=${id}`;
    expect((await rig.admin.post(back)).status).toBe(200);
    expect((await rig.admin.post(back)).status).toBe(404);
    expect(await warn(ann)).toMatchObject({ active: 1 });

    expect((await rig.admin.post(at('warn', chatId, owner), {})).status).toBe(409);
    expect((await rig.admin.post(at('warn', -1_009_999, ann), {})).status).toBe(422);
    // Where the action is refused, there is no warning either.
    expect(await warn(bob)).toMatchObject({ active: 1 });
    rig.sandboxed.promote(owner, chatId, bot.platformId, { can_pin_messages: true });
    expect((await rig.admin.post(at('warn', chatId, bob), {})).status).toBe(422);
    const person = { botId: bot.id, chatId, userId: bob };
    expect(await rig.store.warnings.countActive(person, rig.clock.now())).toBe(1);
  });

  it('acts once, however many warnings reach the threshold at the same time', async () => {
    const { chatId, ann } = await rig.group(bot, restricting);
    const settings = { threshold: 3, action: 'mute', action_seconds: 600 };
    await rig.admin.post(`/api/chats/warn-settings?bot_id=${bot.id}&chat_id=${chatId}`, settings);
    const warn = async () => (await rig.admin.post<Outcome>(at('warn', chatId, ann), {})).body;
    expect([await warn(), await warn()]).toMatchObject([{ action: '' }, { action: '' }]);
    const outcomes = await Promise.all([warn(), warn(), warn()]);
    expect(outcomes.map(({ action }) => action).sort()).toEqual(['', '', 'mute']);
    interface Send {
      method: string;
      chat_id: number;
    }
    const { body: sends } = await rig.admin.get<Send[]>(`/api/outbox?bot_id=${bot.id}`);
    const mutes = sends.filter(
      (send) => send.method === 'restrictChatMember' && send.chat_id === chatId,
    );
    expect(mutes).toHaveLength(1);
    const person = { botId: bot.id, chatId, userId: ann };
    expect(await rig.store.warnings.countActive(person, rig.clock.now())).toBe(2);
  });

  it('keeps to managed bots, access and sensible times', async () => {
    const plain = await rig.addBot({ manage_enabled: false });
    const url = `?bot_id=${plain.id}&chat_id=-5&user_id=7`;
    for (const path of ['users/ban', 'users/kick', 'admins/demote']) {
      expect(await rig.admin.post(`/api/${path}${url}`)).toMatchObject({
        status: 409,
        body: { code: 'management_disabled' },
      });
    }
    const limited = await rig.as('manage', [plain.id]);
    expect((await limited.post(at('ban', -5, 7))).status).toBe(403);
    const reader = await rig.as('read');
    expect((await reader.post(at('ban', -5, 7))).status).toBe(403);
    expect((await rig.admin.post(at('ban', -5, 7).replace(/=\d+/, '=999'))).status).toBe(404);
    const soon = new Date(rig.clock.now() + 5_000).toISOString();
    expect((await rig.admin.post(at('mute', -5, 7, `&until=${soon}`))).status).toBe(400);
    expect((await rig.admin.post(at('mute', -5, 7, '&duration_seconds=29'))).status).toBe(400);
  });
});
