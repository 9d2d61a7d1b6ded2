import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eitherDialect } from '../../support/database/engines.ts';
import { gateEngine } from '../../support/database/gated-engine.ts';
import { storeOn } from '../../support/database/store.ts';
import { createPushRig, message, type PushRig } from '../../support/rigs/delivery-rig.ts';

describe.each(eitherDialect)('push on %s', (dialect) => {
  let rig: PushRig;
  beforeEach(async () => {
    rig = await createPushRig(dialect, { maxConnections: 8 });
  });
  afterEach(() => rig.close());

  it('delivers in order within a chat, chats in parallel, and the text to the byte', async () => {
    await rig.apply();
    let turn = 0;
    const second = Promise.withResolvers<void>();
    rig.backend.answer = async () => {
      const own = ++turn;
      if (own === 2) second.resolve();
      if (own === 1) await second.promise;
      await new Promise((resolve) => setTimeout(resolve, (own % 5) * 2));
      return {};
    };
    const updates = Array.from({ length: 60 }, (_, index) => message(index + 1, (index % 6) + 1));
    await rig.receive(updates);
    await rig.until(() => rig.backend.arrivals.length === 60, 10);
    for (const chat of [1, 2, 3, 4, 5, 6]) {
      const ids = rig.arrivedOf(chat);
      expect(ids).toEqual([...ids].sort((a, b) => a - b));
    }
    expect(rig.backend.most.chat).toBe(1);
    expect(rig.backend.most.all).toBeGreaterThan(1);
    expect(rig.backend.arrivals.map((arrival) => arrival.raw).sort()).toEqual(
      updates.map((update) => JSON.stringify(update)).sort(),
    );
    expect(rig.backend.arrivals[0]?.headers['content-type']).toBe('application/json');
    await rig.until(async () => (await rig.cursor())?.position === 60, 10);
    expect((await rig.cursor())?.state).toBe('');
    const attempts = await rig.deliveries.attempts({
      botIds: [rig.bot],
      reader: 'push',
      limit: 100,
    });
    expect(attempts.length).toBe(60);
    expect(attempts.every((attempt) => attempt.status === 200 && attempt.error === '')).toBe(true);
  });

  it('never opens more connections than allowed', async () => {
    await rig.apply();
    const held: (() => void)[] = [];
    rig.backend.answer = () => new Promise((resolve) => held.push(() => resolve({})));
    await rig.receive(Array.from({ length: 40 }, (_, index) => message(index + 1, index + 1)));
    for (let arrived = 8; arrived <= 40; arrived += 8) {
      await rig.until(() => held.length === 8);
      expect(rig.seen.begun).toBe(arrived);
      for (const release of held.splice(0)) release();
      await rig.answered(arrived);
      // Finished deliveries are committed before more is sent.
      await rig.clock.advance(10);
    }
    expect(rig.backend.most.all).toBe(8);
  });

  it('stores at once, when asked to, what the backend has taken', async () => {
    await rig.apply();
    await rig.receive([message(1, 1)]);
    await rig.answered(1);
    // Answers are gathered for a moment, and no time passes here.
    expect((await rig.cursor())?.position).toBe(0);
    await rig.pushers.settle(rig.bot);
    expect((await rig.cursor())?.position).toBe(1);
  });

  it('gives a bot that was added with a backend everything from the first update on', async () => {
    await rig.receive([message(1, 1)]);
    await rig.apply();
    await rig.receive([message(2, 1)]);
    await rig.until(() => rig.backend.arrivals.length === 2);
    expect(rig.arrivedIds()).toEqual([1, 2]);
  });

  it('retries a failing chat without holding up the others', async () => {
    await rig.apply();
    rig.backend.answer = ({ chatId }) => (chatId === 1 ? { status: 500, body: 'no' } : {});
    await rig.receive([message(1, 1), message(2, 2), message(3, 1), message(4, 2), message(5, 3)]);
    // The first retry comes at once, and nothing more without time passing.
    await rig.until(() => rig.backend.arrivals.length === 5);
    expect(rig.arrivedOf(1)).toEqual([1, 1]);
    expect(rig.arrivedOf(2)).toEqual([2, 4]);
    await rig.until(async () => (await rig.cursor())?.position === 5, 1);
    expect(await rig.retryQueues.list(rig.bot, 'push', 10)).toMatchObject([
      { queue: 'c1', attempts: 2, waiting: 2, firstPosition: 1, lastError: 'answered 500' },
    ]);
    expect(rig.pushers.statusHere(rig.bot)).toBe('failing');
    const failed = await rig.deliveries.attempts({
      botIds: [rig.bot],
      reader: 'push',
      outcome: 'failed',
      limit: 10,
    });
    expect(failed).toMatchObject([
      { position: 1, status: 500, error: 'answered 500', answer: 'no' },
      { position: 1, status: 500, error: 'answered 500', answer: 'no' },
    ]);
  });

  it('retries the head after 2 s, 4 s, 8 s, then between one and two minutes; then in order', async () => {
    await rig.apply();
    let broken = true;
    rig.backend.answer = () => (broken ? { status: 503 } : {});
    await rig.receive([message(1, 1), message(2, 1)]);
    let count = 2;
    await rig.answered(count);
    for (const seconds of [2, 4, 8, 16, 32, 60, 60]) {
      await rig.clock.advance(seconds * 1_000 - 50);
      expect(rig.backend.arrivals.length).toBe(count);
      count++;
      await rig.clock.advance(50);
      await rig.answered(count);
    }
    expect(new Set(rig.arrivedIds())).toEqual(new Set([1]));
    await rig.receive([message(3, 1)]);
    broken = false;
    await rig.clock.advance(60_000);
    await rig.until(() => rig.backend.arrivals.length === count + 3, 1);
    expect(rig.arrivedIds().slice(-3)).toEqual([1, 2, 3]);
    await rig.until(async () => (await rig.retryQueues.list(rig.bot, 'push', 10)).length === 0, 10);
    expect(rig.pushers.statusHere(rig.bot)).toBe('ok');
    await rig.receive([message(4, 1)]);
    await rig.until(() => rig.arrivedIds().at(-1) === 4);
    await rig.until(async () => (await rig.cursor())?.position === 4, 10);
  });

  it.each([
    ['seconds', () => '30'],
    ['a date', (nowMs: number) => new Date(nowMs + 30_000).toUTCString()],
  ])('waits as Retry-After says in %s', async (_, header) => {
    await rig.apply();
    rig.backend.answer = () => ({
      status: 429,
      headers: { 'retry-after': header(rig.clock.now()) },
    });
    await rig.receive([message(1, 1)]);
    await rig.answered(1);
    rig.backend.answer = () => ({});
    await rig.clock.advance(28_000);
    expect(rig.backend.arrivals.length).toBe(1);
    await rig.clock.advance(2_000);
    await rig.until(() => rig.backend.arrivals.length === 2);
  });

  it('takes a redirect for a failure and does not follow it', async () => {
    await rig.apply();
    rig.backend.answer = () => ({ status: 302, headers: { location: '/elsewhere' } });
    await rig.receive([message(1, 1)]);
    await rig.until(async () => (await rig.retryQueues.list(rig.bot, 'push', 10)).length === 1, 1);
    expect(new Set(rig.backend.arrivals.map((arrival) => arrival.path))).toEqual(
      new Set(['/updates']),
    );
    expect((await rig.retryQueues.list(rig.bot, 'push', 10))[0]?.lastError).toContain(
      'answered 302',
    );
  });

  it('fails a delivery after a minute without an answer', async () => {
    await rig.apply();
    rig.backend.answer = ({ updateId }) => (updateId === 1 ? new Promise(() => {}) : {});
    await rig.receive([message(1, 1), message(2, 2)]);
    await rig.until(() => rig.backend.arrivals.length === 2);
    await rig.answered(1);
    await rig.clock.advance(58_000);
    expect(await rig.retryQueues.list(rig.bot, 'push', 10)).toEqual([]);
    rig.backend.answer = () => ({});
    await rig.clock.advance(4_000);
    await rig.until(() => rig.arrivedOf(1).length === 2);
    await rig.until(
      async () =>
        (
          await rig.deliveries.attempts({
            botIds: null,
            reader: 'push',
            outcome: 'failed',
            limit: 5,
          })
        ).length === 1,
      10,
    );
    const [late] = await rig.deliveries.attempts({
      botIds: null,
      reader: 'push',
      outcome: 'failed',
      limit: 5,
    });
    expect(late).toMatchObject({ status: 0, error: 'no answer within 60 s' });
  });

  it('says in words what is wrong with an address, and never connects to a forbidden one', async () => {
    const port = new URL(rig.backend.url).port;
    await rig.apply({ backend_url: `http://127.0.0.1:${port}1`.replace(/:(\d+)$/, ':9') });
    await rig.receive([message(1, 1)]);
    await rig.until(async () => (await rig.retryQueues.list(rig.bot, 'push', 10)).length === 1, 1);
    expect((await rig.retryQueues.list(rig.bot, 'push', 10))[0]?.lastError).toContain(
      'connection refused by 127.0.0.1:9',
    );
    await rig.apply({ backend_url: 'http://169.254.169.254/secret-path' });
    await rig.until(
      async () =>
        (await rig.retryQueues.list(rig.bot, 'push', 10))[0]?.lastError.includes(
          'RELAY_BACKENDS',
        ) ?? false,
      1,
    );
    const [queue] = await rig.retryQueues.list(rig.bot, 'push', 10);
    expect(queue?.lastError).toContain('does not allow 169.254.169.254:80');
    expect(queue?.lastError).not.toContain('secret-path');
    await rig.apply({ backend_url: rig.backend.url });
    await rig.until(() => rig.backend.arrivals.length === 1, 10);
  });

  it('sends the secret and a signature that verifies, and a stable id', async () => {
    const secret = 'S3cret_token-with-marks';
    await rig.apply({ secret_token: secret });
    rig.backend.answer = () => (rig.backend.arrivals.length === 1 ? { status: 500 } : {});
    await rig.receive([message(1, 1, 'grüße 🎈')]);
    await rig.until(() => rig.backend.arrivals.length === 2);
    const [first, second] = rig.backend.arrivals;
    const header = (name: string) => String(second?.headers[name]);
    expect(header('x-telegram-bot-api-secret-token')).toBe(secret);
    expect(header('webhook-id')).toBe(first?.headers['webhook-id']);
    expect(header('webhook-id')).toBe(`upd_${rig.bot}_1`);
    expect(Number(header('webhook-timestamp'))).toBe(Math.floor(rig.clock.now() / 1_000));
    const signed = `${header('webhook-id')}.${header('webhook-timestamp')}.${second?.raw}`;
    // As libraries of the specification do it: the key is the part after whsec_.
    const key = Buffer.from(Buffer.from(secret).toString('base64'), 'base64');
    const expected = createHmac('sha256', key).update(signed).digest('base64');
    expect(header('webhook-signature')).toBe(`v1,${expected}`);
    await rig.apply({ secret_token: '' });
    await rig.receive([message(2, 1)]);
    await rig.until(() => rig.backend.arrivals.length === 3);
    const bare = rig.backend.arrivals[2]?.headers ?? {};
    expect(bare['x-telegram-bot-api-secret-token']).toBeUndefined();
    expect(bare['webhook-signature']).toBeUndefined();
  });

  it('hands a method call in an answer to the outbox once, and ignores those it must', async () => {
    const outbox = () => rig.engine.readRaw('select * from outbox order by intent_key');
    const called: number[] = [];
    await rig.crash({ onCallsCommitted: (botIds) => called.push(...botIds) });
    await rig.apply();
    const answers: Record<number, string> = {
      1: '{"method":"sendMessage","chat_id":7,"text":"hi"}',
      2: '{"method":"getMe"}',
      3: '{"method":"setWebhook","url":"https://evil.example"}',
      4: 'not json, though it says "method"',
      5: '{"ok":true}',
      6: '{"method":"LogOut"}',
      // It can be read, but not be written again: kept, it would hold up the acknowledgements.
      7: `{"method":"sendMessage","text":${'['.repeat(30_000)}${']'.repeat(30_000)}}`,
      8: `{"method":"sendRichMessage","chat_id":7,"rich_message":{"html":"${'\\u0436'.repeat(32_768)}"}}`,
    };
    rig.backend.answer = ({ updateId }) => ({ body: answers[updateId] ?? '' });
    await rig.receive([1, 2, 3, 4, 5, 6, 7, 8].map((id) => message(id, id)));
    await rig.until(async () => (await rig.cursor())?.position === 8, 10);
    expect(await outbox()).toMatchObject([
      {
        bot_id: rig.bot,
        chat_id: 7,
        method: 'sendMessage',
        params: '{"chat_id":7,"text":"hi"}',
        origin: 'answer',
        intent_key: `answer:${rig.bot}:1`,
      },
      { method: 'sendRichMessage', intent_key: `answer:${rig.bot}:8` },
    ]);
    expect(new Set(called)).toEqual(new Set([rig.bot]));
    await rig.deliveries.replayRange(rig.bot, 'push', { from: 1, to: 1 }, rig.clock.now());
    await rig.pushers.wake(rig.bot);
    await rig.until(() => rig.backend.arrivals.length === 9, 10);
    await rig.until(async () => (await rig.retryQueues.list(rig.bot, 'push', 10)).length === 0, 10);
    expect((await outbox()).length).toBe(2);
  });

  it('delivers again what it cut off in the middle of the answer, and carries out its call', async () => {
    await rig.apply();
    const call = '{"method":"sendMessage","chat_id":7,"text":"hi"}';
    rig.backend.answer = () => ({ body: call.slice(0, 20), unended: true });
    await rig.receive([message(1, 1)]);
    await rig.until(() => rig.seen.status === 1);
    await rig.pushers.stopAll(0);
    expect((await rig.cursor())?.position).toBe(0);

    rig.backend.answer = () => ({ body: call });
    await rig.crash();
    await rig.apply();
    await rig.until(async () => (await rig.cursor())?.position === 1, 10);
    expect(rig.arrivedIds()).toEqual([1, 1]);
    const sends = await rig.engine.readRaw('select params from outbox');
    expect(sends).toEqual([{ params: '{"chat_id":7,"text":"hi"}' }]);
  });

  it('keeps only the first bytes of a long answer, and reads no more than it must', async () => {
    await rig.apply();
    rig.backend.answer = () => ({ body: 'é'.repeat(200_000) });
    await rig.receive([message(1, 1), message(2, 1)]);
    await rig.until(async () => (await rig.cursor())?.position === 2, 10);
    const [attempt] = await rig.deliveries.attempts({ botIds: null, reader: 'push', limit: 1 });
    expect(attempt?.status).toBe(200);
    expect(Buffer.byteLength(attempt?.answer ?? '')).toBe(512);
  });

  it('loses nothing while the bot is disabled or does not forward', async () => {
    await rig.apply();
    await rig.receive([message(1, 1)]);
    await rig.until(() => rig.backend.arrivals.length === 1);
    await rig.apply({ disabled: true });
    await rig.receive([message(2, 1)]);
    await rig.apply({ disabled: false, proxy_enabled: false });
    await rig.receive([message(3, 1)]);
    expect(rig.pushers.statusHere(rig.bot)).toBeUndefined();
    await rig.apply({ proxy_enabled: true });
    await rig.until(() => rig.backend.arrivals.length === 3);
    expect(rig.arrivedIds()).toEqual([1, 2, 3]);
  });

  it('stops within its time though an answer is still missing, and delivers that one again', async () => {
    await rig.apply();
    rig.backend.answer = ({ updateId }) => (updateId === 2 ? new Promise(() => {}) : {});
    await rig.receive([message(1, 1), message(2, 2)]);
    await rig.until(() => rig.backend.arrivals.length === 2);
    await rig.answered(1);
    const stopped = rig.pushers.stop(rig.bot, 500);
    await rig.clock.advance(500);
    await stopped;
    expect((await rig.cursor())?.position).toBe(1);
    rig.backend.answer = () => ({});
    await rig.apply();
    await rig.until(() => rig.backend.arrivals.length === 3);
    expect(rig.arrivedIds().toSorted()).toEqual([1, 2, 2]);
  });

  it('ends when another node took the bot over, and writes nothing more', async () => {
    await rig.engine.write(function* () {
      yield {
        sql: 'insert into leases (bot_id, owner, epoch, expires_at) values ($1, $2, $3, $4)',
        parameters: [rig.bot, 'a', 7, 0],
      };
    });
    await rig.apply({}, 7);
    await rig.receive([message(1, 1)]);
    await rig.until(async () => (await rig.cursor())?.position === 1, 10);
    await rig.engine.write(function* () {
      yield { sql: 'update leases set epoch = 8 where bot_id = $1', parameters: [rig.bot] };
    });
    await rig.receive([message(2, 1)]);
    await rig.until(() => rig.pushers.statusHere(rig.bot) === undefined, 10);
    expect((await rig.cursor())?.position).toBe(1);
    expect((await rig.deliveries.attempts({ botIds: null, reader: 'push', limit: 5 })).length).toBe(
      1,
    );
  });

  it('goes on when the node lost the bot and took it again during a commit', async () => {
    await rig.engine.write(function* () {
      yield {
        sql: 'insert into leases (bot_id, owner, epoch, expires_at) values ($1, $2, $3, $4)',
        parameters: [rig.bot, 'a', 7, 0],
      };
    });
    const gates = gateEngine(rig.engine);
    await rig.crash({ store: storeOn(gates.engine) });
    await rig.apply({}, 7);
    const held = gates.holdWrite();
    await rig.receive([message(1, 1)]);
    let isHeld = false;
    void held.reached.then(() => (isHeld = true));
    await rig.until(() => isHeld, 10);
    await rig.engine.write(function* () {
      yield { sql: 'update leases set epoch = 8 where bot_id = $1', parameters: [rig.bot] };
    });
    let isApplied = false;
    const applied = rig.apply({}, 8).then(() => (isApplied = true));
    await rig.until(() => isApplied, 100);
    held.open();
    await applied;
    await rig.receive([message(2, 2)]);
    await rig.until(async () => (await rig.cursor())?.position === 2, 10);
    // Nobody knows that the first one was taken.
    expect(rig.arrivedIds().toSorted((a, b) => a - b)).toEqual([1, 1, 2]);
  });

  it('forgets what waits when asked to', async () => {
    await rig.apply();
    rig.backend.answer = () => ({ status: 500 });
    await rig.receive([message(1, 1), message(2, 1)]);
    await rig.answered(2);
    await rig.pushers.dropPending(rig.bot);
    rig.backend.answer = () => ({});
    await rig.receive([message(3, 1)]);
    await rig.until(() => rig.arrivedIds().at(-1) === 3);
    await rig.clock.advance(60_000);
    expect(rig.arrivedIds()).toEqual([1, 1, 3]);
  });
});
