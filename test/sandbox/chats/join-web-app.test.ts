import { createHmac } from 'node:crypto';
import { Bot as Gramio } from 'gramio';
import { Bot, GrammyError } from 'grammy';
import { describe, expect, test } from 'vitest';
import { ask, at, guarded, tooOld, webApp } from '../support/guarded.ts';

describe('the web app of a guard bot', () => {
  async function shown() {
    const made = await guarded();
    const chat_join_request_query_id = await ask(made);
    const query = { chat_join_request_query_id };
    expect(await made.act('chats/join-web-app', at)).toMatchObject({
      error: 'Ben has no Mini App open there.',
    });
    expect(await made.api.ok('sendChatJoinRequestWebApp', { ...query, web_app_url: webApp })).toBe(
      true,
    );
    return { ...made, query };
  }

  test('is opened by the person, with data that the bot can check', async () => {
    const { act, bot, query, ben, club, clock } = await shown();
    expect(await act('chats/join-status', at)).toEqual({
      status: 'web_app',
      web_app: {
        bot: { id: bot.id, is_bot: true, first_name: bot.first_name, username: 'scene_bot' },
        url: webApp,
      },
    });
    const opened = await act<{ url: string; init_data: string }>('chats/join-web-app', at);
    const url = new URL(opened.url);
    expect(url.href.slice(0, url.href.indexOf('#'))).toBe(webApp);
    const launch = new URLSearchParams(url.hash.slice(1));
    expect(launch.get('tgWebAppData')).toBe(opened.init_data);

    const fields = new URLSearchParams(opened.init_data);
    const hash = fields.get('hash');
    fields.delete('hash');
    const lines = [...fields].map(([name, value]) => `${name}=${value}`).toSorted();
    const key = createHmac('sha256', 'WebAppData').update(bot.token).digest();
    expect(hash).toBe(createHmac('sha256', key).update(lines.join('\n')).digest('hex'));
    expect(fields.get('chat_join_request_query_id')).toBe(query.chat_join_request_query_id);
    expect(fields.get('auth_date')).toBe(String(Math.floor(clock.now() / 1000)));
    expect(JSON.parse(fields.get('user') ?? '')).toEqual({
      id: ben.id,
      first_name: 'Ben',
      username: 'ben',
      language_code: 'en',
    });
    expect(JSON.parse(fields.get('chat') ?? '')).toEqual({
      id: club.id,
      type: 'supergroup',
      title: 'Club',
      username: 'club',
    });
  });

  test.each([
    ['approve', 'joined'],
    ['decline', 'declined'],
    ['queue', 'requested'],
  ])('%s ends it, minutes later too', async (result, status) => {
    const { act, api, clock, query, sandbox } = await shown();
    const changes: string[] = [];
    sandbox.onChange((change) => {
      if (change.type === 'join_changed') changes.push(change.status);
    });
    clock.advance(20 * 60_000);
    expect(await api.ok('answerChatJoinRequestQuery', { ...query, result })).toBe(true);
    expect(await act('chats/join-status', at)).toEqual({ status });
    // The page that shows the Mini App sees that it was closed.
    expect(changes).not.toEqual([]);
    expect(await act('chats/join-web-app', at)).toMatchObject({
      error: 'Ben has no Mini App open there.',
    });
    expect(await api.refused('answerChatJoinRequestQuery', { ...query, result })).toBe(tooOld);
  });

  test('is shown once, and only for a while', async () => {
    const made = await shown();
    const { act, api, clerk, request, clock, query } = made;
    const again = { ...query, web_app_url: webApp };
    expect(await api.refused('sendChatJoinRequestWebApp', again)).toBe(tooOld);
    clock.advance(3_600_000);
    expect(await act('chats/join-status', at)).toEqual({ status: 'none' });
    expect(await api.refused('answerChatJoinRequestQuery', { ...query, result: 'queue' })).toBe(
      tooOld,
    );
    expect(await request(clerk)).toBeUndefined();
    expect(await ask(made)).not.toBe(query.chat_join_request_query_id);
  });

  test('is replaced when the person asks again', async () => {
    const made = await shown();
    const { api, act, query } = made;
    const next = await ask(made);
    expect(next).not.toBe(query.chat_join_request_query_id);
    expect(await act('chats/join-status', at)).toEqual({ status: 'waiting' });
    const result = 'approve';
    expect(await api.refused('answerChatJoinRequestQuery', { ...query, result })).toBe(tooOld);
    await api.ok('answerChatJoinRequestQuery', { chat_join_request_query_id: next, result });
    expect(await act('chats/join-status', at)).toEqual({ status: 'joined' });
  });
});

test('grammY guards a chat', async () => {
  const { sandbox, url, bot, ben, club, act } = await guarded();
  const guard = new Bot(bot.token, { client: { apiRoot: url } });
  const refusals: string[] = [];
  const asked = new Promise<void>((resolve, reject) => {
    guard.on('chat_join_request', async (ctx) => {
      const { query_id = '' } = ctx.chatJoinRequest;
      await ctx.api.sendChatJoinRequestWebApp(query_id, webApp);
      await ctx.api.sendChatJoinRequestWebApp(query_id, webApp).catch((error: unknown) => {
        if (error instanceof GrammyError) refusals.push(error.description);
      });
      resolve();
    });
    guard.catch(reject);
  });
  const polling = guard.start();
  sandbox.join(ben, club);
  await asked;
  expect(refusals).toEqual([tooOld]);
  const { init_data } = await act<{ init_data: string }>('chats/join-web-app', at);
  const id = new URLSearchParams(init_data).get('chat_join_request_query_id') ?? '';
  expect(await guard.api.answerChatJoinRequestQuery(id, 'approve')).toBe(true);
  expect(sandbox.joinStatus(ben, club)).toEqual({ status: 'joined' });
  await guard.stop();
  await polling;
});

test('gramio guards a chat', async () => {
  const { sandbox, url, bot, ben, club } = await guarded();
  const guard = new Gramio(bot.token, { api: { baseURL: `${url}/bot` } });
  sandbox.join(ben, club);
  const updates = await guard.api.getUpdates();
  const id = updates.at(-1)?.chat_join_request?.query_id ?? '';
  expect(
    await guard.api.sendChatJoinRequestWebApp({
      chat_join_request_query_id: id,
      web_app_url: webApp,
    }),
  ).toBe(true);
  expect(
    await guard.api.answerChatJoinRequestQuery({
      chat_join_request_query_id: id,
      result: 'decline',
    }),
  ).toBe(true);
  expect(sandbox.joinStatus(ben, club)).toEqual({ status: 'declined' });
});
