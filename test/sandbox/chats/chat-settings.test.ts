import type { ChatInviteLink, Update } from '@grammyjs/types';
import { describe, expect, test } from 'vitest';
import { createManualClock } from '../../../sandbox/src/clock.ts';
import { paintPicture } from '../../../sandbox/src/world/messages/picture.ts';
import { pending, scene } from '../helpers.ts';
import { inGroup } from '../support/scenes.ts';

describe('chat settings', () => {
  test('title, description, permissions, photo', async () => {
    const { api, sandbox, group, owner, bot, url, ben } = await inGroup();
    const chat_id = group.id;
    expect(await api.refused('setChatTitle', { chat_id, title: 'New' })).toBe(
      'Bad Request: not enough rights to change chat title',
    );
    sandbox.promote(owner, group, bot);
    await api.ok('setChatTitle', { chat_id, title: 'New' });
    expect(await api.refused('setChatTitle', { chat_id, title: ' ' })).toBe(
      'Bad Request: title must be non-empty',
    );
    await api.ok('setChatDescription', { chat_id, description: 'About' });
    expect(await api.refused('setChatDescription', { chat_id, description: 'About' })).toBe(
      'Bad Request: chat description is not modified',
    );
    await api.ok('setChatPermissions', { chat_id, permissions: { can_send_messages: true } });
    const form = new FormData();
    form.set('chat_id', String(chat_id));
    form.set('photo', new Blob([new Uint8Array(paintPicture(200, 200, 1))]), 'p.png');
    const response = await fetch(`${url}/bot${bot.token}/setChatPhoto`, {
      method: 'POST',
      body: form,
    });
    expect(await response.json()).toEqual({ ok: true, result: true });
    expect(await api.ok('getChat', { chat_id })).toMatchObject({
      title: 'New',
      description: 'About',
      permissions: { can_send_messages: true, can_send_photos: false },
      photo: { big_file_id: expect.any(String) },
    });
    await api.ok('deleteChatPhoto', { chat_id });
    const service = sandbox
      .history(owner, group)
      .slice(-3)
      .map((shown) => Object.keys(shown.message).at(-1));
    expect(service).toEqual(['new_chat_title', 'new_chat_photo', 'delete_chat_photo']);
    sandbox.say(ben, bot, 'hi');
    expect(await api.refused('setChatTitle', { chat_id: ben.id, title: 'x' })).toBe(
      "Bad Request: can't change private chat title",
    );
  });

  test('invite links and join requests', async () => {
    const { api, sandbox, group, owner, bot } = await inGroup();
    const chat_id = group.id;
    expect(await api.refused('createChatInviteLink', { chat_id })).toBe(
      'Bad Request: not enough rights to manage chat invite link',
    );
    sandbox.promote(owner, group, bot);
    const primary = await api.ok<string>('exportChatInviteLink', { chat_id });
    expect(await api.ok('getChat', { chat_id })).toMatchObject({ invite_link: primary });
    const link = await api.ok<ChatInviteLink>('createChatInviteLink', {
      chat_id,
      name: 'door',
      member_limit: 1,
    });
    expect(link).toMatchObject({
      name: 'door',
      member_limit: 1,
      is_primary: false,
      creator: { id: bot.id },
    });
    const [cat, dan, eve] = [sandbox.createUser(), sandbox.createUser(), sandbox.createUser()];
    expect(sandbox.join(cat, group, link.invite_link)).toBe('joined');
    expect(() => sandbox.join(dan, group, link.invite_link)).toThrow('invite link is invalid');
    const edited = await api.ok<ChatInviteLink>('editChatInviteLink', {
      chat_id,
      invite_link: link.invite_link,
      creates_join_request: true,
    });
    expect(edited.creates_join_request).toBe(true);
    expect(sandbox.join(dan, group, link.invite_link)).toBe('requested');
    expect(sandbox.join(eve, group, link.invite_link)).toBe('requested');
    const asked = (await pending(api)).flatMap((update: Update) => update.chat_join_request ?? []);
    expect(asked.map((request) => [request.from.id, request.user_chat_id])).toEqual([
      [dan.id, dan.id],
      [eve.id, eve.id],
    ]);
    await api.ok('approveChatJoinRequest', { chat_id, user_id: dan.id });
    await api.ok('declineChatJoinRequest', { chat_id, user_id: eve.id });
    expect(await api.ok('getChatMember', { chat_id, user_id: dan.id })).toMatchObject({
      status: 'member',
    });
    expect(await api.ok('getChatMember', { chat_id, user_id: eve.id })).toMatchObject({
      status: 'left',
    });
    expect(await api.refused('approveChatJoinRequest', { chat_id, user_id: eve.id })).toBe(
      'Bad Request: HIDE_REQUESTER_MISSING',
    );
    expect(await api.refused('approveChatJoinRequest', { chat_id, user_id: dan.id })).toBe(
      'Bad Request: USER_ALREADY_PARTICIPANT',
    );
    expect(
      await api.ok('revokeChatInviteLink', { chat_id, invite_link: link.invite_link }),
    ).toMatchObject({ is_revoked: true });
    expect(() => sandbox.join(eve, group, link.invite_link)).toThrow('invite link is invalid');
  });
});

