import type { ChatMember } from '@grammyjs/types';
import { describe, expect, test } from 'vitest';
import { createManualClock } from '../../../sandbox/src/clock.ts';
import { pending } from '../helpers.ts';
import { inGroup } from '../support/scenes.ts';

describe('reading a chat', () => {
  test('getChat, members, administrators, count', async () => {
    const { api, sandbox, group, owner, ben, bot } = await inGroup();
    const chat_id = group.id;
    expect(await api.ok('getChat', { chat_id })).toMatchObject({
      id: chat_id,
      type: 'supergroup',
      title: 'G',
      permissions: { can_send_messages: true, can_pin_messages: false },
      accent_color_id: 0,
    });
    expect(await api.ok('getChatMemberCount', { chat_id })).toBe(3);
    expect(await api.ok('getChatMember', { chat_id, user_id: ben.id })).toMatchObject({
      status: 'member',
    });
    expect(await api.ok('getChatMember', { chat_id, user_id: owner.id })).toMatchObject({
      status: 'creator',
    });
    const stranger = sandbox.createUser();
    expect(await api.ok('getChatMember', { chat_id, user_id: stranger.id })).toMatchObject({
      status: 'left',
    });
    expect(await api.refused('getChatMember', { chat_id, user_id: 77 })).toBe(
      'Bad Request: user not found',
    );
    sandbox.promote(owner, group, bot);
    const admins = await api.ok<ChatMember[]>('getChatAdministrators', { chat_id });
    expect(admins.map((admin) => admin.user.id)).toEqual([owner.id, bot.id]);
    sandbox.say(ben, bot, 'hi');
    expect(await api.refused('getChatAdministrators', { chat_id: ben.id })).toBe(
      'Bad Request: there are no administrators in the private chat',
    );
    expect(await api.ok('getChatMemberCount', { chat_id: ben.id })).toBe(2);
  });
});

describe('moderation', () => {
  test('needs the right, spares the owner and other administrators', async () => {
    const { api, sandbox, group, owner, ben, bot } = await inGroup();
    const at = { chat_id: group.id, user_id: ben.id };
    expect(await api.refused('banChatMember', at)).toBe(
      'Bad Request: not enough rights to restrict/unrestrict chat member',
    );
    sandbox.promote(owner, group, bot);
    expect(await api.refused('banChatMember', { ...at, user_id: owner.id })).toBe(
      "Bad Request: can't remove chat owner",
    );
    sandbox.promote(owner, group, ben);
    expect(await api.refused('banChatMember', at)).toBe(
      'Bad Request: user is an administrator of the chat',
    );
    expect(await api.refused('restrictChatMember', { ...at, permissions: {} })).toBe(
      'Bad Request: user is an administrator of the chat',
    );
    expect(await api.refused('banChatMember', { ...at, user_id: bot.id })).toBe(
      "Bad Request: can't restrict self",
    );
    sandbox.say(ben, bot, 'hi');
    expect(await api.refused('banChatMember', { chat_id: ben.id, user_id: ben.id })).toMatch(
      /^Bad Request: /,
    );
  });

  test('ban, with an end, and unban', async () => {
    const clock = createManualClock();
    const { api, sandbox, group, owner, ben, bot } = await inGroup({ clock });
    sandbox.promote(owner, group, bot);
    const at = { chat_id: group.id, user_id: ben.id };
    sandbox.say(ben, group, 'spam');
    await pending(api, { allowed_updates: ['chat_member'] });
    await api.ok('banChatMember', {
      ...at,
      until_date: Math.floor(clock.now() / 1000) + 3600,
      revoke_messages: true,
    });
    expect(sandbox.history(owner, group).some((shown) => shown.message.text === 'spam')).toBe(
      false,
    );
    expect(await api.ok('getChatMember', at)).toMatchObject({ status: 'kicked' });
    expect(() => sandbox.join(ben, group)).toThrow('banned');
    clock.advance(3_601_000);
    expect(sandbox.join(ben, group)).toBe('joined');
    await api.ok('banChatMember', at);
    await api.ok('unbanChatMember', { ...at, only_if_banned: true });
    expect(await api.ok('getChatMember', at)).toMatchObject({ status: 'left' });
    sandbox.join(ben, group);
    await api.ok('unbanChatMember', { ...at, only_if_banned: true });
    expect(await api.ok('getChatMember', at)).toMatchObject({ status: 'member' });
    const changes = (await pending(api)).flatMap((update) => update.chat_member ?? []);
    expect(changes.map((change) => change.new_chat_member.status)).toEqual([
      'kicked',
      'member',
      'kicked',
      'left',
      'member',
    ]);
  });

  test('restrictions hold until their end', async () => {
    const clock = createManualClock();
    const { api, sandbox, group, owner, ben, bot } = await inGroup({ clock });
    sandbox.promote(owner, group, bot);
    const at = { chat_id: group.id, user_id: ben.id };
    const until_date = Math.floor(clock.now() / 1000) + 60;
    await api.ok('restrictChatMember', {
      ...at,
      permissions: { can_send_messages: false },
      until_date,
    });
    expect(await api.ok('getChatMember', at)).toMatchObject({
      status: 'restricted',
      is_member: true,
      can_send_messages: false,
      until_date,
    });
    expect(() => sandbox.say(ben, group, 'x')).toThrow('may not send');
    clock.advance(61_000);
    sandbox.say(ben, group, 'free again');
    const basic = sandbox.createChat({ type: 'group', title: 'B', owner, members: [bot, ben] });
    sandbox.promote(owner, basic, bot);
    expect(
      await api.refused('restrictChatMember', {
        chat_id: basic.id,
        user_id: ben.id,
        permissions: {},
      }),
    ).toBe('Bad Request: method is available only for supergroups');
    expect(await api.refused('unbanChatMember', { chat_id: basic.id, user_id: ben.id })).toBe(
      'Bad Request: method is available for supergroup and channel chats only',
    );
  });

  test('promotion, title and demotion', async () => {
    const { api, sandbox, group, owner, ben, bot } = await inGroup();
    const at = { chat_id: group.id, user_id: ben.id };
    expect(await api.refused('promoteChatMember', { ...at, can_pin_messages: true })).toBe(
      'Bad Request: not enough rights',
    );
    sandbox.promote(owner, group, bot, { can_promote_members: true, can_pin_messages: true });
    expect(await api.refused('promoteChatMember', { ...at, can_delete_messages: true })).toBe(
      'Bad Request: RIGHT_FORBIDDEN',
    );
    expect(await api.refused('setChatAdministratorCustomTitle', { ...at, custom_title: 'x' })).toBe(
      'Bad Request: user is not an administrator',
    );
    await api.ok('promoteChatMember', { ...at, can_pin_messages: true });
    await api.ok('setChatAdministratorCustomTitle', { ...at, custom_title: 'Pinner' });
    expect(await api.ok('getChatMember', at)).toMatchObject({
      status: 'administrator',
      can_pin_messages: true,
      can_delete_messages: false,
      can_be_edited: true,
      custom_title: 'Pinner',
    });
    expect(
      await api.refused('setChatAdministratorCustomTitle', { ...at, custom_title: 'x'.repeat(17) }),
    ).toBe('Bad Request: ADMIN_RANK_INVALID');
    await api.ok('promoteChatMember', at);
    expect(await api.ok('getChatMember', at)).toMatchObject({ status: 'member' });
  });
});
