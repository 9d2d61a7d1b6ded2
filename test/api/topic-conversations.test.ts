import { describe, expect, it, vi } from 'vitest';
import { dialects } from '../support/database/engines.ts';
import { addUserTo } from '../support/signed-in-user.ts';
import { type Person, type PracticeBot, serviceForAllTests } from '../support/whole-service.ts';

interface Shown {
  chat_id: number;
  message_thread_id?: number;
  topic_name?: string;
  state?: string;
  unanswered_since: string;
  unread?: boolean;
  assignee?: { kind: string; id: number; name: string };
  last_message?: { text: string };
  cursor: string;
}

describe.each(dialects)('a topic that is a conversation on %s', (dialect) => {
  const whole = serviceForAllTests(dialect);
  const { ask, call, addPerson } = whole;
  const addUser = addUserTo(whole);
  const eventually = (check: () => Promise<void>) => vi.waitFor(check, { interval: 20 });

  /** A bot whose private chats have topics. */
  async function addTopicBot(settings: object = { per_topic: true }): Promise<PracticeBot> {
    const topics = { has_topics_enabled: true };
    const made = await call<{ token: string; id: number }>('/api/sandbox/bots', topics);
    const { token, id: platformId } = made;
    const added = { token, manage_enabled: true, ...settings };
    const { id } = await call<{ id: number }>('/api/bots/add', added);
    return { id, platformId, token };
  }
  async function addTopic(person: Person, bot: PracticeBot, name: string): Promise<number> {
    const topic = { user: person.id, chat: bot.platformId, name };
    const made = await call<{ message_thread_id: number }>('/api/sandbox/topics/create', topic);
    return made.message_thread_id;
  }
  const inTopic = (threadId: number) => (threadId === 0 ? {} : { message_thread_id: threadId });
  const say = (person: Person, bot: PracticeBot, text: string, threadId = 0) =>
    call('/api/sandbox/say', {
      user: person.id,
      chat: bot.platformId,
      text,
      ...inTopic(threadId),
    });
  const answer = (bot: PracticeBot, person: Person, threadId = 0) =>
    call('/api/messages/send', {
      bot_id: bot.id,
      chat_id: person.id,
      text: 'Here',
      ...inTopic(threadId),
    });
  const list = (bot: PracticeBot, query = '') =>
    call<Shown[]>(`/api/chats?bot_id=${bot.id}&${query}`);
  /** The topics of these entries; 0 for the chat. */
  const topics = async (bot: PracticeBot, query: string) =>
    (await list(bot, query)).map(({ message_thread_id = 0 }) => message_thread_id);
  const entry = (bot: PracticeBot, person: Person, threadId = 0) =>
    call<Shown>(
      `/api/chats/get?${new URLSearchParams({
        bot_id: String(bot.id),
        chat_id: String(person.id),
        ...(threadId === 0 ? {} : { message_thread_id: String(threadId) }),
      }).toString()}`,
    );
  const waiting = (bot: PracticeBot, expected: number[]) =>
    eventually(async () =>
      expect((await topics(bot, 'state=waiting')).sort((a, b) => a - b)).toEqual(expected),
    );
  const counts = (bot: PracticeBot, query = '') =>
    call<Record<string, number>>(`/api/chats/counts?bot_id=${bot.id}&${query}`);
  const update = (bot: PracticeBot, settings: object) =>
    call('/api/bots/update', { id: bot.id, ...settings });

  it('waits and is answered apart from other topics and from its chat', async () => {
    const bot = await addTopicBot();
    const ann = await addPerson('Ann');
    const [refund, parcel] = [
      await addTopic(ann, bot, 'Refund'),
      await addTopic(ann, bot, 'Parcel'),
    ];
    await say(ann, bot, 'My money?', refund);
    await say(ann, bot, 'My parcel?', parcel);
    await waiting(bot, [refund, parcel]);
    await say(ann, bot, 'Hello?');
    await waiting(bot, [0, refund, parcel]);
    expect(await entry(bot, ann, refund)).toMatchObject({
      message_thread_id: refund,
      topic_name: 'Refund',
      state: 'waiting',
      last_message: { text: 'My money?' },
    });
    expect(await counts(bot)).toMatchObject({ waiting: 3, unassigned: 3, open: 0 });

    await answer(bot, ann, refund);
    await waiting(bot, [0, parcel]);
    expect(await topics(bot, 'state=open')).toEqual([refund]);
    expect(await counts(bot)).toMatchObject({ waiting: 2, open: 1 });
    await answer(bot, ann);
    await waiting(bot, [parcel]);
    expect((await entry(bot, ann)).state).toBe('open');
    expect((await entry(bot, ann)).message_thread_id).toBeUndefined();

    // Pages of one entry each have all entries once, in both orders.
    for (const order of ['waiting', 'last_message']) {
      const paged: number[] = [];
      for (let before = ''; ; ) {
        const [next] = await list(bot, `order=${order}&limit=1${before}`);
        if (!next) break;
        paged.push(next.message_thread_id ?? 0);
        before = `&before=${next.cursor}`;
      }
      expect(paged).toEqual(await topics(bot, `order=${order}`));
      expect(paged.toSorted((a, b) => a - b)).toEqual([0, refund, parcel]);
    }
    expect(await topics(bot, 'q=refu')).toEqual([refund]);
    expect((await topics(bot, 'q=ann&order=waiting'))[0]).toBe(parcel);
    expect(await topics(bot, `message_thread_id=${parcel}`)).toEqual([parcel]);
    expect(await topics(bot, `message_thread_id=${parcel}&state=open`)).toEqual([]);
    await call('/api/tags/add', { bot_id: bot.id, chat_id: ann.id, user_id: ann.id, tag: 'vip' });
    expect(await topics(bot, 'tag=vip&state=waiting')).toEqual([parcel]);
    // They are counted by the filters by which they are listed.
    for (const [query, expected] of [
      ['', { waiting: 1, open: 2, total: 3 }],
      ['tag=vip', { waiting: 1, open: 2, total: 3 }],
      ['tag=other', { waiting: 0, waiting_since: '', open: 0, total: 0 }],
      [`message_thread_id=${parcel}`, { waiting: 1, open: 0, total: 1 }],
      [`message_thread_id=${refund}&assignee=none`, { waiting: 0, open: 1, total: 1 }],
      ['assignee=user:77', { waiting: 0, open: 0, unassigned: 0, total: 0 }],
    ] as const) {
      expect(await counts(bot, query), query).toMatchObject(expected);
      expect(await topics(bot, query), query).toHaveLength(expected.total);
    }
  });

  it('has its own assignee, state, snooze and mark of what was read', async () => {
    const bot = await addTopicBot();
    const ann = await addPerson('Ann');
    const [one, two] = [await addTopic(ann, bot, 'One'), await addTopic(ann, bot, 'Two')];
    await say(ann, bot, 'First', one);
    await say(ann, bot, 'Second', two);
    await waiting(bot, [one, two]);
    const user = await addUser(`olga${bot.id}`, { bot_ids: [bot.id] });
    const key = { bot_id: bot.id, chat_id: ann.id, message_thread_id: one };
    const asUser = async (path: string, body?: object) => (await user.ask(path, body)).json;

    expect(await asUser('/api/chats/read', key)).toMatchObject({ unread: false });
    // The entry of the chat is about messages outside of its topics.
    await say(ann, bot, 'Hello?');
    await waiting(bot, [0, one, two]);
    const chat = { bot_id: bot.id, chat_id: ann.id };
    expect(await asUser('/api/chats/read', chat)).toMatchObject({ unread: false });
    await say(ann, bot, 'And?', two);
    await eventually(async () =>
      expect((await entry(bot, ann, two)).last_message?.text).toBe('And?'),
    );
    const ofChat = await asUser(`/api/chats/get?bot_id=${bot.id}&chat_id=${ann.id}`);
    expect(ofChat).toMatchObject({ unread: false, last_message: { text: 'Hello?' } });
    await answer(bot, ann);
    await waiting(bot, [one, two]);
    const unread = (await asUser(`/api/chats?bot_id=${bot.id}&state=waiting`)) as Shown[];
    expect(Object.fromEntries(unread.map((row) => [row.message_thread_id, row.unread]))).toEqual({
      [one]: false,
      [two]: true,
    });
    const mine = { assignee: { kind: 'user', id: user.id } };
    expect(await asUser('/api/chats/assign', { ...key, assignee: 'me' })).toMatchObject(mine);
    expect(await topics(bot, `assignee=user:${user.id}`)).toEqual([one]);
    expect((await topics(bot, 'assignee=none')).sort((a, b) => a - b)).toEqual([0, two]);
    expect(await asUser(`/api/chats/counts?bot_id=${bot.id}`)).toMatchObject({
      waiting: 2,
      mine: 1,
      mine_waiting: 1,
      total: 3,
    });
    // Who answers in a topic that nobody has gets it, and only it.
    const answered = { ...key, message_thread_id: two, text: 'Hi' };
    await asUser('/api/messages/send', answered);
    expect(await entry(bot, ann, two)).toMatchObject({ state: 'open', ...mine });
    expect(await entry(bot, ann)).not.toHaveProperty('assignee');

    const until = new Date(Date.now() + 3_600_000).toISOString();
    await call('/api/chats/snooze', { ...key, until });
    expect(await topics(bot, 'state=snoozed')).toEqual([one]);
    expect(await call('/api/chats/state', { ...key, state: 'done' })).toMatchObject({
      state: 'done',
      message_thread_id: one,
    });
    expect((await entry(bot, ann, two)).state).toBe('open');
    // Nobody has the conversations of a user who was deleted.
    await ask(`/api/auth/users/delete?id=${user.id}`, undefined, { method: 'POST' });
    expect(await entry(bot, ann, two)).not.toHaveProperty('assignee');

    const refused = async (changed: object) => {
      const { status, json } = await ask('/api/chats/state', { ...key, state: 'done', ...changed });
      return [status, (json as { details: { field: string }[] }).details[0]?.field];
    };
    expect(await refused({ message_thread_id: 99_999 })).toEqual([404, 'message_thread_id']);
    await update(bot, { per_topic: false });
    expect(await refused({})).toEqual([400, 'message_thread_id']);
  });

  it('joins its chat when the bot loses per_topic, and leaves it when the bot gets it', async () => {
    const bot = await addTopicBot({});
    const [ann, ben] = [await addPerson('Ann'), await addPerson('Ben')];
    const topic = await addTopic(ann, bot, 'Refund');
    await say(ann, bot, 'My money?', topic);
    await say(ben, bot, 'No topic');
    await eventually(async () => expect(await topics(bot, 'state=waiting')).toEqual([0, 0]));
    const assigned = { bot_id: bot.id, chat_id: ann.id, assignee: `person:${ann.id}` };
    await call('/api/chats/assign', assigned);
    const before = await entry(bot, ann);
    const state = {
      state: 'waiting',
      unanswered_since: before.unanswered_since,
      assignee: { kind: 'person', id: ann.id },
    };
    expect(before).toMatchObject(state);

    await update(bot, { per_topic: true });
    await waiting(bot, [0, topic]);
    expect(await entry(bot, ann, topic)).toMatchObject(state);
    expect((await entry(bot, ann)).state).toBe('done');
    expect((await entry(bot, ben)).state).toBe('waiting');
    // A setting that stays changes nothing.
    await update(bot, { per_topic: true });
    await waiting(bot, [0, topic]);

    const other = await addTopic(ann, bot, 'Parcel');
    await say(ann, bot, 'My parcel?', other);
    await waiting(bot, [0, topic, other]);
    await answer(bot, ann, other);
    await waiting(bot, [0, topic]);
    await update(bot, { per_topic: false });
    expect(await topics(bot, 'state=waiting')).toEqual([0, 0]);
    expect(await entry(bot, ann)).toMatchObject(state);
    expect(await counts(bot)).toMatchObject({ waiting: 2, open: 0 });
    await answer(bot, ann, topic);
    expect((await entry(bot, ann)).state).toBe('open');
  });

  it('stays while its bot is disabled or it is deleted, and ends with management, chat and bot', async () => {
    const bot = await addTopicBot();
    const [ann, ben] = [await addPerson('Wanda'), await addPerson('Ben')];
    const ids = [await addTopic(ann, bot, 'Ann'), await addTopic(ben, bot, 'Ben')];
    const [anns, bens] = ids as [number, number];
    const write = async () => {
      await say(ann, bot, 'Hello?', anns);
      await say(ben, bot, 'Hello?', bens);
      await eventually(async () => expect((await counts(bot)).waiting).toBe(2));
    };
    const post = (path: string) => ask(path, undefined, { method: 'POST' });
    await write();
    await call('/api/sandbox/topics/delete', {
      user: ben.id,
      chat: bot.platformId,
      message_thread_id: bens,
    });
    const sent = { bot_id: bot.id, chat_id: ben.id, message_thread_id: bens, text: 'Here' };
    expect((await ask('/api/messages/send', sent)).status).not.toBe(200);
    // Nobody answered, so somebody has to say that it is done.
    expect((await entry(bot, ben, bens)).state).toBe('waiting');
    const done = { bot_id: bot.id, chat_id: ben.id, message_thread_id: bens, state: 'done' };
    expect(await call('/api/chats/state', done)).toMatchObject({ state: 'done' });

    await update(bot, { manage_enabled: false });
    await update(bot, { manage_enabled: true });
    expect((await entry(bot, ann, anns)).state).toBe('done');
    await say(ann, bot, 'Hello?', anns);
    await waiting(bot, [anns]);
    await post(`/api/bots/toggle-disabled?id=${bot.id}`);
    expect((await entry(bot, ann, anns)).state).toBe('waiting');
    await post(`/api/chats/forget?bot_id=${bot.id}&chat_id=${ann.id}`);
    expect(await counts(bot)).toMatchObject({ waiting: 0 });
    expect(await topics(bot, `message_thread_id=${anns}`)).toEqual([]);
    await post(`/api/bots/delete?id=${bot.id}`);
    expect(await call<Shown[]>('/api/chats?state=waiting&q=Wanda')).toEqual([]);
  });
});
