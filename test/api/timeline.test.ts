import { describe, expect, it, vi } from 'vitest';
import { createStore } from '../../src/store/store.ts';
import { createMessageTraceRepository } from '../../src/store/messages/message-traces.ts';
import { type Engine, raw } from '../../src/store/engine.ts';
import { dialects, createDatabase } from '../support/database/engines.ts';
import { serve } from '../support/local-server.ts';
import { type Person, type PracticeBot, serviceForAllTests } from '../support/whole-service.ts';

interface Step {
  kind: string;
  state: string;
  at: string;
  text: string;
  detail?: object;
  why?: { text: string };
  author?: { kind: string; name: string };
  target?: { bot_id: number; chat_id: number; message_id: number };
  action?: Record<string, unknown> & { type: string };
}
interface Timeline {
  mark: string;
  position: number;
  steps: Step[];
}

describe.each(dialects)('the timeline of a message on %s', (dialect) => {
  const rig = serviceForAllTests(dialect);
  const { ask, call, addBot, addPerson, addRoute, say, seen } = rig;

  const keyOf = (bot: PracticeBot, chat: Person, id: number) =>
    `bot_id=${bot.id}&chat_id=${chat.id}&message_id=${id}`;
  const timelineOf = (bot: PracticeBot, chat: Person, id: number) =>
    call<Timeline>(`/api/messages/timeline?${keyOf(bot, chat, id)}`);
  /** Waits until a person's message has this mark, and returns its timeline. */
  const once = (mark: string, bot: PracticeBot, chat: Person, id: number) =>
    vi.waitFor(
      async () => {
        const { status, json } = await ask(`/api/messages/timeline?${keyOf(bot, chat, id)}`);
        expect(status).toBe(200);
        expect((json as Timeline).mark, JSON.stringify(json)).toBe(mark);
        const marks = await call(
          `/api/messages/marks?bot_id=${bot.id}&chat_id=${chat.id}&ids=${id},999999`,
        );
        expect(marks).toEqual([{ bot_id: bot.id, chat_id: chat.id, id, mark }]);
        return json as Timeline;
      },
      { interval: 50 },
    );
  const shown = ({ steps }: Timeline) => steps.map(({ kind, state }) => `${kind} ${state}`);

  it('shows attempts at a backend that fails, the retry, the delivery and its answer', async () => {
    let isUp = false;
    const backend = await serve(async (request, reply) => {
      for await (const _ of request);
      if (!isUp) return void reply.writeHead(500).end();
      const answer = { method: 'sendMessage', chat_id: ann.id, text: 'Here it is' };
      reply.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
    });
    const ann = await addPerson('Ann');
    try {
      const bot = await addBot({
        manage_enabled: true,
        proxy_enabled: true,
        backend_url: backend.url,
      });
      const { message_id } = await say(ann, bot, 'Where is my order?');
      const failing = await vi.waitFor(async () => {
        const timeline = await once('waiting', bot, ann, message_id);
        expect(timeline.steps.some(({ action }) => action)).toBe(true);
        return timeline;
      });
      expect(shown(failing).slice(0, 3)).toEqual([
        'received done',
        'stored done',
        'attempt failed',
      ]);
      expect(failing.steps[2]?.why?.text).toContain('500');
      const { action } = failing.steps.at(-1) as Step;
      expect(action).toEqual({ type: 'retry_now', app: 'default', queue: `c${ann.id}` });
      isUp = true;
      await ask(`/api/deliveries/retry-now?bot_id=${bot.id}&queue=c${ann.id}`, undefined, {
        method: 'POST',
      });
      const delivered = await vi.waitFor(async () => {
        const timeline = await once('delivered', bot, ann, message_id);
        expect(timeline.steps.at(-1)?.kind).toBe('reply');
        return timeline;
      });
      const after = shown(delivered).filter((step) => step !== 'attempt failed');
      expect(after).toEqual([
        'received done',
        'stored done',
        'attempt delivered',
        'send delivered',
        'reply done',
      ]);
      expect(delivered.steps.at(-1)?.author).toMatchObject({ kind: 'backend', name: 'default' });
      const [first, ...others] = delivered.steps.slice(1).map(({ at }) => Date.parse(at));
      for (const at of others)
        expect(at).toBeGreaterThanOrEqual(Math.floor((first ?? 0) / 1000) * 1000);

      const answer = delivered.steps.at(-1)?.target?.message_id ?? 0;
      const ofAnswer = await timelineOf(bot, ann, answer);
      expect(ofAnswer.mark).toBe('delivered');
      expect(ofAnswer.steps[0]).toMatchObject({ kind: 'sent', author: { kind: 'backend' } });
    } finally {
      await backend.close();
    }
  });

  it('shows the app that claimed it, and whether it has read it', async () => {
    const bot = await addBot({ manage_enabled: true });
    const ann = await addPerson('Ann');
    const add = (name: string, more: object = {}) =>
      call<{ token: string }>('/api/bots/apps/add', { bot_id: bot.id, name, ...more });
    const crm = await add('crm', { filter: { keywords: ['order'] }, exclusive: true });
    const log = await add('log');
    const poll = (token: string, offset = 0) =>
      call<{ result: { update_id: number }[] }>(`/bot${token}/getUpdates`, { offset });
    await poll(crm.token);
    await poll(log.token);
    const claimed = await say(ann, bot, 'My order');
    const other = await say(ann, bot, 'Hello');
    const waiting = await once('waiting', bot, ann, claimed.message_id);
    expect(shown(waiting)).toEqual([
      'received done',
      'stored done',
      'claimed done',
      'reading waiting',
    ]);
    expect(waiting.steps[2]?.text).toContain('crm');
    const readAll = async (token: string) => {
      const last = (await poll(token)).result.at(-1)?.update_id ?? 0;
      await poll(token, last + 1);
    };
    await readAll(crm.token);
    await once('delivered', bot, ann, claimed.message_id);
    expect((await once('waiting', bot, ann, other.message_id)).steps.at(-1)?.text).toBe(
      'App log has not read it yet.',
    );
    await readAll(log.token);
    await once('delivered', bot, ann, other.message_id);
  });

  it('waits for a client of the bot itself only once it has confirmed something', async () => {
    const bot = await addBot({ manage_enabled: true, long_poll_enabled: true });
    const ann = await addPerson('Ann');
    const poll = (offset?: number) =>
      call<{ result: { update_id: number }[] }>(
        `/api/updates/poll?bot_id=${bot.id}${offset === undefined ? '' : `&offset=${offset}`}`,
      );
    const first = await say(ann, bot, 'Hello');
    await once('nobody', bot, ann, first.message_id);
    const { result } = await poll();
    expect(result).toHaveLength(1);
    await once('nobody', bot, ann, first.message_id);
    await poll((result[0]?.update_id ?? 0) + 1);
    await once('delivered', bot, ann, first.message_id);
    const second = await say(ann, bot, 'Anybody?');
    await once('waiting', bot, ann, second.message_id);
  });

  it('shows the route, the send that failed and the message at the other end', async () => {
    const [shop, staff] = [
      await addBot({ manage_enabled: true }),
      await addBot({ manage_enabled: true }),
    ];
    const [ann, sam, eve] = [
      await addPerson('Ann'),
      await addPerson('Sam'),
      await addPerson('Eve'),
    ];
    await say(sam, staff, '/start');
    const good = await addRoute(shop, staff, { target_chat_id: sam.id });
    const bad = await addRoute(shop, staff, { target_chat_id: eve.id });
    const { message_id } = await say(ann, shop, 'Refund, please');
    // Which of the two sends ends first differs.
    const timeline = await vi.waitFor(async () => {
      const now = await once('failed', shop, ann, message_id);
      expect(shown(now)).toContain('send delivered');
      return now;
    });
    const routes = timeline.steps.filter(({ kind }) => kind === 'route');
    expect(routes.map(({ action }) => action?.['route_id'])).toEqual([good.id, bad.id]);
    const [sent, failed] = timeline.steps.filter(({ kind }) => kind === 'send');
    expect(failed).toMatchObject({ state: 'failed', action: { type: 'send_again' } });
    expect(sent).toMatchObject({
      state: 'delivered',
      target: { bot_id: staff.id, chat_id: sam.id },
    });
    // From the copy, one finds the way back.
    const copy = await timelineOf(staff, sam, sent?.target?.message_id ?? 0);
    expect(copy.steps[0]).toMatchObject({
      author: { kind: 'route' },
      text: `Sent by route ${good.id}.`,
    });
    expect(copy.steps[1]?.target).toEqual({ bot_id: shop.id, chat_id: ann.id, message_id });

    const { key } = await call<{ key: string }>('/api/auth/api-keys', {
      name: 'staff only',
      scope: 'read',
      bot_ids: [staff.id],
    });
    const refused = await ask(`/api/messages/timeline?${keyOf(shop, ann, message_id)}`, undefined, {
      key,
    });
    expect(refused.status).toBe(403);
    const limited = await ask(
      `/api/messages/timeline?${keyOf(staff, sam, sent?.target?.message_id ?? 0)}`,
      undefined,
      { key },
    );
    expect((limited.json as Timeline).steps.every(({ target }) => target?.bot_id !== shop.id)).toBe(
      true,
    );
  });

  it('offers nothing, and names no chat, that the caller may not see', async () => {
    const [shop, staff] = [
      await addBot({ manage_enabled: true }),
      await addBot({ manage_enabled: true }),
    ];
    const [ann, eve] = [await addPerson('Ann'), await addPerson('Eve')];
    await addRoute(shop, staff, { target_chat_id: eve.id });
    const { message_id } = await say(ann, shop, 'Refund, please');
    await once('failed', shop, ann, message_id);
    const sendFor = async (limits: object) => {
      const wanted = { name: 'some', scope: 'send', ...limits };
      const { key } = await call<{ key: string }>('/api/auth/api-keys', wanted);
      const path = `/api/messages/timeline?${keyOf(shop, ann, message_id)}`;
      const { json } = await ask(path, undefined, { key });
      return (json as Timeline).steps.find(({ kind }) => kind === 'send');
    };
    const all = await sendFor({ read_chats: [ann.id, eve.id] });
    expect(all).toMatchObject({ action: { type: 'send_again' }, why: {} });
    const { action: _, ...withoutAction } = all as Step;
    expect(await sendFor({ bot_ids: [shop.id] })).toEqual(withoutAction);
    expect(await sendFor({ write_chats: [ann.id] })).toEqual(withoutAction);
    const { at } = all as Step;
    expect(await sendFor({ read_chats: [ann.id] })).toEqual({
      kind: 'send',
      state: 'failed',
      at,
      text: 'Send to a chat that you may not see: failed.',
      detail: { code: 'step_send_hidden', params: { state: 'failed' } },
    });
  });

  it('names the desk that shows it, keeps what is automatic from the answers, and says that a ban kept it out', async () => {
    const [shop, lead, ann] = [
      await addBot({ manage_enabled: true }),
      await addPerson('Lead'),
      await addPerson('Ann'),
    ];
    const forum = await call<{ id: number }>('/api/sandbox/chats/create', {
      title: 'Team',
      owner: lead.id,
      is_forum: true,
    });
    const promoted = { chat: forum.id, user: shop.platformId, by: lead.id };
    await call('/api/sandbox/chats/promote', promoted);
    const desk = await call<{ id: number }>('/api/desks/add', {
      name: 'Tea support',
      desk_bot_id: shop.id,
      chat_id: forum.id,
      bot_ids: [shop.id],
      ban_replies: [{ language: '', text: 'You cannot write here.' }],
    });
    const first = await say(ann, shop, 'Hello?');
    const timeline = await once('delivered', shop, ann, first.message_id);
    expect(timeline.steps.map(({ text }) => text)).toContain('Shown at desk Tea support.');
    interface Shown {
      text?: string;
      message_thread_id?: number;
    }
    const copy = (await seen<Shown>(lead, forum.id)).find(({ text }) => text === 'Hello?');
    const inTopic = (text: string) =>
      call('/api/sandbox/say', {
        user: lead.id,
        chat: forum.id,
        text,
        message_thread_id: copy?.message_thread_id,
      });
    await inTopic('/ban');
    const last = async () => (await seen<Shown>(ann, shop.platformId)).at(-1)?.text;
    await vi.waitFor(async () => expect(await last()).toBe('You cannot write here.'), {
      interval: 20,
    });
    expect((await timelineOf(shop, ann, first.message_id)).steps.at(-1)?.kind).not.toBe('reply');
    const banned = await say(ann, shop, 'Why?');
    const kept = await once('nobody', shop, ann, banned.message_id);
    expect(kept.steps.map(({ text }) => text)).toContain('Not shown in the topic: banned.');
    await inTopic('/unban');
    const back = await say(ann, shop, 'Thanks');
    await once('delivered', shop, ann, back.message_id);
    await once('nobody', shop, ann, banned.message_id);
    await ask(`/api/desks/delete?id=${desk.id}`, undefined, { method: 'POST' });
  });

  it('marks messages of any bots and chats at once, and only those that a key may see', async () => {
    const [shop, staff, closed] = [
      await addBot({ manage_enabled: true }),
      await addBot({ manage_enabled: true }),
      await addBot(),
    ];
    const [ann, ben] = [await addPerson('Ann'), await addPerson('Ben')];
    const said = [
      [shop, ann, await say(ann, shop, 'One')],
      [shop, ben, await say(ben, shop, 'Two')],
      [staff, ann, await say(ann, staff, 'Three')],
    ] as const;
    for (const [bot, person, { message_id }] of said) await once('nobody', bot, person, message_id);
    const all = said.map(([bot, person, { message_id: id }]) => ({
      bot_id: bot.id,
      chat_id: person.id,
      id,
      mark: 'nobody',
    }));
    const wanted = [
      ...all.map(({ bot_id, chat_id, id }) => `${bot_id}:${chat_id}:${id}`),
      `${shop.id}:${ann.id}:4711`,
      `${closed.id}:${ann.id}:1`,
      `999:${ann.id}:1`,
    ].join();
    const marksFor = async (key?: string) => {
      const path = `/api/messages/marks?messages=${wanted}`;
      return (await ask(path, undefined, key === undefined ? {} : { key })).json;
    };
    const keyWith = async (limits: object) =>
      (
        await call<{ key: string }>('/api/auth/api-keys', {
          name: 'some',
          scope: 'read',
          ...limits,
        })
      ).key;
    expect(await marksFor()).toEqual(all);
    expect(await marksFor(await keyWith({ bot_ids: [staff.id] }))).toEqual([all[2]]);
    const ofChat = await keyWith({ bot_ids: [shop.id], read_chats: [ben.id] });
    expect(await marksFor(ofChat)).toEqual([all[1]]);
    const refused = await ask(
      `/api/messages/marks?bot_id=${shop.id}&chat_id=${ann.id}&ids=1`,
      undefined,
      { key: ofChat },
    );
    expect(refused).toMatchObject({ status: 403, json: { code: 'chat_not_allowed' } });
    for (const query of ['', `ids=1&messages=${wanted}`, `bot_id=${shop.id}&ids=1`]) {
      const { status } = await ask(`/api/messages/marks?${query}`);
      expect(status).toBe(400);
    }
    expect((await ask('/api/messages/marks?messages=1:2')).status).toBe(400);
  });

  it('says if nobody was to get it, and what is not stored any more', async () => {
    const bot = await addBot({ manage_enabled: true });
    const ann = await addPerson('Ann');
    const { message_id } = await say(ann, bot, 'Anybody?');
    const timeline = await once('nobody', bot, ann, message_id);
    expect(timeline.steps.at(-1)?.text).toBe('No backend and no app receives it.');
    const unknown = await ask(`/api/messages/timeline?${keyOf(bot, ann, 4711)}`);
    expect(unknown).toMatchObject({ status: 404, json: { code: 'message_not_found' } });
    const refused = await ask(`/api/messages/marks?bot_id=${bot.id}&chat_id=1&ids=1,,2`);
    expect(refused.status).toBe(400);
  });
});

