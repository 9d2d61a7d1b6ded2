import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { localCaller } from '../../src/core/access.ts';
import type { StoredMessage } from '../../src/store/messages.ts';
import {
  type ApiUser,
  type DomainApp,
  nowhere,
  startDomainApp,
  startSilentServer,
} from '../support/domain-app.ts';
import { dialects } from '../support/engines.ts';
import { advanceUntil } from '../support/manual-clock.ts';
import { archived } from '../support/store.ts';

describe.each(dialects)('messages over HTTP on %s', (dialect) => {
  let app: DomainApp;
  let sender: ApiUser;

  beforeAll(async () => {
    app = await startDomainApp(dialect);
    sender = await app.user('send');
  });
  afterAll(() => app.close());
  afterEach(() => {
    app.movePlatform(app.platformUrl);
    app.sandbox.faults.clear();
  });

  const send = (body: unknown, key?: string) =>
    sender.post<StoredMessage>(
      '/api/messages/send',
      body,
      key === undefined ? {} : { 'idempotency-key': key },
    );
  const list = async (query: string) => sender.get<StoredMessage[]>(`/api/messages?${query}`);
  /** How it ends, with time passing while it runs. */
  const timed = async <T>(work: Promise<T>) => {
    let ended = false;
    const outcome = Promise.allSettled([work]).finally(() => {
      ended = true;
    });
    await advanceUntil(app.clock, () => ended, 100);
    return (await outcome)[0];
  };
  /** What the bot has said on the platform. */
  const saidBy = (platformId: number) => {
    const texts: string[] = [];
    app.sandbox.onChange((change) => {
      if (change.type === 'message_added' && change.message.from?.id === platformId) {
        texts.push(change.message.text ?? '');
      }
    });
    return texts;
  };

  it('sends through the platform, stores the answer and gives what is stored', async () => {
    const bot = await app.talkingBot();
    const said = saidBy(bot.platformId);
    const text = 'hello 😀 "quoted"';
    const { status, body } = await send({ bot_id: bot.id, chat_id: bot.chatId, text });
    expect(status).toBe(200);
    expect(said).toEqual([text]);
    expect(body).toMatchObject({
      chat_id: bot.chatId,
      bot_id: bot.id,
      user_id: bot.platformId,
      text,
    });
    expect(body).not.toHaveProperty('reply_to_message_id');
    expect(body).not.toHaveProperty('media_type');
    expect((await list(`chat_id=${bot.chatId}&bot_id=${bot.id}`)).body).toEqual([body]);
  });

  it('replies', async () => {
    const bot = await app.talkingBot();
    const first = await send({ bot_id: bot.id, chat_id: bot.chatId, text: 'one' });
    const { body } = await send({
      bot_id: bot.id,
      chat_id: bot.chatId,
      text: 'two',
      reply_to_message_id: first.body.id,
    });
    expect(body.reply_to_message_id).toBe(first.body.id);
    expect(Object.keys(body)).toEqual([
      'id',
      'chat_id',
      'bot_id',
      'user_id',
      'username',
      'first_name',
      'last_name',
      'text',
      'date',
      'reply_to_message_id',
    ]);
  });

  it('sends into groups, whose ids are negative', async () => {
    const bot = await app.talkingBot();
    const group = app.sandbox.createChat({
      title: 'Team',
      owner: bot.chatId,
      members: [bot.platformId],
    });
    const { status, body } = await send({ bot_id: bot.id, chat_id: group.id, text: 'all' });
    expect(status).toBe(200);
    expect(body.chat_id).toBe(group.id);
    expect(body.chat_id).toBeLessThan(0);
  });

  it('takes 4096 UTF-16 units and not one more', async () => {
    const bot = await app.talkingBot();
    const to = { bot_id: bot.id, chat_id: bot.chatId };
    expect((await send({ ...to, text: '😀'.repeat(2_048) })).status).toBe(200);
    const long = await send({ ...to, text: `${'😀'.repeat(2_048)}x` });
    expect(long).toMatchObject({ status: 400, body: { details: [{ field: 'text' }] } });
    expect((await send({ ...to, text: '' })).status).toBe(400);
  });

  it.each([
    ['chat_id', { chat_id: 0 }],
    ['chat_id', { chat_id: '5' }],
    ['chat_id', { chat_id: 2 ** 53 }],
    ['bot_id', { bot_id: 0 }],
    ['bot_id', { bot_id: -1 }],
    ['reply_to_message_id', { reply_to_message_id: 0 }],
    ['text', { text: 'a\u0000b' }],
    ['text', { text: '\ud800' }],
    ['text', { text: null }],
    ['parse_mode', { parse_mode: 'HTML' }],
  ])('refuses a bad %s by name and sends nothing', async (field, fields) => {
    const bot = await app.talkingBot();
    const said = saidBy(bot.platformId);
    const { status, body } = await send({
      bot_id: bot.id,
      chat_id: bot.chatId,
      text: 'x',
      ...fields,
    });
    expect(status).toBe(400);
    expect(body).toMatchObject({ details: [{ field }] });
    expect(said).toEqual([]);
  });

  it('passes the platform’s refusal on in its own words', async () => {
    const bot = await app.talkingBot();
    const { status, body } = await send({ bot_id: bot.id, chat_id: 999_999, text: 'x' });
    expect(status).toBe(422);
    expect(body).toMatchObject({
      code: 'platform_refused',
      platform: { error_code: 400, description: 'Bad Request: chat not found' },
    });
  });

  it('passes on how long the platform wants it to wait', async () => {
    const bot = await app.talkingBot();
    app.sandbox.fault({ kind: 'too_many_requests', retryAfterSeconds: 7, botId: bot.platformId });
    const { status, headers, body } = await send({
      bot_id: bot.id,
      chat_id: bot.chatId,
      text: 'x',
    });
    expect(status).toBe(429);
    expect(headers['retry-after']).toBe('7');
    expect(body).toMatchObject({ code: 'platform_rate_limited' });
  });

  it('tells a platform that is not there from one that never answered', async () => {
    const bot = await app.talkingBot();
    const message = { bot_id: bot.id, chat_id: bot.chatId, text: 'x' };
    app.sandbox.fault({ kind: 'reset_after', botId: bot.platformId, times: 1 });
    expect(await send(message)).toMatchObject({ status: 504, body: { code: 'platform_timeout' } });
    app.movePlatform(nowhere);
    expect(await send(message)).toMatchObject({
      status: 502,
      body: { code: 'platform_unreachable' },
    });
  });

  it('does not send through a disabled bot, nor through none', async () => {
    const bot = await app.talkingBot();
    await app.store.bots.toggle(bot.id, 1);
    const message = { bot_id: bot.id, chat_id: bot.chatId, text: 'x' };
    expect(await send(message)).toMatchObject({ status: 409, body: { code: 'bot_disabled' } });
    expect(await send({ ...message, bot_id: 999_999 })).toMatchObject({
      status: 404,
      body: { code: 'bot_not_found' },
    });
  });

  it('leaves sending to those who may', async () => {
    const bot = await app.talkingBot();
    const message = { bot_id: bot.id, chat_id: bot.chatId, text: 'x' };
    const reader = await app.user('read');
    expect((await reader.post('/api/messages/send', message)).status).toBe(403);
    const limited = await app.user('send', [(await app.talkingBot()).id]);
    expect(await limited.post('/api/messages/send', message)).toMatchObject({
      status: 403,
      body: { code: 'bot_not_allowed' },
    });
    const query = `/api/messages?chat_id=${bot.chatId}&bot_id=${bot.id}`;
    expect((await limited.get(query)).status).toBe(403);
  });

  describe('with an Idempotency-Key', () => {
    const once = (key: string, signal = new AbortController().signal) => ({ key, signal });

    it('sends once and answers the same, also when asked at once', async () => {
      const bot = await app.talkingBot();
      const said = saidBy(bot.platformId);
      const message = { bot_id: bot.id, chat_id: bot.chatId, text: 'once' };
      const answers = await Promise.all([1, 2, 3].map(() => send(message, `at once ${bot.id}`)));
      answers.push(await send(message, `at once ${bot.id}`));
      expect(said).toEqual(['once']);
      for (const { status, body } of answers) {
        expect(status).toBe(200);
        expect(body).toEqual(answers[0]?.body);
      }
      await send(message, `another ${bot.id}`);
      expect(said).toEqual(['once', 'once']);
    });

    it('refuses the key with another body', async () => {
      const bot = await app.talkingBot();
      const said = saidBy(bot.platformId);
      const message = { bot_id: bot.id, chat_id: bot.chatId, text: 'first' };
      await send(message, `mine ${bot.id}`);
      expect(await send({ ...message, text: 'second' }, `mine ${bot.id}`)).toMatchObject({
        status: 409,
        body: { code: 'idempotency_mismatch' },
      });
      expect(said).toEqual(['first']);
    });

    it('keeps keys of different callers apart', async () => {
      const bot = await app.talkingBot();
      const said = saidBy(bot.platformId);
      const message = { bot_id: bot.id, chat_id: bot.chatId, text: 'x' };
      const other = await app.user('send');
      await send(message, 'shared');
      await other.post('/api/messages/send', message, { 'idempotency-key': 'shared' });
      expect(said).toEqual(['x', 'x']);
    });

    it('lets a send that surely failed be tried again', async () => {
      const bot = await app.talkingBot();
      const message = { bot_id: bot.id, chat_id: bot.chatId, text: 'x' };
      app.movePlatform(nowhere);
      expect((await send(message, `again ${bot.id}`)).status).toBe(502);
      app.movePlatform(app.platformUrl);
      expect((await send(message, `again ${bot.id}`)).status).toBe(200);
    });

    it('never repeats a send whose outcome is unknown', async () => {
      const bot = await app.talkingBot();
      const said = saidBy(bot.platformId);
      const message = { bot_id: bot.id, chat_id: bot.chatId, text: 'x' };
      app.sandbox.fault({ kind: 'reset_after', botId: bot.platformId, times: 1 });
      for (let time = 0; time < 3; time++) {
        expect(await send(message, `unknown ${bot.id}`)).toMatchObject({
          status: 504,
          body: { code: 'platform_timeout' },
        });
      }
      expect(said).toEqual(['x']);
    });

    it('reports a send cut off by a crash as unknown, and does not repeat it', async () => {
      const bot = await app.talkingBot();
      const said = saidBy(bot.platformId);
      const message = { bot_id: bot.id, chat_id: bot.chatId, text: 'x' };
      // The first node dies in the middle: its send never ends, its record stays.
      const silent = await startSilentServer();
      app.movePlatform(silent.url);
      app
        .otherNode()
        .send(localCaller, message, once(`crash ${bot.id}`))
        .catch(() => {});
      await silent.asked;
      app.movePlatform(app.platformUrl);
      const retried = await timed(
        app.otherNode().send(localCaller, message, once(`crash ${bot.id}`)),
      );
      expect(retried).toMatchObject({ status: 'rejected', reason: { code: 'platform_timeout' } });
      expect(said).toEqual([]);
      await silent.close();
    });

    it('waits for another node no longer than its caller does', async () => {
      const bot = await app.talkingBot();
      const message = { bot_id: bot.id, chat_id: bot.chatId, text: 'x' };
      const silent = await startSilentServer();
      app.movePlatform(silent.url);
      const key = `left ${bot.id}`;
      app
        .otherNode()
        .send(localCaller, message, once(key))
        .catch(() => {});
      await silent.asked;
      // Two wait together; the one who leaves takes the other's wait along only as the last.
      const node = app.otherNode();
      const [first, second] = [new AbortController(), new AbortController()];
      const outcomes = [first, second].map(({ signal }) =>
        node.send(localCaller, message, once(key, signal)).then(
          () => 'sent',
          (error: Error) => error.message,
        ),
      );
      first.abort(new Error('the first left'));
      expect(await outcomes[0]).toBe('the first left');
      await app.clock.advance(500);
      second.abort(new Error('the second left'));
      expect(await outcomes[1]).toBe('the second left');
      // Nothing waits any more: whoever asks next looks anew.
      const late = new AbortController();
      late.abort(new Error('too late'));
      await expect(node.send(localCaller, message, once(key, late.signal))).rejects.toThrow(
        'too late',
      );
      await silent.close();
    });

    it('gives the answer of another node that is still at it', async () => {
      const bot = await app.talkingBot();
      const said = saidBy(bot.platformId);
      const message = { bot_id: bot.id, chat_id: bot.chatId, text: 'x' };
      const sends = [app.otherNode(), app.otherNode()].map((node) =>
        node.send(localCaller, message, once(`nodes ${bot.id}`)),
      );
      const [first, second] = await Promise.all(sends.map(timed));
      expect(first).toMatchObject({ status: 'fulfilled', value: { text: 'x' } });
      expect(second).toEqual(first);
      expect(said).toEqual(['x']);
    });

    it('forgets a key after 24 hours', async () => {
      const bot = await app.talkingBot();
      const said = saidBy(bot.platformId);
      const message = { bot_id: bot.id, chat_id: bot.chatId, text: 'x' };
      await send(message, `day ${bot.id}`);
      await app.clock.advance(24 * 60 * 60_000 - 1);
      await send(message, `day ${bot.id}`);
      expect(said).toHaveLength(1);
      await app.clock.advance(2);
      await send(message, `day ${bot.id}`);
      expect(said).toHaveLength(2);
    });

    it('refuses an empty or overlong key', async () => {
      const bot = await app.talkingBot();
      const message = { bot_id: bot.id, chat_id: bot.chatId, text: 'x' };
      for (const key of ['', 'k'.repeat(256)]) {
        expect(await send(message, key)).toMatchObject({
          status: 400,
          body: { details: [{ field: 'idempotency-key' }] },
        });
      }
    });
  });

  describe('listed', () => {
    const chatId = -1_001_111;
    let botId: number;

    beforeAll(async () => {
      botId = (await app.talkingBot()).id;
      await app.store.messages.archive(
        Array.from({ length: 260 }, (_, index) =>
          archived(botId, {
            message_id: index + 1,
            date: 1_000 + Math.floor(index / 2),
            chat: { id: chatId, type: 'supergroup', title: 'Team' },
            text: `message ${index + 1}`,
          }),
        ),
        1,
      );
    });

    it('come newest first, 50 at a time, at most 200', async () => {
      const page = `chat_id=${chatId}&bot_id=${botId}`;
      const { body } = await list(page);
      expect(body.map(({ id }) => id)).toEqual(Array.from({ length: 50 }, (_, i) => 260 - i));
      expect((await list(`${page}&limit=200`)).body).toHaveLength(200);
      expect((await list(`${page}&limit=201`)).body).toHaveLength(200);
      expect((await list(`${page}&limit=100000`)).body).toHaveLength(200);
      expect((await list(`${page}&limit=3&offset=10`)).body.map(({ id }) => id)).toEqual([
        250, 249, 248,
      ]);
      expect((await list(`${page}&offset=1000`)).body).toEqual([]);
      expect((await list(`${page}&limit=2&before_id=100`)).body.map(({ id }) => id)).toEqual([
        99, 98,
      ]);
    });

    it.each([
      ['limit', 'limit=0'],
      ['limit', 'limit=-1'],
      ['limit', 'limit=1.5'],
      ['limit', 'limit=ten'],
      ['limit', 'limit='],
      ['limit', 'limit=5&limit=6'],
      ['limit', 'limit=9007199254740993'],
      ['offset', 'offset=-1'],
      ['offset', 'offset=x'],
      ['offset', 'offset=9007199254740993'],
      ['before_id', 'before_id=0'],
      ['ofset', 'ofset=1'],
    ])('refuse a bad %s (%s)', async (field, parameter) => {
      const { status, body } = await list(`chat_id=${chatId}&bot_id=${botId}&${parameter}`);
      expect(status).toBe(400);
      expect(body).toMatchObject({ details: [{ field }] });
    });

    it('need their chat and their bot', async () => {
      const { status, body } = await list('');
      expect(status).toBe(400);
      expect(body).toMatchObject({ details: [{ field: 'chat_id' }, { field: 'bot_id' }] });
    });

    it('are none in a chat without any, and unknown of a bot that is not there', async () => {
      expect((await list(`chat_id=5&bot_id=${botId}`)).body).toEqual([]);
      expect((await list('chat_id=5&bot_id=999999')).status).toBe(404);
      expect((await list(`chat_id=5&bot_id=${botId}&before_id=9`)).status).toBe(404);
    });
  });
});
