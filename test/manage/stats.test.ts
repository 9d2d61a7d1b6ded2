import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { medianSeconds, responseBucket } from '../../src/core/stats/response-histogram.ts';
import type { Author } from '../../src/core/messages/author.ts';
import { dialects } from '../support/database/engines.ts';
import { insertInto } from '../../src/store/sql/write-row.ts';
import { type ManagedPeople, startManagedPeople } from '../support/rigs/managed-people.ts';
import { archived } from '../support/database/store.ts';

interface Stats {
  messages: { total: number; received: number; sent: number; media: number; media_share: number };
  by_day: { day: string; received: number; sent: number }[];
  by_hour: { hour: string; received: number; sent: number }[];
  by_hour_of_day: number[];
  active_users: number;
  top_people: { user_id: number; first_name: string; messages: number }[];
  responses: { answers: number; median_seconds?: number };
  deliveries: Record<string, number>;
}

const start = Date.UTC(2023, 10, 1) / 1000;
const day = 86_400;

describe('the histogram of response times', () => {
  it('finds the median to a tenth', () => {
    expect(medianSeconds([])).toBeUndefined();
    for (const seconds of [0, 3, 15, 16, 100, 3_600, 100_000, 5_000_000]) {
      const bucket = responseBucket(seconds);
      const found = medianSeconds([{ bucket, answers: 3 }]) ?? -1;
      expect(Math.abs(found - seconds)).toBeLessThanOrEqual(seconds * 0.1 + 0.5);
      expect(
        medianSeconds([
          { bucket: bucket + 40, answers: 2 },
          { bucket, answers: 3 },
        ]),
      ).toBe(found);
    }
  });
});

