import type { ChatFullInfo, UserFromGetMe } from '@grammyjs/types';
import { describe, expect, test } from 'vitest';
import { createSandbox } from '../../../sandbox/src/sandbox.ts';
import { type Api, apiOf, pending } from '../helpers.ts';
import { ask, at, guarded, tooOld, webApp } from '../support/guarded.ts';

describe('a guard bot', () => {
  test('says that it can be one, and is shown only to administrators', async () => {
    const { api, clerk, club, sandbox, owner, url } = await guarded();
    expect((await api.ok<UserFromGetMe>('getMe')).supports_join_request_queries).toBe(true);
    expect((await clerk.ok<UserFromGetMe>('getMe')).supports_join_request_queries).toBe(false);
    const chat_id = club.id;
    const shown = await clerk.ok<ChatFullInfo.SupergroupChat>('getChat', { chat_id });
    expect(shown.guard_bot).toMatchObject({ is_bot: true, username: 'scene_bot' });
    expect(shown.join_by_request).toBe(true);
    const guest = sandbox.createBot();
    sandbox.addMember(owner, club, guest);
    const seen = await apiOf(url, guest.token).ok<ChatFullInfo.SupergroupChat>('getChat', {
      chat_id,
    });
    expect(seen.guard_bot).toBeUndefined();
  });

  test('is appointed by who may, and only if it can', async () => {
    const { act, sandbox, owner, club, ben } = await guarded();
    const appoint = (more: object) =>
      act<{ error?: string }>('chats/guard-bot', { chat: 'club', by: 'olga', ...more });
    expect((await appoint({ bot: 'clerk_bot' })).error).toBe(
      '@clerk_bot does not answer join request queries. Create the bot with "join_request_queries".',
    );
    const idle = sandbox.createBot({ username: 'idle_bot', joinRequestQueries: true });
    expect((await appoint({ bot: 'idle_bot' })).error).toBe(
      '@idle_bot must be an administrator with the right to invite.',
    );
    sandbox.addMember(owner, club, ben);
    expect((await appoint({ by: 'ben', bot: 'scene_bot' })).error).toBe(
      'Ben may not appoint a guard bot.',
    );
    const basic = sandbox.createChat({ type: 'group', title: 'B', owner, members: [idle] });
    expect((await appoint({ chat: basic.id, bot: 'idle_bot' })).error).toBe(
      'Basic groups have no guard bot. Upgrade the group first.',
    );
    expect(await appoint({})).toEqual({ ok: true });
    expect(club.guardBotId).toBeUndefined();
    expect(sandbox.join(sandbox.createUser(), club)).toBe('requested');
  });

  test('guards no more without its right', async () => {
    const { sandbox, owner, club, bot, clerk, request, ben } = await guarded();
    sandbox.promote(owner, club, bot, { can_pin_messages: true });
    expect(sandbox.join(ben, club)).toBe('requested');
    expect(await request(clerk)).toMatchObject({ from: { id: ben.id } });
  });
});

