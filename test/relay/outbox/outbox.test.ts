import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSender, type OutboxDeps } from '../../../src/relay/outbox/outbox.ts';
import { createOutboxWorkers } from '../../../src/relay/outbox/worker.ts';
import { createOutboxRepository } from '../../../src/store/outbox/outbox.ts';
import type { TelegramClient } from '../../../src/telegram/client.ts';
import { PlatformRefused } from '../../../src/telegram/errors.ts';
import { dialects } from '../../support/database/engines.ts';
import { gateEngine } from '../../support/database/gated-engine.ts';
import { advanceUntil } from '../../support/manual-clock.ts';
import { createOutboxRig, type OutboxRig } from '../../support/rigs/outbox-rig.ts';

const message = (chatId: number) => ({ chatId, sendClass: 'message' }) as const;
const own = (retryAfterSeconds: number) => ({ retryAfterSeconds, isOwn: true });

describe.each(dialects)('outbox on %s', (dialect) => {
  let rig: OutboxRig;

  beforeEach(async () => {
    rig = await createOutboxRig(dialect);
  });
  afterEach(() => rig.close());

  it('ends once its looks have their answers, and sends nothing of them', async () => {
    const { outbox, clock, engine, deps, bot, nodes, fail, intent, arrived, states } = rig;
    await outbox.enqueue(intent('too late'), clock.now());
    const gates = gateEngine(engine);
    const gated = { ...deps, outbox: createOutboxRepository(gates.engine) };
    const options = { random: () => 0.5, giveUpAfterMs: 1_000, onError: fail, nodes };
    const others = createOutboxWorkers(gated, options);
    const looked = gates.holdAnswer('from outbox');
    others.start(bot.id);
    await looked.reached;
    let isStopped = false;
    const stopped = others.stopAll().then(() => {
      isStopped = true;
    });
    await clock.advance(1);
    expect(isStopped).toBe(false);
    looked.open();
    await stopped;
    expect(await states()).toEqual(['queued']);
    expect(arrived()).toEqual([]);
  });

  it('sends at once, answers with the result and stores it', async () => {
    const { deps, chatId, request, arrived, states, stored } = rig;
    const result = await createSender(deps).send(request('hello'));
    expect(result).toMatchObject({ text: 'hello', chat: { id: chatId } });
    expect(arrived()).toEqual(['hello']);
    expect(await stored()).toEqual([{ text: 'hello', origin: 'sent' }]);
    expect(await states()).toEqual(['sent']);
  });

  it('sends what follows one after the other, also if the process died after the first', async () => {
    const { deps, bot, chatId, clock, request, arrived, states, workers } = rig;
    const more = ['b', 'c'].map((text) => ({ chat_id: chatId, text }));
    const parts = createSender(deps).sendParts(request('a'), more);
    await expect.poll(states).toEqual(['sent', 'queued']);
    expect(arrived()).toEqual(['a']);
    workers.start(bot.id);
    let sent: Awaited<typeof parts> | undefined;
    void parts.then((all) => {
      sent = all;
    });
    await advanceUntil(clock, () => sent !== undefined, 100);
    expect(arrived()).toEqual(['a', 'b', 'c']);
    expect(await states()).toEqual(['sent', 'sent', 'sent']);
    expect(sent?.messageIds).toHaveLength(3);
  });

  it('records a refusal as failed and says why', async () => {
    const { deps, request, states } = rig;
    const refused = createSender(deps).send({
      ...request('hello'),
      chatId: 4242,
      params: { chat_id: 4242, text: 'hello' },
    });
    await expect(refused).rejects.toMatchObject({
      code: 'platform_refused',
      platform: { error_code: 400, description: 'Bad Request: chat not found' },
    });
    expect(await states()).toEqual(['failed']);
  });

  it('tells a caller to wait when the chat is at its limit', async () => {
    const { clock, deps, request, arrived, states, until } = rig;
    const sender = createSender(deps);
    const sends = Array.from({ length: 12 }, (_, index) =>
      sender.send({ ...request(`${index}`), maxWaitMs: 5_000 }),
    );
    const settled = Promise.allSettled(sends);
    await until(async () => (await states()).filter((state) => state === 'sent').length >= 8);
    await clock.advance(5_000);
    const outcomes = await settled;
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]?.reason).toMatchObject({ code: 'rate_limited' });
    expect(arrived().length).toBe(12 - refused.length);
  });

  it('takes an intent once', async () => {
    const { outbox, clock, workers, bot, intent, arrived, states, stored, until } = rig;
    expect(await outbox.enqueue(intent('a', 'route:1:1:5'), clock.now())).toBeTypeOf('number');
    expect(await outbox.enqueue(intent('a', 'route:1:1:5'), clock.now())).toBeUndefined();
    workers.start(bot.id);
    await until(async () => (await states())[0] === 'sent');
    expect(await outbox.enqueue(intent('a', 'route:1:1:5'), clock.now())).toBeUndefined();
    expect(arrived()).toEqual(['a']);
    expect(await stored()).toEqual([{ text: 'a', origin: 'routed' }]);
  });

  it('does not let a chat with a long queue keep others waiting', async () => {
    const { outbox, clock, workers, bot, intent, intentFor, newChat, arrived, until } = rig;
    const other = newChat('Ben');
    const flood = Array.from({ length: 600 }, (_, n) => intent(`${n}`));
    await Promise.all(flood.map((one) => outbox.enqueue(one, clock.now())));
    await outbox.enqueue(intentFor(other, 'other'), clock.now());
    await outbox.enqueue({ ...intent('answer'), priority: 'interactive' }, clock.now());
    workers.start(bot.id);
    await until(() => arrived().includes('other') && arrived().includes('answer'));
    expect(arrived().length).toBeLessThan(20);
    expect(arrived().find((text) => text !== 'other')).toBe('answer');
  });

  it('lets no answer to a query wait for another', async () => {
    const { outbox, clock, deps, bot, telegram, nodes, fail, intent, until } = rig;
    const hangs = Promise.withResolvers<void>();
    const answered: unknown[] = [];
    const stuck: TelegramClient = {
      ...telegram,
      async call(_token, _method, params) {
        if (params?.['callback_query_id'] === 'first') await hangs.promise;
        answered.push(params?.['callback_query_id'] ?? params?.['text']);
        return true;
      },
    };
    const options = { random: () => 0.5, giveUpAfterMs: 1_000, onError: fail, nodes };
    const others = createOutboxWorkers({ ...deps, telegram: stuck }, options);
    const queue = (method: string, params: object) =>
      outbox.enqueue({ ...intent(''), chatId: 0, method, params: { ...params } }, clock.now());
    for (const id of ['first', 'second', 'third']) {
      await queue('answerCallbackQuery', { callback_query_id: id });
    }
    for (const text of ['a', 'b']) await queue('sendMessage', { chat_id: '@news', text });
    others.start(bot.id);
    await until(() => answered.length === 4);
    expect(answered.filter((one) => one === 'a' || one === 'b')).toEqual(['a', 'b']);
    expect(answered).not.toContain('first');
    hangs.resolve();
    await until(() => answered.length === 5);
    await others.stopAll();
  });

  it('does not let chats that have to pause take the places of others', async () => {
    const { outbox, clock, workers, bot, intent, intentFor, newChat, arrived, states, until } = rig;
    const paused = Array.from({ length: 30 }, (_, n) => newChat(`P${n}`));
    for (const chat of paused) {
      rig.rateLimiter.refused(bot.id, message(chat), own(30));
      await outbox.enqueue(intentFor(chat, 'paused'), clock.now());
    }
    await outbox.enqueue(intent('not paused'), clock.now());
    const before = clock.now();
    workers.start(bot.id);
    await until(() => arrived().length > 0);
    expect(arrived()).toEqual(['not paused']);
    expect(clock.now() - before).toBeLessThan(20_000);
    await until(async () => (await states()).every((state) => state === 'sent'));
    expect(arrived().length).toBe(31);
  });

  it('goes on after what the platform will not take', async () => {
    const { outbox, clock, workers, bot, chatId, intent, arrived, states, until } = rig;
    await outbox.enqueue({ ...intent(''), params: { chat_id: chatId } }, clock.now());
    await outbox.enqueue(intent('next'), clock.now());
    workers.start(bot.id);
    await until(async () => (await states()).join() === 'failed,sent');
    expect(arrived()).toEqual(['next']);
  });

  it('tells where a group went that became a supergroup, and fails the send', async () => {
    const { outbox, clock, deps, bot, chatId, nodes, fail, intent, states, until } = rig;
    const moves: [from: number, to: number, states: string][] = [];
    const refusal = new PlatformRefused(400, 'Bad Request: group chat was upgraded', {
      migrate_to_chat_id: -1005,
    });
    const workers = createOutboxWorkers(
      { ...deps, telegram: { ...deps.telegram, call: () => Promise.reject(refusal) } },
      {
        random: () => 0.5,
        giveUpAfterMs: 1_000,
        onError: fail,
        nodes,
        onChatMoved: async (from, to) => void moves.push([from, to, (await states()).join()]),
      },
    );
    await outbox.enqueue(intent('hello'), clock.now());
    workers.start(bot.id);
    await until(async () => (await states()).join() === 'failed');
    expect(moves).toEqual([[chatId, -1005, 'sending']]);
    await workers.stopAll();
  });

  it('sends nothing for a disabled bot, and does when it is enabled again', async () => {
    const { outbox, clock, workers, deps, bot, bots, request, intent, arrived, states, until } =
      rig;
    await bots.toggle(bot.id, clock.now());
    await expect(createSender(deps).send(request('no'))).rejects.toMatchObject({
      code: 'bot_disabled',
    });
    await outbox.enqueue(intent('later'), clock.now());
    workers.start(bot.id);
    await clock.advance(20_000);
    expect(arrived()).toEqual([]);
    await bots.toggle(bot.id, clock.now());
    await until(async () => (await states())[0] === 'sent');
    expect(arrived()).toEqual(['later']);
  });

  it('fails what waited too long for its bot, and sends what is fresh', async () => {
    const { outbox, clock, workers, bot, bots, intent, arrived, states, until } = rig;
    await bots.toggle(bot.id, clock.now());
    await outbox.enqueue(intent('a month old'), clock.now());
    await clock.advance(30 * 86_400_000);
    // Longer than a delivery is retried here.
    await outbox.enqueue(intent('most of a day old'), clock.now());
    await clock.advance(23 * 3_600_000);
    await outbox.enqueue(intent('fresh'), clock.now());
    await bots.toggle(bot.id, clock.now());
    workers.start(bot.id);
    await until(async () => (await states()).join() === 'failed,sent,sent');
    expect(arrived()).toEqual(['most of a day old', 'fresh']);
    const [old] = await outbox.list({ botIds: null, state: 'failed', limit: 1 });
    expect(old?.error).toContain('waited too long');
  });

  it('does not send what was queued while its bot was disabled', async () => {
    const { clock, deps, bot, bots, chatId, request, arrived } = rig;
    rig.rateLimiter.refused(bot.id, message(chatId), own(3));
    const waiting = Promise.withResolvers<void>();
    const queues: OutboxDeps['chatQueues'] = {
      ...deps.chatQueues,
      next(asked) {
        const turn = deps.chatQueues.next(asked);
        waiting.resolve();
        return turn;
      },
    };
    const outcome = createSender({ ...deps, chatQueues: queues })
      .send(request('no'))
      .catch((error: unknown) => error);
    await waiting.promise;
    await bots.toggle(bot.id, clock.now());
    await clock.advance(3_000);
    expect(await outcome).toMatchObject({ code: 'bot_disabled' });
    expect(arrived()).toEqual([]);
  });
});