describe.each(dialects)('statistics on %s', (dialect) => {
  let rig: ManagedPeople;
  let chat = -1_000;
  beforeAll(async () => {
    rig = await startManagedPeople(dialect);
  });
  afterAll(() => rig.close());

  const message = (
    botId: number,
    chatId: number,
    id: number,
    date: number,
    userId: number,
    more: object = {},
  ) =>
    archived(
      botId,
      {
        message_id: id,
        date,
        chat: { id: chatId, type: 'supergroup', title: 'Team' },
        from: { id: userId, first_name: `P${userId}` },
        text: 'hi',
        ...more,
      },
      userId === 0 ? 'sent' : 'received',
    );
  const store = (entries: ReturnType<typeof archived>[]) => rig.store.messages.archive(entries, 1);
  const stats = async (botId: number, more = '') =>
    (await rig.admin.get<Stats>(`/api/stats?bot_id=${botId}${more}`)).body;
  const span = (fromDay: number, toDay: number) =>
    `&from=${new Date((start + fromDay * day) * 1000).toISOString()}&to=${new Date((start + toDay * day) * 1000).toISOString()}`;

  it('counts messages, people, media and answers of a chat and of the bot', async () => {
    const bot = await rig.addBot();
    const [one, two] = [--chat, --chat];
    const photo = { text: undefined, caption: 'x', photo: [{ file_id: 'f', width: 1, height: 1 }] };
    await store([
      message(bot.id, one, 1, start, 7),
      message(bot.id, one, 2, start + 10, 8, photo),
      message(bot.id, one, 3, start + 60, 0),
      message(bot.id, one, 4, start + 70, 0),
      message(bot.id, one, 5, start + day + 3_600, 7),
      message(bot.id, one, 6, start + day + 3_604, 0),
      message(bot.id, two, 1, start + 2 * day, 9),
    ]);
    // Edits and repetitions are not new messages, button presses are none.
    await store([message(bot.id, one, 1, start, 7, { text: 'hello', edit_date: start + 99 })]);
    await store([message(bot.id, one, 5, start + day + 3_600, 7)]);
    const press = message(bot.id, one, 9, start, 7);
    for (const fact of press.facts.messages) fact.mediaType = 'callback';
    await store([press]);

    const ofChat = await stats(bot.id, `&chat_id=${one}${span(0, 5)}`);
    expect(ofChat).toMatchObject({
      messages: { total: 6, received: 3, sent: 3, media: 1, media_share: 0.1667 },
      by_day: [
        { day: '2023-11-01', received: 2, sent: 2 },
        { day: '2023-11-02', received: 1, sent: 1 },
      ],
      active_users: 2,
      top_people: [
        { user_id: 7, first_name: 'P7', messages: 2 },
        { user_id: 8, messages: 1 },
      ],
      // A group is no conversation.
      responses: { answers: 0 },
    });
    expect(ofChat.by_hour).toHaveLength(2);
    expect(ofChat.by_hour_of_day[0]).toBe(4);
    expect(ofChat.by_hour_of_day[1]).toBe(2);

    const secondDay = await stats(bot.id, `&chat_id=${one}${span(1, 2)}`);
    expect(secondDay).toMatchObject({ messages: { total: 2 }, active_users: 1 });
    const ofBot = await stats(bot.id, span(-400, 400));
    expect(ofBot).toMatchObject({ messages: { total: 7 }, active_users: 3, by_hour: [] });
    expect(await stats(bot.id)).toMatchObject({ messages: { total: 7 } });
    expect(await stats(bot.id, span(10, 11))).toMatchObject({
      messages: { total: 0, media_share: 0 },
      active_users: 0,
      top_people: [],
      responses: { answers: 0 },
    });
  });

  it('times only what answers a person in a private or business chat, recounted as well', async () => {
    const bot = await rig.addBot();
    const person = 4_200;
    let id = 0;
    const said = (seconds: number, text: string, from = person) =>
      message(bot.id, person, ++id, start + seconds, from, {
        text,
        chat: { id: person, type: 'private' },
        message_thread_id: 3,
        is_topic_message: true,
      });
    const sent = (seconds: number, author: Author | undefined, more = {}) => ({
      ...message(bot.id, person, ++id, start + seconds, 0, {
        chat: { id: person, type: 'private' },
        message_thread_id: 3,
        is_topic_message: true,
        ...more,
      }),
      ...(author ? { author } : {}),
    });
    const by = (kind: Author['kind'], name = 'x') => ({ kind, id: 1, name });
    const original = { reply_to_message: { message_id: 1, chat: { id: person }, date: start } };
    await store([
      said(0, '/start'),
      said(100, 'Where is it?'),
      sent(101, by('relay', '"kind":"user"')),
      sent(102, by('broadcast')),
      sent(103, by('ask')),
      sent(104, by('route')),
      sent(110, by('desk')),
      said(200, 'And now?'),
      sent(206, { ...by('route'), person: { id: 5, name: 'Ben' } }, original),
      said(300, 'Hello?'),
      // The owner of the business account answers: it is not the bot that takes that long.
      said(301, 'It is me', 9_999),
      sent(390, by('user')),
      said(400, 'Menu'),
      sent(402, by('app')),
      sent(420, by('user')),
    ]);
    const scopes = ['', `&chat_id=${person}`, `&chat_id=${person}&message_thread_id=3`];
    const timed = async (more: string) => {
      const { messages, responses } = await stats(bot.id, `${more}${span(0, 1)}`);
      return { sent: messages.sent, received: messages.received, ...responses };
    };
    const counts = { sent: 9, received: 6 };
    for (const more of scopes.slice(0, 2)) {
      expect(await timed(more)).toEqual({ ...counts, answers: 3, median_seconds: 6 });
    }
    // What is read from the stored messages takes /start for a question.
    expect(await timed(scopes[2] as string)).toEqual({ ...counts, answers: 4, median_seconds: 6 });
    const recount = async (more: object) => {
      for (const manage_enabled of [false, true]) {
        await rig.store.bots.update(bot.id, { manage_enabled, ...more }, rig.clock.now());
      }
    };
    await recount({});
    expect(await timed('')).toEqual({ ...counts, answers: 3, median_seconds: 6 });
    // The answer of the app does not count any more: a person gave it.
    await recount({ automatic_answers: 'ignore' });
    expect(await timed('')).toEqual({ ...counts, answers: 3, median_seconds: 10 });
  });

  it('counts a topic as it would count a chat, and names the topics of a chat', async () => {
    const bot = await rig.addBot();
    const [plain, forum] = [--chat, --chat];
    const inForum = (thread: number) => ({
      chat: { id: forum, type: 'supergroup', title: 'Team', is_forum: true },
      ...(thread === 1 ? {} : { message_thread_id: thread, is_topic_message: true }),
    });
    const photo = { text: undefined, photo: [{ file_id: 'f', width: 1, height: 1 }] };
    const opening = { text: undefined, forum_topic_created: { name: 'Refunds', icon_color: 1 } };
    const entries: ReturnType<typeof archived>[] = [];
    for (let index = 0; index < 120; index++) {
      const date = start + index * 4_000 + (index % 7) * 100;
      // Two messages of one second are told apart by their IDs.
      const [same, by] = [date - (date % 2), index % 5 === 4 ? 0 : 20 + (index % 3)];
      const more = index === 0 ? opening : index % 6 === 0 ? photo : {};
      entries.push(message(bot.id, plain, index + 1, same, by, more));
      entries.push(message(bot.id, forum, index + 1, same, by, { ...more, ...inForum(7) }));
      if (index % 4 === 0) {
        entries.push(message(bot.id, forum, 1000 + index, same, 50, inForum(1)));
      }
    }
    const press = message(bot.id, forum, 2_000, start, 7, inForum(7));
    for (const fact of press.facts.messages) fact.mediaType = 'callback';
    await store([...entries, press]);
    for (const range of [span(0, 5), span(1, 2), span(-60, 60)]) {
      const counts = await stats(bot.id, `&chat_id=${plain}${range}`);
      const ofTopic = await stats(bot.id, `&chat_id=${forum}&message_thread_id=7${range}`);
      expect(ofTopic).toEqual({ ...counts, chat_id: forum, message_thread_id: 7 });
    }
    expect(await stats(bot.id, `&chat_id=${forum}${span(0, 9)}`)).toMatchObject({
      messages: { total: 150 },
      by_topic: [
        { message_thread_id: 7, name: 'Refunds', received: 96, sent: 24, media: 19 },
        { message_thread_id: 1, name: 'General', received: 30, sent: 0, media: 0 },
      ],
    });
    expect(await stats(bot.id, `&chat_id=${forum}&message_thread_id=9`)).toMatchObject({
      messages: { total: 0 },
      by_topic: [],
      responses: { answers: 0 },
    });
    const { body } = await rig.admin.get(`/api/stats?bot_id=${bot.id}&message_thread_id=7`);
    expect(body).toMatchObject({ code: 'invalid_request' });
  });

  it('adds months and days up over long ranges, and batches of any size give the same', async () => {
    const bot = await rig.addBot();
    const chatId = --chat;
    const all: { date: number; userId: number }[] = [];
    for (let index = 0; index < 700; index++) {
      all.push({ date: start + Math.floor(index * 1.1 * day), userId: 100 + (index % 40) });
    }
    const entries = all.map(({ date, userId }, index) =>
      message(bot.id, chatId, index + 1, date, index % 10 === 9 ? 0 : userId),
    );
    await store(entries.slice(0, 500));
    while ((await rig.store.stats.countMessages(7)) > 0);
    await store(entries.slice(500));
    // Two at once, as two nodes would.
    const counts = await Promise.all([1, 2, 3].map(() => rig.store.stats.countMessages(50)));
    expect(counts.some((count) => count > 0)).toBe(true);

    for (const [from, to] of [
      [0, 900],
      [20, 760],
      [45, 430],
      [-40, 17],
      [3, 95],
      [29, 61],
      [45, 200],
    ] as const) {
      const within = all.filter(
        ({ date }, index) =>
          date >= start + from * day && date < start + to * day && index % 10 !== 9,
      );
      const expected = new Map<number, number>();
      for (const { userId } of within) expected.set(userId, (expected.get(userId) ?? 0) + 1);
      const found = await stats(bot.id, `&chat_id=${chatId}${span(from, to)}`);
      expect(found.messages.received).toBe(within.length);
      expect(found.active_users).toBe(expected.size);
      expect(found.top_people.map((person) => person.messages)).toEqual(
        [...expected.values()].sort((a, b) => b - a).slice(0, 10),
      );
    }
  });

  it('counts what was stored before management was switched on, once', async () => {
    const bot = await rig.addBot({ manage_enabled: false });
    const chatId = --chat;
    const some = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) =>
        message(bot.id, chatId, from + index, start + from + index, 7),
      );
    await store(some(1, 25));
    const turn = (manage_enabled: boolean) =>
      rig.store.bots.update(bot.id, { manage_enabled }, rig.clock.now());
    await turn(true);
    await rig.store.stats.backfill(10);
    // One in the part that is done, one beyond it.
    await store([message(bot.id, chatId, -3, start, 7), message(bot.id, chatId, 90, start, 7)]);
    expect(await stats(bot.id)).toMatchObject({ messages: { total: 27 } });
    await turn(false);
    await store(some(30, 3));
    await turn(true);
    await store([message(bot.id, chatId, 91, start, 7)]);
    expect(await stats(bot.id)).toMatchObject({ messages: { total: 31 }, active_users: 1 });
    // Pending counts are deleted with their bot.
    await store(some(200, 3));
    await rig.store.bots.remove(bot.id);
    await rig.store.stats.countMessages(100);
    const left = await rig.store.engine.readRaw('select * from stats_pending', []);
    expect(left).toEqual([]);
  });

  it('follow a group that becomes a supergroup, counted or not', async () => {
    const bot = await rig.addBot();
    const [group, supergroup] = [--chat, -1_000_000_000_000 + --chat];
    const at = (chatId: number, id: number, days: number, userId: number) =>
      message(bot.id, chatId, id, start + days * day + 3_600 * id, userId);
    await store([at(group, 1, 0, 7), at(group, 2, 0, 0), at(group, 3, 1, 8), at(group, 4, 40, 7)]);
    await stats(bot.id);
    // One that is not counted yet, and one that waits for an answer in the new chat.
    await store([at(group, 5, 41, 7)]);
    const moved = message(bot.id, group, 6, start + 41 * day + 90_000, 0, {
      migrate_to_chat_id: supergroup,
    });
    await store([moved, at(supergroup, 1, 41, 7), at(supergroup, 2, 42, 0)]);
    // The same message from the other side, and an older one that came late.
    await store([
      message(bot.id, supergroup, 3, start + 42 * day, 9, { migrate_from_chat_id: group }),
      at(group, 7, 1, 8),
    ]);

    const all = await stats(bot.id, `&chat_id=${supergroup}${span(0, 50)}`);
    expect(all).toMatchObject({
      chat_id: supergroup,
      messages: { total: 10, received: 7, sent: 3 },
      active_users: 3,
      top_people: [
        { user_id: 7, messages: 4 },
        { user_id: 8, messages: 2 },
        { user_id: 9, messages: 1 },
      ],
    });
    expect(await stats(bot.id, `&chat_id=${group}${span(0, 50)}`)).toEqual(all);
    expect(await stats(bot.id, `&chat_id=${supergroup}${span(0, 2)}`)).toMatchObject({
      messages: { total: 4 },
      active_users: 2,
    });
    const { by_day, top_people, messages } = await stats(bot.id, span(0, 50));
    expect({ by_day, top_people, messages }).toEqual({
      by_day: all.by_day,
      top_people: all.top_people,
      messages: all.messages,
    });
    const profile = await rig.admin.get<{ chats: { chat_id: number; messages: number }[] }>(
      `/api/users/profile?bot_id=${bot.id}&user_id=7`,
    );
    expect(profile.body.chats).toMatchObject([{ chat_id: supergroup, messages: 4 }]);

    // Recounted from the stored messages, it is the same.
    for (const manage_enabled of [false, true]) {
      await rig.store.bots.update(bot.id, { manage_enabled }, rig.clock.now());
    }
    const { top_people: again, messages: recounted } = await stats(
      bot.id,
      `&chat_id=${supergroup}${span(0, 50)}`,
    );
    expect({ again, recounted }).toEqual({ again: all.top_people, recounted: all.messages });
  });

  it('tells how deliveries went', async () => {
    const bot = await rig.addBot();
    const attempt = (error: string, started_at: number, duration_ms: number) => ({
      bot_id: bot.id,
      position: 1,
      update_id: 1,
      queue: '',
      started_at,
      duration_ms,
      status: error ? 500 : 200,
      error,
      answer: '',
    });
    const at = (start + day) * 1000;
    for (const row of [attempt('', at, 10), attempt('', at, 20), attempt('broken', at, 60)]) {
      await rig.store.engine.write(() => insertInto('delivery_attempts', row));
    }
    for (let time = 0; time < 2; time++) {
      expect((await stats(bot.id, span(0, 5))).deliveries).toEqual({
        delivered: 2,
        failed: 1,
        success_rate: 0.6667,
        mean_duration_ms: 30,
        in_retry: 0,
        dead_letters: 0,
      });
    }
    expect((await stats(bot.id, span(3, 5))).deliveries).toMatchObject({ success_rate: 1 });
  });

  it('refuses unmanaged bots, other bots and odd ranges', async () => {
    const bot = await rig.addBot({ manage_enabled: false });
    const url = (id: number) => `/api/stats?bot_id=${id}`;
    expect((await rig.admin.get(url(bot.id))).status).toBe(409);
    expect((await rig.admin.get(url(99_999))).status).toBe(404);
    const limited = await rig.as('read', [bot.id]);
    expect((await limited.get(url(99_999))).status).toBe(403);
    const managed = await rig.addBot();
    expect((await rig.admin.get(`${url(managed.id)}${span(5, 5)}`)).status).toBe(400);
    expect((await rig.admin.get(`${url(managed.id)}&from=yesterday`)).status).toBe(400);
  });
});
