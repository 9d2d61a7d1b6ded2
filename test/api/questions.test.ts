import { createHmac } from 'node:crypto';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { serve } from '../support/local-server.ts';
import { eitherDialect } from '../support/database/engines.ts';
import { type Person, type PracticeBot, serviceForAllTests } from '../support/whole-service.ts';

interface Asked {
  id: number;
  message_id: number;
  state: string;
  send_state: string;
  answer: string;
  answered_by: number;
  answered_at: string;
  expires_at: string;
  callback_state: string;
}

interface Shown {
  message_id: number;
  text: string;
  reply_markup?: { inline_keyboard: { text: string; callback_data: string }[][] };
}

describe.each(eitherDialect)('a question on %s', (dialect) => {
  const { ask, call, addBot, addPerson, addRoute, say, seen } = serviceForAllTests(dialect, {
    RELAY_BACKENDS: 'private-ok',
  });
  const soon = <T>(check: () => Promise<T>) => vi.waitFor(check, { interval: 20 });

  const get = (id: number, timeout = 0) => call<Asked>(`/api/ask?id=${id}&timeout=${timeout}`);
  /** Asks, and waits until the message is there. */
  async function question(body: object): Promise<Asked> {
    const { id } = await call<Asked>('/api/ask', { text: 'Refund?', ...body });
    return soon(async () => {
      const asked = await get(id);
      expect(asked.send_state).toBe('sent');
      return asked;
    });
  }
  const options = ['Approve', 'Reject'];
  /** A bot with a person who has talked to it. */
  async function start(settings: object = {}) {
    const bot = await addBot({ manage_enabled: true, ...settings });
    const ann = await addPerson('Ann');
    await say(ann, bot, '/start');
    await stored(bot, ann.id, '/start');
    return { bot, ann, to: { bot_id: bot.id, chat_id: ann.id } };
  }
  const stored = (bot: PracticeBot, chatId: number, text: string) =>
    soon(async () => {
      const path = `/api/messages?bot_id=${bot.id}&chat_id=${chatId}`;
      const found = await call<Shown[]>(path);
      expect(found.map((one) => one.text)).toContain(text);
    });
  async function addGroup(bot: PracticeBot, ...people: Person[]) {
    const [owner, ...others] = people.map(({ id }) => id);
    const members = [...others, bot.platformId];
    const body = { owner, members, title: 'Team', type: 'group' };
    return (await call<{ id: number }>('/api/sandbox/chats/create', body)).id;
  }
  /** Presses, and returns what Telegram shows to the person. */
  async function press(person: Person, chat: number, messageId: number, button: string) {
    const pressed = { user: person.id, chat, message_id: messageId, button };
    const { id } = await call<{ id: string }>('/api/sandbox/press', pressed);
    return soon(async () => {
      const answer = await call<{ text?: string; pending?: true }>(
        `/api/sandbox/callback-answer?id=${id}`,
      );
      expect(answer.pending).toBeUndefined();
      return answer.text;
    });
  }
  const shows = (person: Person, chat: number, text: string) =>
    soon(async () => {
      const messages = await seen<Shown>(person, chat);
      expect(messages.map((one) => one.text)).toContain(text);
      return messages.find((one) => one.text === text) as Shown;
    });

  it('is answered by the first press, which the waiting client gets at once', async () => {
    const { ann, bot, to } = await start();
    const asked = await question({ ...to, options });
    expect(asked).toMatchObject({ state: 'open', answer: '', answered_by: 0, answered_at: '' });
    const waits = get(asked.id, 50);
    expect(await press(ann, bot.platformId, asked.message_id, 'Approve')).toBe('Approve');
    const answer = { state: 'answered', answer: 'Approve', answered_by: ann.id };
    expect(await waits).toMatchObject(answer);
    const { reply_markup } = await shows(ann, bot.platformId, 'Refund?\n\n✅ Approve (Ann)');
    expect(reply_markup).toBeUndefined();
    expect(await get(asked.id, 50)).toMatchObject(answer);
  });

  it('is answered in a private chat by the next message, but not by a command', async () => {
    const { ann, bot, to } = await start();
    const asked = await question({ ...to, text: 'Which colour?' });
    await say(ann, bot, '/help');
    await stored(bot, ann.id, '/help');
    expect(await get(asked.id)).toMatchObject({ state: 'open' });
    await say(ann, bot, 'Blue');
    expect(await get(asked.id, 50)).toMatchObject({ answer: 'Blue', answered_by: ann.id });
    await shows(ann, bot.platformId, 'Which colour?\n\n✅ Answered by Ann.');
    // The archive has it.
    await stored(bot, ann.id, 'Blue');
  });

  it('is not answered by messages that could answer two', async () => {
    const { ann, bot, to } = await start();
    const first = await question({ ...to, text: 'One?' });
    const second = await question({ ...to, text: 'Two?' });
    await say(ann, bot, 'Both');
    await stored(bot, ann.id, 'Both');
    expect([(await get(first.id)).state, (await get(second.id)).state]).toEqual(['open', 'open']);
    const reply = { user: ann.id, chat: bot.platformId, text: 'The first' };
    await call('/api/sandbox/say', { ...reply, reply_to: first.message_id });
    expect(await get(first.id, 50)).toMatchObject({ answer: 'The first' });
    expect((await get(second.id)).state).toBe('open');
  });

  it('is for the people it names: others are refused, in words', async () => {
    const { ann, bot } = await start();
    const bob = await addPerson('Bob');
    const chat = await addGroup(bot, ann, bob);
    const to = { bot_id: bot.id, chat_id: chat, user_ids: [bob.id] };
    const asked = await question({ ...to, options });
    expect(await press(ann, chat, asked.message_id, 'Reject')).toContain('for somebody else');
    expect((await get(asked.id)).state).toBe('open');
    expect(await press(bob, chat, asked.message_id, 'Reject')).toBe('Reject');
    expect(await get(asked.id)).toMatchObject({ answer: 'Reject', answered_by: bob.id });
    const free = await question({ ...to, text: 'Why?' });
    await shows(bob, chat, 'Why?\n\n↩️ Reply to this message to answer.');
    const reply = { chat, reply_to: free.message_id };
    await call('/api/sandbox/say', { ...reply, user: ann.id, text: 'Not asked' });
    await stored(bot, chat, 'Not asked');
    await call('/api/sandbox/say', { chat, user: bob.id, text: 'Not a reply' });
    expect((await get(free.id)).state).toBe('open');
    await call('/api/sandbox/say', { ...reply, user: bob.id, text: 'Too late' });
    expect(await get(free.id, 50)).toMatchObject({ answer: 'Too late', answered_by: bob.id });
  });

  it('does nothing for forged buttons, another message or another chat', async () => {
    const { ann, bot, to } = await start();
    const asked = await question({ ...to, options });
    const message = (await seen<Shown>(ann, bot.platformId)).at(-1);
    const data = message?.reply_markup?.inline_keyboard[0]?.[0]?.callback_data ?? '';
    expect(data).toMatch(/^bot-relay:ask:/);
    const bob = await addPerson('Bob');
    await say(bob, bot, '/start');
    await stored(bot, bob.id, '/start');
    const forged = data.replace(/:[\w-]{16}:/, ':AAAAAAAAAAAAAAAA:');
    const tries = [
      [ann, forged],
      [ann, data],
      [bob, data],
      [ann, data.replace(/\d$/, '9')],
      [ann, 'bot-relay:ask:1'],
    ] as const;
    for (const [person, callback_data] of tries) {
      // An app of the bot can send any button.
      const sent = await call<{ result: Shown }>(`/bot${bot.token}/sendMessage`, {
        chat_id: person.id,
        text: 'x',
        reply_markup: { inline_keyboard: [[{ text: 'x', callback_data }]] },
      });
      if (callback_data !== 'bot-relay:ask:1') {
        const told = await press(person, bot.platformId, sent.result.message_id, 'x');
        expect(told).toBe('This question is gone.');
      }
    }
    expect(await get(asked.id)).toMatchObject({ state: 'open', answer: '' });
  });

  it('takes one answer, however many press at once', async () => {
    const { ann, bot } = await start();
    const others = await Promise.all([1, 2, 3, 4].map((name) => addPerson(`P${name}`)));
    const chat = await addGroup(bot, ann, ...others);
    const asked = await question({ bot_id: bot.id, chat_id: chat, options });
    const told = await Promise.all(
      others.map((person, index) =>
        press(person, chat, asked.message_id, options[index % 2] as string).catch(
          () => 'no button',
        ),
      ),
    );
    const winners = told.filter((text) => options.includes(text ?? ''));
    expect(winners).toHaveLength(1);
    const { answer } = await get(asked.id);
    expect(answer).toBe(winners[0]);
  });

  it('expires, and its message says so', async () => {
    const { ann, bot, to } = await start();
    const expires_at = new Date(Date.now() + 1_500).toISOString();
    const { id } = await call<Asked>('/api/ask', { ...to, text: 'Quick?', options, expires_at });
    expect(await get(id, 50)).toMatchObject({ state: 'expired', answer: '', answered_at: '' });
    await shows(ann, bot.platformId, 'Quick?\n\n⌛ Expired without an answer.');
  });

  it('is cancelled once, and an answer stays an answer', async () => {
    const { ann, bot, to } = await start();
    const asked = await question({ ...to, options });
    const waits = get(asked.id, 50);
    const path = `/api/ask/cancel?id=${asked.id}`;
    expect((await ask(path, undefined, { method: 'POST' })).status).toBe(200);
    expect(await waits).toMatchObject({ state: 'cancelled' });
    await shows(ann, bot.platformId, 'Refund?\n\n✖️ Cancelled.');
    const other = await question({ ...to, text: 'Again?', options });
    await press(ann, bot.platformId, other.message_id, 'Reject');
    const late = await ask(`/api/ask/cancel?id=${other.id}`, undefined, { method: 'POST' });
    expect(late.json).toMatchObject({ state: 'answered', answer: 'Reject' });
  });

  it('calls its callback URL, signed, until it is taken', async () => {
    const got: { headers: Record<string, unknown>; body: string }[] = [];
    const server = await serve(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      got.push({ headers: request.headers, body });
      response.writeHead(got.length === 1 ? 500 : 204).end();
    });
    onTestFinished(server.close);
    const secret_token = 'a_secret_of_the_backend';
    const { ann, bot, to } = await start({ secret_token });
    const asked = await question({ ...to, options, callback_url: `${server.url}/answers` });
    await press(ann, bot.platformId, asked.message_id, 'Approve');
    await soon(async () => expect((await get(asked.id)).callback_state).toBe('delivered'));
    expect(got).toHaveLength(2);
    const { headers, body } = got[1] as (typeof got)[0];
    const id = `ask_${asked.id}`;
    expect(headers['webhook-id']).toBe(id);
    const signed = createHmac('sha256', secret_token)
      .update(`${id}.${String(headers['webhook-timestamp'])}.${body}`)
      .digest('base64');
    expect(headers['webhook-signature']).toBe(`v1,${signed}`);
    expect(JSON.stringify(headers)).not.toContain(secret_token);
    expect(JSON.parse(body)).toMatchObject({
      type: 'question.answered',
      data: { id: asked.id, state: 'answered', answer: 'Approve', answered_by: ann.id },
    });
  });

  it('is seen by no app and no route, and makes nobody wait', async () => {
    const { ann, bot, to } = await start({ long_poll_enabled: true });
    const target = await addBot({ manage_enabled: true });
    await say(ann, target, '/start');
    await addRoute(bot, target, { target_chat_id: ann.id });
    const asked = await question({ ...to, text: 'Which size?' });
    await say(ann, bot, 'Large');
    await get(asked.id, 50);
    const choice = await question({ ...to, options });
    await press(ann, bot.platformId, choice.message_id, 'Approve');
    const { unanswered_since } = await call<{ unanswered_since: string }>(
      `/api/chats/get?bot_id=${bot.id}&chat_id=${ann.id}`,
    );
    expect(unanswered_since).toBe('');
    await say(ann, bot, 'For everybody');
    const { result } = await call<{ result: { message?: { text: string } }[] }>(
      `/bot${bot.token}/getUpdates`,
      { timeout: 20 },
    );
    expect(result.flatMap(({ message }) => message?.text ?? 'press')).not.toContain('Large');
    expect(result.every(({ message }) => message !== undefined)).toBe(true);
    await shows(ann, target.platformId, 'For everybody');
    const routed = (await seen<Shown>(ann, target.platformId)).map(({ text }) => text);
    expect(routed).not.toContain('Large');
  });

  it('is asked once for each Idempotency-Key', async () => {
    const { to } = await start();
    const body = { ...to, text: 'Once?', options };
    const as = { headers: { 'idempotency-key': `once ${to.bot_id}` } };
    const [first, second] = await Promise.all([1, 2].map(() => ask('/api/ask', body, as)));
    const idOf = (answer: { json: unknown } | undefined) => (answer?.json as Asked | undefined)?.id;
    expect(idOf(second)).toBe(idOf(first));
    // A script gives the time of expiry anew with each try.
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const later = await ask('/api/ask', { ...body, expires_at }, as);
    expect(idOf(later)).toBe(idOf(first));
    const other = await ask('/api/ask', { ...body, text: 'Twice?' }, as);
    expect(other).toMatchObject({ status: 409, json: { code: 'idempotency_mismatch' } });
  });

  it('is checked field by field', async () => {
    const { to } = await start();
    const body = { ...to, text: 'x' };
    const day = 86_400_000;
    const wrong = [
      { text: '' },
      { text: ' ' },
      { text: 'x'.repeat(4_097) },
      { options: [] },
      { options: ['one'] },
      { options: ['same', 'same'] },
      { options: Array.from({ length: 11 }, (_, index) => String(index)) },
      { options: ['', 'x'] },
      { options: ['x'.repeat(65), 'y'] },
      { user_ids: [] },
      { expires_at: new Date(Date.now() - 1_000).toISOString() },
      { expires_at: new Date(Date.now() + 31 * day).toISOString() },
      { callback_url: 'ftp://example.com' },
      { callback_url: 'http://169.254.169.254/' },
    ];
    for (const fields of wrong) {
      const { status } = await ask('/api/ask', { ...body, ...fields });
      expect(status, JSON.stringify(fields)).toBe(400);
    }
    const unsigned = await ask('/api/ask', { ...body, callback_url: 'https://example.com/a' });
    expect(unsigned).toMatchObject({
      status: 400,
      json: { details: [{ field: 'callback_url', reason_code: 'calls_not_signed' }] },
    });
    expect((await ask('/api/ask', { ...body, bot_id: 999 })).status).toBe(404);
    expect((await ask('/api/ask?id=1')).status).toBe(404);
    expect((await ask('/api/ask/cancel?id=1', undefined, { method: 'POST' })).status).toBe(404);
  });

  it('needs the scope and the bot', async () => {
    const { to } = await start();
    const other = await addBot();
    const { id } = await call<Asked>('/api/ask', { ...to, text: 'x', options });
    const keyFor = async (scope: string, bot_ids?: number[]) =>
      (
        await call<{ key: string }>('/api/auth/api-keys', {
          name: scope,
          scope,
          ...(bot_ids ? { bot_ids } : {}),
        })
      ).key;
    const read = await keyFor('read');
    expect((await ask('/api/ask', { ...to, text: 'x' }, { key: read })).status).toBe(403);
    expect((await ask(`/api/ask?id=${id}`, undefined, { key: read })).status).toBe(200);
    const limited = await keyFor('send', [other.id]);
    expect((await ask('/api/ask', { ...to, text: 'x' }, { key: limited })).status).toBe(403);
    expect((await ask(`/api/ask?id=${id}`, undefined, { key: limited })).status).toBe(403);
    expect((await ask('/api/ask/list', undefined, { key: limited })).json).toEqual([]);
    const listed = await call<Asked[]>(`/api/ask/list?bot_id=${to.bot_id}&state=open&limit=1`);
    expect(listed.map((one) => one.id)).toEqual([id]);
  });
});
