import { describe, expect, it, vi } from 'vitest';
import { eitherDialect } from '../support/database/engines.ts';
import { serviceForAllTests } from '../support/whole-service.ts';

interface Shown {
  text?: string;
  message_thread_id?: number;
}

describe.each(eitherDialect)('desks by API on %s', (dialect) => {
  const { ask, call, addBot, addPerson, say, seen } = serviceForAllTests(dialect);

  async function forumOf(owner: { id: number }, bot: { platformId: number }, rights?: object) {
    const forum = await call<{ id: number }>('/api/sandbox/chats/create', {
      title: 'Team',
      owner: owner.id,
      is_forum: true,
    });
    const given = rights ? { rights } : {};
    const promoted = { chat: forum.id, user: bot.platformId, by: owner.id, ...given };
    await call('/api/sandbox/chats/promote', promoted);
    return forum;
  }

  it('connect bots with a forum from the next message on, and set what that needs', async () => {
    const [lead, anna] = [await addPerson('Lead'), await addPerson('Anna')];
    const front = await addBot({ long_poll_enabled: true });
    const forum = await forumOf(lead, front);
    const fields = { name: 'Help', desk_bot_id: front.id, chat_id: forum.id, bot_ids: [front.id] };
    const desk = await call<{ id: number }>('/api/desks/add', fields);
    expect(desk).toMatchObject({ ...fields, problems: [], changed_bot_ids: [front.id] });
    await say(anna, front, 'hello?');
    // The card with facts about the customer follows at once.
    const inForum = async () =>
      (await seen<Shown>(lead, forum.id)).filter(({ text }) => text === 'hello?');
    await vi.waitFor(async () => expect(await inForum()).toHaveLength(1), { interval: 20 });
    const [copy] = await inForum();
    await call('/api/sandbox/say', {
      user: lead.id,
      chat: forum.id,
      text: 'Hello, Anna',
      message_thread_id: copy?.message_thread_id,
    });
    await vi.waitFor(
      async () =>
        expect((await seen<Shown>(anna, front.platformId)).at(-1)?.text).toBe('Hello, Anna'),
      { interval: 20 },
    );
    const path = `/api/chats/get?bot_id=${front.id}&chat_id=${anna.id}`;
    const answered = { state: 'open', assignee: { kind: 'person', id: lead.id } };
    await vi.waitFor(async () => expect(await call<object>(path)).toMatchObject(answered), {
      interval: 20,
    });
    // Done on the page, the customer is asked, and the rating is in the statistics.
    const rating_questions = [{ language: '', text: 'How did we do?' }];
    await call('/api/desks/update', { id: desk.id, rating_questions });
    const done = { bot_id: front.id, chat_id: anna.id, state: 'done' };
    expect(await call('/api/chats/state', done)).toMatchObject({ state: 'done' });
    type Asked = Shown & { message_id: number };
    const question = await vi.waitFor(
      async () => {
        const last = (await seen<Asked>(anna, front.platformId)).at(-1);
        expect(last?.text).toBe('How did we do?');
        return last as Asked;
      },
      { interval: 20 },
    );
    const pressed = { user: anna.id, chat: front.platformId, message_id: question.message_id };
    await call('/api/sandbox/press', { ...pressed, button: '4 ⭐' });
    const assignee = { kind: 'person', id: lead.id };
    const average = { count: 1, average: 4 };
    const ratings = {
      ...average,
      by_rating: [0, 0, 0, 1, 0],
      by_assignee: [{ assignee, ...average }],
    };
    await vi.waitFor(
      async () => expect(await call(`/api/stats?bot_id=${front.id}`)).toMatchObject({ ratings }),
      { interval: 20 },
    );
    const rated = { rating_count: 1, rating_average: 4, rating_questions };
    expect(await call('/api/desks')).toMatchObject([rated]);
    expect(await call('/api/chats/state', { ...done, state: 'open' })).toMatchObject({
      state: 'open',
    });
    expect(desk).toMatchObject({ language: 'en' });
    await call('/api/bots/update', { id: front.id, automatic_answers: 'count' });
    const changed = await call('/api/desks/update', { id: desk.id, language: 'ru' });
    expect(changed).toMatchObject({ ...fields, language: 'ru', changed_bot_ids: [] });
    const wrong = await ask('/api/desks/update', { id: desk.id, language: 'xx' });
    expect(wrong).toMatchObject({ status: 400 });
    const gone = await ask(`/api/desks/delete?id=${desk.id}`, undefined, { method: 'POST' });
    expect(gone.json).toMatchObject(fields);
    expect(await call('/api/desks')).toEqual([]);
  });

  it('are refused by name if another request for the bot or the forum was faster', async () => {
    const lead = await addPerson('Lead');
    const [writer, front, other] = [await addBot(), await addBot(), await addBot()];
    const [forum, second] = [await forumOf(lead, writer), await forumOf(lead, writer)];
    const add = (chat_id: number, bot_id: number) =>
      ask('/api/desks/add', { desk_bot_id: writer.id, chat_id, bot_ids: [bot_id] });
    const ofBot = await Promise.all([add(forum.id, front.id), add(second.id, front.id)]);
    expect(ofBot.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect(ofBot.find(({ status }) => status === 409)?.json).toMatchObject({
      details: [{ field: 'bot_ids' }],
    });
    const [taken] = await call<{ id: number; chat_id: number }[]>('/api/desks');
    const free = taken?.chat_id === forum.id ? second.id : forum.id;
    const ofForum = await Promise.all([add(free, writer.id), add(free, other.id)]);
    expect(ofForum.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    // A refused update costs no bot its desk.
    const desks = await call<{ id: number; bot_ids: number[] }[]>('/api/desks');
    const wanted = await addBot();
    const updates = await Promise.all(
      desks.map(({ id }) => ask('/api/desks/update', { id, bot_ids: [wanted.id] })),
    );
    expect(updates.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const refused = desks.find((_, index) => updates[index]?.status === 409);
    expect(await call('/api/desks')).toContainEqual(
      expect.objectContaining({ id: refused?.id, bot_ids: refused?.bot_ids }),
    );
    for (const { id } of await call<{ id: number }[]>('/api/desks')) {
      await ask(`/api/desks/delete?id=${id}`, undefined, { method: 'POST' });
    }
  });

  it('name what is missing, and refuse a second desk of a bot or a forum', async () => {
    const lead = await addPerson('Lead');
    const [writer, front] = [await addBot(), await addBot()];
    const forum = await forumOf(lead, writer, { can_delete_messages: true });
    const fields = { desk_bot_id: writer.id, chat_id: forum.id, bot_ids: [front.id] };
    const { id, problems } = await call<{ id: number; problems: { problem_detail: object }[] }>(
      '/api/desks/add',
      { name: 'Help', ...fields },
    );
    expect(problems.map(({ problem_detail: detail }) => detail)).toEqual([
      { code: 'desk_lacks_right', params: { right: 'can_manage_topics' } },
      { code: 'desk_lacks_right', params: { right: 'can_pin_messages' } },
    ]);
    const lacking = { id, problem: '', problems, checked_at: expect.stringMatching(/^20/) };
    expect(await call('/api/desks')).toMatchObject([lacking]);
    // What failed is repeated by the desk, and by nobody else.
    await say(await addPerson('Anna'), front, 'hello?');
    const failed = await vi.waitFor(
      async () => {
        const path = `/api/outbox?bot_id=${writer.id}&state=failed`;
        const [send] = await call<{ id: number }[]>(path);
        expect(send).toBeDefined();
        return send as { id: number };
      },
      { interval: 20 },
    );
    const again = await ask(`/api/outbox/send-again?id=${failed.id}`, undefined, {
      method: 'POST',
    });
    expect(again).toMatchObject({ status: 409 });
    await call('/api/sandbox/chats/promote', {
      chat: forum.id,
      user: writer.platformId,
      by: lead.id,
    });
    const checked = await ask(`/api/desks/check?id=${id}`, undefined, { method: 'POST' });
    expect(checked.json).toEqual({ problems: [] });
    expect(await call('/api/desks')).toMatchObject([{ id, problems: [] }]);
    await call(`/api/bots/toggle-disabled?id=${writer.id}`, {});
    expect(await call('/api/desks')).toMatchObject([
      { id, problems: [{ problem_detail: { code: 'desk_bot_disabled' } }] },
    ]);
    const add = (more: object) => ask('/api/desks/add', { name: 'More', ...fields, ...more });
    for (const [more, problem] of [
      [{ chat_id: -1001 }, `Bot ${front.id} belongs to desk ${id} (Help).`],
      [{ bot_ids: [writer.id] }, `The forum ${forum.id} belongs to desk ${id} (Help).`],
      [{}, `The forum ${forum.id} belongs to desk ${id} (Help).`],
    ] as const) {
      const { status, json } = await add(more);
      expect([status, JSON.stringify(json)]).toEqual([409, expect.stringContaining(problem)]);
    }
    expect(await add({ bot_ids: [999] })).toMatchObject({ status: 404 });
    expect(await add({ chat_id: 5 })).toMatchObject({ status: 400 });
    const { key } = await call<{ key: string }>('/api/auth/api-keys/create', {
      name: 'one bot',
      scope: 'manage',
      bot_ids: [writer.id],
    });
    const limited = await ask('/api/desks/update', { id, name: 'Mine' }, { key });
    expect(limited).toMatchObject({ status: 403 });
    expect((await ask('/api/desks', undefined, { key })).json).toMatchObject([{ bot_ids: [] }]);
  });
});
