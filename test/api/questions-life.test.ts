import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { localCaller } from '../../src/core/access/access.ts';
import { authorOf } from '../../src/core/messages/author.ts';
import type { Question } from '../../src/core/questions/question.ts';
import { createLogger } from '../../src/logger.ts';
import { createRetention } from '../../src/relay/log/retention.ts';
import { raw } from '../../src/store/engine.ts';
import type { NewQuestion } from '../../src/store/questions/questions.ts';
import { createTestStore } from '../support/database/store.ts';
import { eitherDialect } from '../support/database/engines.ts';
import { createManualClock } from '../support/manual-clock.ts';
import { type Person, type PracticeBot, serviceForAllTests } from '../support/whole-service.ts';

interface Asked {
  id: number;
  chat_id: number;
  message_id: number;
  state: string;
  send_state: string;
  answer: string;
}

interface Shown {
  message_id: number;
  text?: string;
}

const options = ['Yes', 'No'];

describe.each(eitherDialect)('an open question on %s', (dialect) => {
  const relay = serviceForAllTests(dialect);
  const { addBot, addPerson, ask, call, say, seen } = relay;
  const soon = <T>(check: () => Promise<T>) => vi.waitFor(check, { interval: 20 });
  const post = (path: string) => ask(path, undefined, { method: 'POST' });
  const get = (id: number, timeout = 0) => call<Asked>(`/api/ask?id=${id}&timeout=${timeout}`);

  async function start() {
    const bot = await addBot({ manage_enabled: true });
    const ann = await addPerson('Ann');
    await say(ann, bot, '/start');
    await stored(bot, ann.id, '/start');
    return { bot, ann, to: { bot_id: bot.id, chat_id: ann.id } };
  }
  const stored = (bot: PracticeBot, chatId: number, text: string) =>
    soon(async () => {
      const path = `/api/messages?bot_id=${bot.id}&chat_id=${chatId}`;
      expect((await call<Shown[]>(path)).map((one) => one.text)).toContain(text);
    });
  async function question(body: object): Promise<Asked> {
    const { id } = await call<Asked>('/api/ask', { text: 'Refund?', ...body });
    return sent(id);
  }
  const sent = (id: number) =>
    soon(async () => {
      const asked = await get(id);
      expect(asked.send_state).toBe('sent');
      return asked;
    });
  /** Presses, and returns what Telegram shows to the person. */
  async function press(person: Person, chat: number, message_id: number, button: string) {
    const pressed = { user: person.id, chat, message_id, button };
    const { id } = await call<{ id: string }>('/api/sandbox/press', pressed);
    return soon(async () => {
      const path = `/api/sandbox/callback-answer?id=${id}`;
      const answer = await call<{ text?: string; pending?: true }>(path);
      expect(answer.pending).toBeUndefined();
      return answer.text;
    });
  }

  it('is asked once more in the supergroup that its group becomes', async () => {
    const { ann, bot } = await start();
    const members = [bot.platformId];
    const body = { owner: ann.id, members, title: 'Team', type: 'group' };
    const { id: group } = await call<{ id: number }>('/api/sandbox/chats/create', body);
    const before = await question({ bot_id: bot.id, chat_id: group, options });
    const free = await question({ bot_id: bot.id, chat_id: group, text: 'Why?' });
    const upgrade = { user: ann.id, chat: group };
    const { id: next } = await call<{ id: number }>('/api/sandbox/chats/upgrade', upgrade);
    await soon(async () => expect((await get(before.id)).chat_id).toBe(next));
    const asked = await sent(before.id);
    expect(asked).toMatchObject({ state: 'open', answer: '' });
    await sent(free.id);
    expect(await press(ann, next, asked.message_id, 'No')).toBe('No');
    expect(await get(before.id)).toMatchObject({ state: 'answered', answer: 'No' });
    const reply_to = (await get(free.id)).message_id;
    await call('/api/sandbox/say', { user: ann.id, chat: next, text: 'Because', reply_to });
    expect(await get(free.id, 50)).toMatchObject({ state: 'answered', answer: 'Because' });
    const texts = (await seen<Shown>(ann, next)).map((one) => one.text);
    expect(texts.filter((text) => text?.startsWith('Refund?'))).toHaveLength(1);
  });

  it('is forgotten with its chat, and takes no answer any more', async () => {
    const { ann, bot, to } = await start();
    const asked = await question({ ...to, options });
    const free = await question({ ...to, text: 'Why?' });
    const waits = ask(`/api/ask?id=${asked.id}&timeout=50`);
    await call(`/api/chats/forget?bot_id=${bot.id}&chat_id=${ann.id}`, {});
    expect((await ask(`/api/ask?id=${free.id}`)).status).toBe(404);
    expect(await call(`/api/ask/list?bot_id=${bot.id}`)).toEqual([]);
    expect((await waits).status).toBe(404);
    const told = await press(ann, bot.platformId, asked.message_id, 'Yes');
    expect(told).toBe('This question is gone.');
    await say(ann, bot, 'For everybody');
    await stored(bot, ann.id, 'For everybody');
    const chat = await call<{ unanswered_since: string }>(
      `/api/chats/get?bot_id=${bot.id}&chat_id=${ann.id}`,
    );
    expect(chat.unanswered_since).not.toBe('');
  });

  it('goes with its bot, and tells those who wait', async () => {
    const { bot, to } = await start();
    const asked = await question({ ...to, options });
    const waits = ask(`/api/ask?id=${asked.id}&timeout=50`);
    expect((await post(`/api/bots/delete?id=${bot.id}`)).status).toBe(200);
    expect((await waits).status).toBe(404);
    expect((await post(`/api/ask/cancel?id=${asked.id}`)).status).toBe(404);
  });

  it('stays open while its bot is disabled, which asks nothing meanwhile', async () => {
    const { ann, bot, to } = await start();
    const once = { headers: { 'idempotency-key': `refund ${bot.id}` } };
    const { json } = await ask('/api/ask', { ...to, text: 'Refund?', options }, once);
    const asked = await sent((json as Asked).id);
    await post(`/api/bots/toggle-disabled?id=${bot.id}`);
    const refused = await ask('/api/ask', { ...to, text: 'x' });
    expect(refused).toMatchObject({ status: 409, json: { code: 'bot_disabled' } });
    const repeated = await ask('/api/ask', { ...to, text: 'Refund?', options }, once);
    expect(repeated).toMatchObject({ status: 200, json: { id: asked.id } });
    const pressed = { user: ann.id, chat: bot.platformId, message_id: asked.message_id };
    await call('/api/sandbox/press', { ...pressed, button: 'Yes' });
    expect(await get(asked.id)).toMatchObject({ state: 'open' });
    await post(`/api/bots/toggle-disabled?id=${bot.id}`);
    expect(await get(asked.id, 50)).toMatchObject({ state: 'answered', answer: 'Yes' });
  });
});