describe("the bot's own settings", () => {
  test('commands by scope and language', async () => {
    const { api } = await inGroup();
    const commands = [{ command: 'help', description: 'Help' }];
    await api.ok('setMyCommands', { commands });
    await api.ok('setMyCommands', {
      commands: [{ command: '/hilfe', description: 'Hilfe' }],
      language_code: 'de',
    });
    expect(await api.ok('getMyCommands')).toEqual(commands);
    expect(await api.ok('getMyCommands', { language_code: 'de' })).toEqual([
      { command: 'hilfe', description: 'Hilfe' },
    ]);
    expect(await api.ok('getMyCommands', { scope: { type: 'all_group_chats' } })).toEqual([]);
    await api.ok('deleteMyCommands');
    expect(await api.ok('getMyCommands')).toEqual([]);
    expect(
      await api.refused('setMyCommands', { commands: [{ command: 'A B', description: 'x' }] }),
    ).toBe('Bad Request: BOT_COMMAND_INVALID');
    expect(await api.refused('setMyCommands', { commands: 'x' })).toMatch(
      /^Bad Request: can't parse commands JSON/,
    );
  });

  test('names, descriptions, menu button, default rights, logging out', async () => {
    const clock = createManualClock();
    const { api } = await scene({ clock });
    await api.ok('setMyName', { name: 'Helper' });
    await api.ok('setMyDescription', { description: 'It helps', language_code: '' });
    await api.ok('setMyShortDescription', { short_description: 'helps' });
    expect(await api.ok('getMyName')).toEqual({ name: 'Helper' });
    expect(await api.ok('getMe')).toMatchObject({ first_name: 'Helper' });
    expect(await api.ok('getMyDescription', { language_code: 'fr' })).toEqual({
      description: 'It helps',
    });
    expect(await api.ok('getMyShortDescription')).toEqual({ short_description: 'helps' });
    await api.ok('setChatMenuButton', { menu_button: { type: 'default' } });
    expect(await api.ok('getChatMenuButton')).toEqual({ type: 'default' });
    await api.ok('setMyDefaultAdministratorRights', { rights: { can_pin_messages: true } });
    expect(await api.ok('getMyDefaultAdministratorRights')).toMatchObject({
      can_pin_messages: true,
      can_delete_messages: false,
    });
    expect(await api.ok('close')).toBe(true);
    expect(await api.ok('logOut')).toBe(true);
    expect(await api.call('getMe')).toMatchObject({
      status: 400,
      body: { description: 'Logged out' },
    });
    clock.advance(601_000);
    expect(await api.ok('getMe')).toMatchObject({ first_name: 'Helper' });
  });
});
