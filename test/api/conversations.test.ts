import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { dialects } from '../support/database/engines.ts';
import { addUserTo, type SignedInUser } from '../support/signed-in-user.ts';
import { type Person, type PracticeBot, serviceForAllTests } from '../support/whole-service.ts';

interface Shown {
  bot_id: number;
  chat_id: number;
  title: string;
  state?: string;
  unanswered_since: string;
  snoozed_until: string;
  assignee?: { kind: string; id: number; name: string };
  cursor: string;
  message_count: number;
}

describe.each(dialects)('a conversation on %s', (dialect) => {
  const whole = serviceForAllTests(dialect);
  const { service, ask, call, addBot, addPerson, addRoute, say, seen } = whole;

  const chat = (bot: PracticeBot, person: Person) =>
    call<Shown>(`/api/chats/get?bot_id=${bot.id}&chat_id=${person.id}`);
  const listed = async (query: string) =>
    (await call<Shown[]>(`/api/chats?${query}`)).map(({ title }) => title);
  const eventually = (check: () => Promise<void>) => vi.waitFor(check, { interval: 20 });
  const becomes = (bot: PracticeBot, person: Person, state: string) =>
    eventually(async () => expect((await chat(bot, person)).state).toBe(state));
  const messages = (bot: PracticeBot, person: Person, count: number) =>
    eventually(async () => {
      const path = `/api/chats/get?bot_id=${bot.id}&chat_id=${person.id}`;
      const { status, json } = await ask(path);
      expect([status, (json as Shown).message_count]).toEqual([200, count]);
    });
  const answer = (bot: PracticeBot, person: Person, text = 'Here is Bot Relay') =>
    call('/api/messages/send', { bot_id: bot.id, chat_id: person.id, text });
  const byApp = (bot: PracticeBot, method: string, params: object) =>
    call<{ result: { message_id: number } }>(`/bot${bot.token}/${method}`, params);
  const setState = (bot: PracticeBot, person: Person, state: string) =>
    call<Shown>('/api/chats/state', { bot_id: bot.id, chat_id: person.id, state });

  /** The events from now on. */
  async function listen() {
    const { address, localKey } = service();
    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    const headers = { authorization: `Bearer ${localKey}` };
    const { body } = await fetch(`${address}/api/events`, { headers, signal: stop.signal });
    let text = '';
    return {
      async next(type: string): Promise<unknown> {
        for await (const chunk of body ?? []) {
          text += Buffer.from(chunk).toString();
          const event = new RegExp(`event: ${type}\\ndata: (.*)\\n\\n`).exec(text)?.[1];
          if (event !== undefined) return JSON.parse(event);
        }
        throw new Error('the stream ended');
      },
    };
  }

  const addUser = addUserTo(whole);

  it('waits from the first message or press until an answer, and is open until it is done', async () => {
    const bot = await addBot({ manage_enabled: true });
    const ann = await addPerson('Ann');
    await say(ann, bot, '/start promo');
    await messages(bot, ann, 1);
    expect(await chat(bot, ann)).toMatchObject({ state: 'done', unanswered_since: '' });

    const { message_id } = await say(ann, bot, 'Where is my order?');
    await becomes(bot, ann, 'waiting');
    const first = (await chat(bot, ann)).unanswered_since;
    await say(ann, bot, 'Hello?');
    await messages(bot, ann, 3);
    expect((await chat(bot, ann)).unanswered_since).toBe(first);

    await answer(bot, ann);
    expect(await chat(bot, ann)).toMatchObject({ state: 'open', unanswered_since: '' });
    expect(await setState(bot, ann, 'done')).toMatchObject({ state: 'done' });
    await call('/api/sandbox/edit', {
      user: ann.id,
      chat: bot.platformId,
      message_id,
      text: 'Where is it?',
    });
    await eventually(async () => {
      const stored = await call<{ text: string }[]>(
        `/api/messages?bot_id=${bot.id}&chat_id=${ann.id}`,
      );
      expect(stored.map(({ text }) => text)).toContain('Where is it?');
    });
    expect(await chat(bot, ann)).toMatchObject({ state: 'done' });

    const keyboard = { inline_keyboard: [[{ text: 'Track', callback_data: 'track' }]] };
    const sent = await byApp(bot, 'sendMessage', {
      chat_id: ann.id,
      text: 'Menu',
      reply_markup: keyboard,
    });
    const message = sent.result.message_id;
    // A press that is stored before the message would be answered by it.
    await messages(bot, ann, 5);
    await call('/api/sandbox/press', {
      user: ann.id,
      chat: bot.platformId,
      message_id: message,
      button: 'Track',
    });
    await becomes(bot, ann, 'waiting');
    // A bot answers a press by changing its message; what only a bot answered stays done.
    await byApp(bot, 'editMessageText', {
      chat_id: ann.id,
      message_id: message,
      text: 'On its way',
    });
    await becomes(bot, ann, 'done');
    expect((await setState(bot, ann, 'open')).state).toBe('open');
  });

  it('counts or ignores automatic answers, and after a handoff only those of people', async () => {
    const bot = await addBot({ manage_enabled: true, handoff: ['/agent', 'Talk to a person'] });
    const ann = await addPerson('Ann');
    const text = 'I am a bot';
    const botAnswers = () => byApp(bot, 'sendMessage', { chat_id: ann.id, text });
    await say(ann, bot, 'What time is it?');
    await becomes(bot, ann, 'waiting');
    await botAnswers();
    await becomes(bot, ann, 'done');
    for (const words of ['talk to a person', '/agent@the_bot please']) {
      await say(ann, bot, words);
      await becomes(bot, ann, 'waiting');
      const before = (await chat(bot, ann)).message_count;
      await botAnswers();
      await messages(bot, ann, before + 1);
      expect((await chat(bot, ann)).state).toBe('waiting');
      await answer(bot, ann);
      await becomes(bot, ann, 'open');
      await setState(bot, ann, 'done');
    }
    await call('/api/bots/update', { id: bot.id, automatic_answers: 'ignore' });
    await say(ann, bot, 'And now?');
    await becomes(bot, ann, 'waiting');
    const before = (await chat(bot, ann)).message_count;
    await botAnswers();
    await messages(bot, ann, before + 1);
    expect((await chat(bot, ann)).state).toBe('waiting');
    // Who turns management off ends all states, because nobody keeps them.
    await call('/api/bots/update', { id: bot.id, manage_enabled: false });
    await call('/api/bots/update', { id: bot.id, manage_enabled: true });
    expect((await chat(bot, ann)).state).toBe('done');
  });

  it('does not wait for what a route drops, and is answered on the return path', async () => {
    const bot = await addBot({ manage_enabled: true });
    const desk = await addBot();
    const [ann, sam] = [await addPerson('Ann'), await addPerson('Sam')];
    await say(sam, desk, '/start');
    const drop = await addRoute(bot, desk, {
      action: 'drop',
      condition_type: 'keyword',
      condition_value: 'casino',
    });
    const events = await listen();
    await say(ann, bot, 'Play in my casino');
    expect(await events.next('chat')).toMatchObject({ chat_id: ann.id, change: 'state' });
    await becomes(bot, ann, 'done');
    await call(`/api/routes/delete?id=${drop.id}`, {});
    await addRoute(bot, desk, { target_chat_id: sam.id });
    await say(ann, bot, 'Are you open?');
    await becomes(bot, ann, 'waiting');
    let carried = 0;
    await eventually(async () => {
      const inDesk = await seen<{ message_id: number; text?: string }>(sam, desk.platformId);
      carried = inDesk.find(({ text }) => text === 'Are you open?')?.message_id ?? 0;
      expect(carried).toBeGreaterThan(0);
    });
    await call('/api/sandbox/say', {
      user: sam.id,
      chat: desk.platformId,
      text: 'Until six',
      reply_to: carried,
    });
    await becomes(bot, ann, 'open');
    const person = { kind: 'person', id: sam.id, name: 'Sam' };
    expect((await chat(bot, ann)).assignee).toEqual(person);
    // The user who is the same person has it, too.
    const user = await addUser('sam', { role: 'admin' });
    const linked = { id: user.id, telegram_user_id: sam.id };
    await call('/api/auth/users/update', linked);
    expect((await chat(bot, ann)).assignee).toEqual({ kind: 'user', id: user.id, name: 'sam' });
    expect(await listed(`assignee=person:${sam.id}`)).toEqual(['Ann']);
    const other = await addUser('eve', { role: 'admin' });
    expect(await ask('/api/auth/users/update', { ...linked, id: other.id })).toMatchObject({
      status: 409,
      json: { reason_code: 'person_is_user', details: [{ field: 'telegram_user_id' }] },
    });
    await ask(`/api/auth/users/delete?id=${user.id}`, undefined, { method: 'POST' });
    expect((await chat(bot, ann)).assignee).toBeUndefined();
  });

  it('belongs to who answers first, and is not taken from somebody by accident', async () => {
    const bot = await addBot({ manage_enabled: true });
    const ann = await addPerson('Ann');
    await say(ann, bot, 'Hi');
    await becomes(bot, ann, 'waiting');
    const [olga, max] = [await addUser('olga', { bot_ids: [bot.id] }), await addUser('max')];
    const key = { bot_id: bot.id, chat_id: ann.id };
    const sent = await olga.ask('/api/messages/send', { ...key, text: 'Hello Ann' });
    expect(sent.status).toBe(200);
    const hers = { kind: 'user', id: olga.id, name: 'olga' };
    expect((await chat(bot, ann)).assignee).toEqual(hers);
    expect((await olga.ask('/api/chats/counts')).json).toMatchObject({ open: 1, mine: 1 });
    expect(await ask(`/api/chats/assignees?bot_id=${bot.id}`)).toMatchObject({
      json: expect.arrayContaining([hers]),
    });
    // A viewer could neither answer nor finish it.
    const viewer = await addUser('vera', { role: 'viewer', bot_ids: [bot.id] });
    for (const query of ['', `?bot_id=${bot.id}`]) {
      const { json } = await ask(`/api/chats/assignees${query}`);
      expect(json).not.toContainEqual(expect.objectContaining({ name: 'vera' }));
    }

    const assign = (assignee: string, more: object = {}) =>
      ask('/api/chats/assign', { ...key, assignee, ...more });
    expect(await assign('')).toMatchObject({
      status: 409,
      json: { reason_code: 'chat_assigned', params: { name: 'olga' } },
    });
    expect((await assign(`user:${viewer.id}`, { confirm: true })).status).toBe(400);
    // Max may not see the bot.
    expect((await assign(`user:${max.id}`)).status).toBe(400);
    expect((await assign('me')).status).toBe(400);
    expect((await assign('user:999999')).status).toBe(400);
    expect((await max.ask('/api/chats/assign', { ...key, assignee: 'me' })).status).toBe(403);
    await call('/api/auth/users/update', { id: max.id, bot_ids: [bot.id] });
    const taken = { ...key, assignee: 'me' };
    expect((await max.ask('/api/chats/assign', taken)).status).toBe(409);
    const confirmed = await max.ask('/api/chats/assign', { ...taken, confirm: true });
    expect(confirmed.json).toMatchObject({ assignee: { name: 'max' } });
    // Who has it may hand it over without asking.
    const back = await max.ask('/api/chats/assign', { ...key, assignee: `user:${olga.id}` });
    expect(back.json).toMatchObject({ assignee: hers });
    expect(await listed(`assignee=user:${olga.id}`)).toEqual(['Ann']);
    expect((await olga.ask('/api/chats/assign', { ...key, assignee: '' })).json).not.toHaveProperty(
      'assignee',
    );

    // People are known to the bots that met them only, and so are their names.
    const [elsewhere, zoe] = [await addBot({ manage_enabled: true }), await addPerson('Zoe')];
    await say(zoe, elsewhere, 'Hi');
    await becomes(elsewhere, zoe, 'waiting');
    const give = (person: Person) =>
      olga.ask('/api/chats/assign', { ...key, assignee: `person:${person.id}` });
    expect((await give(zoe)).status).toBe(400);
    expect((await give(ann)).json).toMatchObject({ assignee: { kind: 'person', name: 'Ann' } });
  });

  it('is unread for each user until they saw it, and tells others who writes', async () => {
    const bot = await addBot({ manage_enabled: true });
    const ann = await addPerson('Ann');
    await say(ann, bot, 'Hi');
    await becomes(bot, ann, 'waiting');
    const users = [await addUser('una', { bot_ids: [bot.id] }), await addUser('vic')] as const;
    const [una, vic] = users;
    await call('/api/auth/users/update', { id: vic.id, bot_ids: [bot.id] });
    const key = { bot_id: bot.id, chat_id: ann.id };
    const unread = async ({ ask: asUser }: SignedInUser) => {
      const { json } = await asUser(`/api/chats?bot_id=${bot.id}`);
      return (json as { unread?: boolean }[])[0]?.unread;
    };
    const all = () => Promise.all(users.map(unread));
    expect(await all()).toEqual([true, true]);
    expect((await una.ask('/api/chats/read', key)).json).toMatchObject({ unread: false });
    expect(await all()).toEqual([false, true]);
    await say(ann, bot, 'Hello?');
    await messages(bot, ann, 2);
    expect(await all()).toEqual([true, true]);
    // Nobody has to read what was answered; a key reads nothing.
    await answer(bot, ann);
    expect(await all()).toEqual([false, false]);
    expect(await call('/api/chats/read', key)).not.toHaveProperty('unread');

    const events = await listen();
    expect((await una.ask('/api/chats/writing', key)).json).toEqual({ told: true });
    const writing = { ...key, author: { kind: 'user', id: una.id, name: 'una' } };
    expect(await events.next('chat.writing')).toEqual(writing);
    const other = await addUser('wes');
    expect((await other.ask('/api/chats/writing', key)).status).toBe(403);
    expect((await other.ask('/api/chats/read', key)).status).toBe(403);
  });

  it('is listed over all bots by state, assignee, tag and waiting time, and hidden while snoozed', async () => {
    const bots = [await addBot({ manage_enabled: true }), await addBot({ manage_enabled: true })];
    const hidden = await addBot();
    const [shop, help] = bots as [PracticeBot, PracticeBot];
    const names = ['Ivo', 'Jan', 'Kim', 'Lea'];
    const people = await Promise.all(names.map(addPerson));
    const [ivo, jan, kim, lea] = people as [Person, Person, Person, Person];
    await say(ivo, shop, 'one');
    await becomes(shop, ivo, 'waiting');
    for (const [person, bot] of [
      [jan, help],
      [kim, shop],
      [lea, hidden],
    ] as const) {
      await say(person, bot, 'two');
    }
    await becomes(help, jan, 'waiting');
    await becomes(shop, kim, 'waiting');
    const { key } = await call<{ key: string }>('/api/auth/api-keys', {
      name: 'two bots',
      scope: 'send',
      bot_ids: bots.map(({ id }) => id),
    });
    const mine = async (query: string) => {
      const { json } = await ask(`/api/chats?${query}`, undefined, { key });
      return (json as Shown[]).map(({ title }) => title);
    };
    const counts = async () => (await ask('/api/chats/counts', undefined, { key })).json;
    expect(await mine('order=waiting')).toHaveLength(3);
    expect((await mine('order=waiting'))[0]).toBe('Ivo');
    const longest = (await call<Shown>(`/api/chats/get?bot_id=${shop.id}&chat_id=${ivo.id}`))
      .unanswered_since;
    expect(await counts()).toEqual({
      waiting: 3,
      waiting_since: longest,
      snoozed: 0,
      open: 0,
      mine: 0,
      mine_waiting: 0,
      mine_waiting_since: '',
      unassigned: 3,
      total: 3,
    });

    const page = (await ask('/api/chats?order=waiting&limit=2', undefined, { key }))
      .json as Shown[];
    const rest = await mine(`order=waiting&before=${page[1]?.cursor}`);
    expect([...page.map(({ title }) => title), ...rest].sort()).toEqual(['Ivo', 'Jan', 'Kim']);
    const newest = (await ask('/api/chats?limit=2', undefined, { key })).json as Shown[];
    const older = await mine(`before=${newest[1]?.cursor}`);
    expect([...newest.map(({ title }) => title), ...older].sort()).toEqual(['Ivo', 'Jan', 'Kim']);

    const search = async (query: string) =>
      (await ask(`/api/chats?q=i&${query}`, undefined, { key })).json as Shown[];
    expect((await search('order=waiting')).map(({ title }) => title)).toEqual(['Ivo', 'Kim']);
    const [first] = await search('limit=1');
    expect(first?.title).toBe('Kim');
    expect(await search(`limit=1&before=${first?.cursor}`)).toMatchObject([{ title: 'Ivo' }]);

    const snooze = (until?: string) =>
      call<Shown>('/api/chats/snooze', {
        bot_id: shop.id,
        chat_id: ivo.id,
        ...(until === undefined ? {} : { until }),
      });
    const until = new Date(Date.now() + 3_600_000).toISOString();
    expect((await snooze(until)).snoozed_until).toBe(until);
    expect((await mine('state=waiting')).sort()).toEqual(['Jan', 'Kim']);
    expect(await mine('state=snoozed')).toEqual(['Ivo']);
    expect(await counts()).toMatchObject({ waiting: 2, snoozed: 1 });
    await say(ivo, shop, 'It is urgent');
    await eventually(async () => expect(await mine('state=snoozed')).toEqual([]));
    await snooze(until);
    expect((await snooze()).snoozed_until).toBe('');
    const past = { bot_id: shop.id, chat_id: ivo.id, until: '2020-01-01T00:00:00Z' };
    expect((await ask('/api/chats/snooze', past)).status).toBe(400);

    await answer(help, jan);
    expect(await mine('state=open')).toEqual(['Jan']);
    // Those that wait come before the others.
    expect((await mine('state=unfinished&order=waiting')).at(-1)).toBe('Jan');
    await setState(shop, kim, 'done');
    expect(await mine('state=done')).toEqual(['Kim']);
    expect((await mine('state=unfinished')).sort()).toEqual(['Ivo', 'Jan']);
    expect((await mine('assignee=none')).sort()).toEqual(['Ivo', 'Jan', 'Kim']);
    const tag = { chat_id: jan.id, user_id: jan.id, tag: 'refund' };
    await call('/api/tags/add', { ...tag, bot_id: help.id });
    expect(await mine('tag=refund')).toEqual(['Jan']);
    expect(await listed(`bot_id=${shop.id}&tag=refund`)).toEqual([]);
    expect((await ask(`/api/chats?bot_id=${hidden.id}`, undefined, { key })).status).toBe(403);

    const room = await call<{ id: number }>('/api/sandbox/chats/create', {
      title: 'Room',
      owner: ivo.id,
      members: [shop.platformId],
    });
    await call('/api/sandbox/say', { user: ivo.id, chat: room.id, text: 'hi' });
    await eventually(async () => expect(await listed(`bot_id=${shop.id}`)).toContain('Room'));
    const group = { bot_id: shop.id, chat_id: room.id };
    expect(await ask('/api/chats/state', { ...group, state: 'done' })).toMatchObject({
      status: 400,
      json: { details: [{ field: 'chat_id' }] },
    });
  });

  it('begins again with the first message after its chat was forgotten, however soon it comes', async () => {
    const bot = await addBot({ manage_enabled: true });
    const zoe = await addPerson('Zoe');
    await say(zoe, bot, 'Hello?');
    await becomes(bot, zoe, 'waiting');
    const forget = `/api/chats/forget?bot_id=${bot.id}&chat_id=${zoe.id}`;
    for (const text of ['Once more', 'And again']) {
      expect(await ask(forget, undefined, { method: 'POST' })).toMatchObject({ status: 200 });
      await say(zoe, bot, text);
      await becomes(bot, zoe, 'waiting');
      expect(await listed(`bot_id=${bot.id}&state=waiting`)).toEqual(['Zoe']);
    }
  });

  it('stays while its bot is disabled, and ends with what is forgotten or deleted', async () => {
    const bot = await addBot({ manage_enabled: true });
    const [ann, ben] = [await addPerson('Ann'), await addPerson('Ben')];
    for (const person of [ann, ben]) {
      await say(person, bot, 'Hello?');
      await becomes(bot, person, 'waiting');
    }
    const counts = () => call<Record<string, number>>(`/api/chats/counts?bot_id=${bot.id}`);
    const mine = { bot_id: bot.id, chat_id: ann.id };
    await call('/api/chats/assign', { ...mine, assignee: `person:${ann.id}` });
    const assignee = { kind: 'person', id: ann.id };
    const before = await chat(bot, ann);
    const toggle = () =>
      ask(`/api/bots/toggle-disabled?id=${bot.id}`, undefined, { method: 'POST' });
    await toggle();
    expect(await chat(bot, ann)).toMatchObject({
      state: 'waiting',
      unanswered_since: before.unanswered_since,
      assignee,
    });
    // It can be finished without an answer, which a disabled bot cannot give.
    expect(await setState(bot, ben, 'done')).toMatchObject({ state: 'done', unanswered_since: '' });
    expect(await counts()).toMatchObject({ waiting: 1 });
    await toggle();

    const place = `bot_id=${bot.id}&chat_id=${ann.id}`;
    await ask(`/api/chats/forget?${place}`, undefined, { method: 'POST' });
    expect(await counts()).toMatchObject({ waiting: 0 });
    await say(ann, bot, 'I am back');
    await becomes(bot, ann, 'waiting');
    expect(await chat(bot, ann)).not.toHaveProperty('assignee');
    await ask(`/api/bots/delete?id=${bot.id}`, undefined, { method: 'POST' });
    expect(await listed('state=waiting&q=Ann')).toEqual([]);
  });
});
