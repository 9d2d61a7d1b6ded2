import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChatView } from '../../src/manage/people/chats.ts';
import type { SearchAnswer } from '../../src/manage/messages/message-lookup.ts';
import { dialects } from '../support/database/engines.ts';
import {
  type Caller,
  type ManagedBot,
  type ManagedChats,
  startManagedChats,
} from '../support/rigs/managed-chats.ts';

describe.each(dialects)('a key with limits on %s', (dialect) => {
  let chats: ManagedChats;
  let bot: ManagedBot;
  let ann: number;
  let bob: number;
  let group: number;
  let agent: Caller;

  beforeAll(async () => {
    chats = await startManagedChats(dialect);
    const { sandbox } = chats;
    bot = await chats.addManagedBot();
    ann = sandbox.createUser({ first_name: 'Ann' }).id;
    bob = sandbox.createUser({ first_name: 'Bob' }).id;
    group = sandbox.createChat({ type: 'group', title: 'Team', owner: ann, members: [bob] }).id;
    sandbox.addMember(ann, group, bot.platformId);
    for (const chat of [ann, bob]) sandbox.say(chat, bot.platformId, 'order from me');
    sandbox.say(ann, group, 'order of the team');
    await chats.receive(bot);
    await chats.management.indexer.catchUp();
    const limits = { readChats: [ann, group], writeChats: [ann] };
    agent = await chats.asUser('send', undefined, limits);
  });
  afterAll(() => chats.close());

  const texts = async (more = '') =>
    (await agent.get<SearchAnswer>(`/api/messages/search?bot_id=${bot.id}&q=order${more}`)).body
      .messages;

  it('sees only its chats in lists and searches', async () => {
    const { body } = await agent.get<ChatView[]>('/api/chats');
    expect(body.map(({ chat_id }) => chat_id).toSorted()).toEqual([ann, group].toSorted());
    expect((await texts()).map(({ chat_id }) => chat_id).toSorted()).toEqual(
      [ann, group].toSorted(),
    );
  });

  it('gets the files of its chats, by the message that has them', async () => {
    const fileOf = async (chat: number) => {
      const { message_id } = chats.sandbox.sendMedia(chat, bot.platformId, { kind: 'photo' });
      await chats.receive(bot);
      const message = await chats.store.messages.get(bot.id, chat, message_id);
      return `/api/media?bot_id=${bot.id}&file_id=${message?.file_id}&message_id=${message_id}`;
    };
    const [own, other] = [await fileOf(ann), await fileOf(bob)];
    const status = async (url: string) =>
      (await chats.app.inject({ url, headers: agent.headers })).statusCode;
    expect(await status(`${own}&chat_id=${ann}`)).toBe(200);
    for (const url of [own, `${other}&chat_id=${ann}`, `${other}&chat_id=${bob}`]) {
      expect(await status(url)).toBe(403);
    }
  });

  it('writes only to its chats', async () => {
    const send = (chat_id: number) =>
      agent.post('/api/messages/send', { bot_id: bot.id, chat_id, text: 'hello' });
    expect((await send(ann)).status).toBe(200);
    for (const chat of [bob, group]) {
      expect(await send(chat)).toMatchObject({ status: 403, body: { code: 'chat_not_allowed' } });
    }
    const media = { bot_id: bot.id, chat_id: bob, type: 'photo', file_id: 'x' };
    expect((await agent.post('/api/messages/send-media', media)).status).toBe(403);
    const state = { bot_id: bot.id, chat_id: ann, state: 'done' };
    expect((await agent.post('/api/chats/state', state)).status).toBe(200);
  });

  it('follows a group that becomes a supergroup, and still finds what was said in the group', async () => {
    const { id: next } = chats.sandbox.upgradeGroup(ann, group);
    chats.sandbox.say(ann, next, 'order of the supergroup');
    await chats.receive(bot);
    await chats.management.indexer.catchUp();
    const found = (await texts()).map(({ chat_id }) => chat_id);
    expect(found).toContain(next);
    expect(found).toContain(group);
    const key = (await chats.store.apiKeys.list()).find(({ readChats }) => readChats);
    expect(key).toMatchObject({ readChats: [ann, next].toSorted((a, b) => a - b) });
    const url = `/api/messages?bot_id=${bot.id}&chat_id=${next}`;
    expect((await agent.get(url)).status).toBe(200);
  });

  it('makes as many changes in a day as it may, on all nodes together', async () => {
    const capped = await chats.asUser('send', undefined, { dailyWrites: 2 });
    const change = () =>
      capped.post('/api/chats/state', { bot_id: bot.id, chat_id: bob, state: 'done' });
    const answers = await Promise.all([change(), change(), change()]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 429]);
    const refused = await chats.app.inject({
      method: 'POST',
      url: '/api/chats/state',
      headers: capped.headers,
      payload: { bot_id: bot.id, chat_id: bob, state: 'done' },
    });
    expect(refused.json()).toMatchObject({
      code: 'rate_limited',
      reason_code: 'daily_writes_used',
    });
    const seconds = Number(refused.headers['retry-after']);
    expect((await capped.get('/api/chats')).status).toBe(200);
    await chats.clock.advance(seconds * 1_000);
    expect((await change()).status).toBe(200);
    const keys = await (await chats.asUser('admin')).get<{ daily_writes: number }[]>(
      '/api/auth/api-keys',
    );
    expect(keys.body.find(({ daily_writes }) => daily_writes === 2)).toMatchObject({
      writes_today: 1,
    });
  });

  it('counts no change that is refused', async () => {
    const capped = await chats.asUser('send', undefined, { dailyWrites: 1 });
    const change = (more: object) =>
      capped.post('/api/chats/state', { bot_id: bot.id, chat_id: bob, state: 'done', ...more });
    expect((await change({ bot_id: 999 })).status).toBe(404);
    expect((await change({ state: 'wrong' })).status).toBe(400);
    expect((await change({})).status).toBe(200);
    expect((await change({})).status).toBe(429);
  });

  it('has at most the scope send', async () => {
    const admin = await chats.asUser('admin');
    const asked = { name: 'agent', scope: 'manage', write_chats: [5] };
    expect(await admin.post('/api/auth/api-keys', asked)).toMatchObject({
      status: 400,
      body: { details: [{ field: 'scope' }] },
    });
  });
});