describe.each(dialects)('the way of updates on %s', (dialect) => {
  it('is found by index', async () => {
    const database = await createDatabase(dialect);
    const real = await database.open();
    const asked: { sql: string; parameters: readonly unknown[] }[] = [];
    const note = async (sql: string, parameters: readonly unknown[] = []) => {
      asked.push({ sql, parameters });
      return [];
    };
    const engine = {
      ...real,
      dialect: real.dialect,
      readRaw: note,
      readHeavy: note,
    } as unknown as Engine;
    const traces = createMessageTraceRepository(engine);
    const decisions = createStore(engine, {} as never).routing.decisions;
    await Promise.all([
      traces.positions(1, 1, [1, 2]),
      traces.updates(1, [1, 2], true),
      traces.readers(1),
      traces.retries(1, ['push'], [1, 2]),
      traces.deadLetters(1, ['push'], [1, 2]),
      traces.failures(1, 1, 20),
      traces.deliveries(1, 1, { fromMs: 1, toMs: 2 }),
      decisions.at(1, [1, 2]),
    ]);
    try {
      expect(asked).toHaveLength(8);
      for (const { sql, parameters } of asked) {
        const plan = JSON.stringify(
          await real.write(function* () {
            // PostgreSQL prefers to read small tables as a whole.
            if (dialect === 'postgres') yield* raw('set local enable_seqscan = off');
            const explain = dialect === 'sqlite' ? 'explain query plan' : 'explain';
            return yield* raw(`${explain} ${sql}`, parameters);
          }),
        );
        expect(plan, sql).not.toMatch(dialect === 'sqlite' ? /SCAN (?!json_each)/ : /Seq Scan/);
      }
    } finally {
      await real.close();
      await database.drop();
    }
  });
});
