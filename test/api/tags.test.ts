import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TagView } from '../../src/manage/people/tags.ts';
import { type ApiUser, type DomainApp, startDomainApp } from '../support/rigs/domain-app.ts';
import { dialects } from '../support/database/engines.ts';
import { archived } from '../support/database/store.ts';

describe.each(dialects)('tags over HTTP on %s', (dialect) => {
  let app: DomainApp;
  let manager: ApiUser;
  let chat = -1_000;

  beforeAll(async () => {
    app = await startDomainApp(dialect);
    manager = await app.user('manage');
  });
  afterAll(() => app.close());

  /** A chat that no other test looks at. */
  const newChat = () => --chat;
  const add = async (fields: Record<string, unknown>) =>
    (await manager.post<TagView>('/api/tags/add', { user_id: 7, tag: 'vip', ...fields })).body;
  /** Lets the bot see somebody write in the chat. */
  const seen = (botId: number, chatId: number, from: object) =>
    app.store.messages.archive(
      [archived(botId, { message_id: 1, date: 1, chat: { id: chatId, type: 'group' }, from })],
      1,
    );

  it('adds a tag', async () => {
    const chat_id = newChat();
    const { status, body } = await manager.post<TagView>('/api/tags/add', {
      chat_id,
      user_id: 7,
      tag: 'vip',
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      id: body.id,
      chat_id,
      user_id: 7,
      username: '',
      tag: 'vip',
      color: '#888888',
      created_at: new Date(app.clock.now()).toISOString(),
    });
    expect(Object.keys(body)).toEqual([
      'id',
      'chat_id',
      'user_id',
      'username',
      'tag',
      'color',
      'created_at',
    ]);
  });

  it('gives the same tag again, in the colour last asked for', async () => {
    const chat_id = newChat();
    const first = await add({ chat_id, color: 'RebeccaPurple' });
    expect(first.color).toBe('RebeccaPurple');
    expect(await add({ chat_id, color: '#abc' })).toEqual({ ...first, color: '#abc' });
    expect(await add({ chat_id, color: '' })).toEqual({ ...first, color: '#abc' });
    const { body } = await manager.get<TagView[]>(`/api/tags?chat_id=${chat_id}`);
    expect(body).toEqual([{ ...first, color: '#abc' }]);
  });

  it('takes the user name that was last seen when none is given', async () => {
    const bot = await app.talkingBot();
    const chat_id = newChat();
    await seen(bot.id, chat_id, { id: 71, first_name: 'Ann', username: 'ann_lee' });
    expect(await add({ chat_id, user_id: 71 })).toMatchObject({ username: 'ann_lee' });
    expect(await add({ chat_id, user_id: 71, tag: 'b', username: '' })).toMatchObject({
      username: 'ann_lee',
    });
    expect(await add({ chat_id, user_id: 71, tag: 'c', username: 'other' })).toMatchObject({
      username: 'other',
    });
  });

  it.each([
    ['chat_id', { chat_id: 0 }],
    ['chat_id', { chat_id: undefined }],
    ['user_id', { user_id: 0 }],
    ['user_id', { user_id: -7 }],
    ['tag', { tag: '' }],
    ['tag', { tag: '   ' }],
    ['tag', { tag: 'x'.repeat(65) }],
    ['tag', { tag: 5 }],
    ['color', { color: 'reddish' }],
    ['color', { color: '#12' }],
    ['color', { color: 'red;background:url(x)' }],
    ['bot_id', { bot_id: 0 }],
    ['colour', { colour: 'red' }],
  ])('refuses a bad %s by name', async (field, fields) => {
    const body = { chat_id: -5, user_id: 7, tag: 'vip', ...fields };
    const answer = await manager.post('/api/tags/add', body);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ details: [{ field }] });
  });

  it('takes a bot only when it is there and allowed', async () => {
    const mine = (await app.talkingBot()).id;
    const other = (await app.talkingBot()).id;
    const limited = await app.user('manage', [mine]);
    const tag = { chat_id: newChat(), user_id: 7, tag: 'vip' };
    expect((await limited.post('/api/tags/add', { ...tag, bot_id: mine })).status).toBe(200);
    expect(await limited.post('/api/tags/add', { ...tag, bot_id: other })).toMatchObject({
      status: 403,
      body: { code: 'bot_not_allowed' },
    });
    expect(await manager.post('/api/tags/add', { ...tag, bot_id: 999_999 })).toMatchObject({
      status: 404,
      body: { code: 'bot_not_found', details: [{ field: 'bot_id' }] },
    });
  });

  it('shows a limited key the tags of chats its bots are in', async () => {
    const bot = await app.talkingBot();
    const known = newChat();
    const unknown = newChat();
    await seen(bot.id, known, { id: 72, first_name: 'Bo' });
    const shown = await add({ chat_id: known });
    const hidden = await add({ chat_id: unknown });
    const limited = await app.user('manage', [bot.id]);
    const list = async (query: string) => (await limited.get<TagView[]>(`/api/tags${query}`)).body;
    expect(await list(`?chat_id=${known}`)).toEqual([shown]);
    expect(await list(`?chat_id=${unknown}`)).toEqual([]);
    expect(await list(`/user?chat_id=${unknown}&user_id=7`)).toEqual([]);
    expect((await limited.post(`/api/tags/remove?id=${hidden.id}`)).status).toBe(403);
    const tag = { user_id: 7, tag: 'new' };
    expect((await limited.post('/api/tags/add', { ...tag, chat_id: unknown })).status).toBe(403);
    expect((await limited.post('/api/tags/add', { ...tag, chat_id: known })).status).toBe(200);
  });

  it('keeps a limited key out of the chats of other bots, also with a bot of its own', async () => {
    const mine = (await app.talkingBot()).id;
    const other = (await app.talkingBot()).id;
    const chat_id = newChat();
    await seen(other, chat_id, { id: 73, first_name: 'Cy', username: 'cy' });
    const theirs = await add({ chat_id, bot_id: other, color: 'red' });
    const limited = await app.user('manage', [mine]);
    const tag = { chat_id, user_id: 7, tag: 'vip', color: 'blue', bot_id: mine };
    expect(await limited.post('/api/tags/add', tag)).toMatchObject({
      status: 403,
      body: { code: 'bot_not_allowed' },
    });
    expect((await manager.get<TagView[]>(`/api/tags?chat_id=${chat_id}`)).body).toEqual([theirs]);
    await seen(mine, chat_id, { id: 73, first_name: 'Cy' });
    expect((await limited.post('/api/tags/add', tag)).body).toEqual({ ...theirs, color: 'blue' });
  });

  it.each([
    ['a private chat', () => 8_800],
    ['a group', newChat],
  ])('keeps the tags of another bot in %s from a limited key', async (_name, chatOf) => {
    const mine = (await app.talkingBot()).id;
    const other = (await app.talkingBot()).id;
    const chat_id = chatOf();
    for (const bot of [mine, other]) await seen(bot, chat_id, { id: 8_800, first_name: 'Di' });
    const theirs = await add({ chat_id, user_id: 8_800, bot_id: other, tag: 'owes money' });
    const shared = await add({ chat_id, user_id: 8_800, tag: 'regular' });
    const limited = await app.user('manage', [mine]);
    const list = async (user: ApiUser) => (await user.get(`/api/tags?chat_id=${chat_id}`)).body;
    expect(await list(limited)).toEqual([shared]);
    const ofUser = `/api/tags/user?chat_id=${chat_id}&user_id=8800`;
    expect((await limited.get(ofUser)).body).toEqual([shared]);
    expect(await limited.post(`/api/tags/remove?id=${theirs.id}`)).toMatchObject({
      status: 403,
      body: { code: 'bot_not_allowed' },
    });
    expect(await list(await app.user('read', [other]))).toEqual([theirs, shared]);

    // Added for both bots, it is one tag; removed by one of them, it stays with the other.
    const tag = { chat_id, user_id: 8_800, tag: 'owes money', bot_id: mine };
    expect((await limited.post('/api/tags/add', tag)).body).toEqual(theirs);
    expect(await list(limited)).toEqual([theirs, shared]);
    expect((await limited.post(`/api/tags/remove?id=${theirs.id}`)).body).toEqual(theirs);
    expect(await list(limited)).toEqual([shared]);
    expect(await list(manager)).toEqual([theirs, shared]);
    await manager.post(`/api/tags/remove?id=${theirs.id}`);
    expect(await list(manager)).toEqual([shared]);
  });

  it('lets a limited key that names no bot tag for its own bots in a private chat', async () => {
    const mine = (await app.talkingBot()).id;
    const other = (await app.talkingBot()).id;
    for (const bot of [mine, other]) await seen(bot, 8_801, { id: 8_801, first_name: 'Ed' });
    const limited = await app.user('manage', [mine]);
    const tag = { chat_id: 8_801, user_id: 8_801, tag: 'calls back' };
    const added = (await limited.post<TagView>('/api/tags/add', tag)).body;
    expect((await limited.get('/api/tags?chat_id=8801')).body).toEqual([added]);
    const stranger = await app.user('read', [other]);
    expect((await stranger.get('/api/tags?chat_id=8801')).body).toEqual([]);
    expect((await limited.post(`/api/tags/remove?id=${added.id}`)).status).toBe(200);
    expect((await manager.get('/api/tags?chat_id=8801')).body).toEqual([]);
  });

  it('lists the tags of a user in a chat', async () => {
    const chat_id = newChat();
    const a = await add({ chat_id, tag: 'a' });
    const b = await add({ chat_id, tag: 'b' });
    await add({ chat_id, user_id: 8 });
    const { body } = await manager.get(`/api/tags/user?chat_id=${chat_id}&user_id=7`);
    expect(body).toEqual([a, b]);
    expect((await manager.get(`/api/tags/user?chat_id=${chat_id}`)).status).toBe(400);
    expect((await manager.get('/api/tags')).status).toBe(400);
  });

  it('removes a tag once', async () => {
    const tag = await add({ chat_id: newChat() });
    const { status, body } = await manager.post(`/api/tags/remove?id=${tag.id}`);
    expect(status).toBe(200);
    expect(body).toEqual(tag);
    expect(await manager.post(`/api/tags/remove?id=${tag.id}`)).toMatchObject({
      status: 404,
      body: { code: 'tag_not_found' },
    });
  });

  it('leaves tagging to those who manage', async () => {
    const user = await app.user('send');
    const tag = { chat_id: -5, user_id: 7, tag: 'vip' };
    expect((await user.post('/api/tags/add', tag)).status).toBe(403);
  });
});