describe('a join request query', () => {
  test('goes only to the guard bot, and tells who asks', async () => {
    const made = await guarded();
    const { api, clerk, request, act, ben, club } = made;
    const id = await ask(made);
    expect(id).toMatch(/^\d+$/);
    expect(await request(api)).toEqual({
      chat: { id: club.id, type: 'supergroup', title: 'Club', username: 'club' },
      from: expect.objectContaining({ id: ben.id, username: 'ben' }) as object,
      user_chat_id: ben.id,
      date: Math.floor(made.clock.now() / 1000),
      bio: 'Hello there & more',
      query_id: id,
    });
    expect(await request(clerk)).toBeUndefined();
    expect(await act('chats/join-status', at)).toEqual({ status: 'waiting' });
    // Until it is left to them, administrators have nothing to decide.
    const chat = { chat_id: club.id, user_id: ben.id };
    for (const one of [api, clerk]) {
      expect(await one.refused('approveChatJoinRequest', chat)).toBe(
        'Bad Request: HIDE_REQUESTER_MISSING',
      );
    }
    // A repeated request keeps its query id.
    expect(await ask(made)).toBe(id);
  });

  test('approved, the person is in', async () => {
    const made = await guarded();
    const { api, act, club, ben } = made;
    await pending(api, { allowed_updates: ['chat_join_request', 'chat_member'] });
    const chat_join_request_query_id = await ask(made);
    const answer = { chat_join_request_query_id, result: 'approve' };
    expect(await api.ok('answerChatJoinRequestQuery', answer)).toBe(true);
    expect(await act('chats/join-status', at)).toEqual({ status: 'joined' });
    expect(await api.ok('getChatMember', { chat_id: club.id, user_id: ben.id })).toMatchObject({
      status: 'member',
    });
    const joined = (await pending(api)).at(-1)?.chat_member;
    expect(joined).toMatchObject({ via_join_request: true, new_chat_member: { status: 'member' } });
    expect(await api.refused('answerChatJoinRequestQuery', answer)).toBe(tooOld);
  });

  test('declined, the person is told and may ask again', async () => {
    const made = await guarded('channel');
    const { api, clerk, act, request } = made;
    const id = await ask(made);
    const answer = { chat_join_request_query_id: id, result: 'decline' };
    expect(await api.ok('answerChatJoinRequestQuery', answer)).toBe(true);
    expect(await act('chats/join-status', at)).toEqual({ status: 'declined' });
    expect(await request(clerk)).toBeUndefined();
    expect(await ask(made)).not.toBe(id);
    expect(await act('chats/join-status', at)).toEqual({ status: 'waiting' });
  });

  test('queued, the others decide', async () => {
    const made = await guarded();
    const { api, clerk, act, request, club, ben } = made;
    const chat_join_request_query_id = await ask(made);
    await api.ok('answerChatJoinRequestQuery', { chat_join_request_query_id, result: 'queue' });
    expect(await act('chats/join-status', at)).toEqual({ status: 'requested' });
    const joinRequest = await request(clerk);
    expect(joinRequest).toMatchObject({ from: { id: ben.id }, bio: 'Hello there & more' });
    expect(joinRequest).not.toHaveProperty('query_id');
    // The bot that left it to the others gets no second update.
    expect((await pending(api)).filter((update) => update.chat_join_request)).toHaveLength(1);
    // A pending request causes no second query.
    expect(await act('chats/join', at)).toEqual({ status: 'requested' });
    await clerk.ok('approveChatJoinRequest', { chat_id: club.id, user_id: ben.id });
    expect(await act('chats/join-status', at)).toEqual({ status: 'joined' });
  });

  test('has to be answered within ten seconds; then the others decide', async () => {
    const made = await guarded();
    const { api, clerk, act, request, clock } = made;
    const chat_join_request_query_id = await ask(made);
    clock.advance(9_999);
    expect(await act('chats/join-status', at)).toEqual({ status: 'waiting' });
    expect(await request(clerk)).toBeUndefined();
    clock.advance(1);
    expect(await act('chats/join-status', at)).toEqual({ status: 'requested' });
    expect(await request(clerk)).toMatchObject({ from: { username: 'ben' } });
    const late = { chat_join_request_query_id, result: 'approve' };
    expect(await api.refused('answerChatJoinRequestQuery', late)).toBe(tooOld);
    expect(
      await api.refused('sendChatJoinRequestWebApp', {
        chat_join_request_query_id,
        web_app_url: webApp,
      }),
    ).toBe(tooOld);
    const decision = { ...at, by: 'olga', approve: false };
    expect(await act('chats/answer-request', { ...decision, by: 'ben' })).toMatchObject({
      error: 'Ben may not approve join requests.',
    });
    expect(await act('chats/answer-request', decision)).toEqual({ ok: true });
    expect(await act('chats/join-status', at)).toEqual({ status: 'none' });
    expect(await act('chats/answer-request', decision)).toMatchObject({
      error: 'Ben has no pending join request.',
    });
  });

  test('is refused when it is unknown, of another bot, or no longer its own', async () => {
    const made = await guarded();
    const { api, clerk, sandbox, owner, club } = made;
    const chat_join_request_query_id = await ask(made);
    const answer = { chat_join_request_query_id, result: 'approve' };
    const cases: [Api, string, object, string][] = [
      [api, 'answerChatJoinRequestQuery', { ...answer, chat_join_request_query_id: '1' }, tooOld],
      [api, 'answerChatJoinRequestQuery', { result: 'approve' }, tooOld],
      [clerk, 'answerChatJoinRequestQuery', answer, tooOld],
      [
        api,
        'answerChatJoinRequestQuery',
        { chat_join_request_query_id },
        'Bad Request: parameter "result" is required',
      ],
      [
        api,
        'answerChatJoinRequestQuery',
        { ...answer, result: 'maybe' },
        'Bad Request: invalid chat join request query result specified',
      ],
      [
        api,
        'sendChatJoinRequestWebApp',
        { chat_join_request_query_id },
        'Bad Request: parameter "web_app_url" is required',
      ],
      [
        api,
        'sendChatJoinRequestWebApp',
        { chat_join_request_query_id, web_app_url: 'http://captcha.example' },
        "Bad Request: Web App URL 'http://captcha.example' is invalid: Only HTTPS links are allowed",
      ],
      [
        api,
        'sendChatJoinRequestWebApp',
        { chat_join_request_query_id, web_app_url: 'captcha' },
        "Bad Request: Web App URL 'captcha' is invalid: Wrong HTTP URL",
      ],
      [clerk, 'sendChatJoinRequestWebApp', { ...answer, web_app_url: webApp }, tooOld],
    ];
    for (const [one, method, params, refusal] of cases) {
      expect(await one.refused(method, params), JSON.stringify(params)).toBe(refusal);
    }
    sandbox.setGuardBot(owner, club, {});
    expect(await api.refused('answerChatJoinRequestQuery', answer)).toBe(tooOld);
  });

  test('is void once the person is in, or banned', async () => {
    for (const end of ['in', 'banned']) {
      const made = await guarded();
      const { api, sandbox, owner, club, ben, act } = made;
      const chat_join_request_query_id = await ask(made);
      if (end === 'in') sandbox.addMember(owner, club, ben);
      else sandbox.removeMember(owner, club, ben);
      expect(
        await api.refused('answerChatJoinRequestQuery', {
          chat_join_request_query_id,
          result: 'approve',
        }),
        end,
      ).toBe(tooOld);
      expect(await act('chats/join-status', at)).toEqual({
        status: end === 'in' ? 'joined' : 'banned',
      });
    }
  });

  test('comes by an invite link where the link asks, and counts there', async () => {
    const { api, clerk, sandbox, club, owner, bot, ben, request } = await guarded();
    const chat_id = club.id;
    const open = await clerk.ok<{ invite_link: string }>('createChatInviteLink', { chat_id });
    const dan = sandbox.createUser();
    expect(sandbox.join(dan, club, open.invite_link)).toBe('joined');
    sandbox.setGuardBot(owner, club, { bot, inviteLinks: true });
    expect(sandbox.join(ben, club, open.invite_link)).toBe('asked');
    const joinRequest = await request(api);
    expect(joinRequest?.invite_link).toMatchObject({
      invite_link: open.invite_link,
      creates_join_request: true,
    });
    await api.ok('answerChatJoinRequestQuery', {
      chat_join_request_query_id: joinRequest?.query_id,
      result: 'approve',
    });
    expect(club.inviteLinks[0]?.joinedIds).toEqual([dan.id, ben.id]);
  });
});

