import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readUpdate } from '../../src/core/log/update-facts.ts';
import type { ChatView } from '../../src/manage/people/chats.ts';
import type { StoredMessage } from '../../src/store/messages/messages.ts';
import { dialects } from '../support/database/engines.ts';
import { archived } from '../support/database/store.ts';
import { advanceUntil } from '../support/manual-clock.ts';
import {
  type Caller,
  type ManagedBot,
  type ManagedChats,
  startManagedChats,
} from '../support/rigs/managed-chats.ts';

describe.each(dialects)('chats on %s', (dialect) => {
  let chats: ManagedChats;
  let manager: Caller;

  beforeAll(async () => {
    chats = await startManagedChats(dialect);
    manager = await chats.asUser('manage');
  });
  afterAll(() => chats.close());

  const list = async (bot: ManagedBot, more = '') =>
    (await manager.get<ChatView[]>(`/api/chats?bot_id=${bot.id}${more}`)).body;
  const person = (first_name: string) => chats.sandbox.createUser({ first_name });

  it('appear by themselves, the latest first, with their last message and count', async () => {
    const bot = await chats.addManagedBot();
    const ann = person('Ann');
    const group = chats.sandbox.createChat({
      title: 'Отдел продаж',
      owner: ann.id,
      members: [bot.platformId],
    });
    chats.sandbox.say(ann.id, bot.platformId, '/start');
    await chats.clock.advance(2_000);
    chats.sandbox.say(ann.id, group.id, 'one');
    chats.sandbox.say(ann.id, group.id, 'two');
    await chats.receive(bot);
    const found = await list(bot);
    expect(found.map(({ chat_id }) => chat_id)).toEqual([group.id, ann.id]);
    expect(found[0]).toMatchObject({
      type: 'supergroup',
      title: 'Отдел продаж',
      status: 'member',
      message_count: expect.any(Number),
      last_message: { text: 'two', user_id: ann.id, first_name: 'Ann' },
      migrated_to: 0,
    });
    const stored = await chats.store.messages.list({
      botId: bot.id,
      chatId: group.id,
      limit: 200,
      offset: 0,
    });
    expect(found[0]?.message_count).toBe(stored.length);
    expect(found[1]).toMatchObject({ type: 'private', title: 'Ann', message_count: 1 });
    expect(found[1]).not.toHaveProperty('member_count');

    const [first] = await list(bot, '&limit=1');
    expect(await list(bot, `&limit=1&before=${first?.cursor}`)).toEqual([found[1]]);
    expect(await list(bot, `&q=${encodeURIComponent('ПРОДАЖ')}`)).toEqual([found[0]]);
    expect(await list(bot, `&q=${ann.id}`)).toEqual([found[1]]);
    expect(await list(bot, '&q=nothing')).toEqual([]);
  });

  it('show buttons as they were sent, and the label of a pressed one', async () => {
    const bot = await chats.addManagedBot();
    const ann = person('Ann');
    const same = { callback_data: 'same' };
    const inline_keyboard = [
      [{ text: '🙋 Talk to a person', callback_data: 'a:17' }],
      [{ text: 'Site', url: 'https://example.org/' }],
      [
        { text: 'Yes', ...same },
        { text: 'No', ...same },
      ],
    ];
    await chats.store.messages.archive(
      [
        archived(
          bot.id,
          {
            message_id: 7,
            date: Math.floor(chats.clock.now() / 1000),
            chat: { id: ann.id, type: 'private', first_name: 'Ann' },
            text: 'How can we help?',
            reply_markup: { inline_keyboard },
          },
          'gateway',
        ),
      ],
      chats.clock.now(),
    );
    let position = 0;
    const press = async (data: string, reply_markup?: object) => {
      await chats.clock.advance(1_000);
      const message = { message_id: 7, date: 1, chat: { id: ann.id, type: 'private' } };
      const callback_query = { id: 'q', from: ann, data, message: { ...message, reply_markup } };
      const update = { update_id: ++position, callback_query };
      const facts = readUpdate(JSON.stringify(update), update, chats.clock.now())?.archive;
      if (!facts) throw new Error('This is no update.');
      const entry = { botId: bot.id, facts, origin: 'received', position } as const;
      await chats.store.messages.archive([entry], chats.clock.now());
      const [chat] = await list(bot);
      return chat?.last_message;
    };
    const known = await press('a:17', { inline_keyboard });
    expect(known).toMatchObject({ text: 'a:17', button_text: '🙋 Talk to a person' });
    // Two buttons with the same data, and a message that Telegram shows no more: which it was, is not known.
    expect(await press('same', { inline_keyboard })).not.toHaveProperty('button_text');
    expect(await press('a:17')).not.toHaveProperty('button_text');

    const { body } = await manager.get<StoredMessage[]>(
      `/api/messages?bot_id=${bot.id}&chat_id=${ann.id}`,
    );
    const callback = (text: string, value: string) => ({ text, type: 'callback_data', value });
    expect(body.map(({ text, buttons, button_text }) => ({ text, buttons, button_text }))).toEqual([
      { text: 'a:17' },
      { text: 'same' },
      { text: 'a:17', button_text: '🙋 Talk to a person' },
      {
        text: 'How can we help?',
        buttons: [
          [callback('🙋 Talk to a person', 'a:17')],
          [{ text: 'Site', type: 'url', value: 'https://example.org/' }],
          [callback('Yes', 'same'), callback('No', 'same')],
        ],
      },
    ]);
  });

  it('are refreshed from the platform', async () => {
    const bot = await chats.addManagedBot();
    const ann = person('Ann');
    const group = chats.sandbox.createChat({
      title: 'Team',
      owner: ann.id,
      members: [bot.platformId],
      description: 'All about work',
    });
    chats.sandbox.promote(ann.id, group.id, bot.platformId, { can_delete_messages: true });
    const key = `bot_id=${bot.id}&chat_id=${group.id}`;
    expect((await manager.get(`/api/chats/get?${key}`)).status).toBe(404);
    const { status, body } = await manager.post<ChatView>(`/api/chats/refresh?${key}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      title: 'Team',
      description: 'All about work',
      member_count: 2,
      status: 'administrator',
      rights: { can_delete_messages: true, can_restrict_members: false },
    });
    expect((await manager.get(`/api/chats/get?${key}`)).body).toEqual(body);
  });

  it('pass the platform’s refusal on and record nothing', async () => {
    const bot = await chats.addManagedBot();
    const answer = await manager.post(`/api/chats/refresh?bot_id=${bot.id}&chat_id=-987654`);
    expect(answer).toMatchObject({
      status: 422,
      body: {
        code: 'platform_refused',
        platform: { description: expect.stringMatching(/chat not found/) },
      },
    });
    expect(await list(bot)).toEqual([]);
  });

  it('are forgotten with their messages, and come back with the next one', async () => {
    const bot = await chats.addManagedBot();
    const ann = person('Ann');
    chats.sandbox.say(ann.id, bot.platformId, 'remember');
    await chats.receive(bot);
    await chats.management.indexer.catchUp();
    const key = `bot_id=${bot.id}&chat_id=${ann.id}`;
    expect((await manager.post(`/api/chats/forget?${key}`)).status).toBe(200);
    expect(await list(bot)).toEqual([]);
    expect((await manager.get(`/api/messages?${key}`)).body).toEqual([]);
    expect((await manager.get(`/api/messages/search?bot_id=${bot.id}&q=remember`)).body).toEqual({
      messages: [],
      next: '',
    });
    expect((await manager.post(`/api/chats/forget?${key}`)).status).toBe(404);
    chats.sandbox.say(ann.id, bot.platformId, 'again');
    await chats.receive(bot);
    expect(await list(bot)).toMatchObject([{ message_count: 1, last_message: { text: 'again' } }]);
  });

  it('follow a group that becomes a supergroup, with tags, routes and history', async () => {
    const bot = await chats.addManagedBot();
    const ann = person('Ann');
    const group = chats.sandbox.createChat({
      type: 'group',
      title: 'Club',
      owner: ann.id,
      members: [bot.platformId],
    });
    chats.sandbox.say(ann.id, group.id, 'in the old group');
    await chats.receive(bot);
    const tag = { chat_id: group.id, user_id: ann.id, username: '', tag: 'vip', color: '' };
    await chats.store.tags.add(tag, [7], '#888888', 1);
    const route = await chats.store.routes.insert(
      {
        source_bot_id: bot.id,
        target_bot_id: bot.id,
        condition_type: 'chat_id',
        condition_value: String(group.id),
        action: 'copy',
        target_chat_id: group.id,
        enabled: true,
        description: '',
        priority: 0,
        source_chat_id: group.id,
        source_thread_id: 0,
        target_thread_id: 0,
        return_mode: 'off',
      },
      1,
    );
    const known = { bot_id: bot.id, user_id: ann.id, status: 'creator', title: 'Boss' };
    await chats.store.members.save(
      [{ ...known, chat_id: group.id, until_at: 0, rights: '' }],
      chats.clock.now(),
    );
    const { warnings } = chats.store;
    const rule = { threshold: 2, action: 'mute', action_seconds: 0, expire_seconds: 0 };
    await warnings.saveSettings(bot.id, group.id, rule);
    const target = { bot_id: bot.id, chat_id: group.id, user_id: ann.id };
    await warnings.add(
      { ...target, reason: 'loud', warned_by: 'me', created_at: 1, expires_at: null },
      5,
    );
    const changed: unknown[] = [];
    chats.events.subscribe(({ type, data }) => type === 'route' && changed.push(data['route_id']));
    await chats.app.listen({ host: '127.0.0.1', port: 0 });
    await chats.clock.advance(2_000);
    const next = chats.sandbox.upgradeGroup(ann.id, group.id);
    // The same label is one tag, of the bots of both.
    await chats.store.tags.add({ ...tag, chat_id: next.id }, [8], '#888888', 1);
    chats.sandbox.say(ann.id, next.id, 'in the new group');
    await chats.receive(bot);
    await chats.management.indexer.catchUp();

    const found = await list(bot);
    expect(found.find(({ chat_id }) => chat_id === group.id)?.migrated_to).toBe(next.id);
    expect(found.find(({ chat_id }) => chat_id === next.id)?.migrated_to).toBe(0);
    expect(await chats.store.tags.ofChat(group.id, null)).toEqual([]);
    for (const limit of [null, [7], [8]]) {
      expect(await chats.store.tags.ofChat(next.id, limit)).toMatchObject([{ tag: 'vip' }]);
    }
    expect(await chats.store.members.ofUser(bot.id, ann.id)).toMatchObject([
      { chat_id: next.id, status: 'creator', title: 'Boss' },
    ]);
    expect(await warnings.settings(bot.id, next.id)).toEqual(rule);
    expect(await warnings.ofUser(bot.id, ann.id)).toMatchObject([{ chat_id: next.id }]);
    expect(await chats.store.routes.get(route?.id ?? 0)).toMatchObject({
      condition_value: String(next.id),
      target_chat_id: next.id,
      source_chat_id: next.id,
    });

    // Announced like any change of a route, so that routers apply it.
    await advanceUntil(chats.clock, () => changed.includes(route?.id), 200);

    const key = `bot_id=${bot.id}&chat_id=${next.id}`;
    const { body: all } = await manager.get<StoredMessage[]>(`/api/messages?${key}`);
    const texts = all.map(({ text }) => text).filter(Boolean);
    expect(texts).toEqual(['in the new group', 'in the old group']);
    const paged: StoredMessage[] = [];
    for (let offset = 0; offset < all.length; offset++) {
      const page = `/api/messages?${key}&limit=1&offset=${offset}`;
      paged.push(...(await manager.get<StoredMessage[]>(page)).body);
    }
    expect(paged).toEqual(all);
    const hits = await manager.get<{ messages: StoredMessage[] }>(
      `/api/messages/search?${key}&q=group`,
    );
    expect(hits.body.messages.map(({ text }) => text)).toEqual(texts);
  });

  it('are managed only where that is switched on, by those who may', async () => {
    const bot = await chats.addManagedBot({ manage_enabled: false });
    for (const url of [
      `/api/chats?bot_id=${bot.id}`,
      `/api/chats/get?bot_id=${bot.id}&chat_id=5`,
      `/api/messages/search?bot_id=${bot.id}&q=x`,
      `/api/messages/context?bot_id=${bot.id}&chat_id=5&id=1`,
      `/api/messages/thread?bot_id=${bot.id}&chat_id=5&id=1`,
      `/api/messages/edits?bot_id=${bot.id}&chat_id=5&id=1`,
      `/api/messages/export?bot_id=${bot.id}&chat_id=5`,
      `/api/media?bot_id=${bot.id}&file_id=x`,
    ]) {
      expect(await manager.get(url), url).toMatchObject({
        status: 409,
        body: { code: 'management_disabled', error: expect.stringMatching(/manage_enabled/) },
      });
    }
    const action = `bot_id=${bot.id}&chat_id=5&message_id=1`;
    for (const name of ['pin', 'unpin', 'delete', 'edit']) {
      const body = name === 'edit' ? { text: 'x' } : undefined;
      expect((await manager.post(`/api/messages/${name}?${action}`, body)).status).toBe(409);
    }
    const limited = await chats.asUser('manage', [(await chats.addManagedBot()).id]);
    expect((await limited.get(`/api/chats?bot_id=${bot.id}`)).status).toBe(403);
    expect((await limited.get('/api/chats?bot_id=123456')).status).toBe(403);
    expect((await manager.get('/api/chats?bot_id=123456')).status).toBe(404);
    const reader = await chats.asUser('read');
    expect((await reader.post(`/api/messages/delete?${action}`)).status).toBe(403);
  });
});