const isFull = (asked: unknown) => asked === 'full';

describe.each(eitherDialect)('questions of a store on %s', (dialect) => {
  const dayMs = 86_400_000;
  async function open() {
    const { store, close } = await createTestStore(dialect);
    onTestFinished(close);
    const bot = { token: '1:a', source: 'web' as const };
    const { id: botId } = await store.bots.insert(bot, 1_000);
    const ask = (nowMs: number, more: Partial<NewQuestion> = {}) =>
      store.questions.ask(
        {
          botId,
          chatId: 5,
          threadId: 0,
          text: 'Refund?',
          options,
          userIds: [],
          askedBy: authorOf(localCaller),
          nonce: 'n'.repeat(16),
          expiresAt: nowMs + dayMs,
          callbackUrl: '',
          ...more,
        },
        undefined,
        nowMs,
      );
    return { store, botId, ask };
  }

  it('are at most 1,000 open ones of a bot', async () => {
    const { ask, store } = await open();
    const [{ id } = { id: 0 }, ...others] = (await Promise.all(
      Array.from({ length: 8 }, () => ask(1_000)),
    )) as Question[];
    expect(new Set(others.map((one) => one.id)).size).toBe(7);
    // All others but one are copies, which takes less time than asking.
    await store.engine.write(() =>
      raw(
        `with recursive copies (number) as (
           select 1 union all select number + 1 from copies where number < 991)
         insert into questions (id, bot_id, chat_id, text, options, user_ids, asked_by, nonce, intent,
           created_at, expires_at)
         select number, bot_id, chat_id, text, options, user_ids, asked_by, nonce, 'copy', created_at,
           expires_at from copies, questions where id = $1`,
        [id],
      ),
    );
    expect((await Promise.all([ask(1_000), ask(1_000)])).map(isFull).toSorted()).toEqual([
      false,
      true,
    ]);
    await store.questions.end({ id, state: 'cancelled', nowMs: 2_000 });
    expect(await ask(2_000)).toMatchObject({ state: 'open' });
    expect(await ask(2_000)).toBe('full');
  });

  it('are kept for 30 days after they ended, and as long as their answer is not delivered', async () => {
    const { ask, store } = await open();
    const clock = createManualClock();
    const start = clock.now();
    const ids: number[] = [];
    for (const more of [{}, { callbackUrl: 'https://example.com/a' }, {}]) {
      ids.push(((await ask(start, { ...more, expiresAt: start + 90 * dayMs })) as Question).id);
    }
    const [ended = 0, uncalled = 0, stillOpen = 0] = ids;
    for (const id of [ended, uncalled]) {
      await store.questions.end({ id, state: 'cancelled', nowMs: start });
    }
    const retention = createRetention({
      repository: store.retention,
      clock,
      random: () => 0.5,
      logger: createLogger({ level: 'silent' }),
      limits: { maxAgeMs: 7 * dayMs, maxBytesPerBot: 1_000_000 },
    });
    const left = async () => {
      await retention.run();
      const rows = await store.questions.list({ botIds: null, chatIds: null, limit: 10 });
      return rows.map(({ id }) => id).toSorted((a, b) => a - b);
    };
    await clock.advance(29 * dayMs);
    expect(await left()).toEqual([ended, uncalled, stillOpen]);
    await clock.advance(2 * dayMs);
    expect(await left()).toEqual([uncalled, stillOpen]);
  });

  it('have their calls made though the clock was set back', async () => {
    const { ask, store } = await open();
    const nowMs = 100 * dayMs;
    const asked = (await ask(nowMs, { callbackUrl: 'https://example.com/a' })) as Question;
    await store.questions.end({ id: asked.id, state: 'expired', nowMs: nowMs + 2 * dayMs });
    const take = () =>
      store.questions.takeCalls(nowMs, nowMs + 60_000, { limit: 10, ofBot: 10, busy: [] });
    expect((await take()).map(({ id }) => id)).toEqual([asked.id]);
    expect(await take()).toEqual([]);
  });
});
