import { describe, expect, it } from 'vitest';
import { localCaller } from '../../src/core/access/access.ts';
import { nowhere, startSilentServer } from '../support/rigs/domain-app.ts';
import { dialects } from '../support/database/engines.ts';
import { advanceUntil } from '../support/manual-clock.ts';
import { messagesForAllTests } from '../support/rigs/message-rig.ts';

describe.each(dialects)('messages with an Idempotency-Key on %s', (dialect) => {
  const { app, send, sentBy } = messagesForAllTests(dialect);
  /** How it ends, with time passing while it runs. */
  const timed = async <T>(work: Promise<T>) => {
    let ended = false;
    const outcome = Promise.allSettled([work]).finally(() => {
      ended = true;
    });
    await advanceUntil(app().clock, () => ended, 100);
    return (await outcome)[0];
  };
  const once = (key: string, signal = new AbortController().signal) => ({ key, signal });

  it('sends once and answers the same, also when asked at once', async () => {
    const bot = await app().talkingBot();
    const sent = sentBy(bot.platformId);
    const message = { bot_id: bot.id, chat_id: bot.chatId, text: 'once' };
    const answers = await Promise.all([1, 2, 3].map(() => send(message, `at once ${bot.id}`)));
    answers.push(await send(message, `at once ${bot.id}`));
    expect(sent).toEqual(['once']);
    for (const { status, body } of answers) {
      expect(status).toBe(200);
      expect(body).toEqual(answers[0]?.body);
    }
    await send(message, `another ${bot.id}`);
    expect(sent).toEqual(['once', 'once']);
  });

  it('refuses the key with another body', async () => {
    const bot = await app().talkingBot();
    const sent = sentBy(bot.platformId);
    const message = { bot_id: bot.id, chat_id: bot.chatId, text: 'first' };
    await send(message, `mine ${bot.id}`);
    expect(await send({ ...message, text: 'second' }, `mine ${bot.id}`)).toMatchObject({
      status: 409,
      body: { code: 'idempotency_mismatch' },
    });
    expect(sent).toEqual(['first']);
  });

  it('counts formatting and buttons as part of the body', async () => {
    const bot = await app().talkingBot();
    const message = { bot_id: bot.id, chat_id: bot.chatId, text: '*x*', parse_mode: 'Markdown' };
    const key = `formatted ${bot.id}`;
    const first = await send(message, key);
    expect((await send(message, key)).body).toEqual(first.body);
    for (const other of [{ parse_mode: 'MarkdownV2' }, { protect_content: true }]) {
      expect((await send({ ...message, ...other }, key)).status).toBe(409);
    }
  });

  it('keeps keys of different callers apart', async () => {
    const bot = await app().talkingBot();
    const sent = sentBy(bot.platformId);
    const message = { bot_id: bot.id, chat_id: bot.chatId, text: 'x' };
    const other = await app().user('send');
    await send(message, 'shared');
    await other.post('/api/messages/send', message, { 'idempotency-key': 'shared' });
    expect(sent).toEqual(['x', 'x']);
  });

  it('lets a send that surely failed be tried again', async () => {
    const bot = await app().talkingBot();
    const message = { bot_id: bot.id, chat_id: bot.chatId, text: 'x' };
    app().movePlatform(nowhere);
    expect((await send(message, `again ${bot.id}`)).status).toBe(502);
    app().movePlatform(app().platformUrl);
    expect((await send(message, `again ${bot.id}`)).status).toBe(200);
  });

  it('never repeats a send whose outcome is unknown', async () => {
    const bot = await app().talkingBot();
    const sent = sentBy(bot.platformId);
    const message = { bot_id: bot.id, chat_id: bot.chatId, text: 'x' };
    app().sandbox.fault({ kind: 'reset_after', botId: bot.platformId, times: 1 });
    for (let time = 0; time < 3; time++) {
      expect(await send(message, `unknown ${bot.id}`)).toMatchObject({
        status: 504,
        body: { code: 'platform_timeout' },
      });
    }
    expect(sent).toEqual(['x']);
  });

  it('never repeats a send at which the platform failed', async () => {
    const bot = await app().talkingBot();
    const sent = sentBy(bot.platformId);
    const message = { bot_id: bot.id, chat_id: bot.chatId, text: 'x' };
    app().sandbox.fault({ kind: 'server_error', botId: bot.platformId, times: 1 });
    const first = await send(message, `failed ${bot.id}`);
    expect(first).toMatchObject({
      status: 504,
      body: { code: 'platform_timeout', platform: { error_code: 500 } },
    });
    expect(await send(message, `failed ${bot.id}`)).toMatchObject({ status: 504 });
    expect(sent).toEqual([]);
  });

  it('reports a send cut off by a crash as unknown, and does not repeat it', async () => {
    const bot = await app().talkingBot();
    const sent = sentBy(bot.platformId);
    const message = { bot_id: bot.id, chat_id: bot.chatId, text: 'x' };
    // The first node dies in the middle: its send never ends, its record stays.
    const silent = await startSilentServer();
    app().movePlatform(silent.url);
    app()
      .otherNode()
      .send(localCaller, message, once(`crash ${bot.id}`))
      .catch(() => {});
    await silent.asked;
    app().movePlatform(app().platformUrl);
    const retried = await timed(
      app()
        .otherNode()
        .send(localCaller, message, once(`crash ${bot.id}`)),
    );
    expect(retried).toMatchObject({ status: 'rejected', reason: { code: 'platform_timeout' } });
    expect(sent).toEqual([]);
  });

  it('waits for another node no longer than its caller does', async () => {
    const bot = await app().talkingBot();
    const message = { bot_id: bot.id, chat_id: bot.chatId, text: 'x' };
    const silent = await startSilentServer();
    app().movePlatform(silent.url);
    const key = `left ${bot.id}`;
    app()
      .otherNode()
      .send(localCaller, message, once(key))
      .catch(() => {});
    await silent.asked;
    // Two requests wait for one send; it is cancelled only when both have disconnected.
    const node = app().otherNode();
    const [first, second] = [new AbortController(), new AbortController()];
    const outcomes = [first, second].map(({ signal }) =>
      node.send(localCaller, message, once(key, signal)).then(
        () => 'sent',
        (error: Error) => error.message,
      ),
    );
    first.abort(new Error('the first left'));
    expect(await outcomes[0]).toBe('the first left');
    await app().clock.advance(500);
    second.abort(new Error('the second left'));
    expect(await outcomes[1]).toBe('the second left');
    // Nothing waits: the next request looks it up again.
    const late = new AbortController();
    late.abort(new Error('too late'));
    await expect(node.send(localCaller, message, once(key, late.signal))).rejects.toThrow(
      'too late',
    );
  });

  it('gives the answer of another node that is still at it', async () => {
    const bot = await app().talkingBot();
    const sent = sentBy(bot.platformId);
    const message = { bot_id: bot.id, chat_id: bot.chatId, text: 'x' };
    const sends = [app().otherNode(), app().otherNode()].map((node) =>
      node.send(localCaller, message, once(`nodes ${bot.id}`)),
    );
    // The one that sends needs no time to pass: it must not seem slow to the one that waits for it.
    await Promise.race(sends);
    const both = await timed(Promise.all(sends));
    expect(both).toMatchObject({ status: 'fulfilled', value: [{ text: 'x' }, { text: 'x' }] });
    const [first, second] = await Promise.all(sends);
    expect(second).toEqual(first);
    expect(sent).toEqual(['x']);
  });

  it('forgets a key after 24 hours', async () => {
    const bot = await app().talkingBot();
    const sent = sentBy(bot.platformId);
    const message = { bot_id: bot.id, chat_id: bot.chatId, text: 'x' };
    await send(message, `day ${bot.id}`);
    await app().clock.advance(24 * 60 * 60_000 - 1);
    await send(message, `day ${bot.id}`);
    expect(sent).toHaveLength(1);
    await app().clock.advance(2);
    await send(message, `day ${bot.id}`);
    expect(sent).toHaveLength(2);
  });

  it('refuses an empty or overlong key', async () => {
    const bot = await app().talkingBot();
    const message = { bot_id: bot.id, chat_id: bot.chatId, text: 'x' };
    for (const key of ['', 'k'.repeat(256)]) {
      expect(await send(message, key)).toMatchObject({
        status: 400,
        body: { details: [{ field: 'idempotency-key' }] },
      });
    }
  });
});