test('a kept world keeps its queries, and their time; one from before has none', async () => {
  const made = await guarded();
  const { sandbox, ben, club, bot, clock } = made;
  const id = await ask(made);
  const saved = sandbox.exportState();

  const next = createSandbox({ clock });
  next.importState(saved);
  clock.advance(5_000);
  await next.call(bot.token, 'sendChatJoinRequestWebApp', {
    chat_join_request_query_id: id,
    web_app_url: webApp,
  });
  expect(next.joinStatus(ben.id, club.id).status).toBe('web_app');

  const slow = createSandbox({ clock });
  slow.importState(saved);
  clock.advance(5_000);
  expect(slow.joinStatus(ben.id, club.id).status).toBe('requested');

  const before = JSON.parse(saved) as { joinQueries?: unknown };
  delete before.joinQueries;
  const older = createSandbox({ clock });
  older.importState(JSON.stringify(before));
  expect(older.joinStatus(ben.id, club.id)).toEqual({ status: 'none' });
  expect(older.join(ben.id, club.id)).toBe('asked');
  await older.call(bot.token, 'answerChatJoinRequestQuery', {
    chat_join_request_query_id: older.world.state.joinQueries?.keys().next().value,
    result: 'approve',
  });
  expect(older.joinStatus(ben.id, club.id)).toEqual({ status: 'joined' });
  for (const one of [next, slow, older]) await one.close();
});
