import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import type { SendRequest } from '../../src/core/ports.ts';
import { createVault } from '../../src/core/vault.ts';
import { createSender, type OutboxDeps } from '../../src/relay/outbox/outbox.ts';
import { createPacer } from '../../src/relay/outbox/pacer.ts';
import { createTurns } from '../../src/relay/outbox/turns.ts';
import { createOutboxWorkers, type OutboxWorkers } from '../../src/relay/outbox/worker.ts';
import { createSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import { type BotStore, createBotStore } from '../../src/store/bots.ts';
import type { Engine } from '../../src/store/engine.ts';
import {
  createOutboxRepository,
  type OutboxIntent,
  type OutboxRepository,
} from '../../src/store/outbox.ts';
import { createTelegramClient, type TelegramClient } from '../../src/telegram/client.ts';
import { nowhere } from '../support/domain-app.ts';
import { createDatabase, type Database, dialects } from '../support/engines.ts';
import { gateEngine } from '../support/gated-engine.ts';
import { advanceUntil, createManualClock, type ManualClock } from '../support/manual-clock.ts';

describe.each(dialects)('outbox on %s', (dialect) => {
  let database: Database;
  let engine: Engine;
  let sandbox: Sandbox;
  let platformUrl: string;
  let telegram: TelegramClient;
  let clock: ManualClock;
  let outbox: OutboxRepository;
  let bots: BotStore;
  let deps: OutboxDeps;
  let workers: OutboxWorkers;
  let bot: { id: number; platformId: number };
  let chatId: number;
  let texts: (string | undefined)[];
  let dead: string[];

  beforeEach(async () => {
    database = await createDatabase(dialect);
    engine = await database.open();
    sandbox = createSandbox({ seed: 1 });
    platformUrl = (await sandbox.listen()).url;
    telegram = createTelegramClient({ baseUrlFor: () => platformUrl, clock: systemClock });
    clock = createManualClock();
    outbox = createOutboxRepository(engine);
    const vault = createVault(['a master key of at least thirty-two characters']);
    bots = createBotStore(engine, vault);
    const practice = sandbox.createBot({ first_name: 'Desk' });
    const record = await bots.insert({ token: practice.token, source: 'web' }, clock.now());
    bot = { id: record.id, platformId: practice.id };
    const user = sandbox.createUser({ first_name: 'Ann' });
    sandbox.say(user.id, practice.id, '/start');
    chatId = user.id;
    texts = [];
    sandbox.onChange((change) => {
      if (change.type !== 'message_added' || change.message.from?.id !== practice.id) return;
      texts.push(change.message.text);
    });
    const pacer = createPacer(() => clock.now());
    deps = {
      clock,
      node: 'this',
      outbox,
      bots,
      telegram,
      pacer,
      turns: createTurns(clock, pacer),
      atWork: new Set(),
    };
    dead = [];
    workers = createOutboxWorkers(deps, {
      random: () => 0.5,
      giveUpAfterMs: 3_600_000,
      onError: fail,
      nodes,
    });
  });
  const nodes = { known: () => ['this', 'that'], dead: () => dead };
  const fail = (error: unknown) => {
    throw error;
  };
  afterEach(async () => {
    await workers.stopAll();
    await telegram.close();
    await sandbox.close();
    await engine.close();
    await database.drop();
  });

  const request = (text: string): SendRequest => ({
    botId: bot.id,
    method: 'sendMessage',
    params: { chat_id: chatId, text },
    chatId,
    priority: 'interactive',
    origin: 'sent',
  });
  const intent = (text: string, intentKey: string | null = null): OutboxIntent => ({
    botId: bot.id,
    chatId,
    method: 'sendMessage',
    params: { chat_id: chatId, text },
    origin: 'routed',
    intentKey,
    priority: 'bulk',
  });
  const arrived = () => texts;
  const states = async () =>
    (await outbox.list({ botIds: null, limit: 50 })).map((row) => row.state).reverse();
  const stored = () =>
    engine.read(engine.sql.selectFrom('messages').select(['text', 'origin']).orderBy('id'));

  const until = (condition: () => Promise<boolean> | boolean, stepMs = 50) =>
    advanceUntil(clock, condition, stepMs);

  it('ends once its looks have their answers, and sends nothing of them', async () => {
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
    const result = await createSender(deps).send(request('hello'));
    expect(result).toMatchObject({ text: 'hello', chat: { id: chatId } });
    expect(arrived()).toEqual(['hello']);
    expect(await stored()).toEqual([{ text: 'hello', origin: 'sent' }]);
    expect(await states()).toEqual(['sent']);
  });

  it('records a refusal as failed and says why', async () => {
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

  it('records a lost answer as unknown and does not send again', async () => {
    sandbox.fault({ kind: 'reset_after', method: 'sendMessage', times: 1 });
    await expect(createSender(deps).send(request('once'))).rejects.toMatchObject({
      code: 'platform_timeout',
    });
    workers.start(bot.id);
    await clock.advance(120_000);
    expect(arrived()).toEqual(['once']);
    expect(await states()).toEqual(['unknown']);

    const [unknown] = await outbox.list({ botIds: null, limit: 1 });
    const id = unknown?.id ?? 0;
    expect(await outbox.sendAgain(id, clock.now())).toMatchObject({ id, state: 'queued' });
    expect(await outbox.sendAgain(id, clock.now())).toBeUndefined();
    workers.wake(bot.id);
    await until(async () => (await states())[0] === 'sent');
    expect(arrived()).toEqual(['once', 'once']);
    expect(await outbox.sendAgain(id, clock.now())).toBeUndefined();
    expect(await outbox.list({ botIds: [], limit: 1 })).toEqual([]);
  });

  it('tells a caller to wait when the chat is at its limit', async () => {
    const sender = createSender(deps);
    const sends = Array.from({ length: 12 }, (_, index) =>
      sender.send({ ...request(`${index}`), patienceMs: 5_000 }),
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
    expect(await outbox.enqueue(intent('a', 'route:1:1:5'), clock.now())).toBeTypeOf('number');
    expect(await outbox.enqueue(intent('a', 'route:1:1:5'), clock.now())).toBeUndefined();
    workers.start(bot.id);
    await until(async () => (await states())[0] === 'sent');
    expect(await outbox.enqueue(intent('a', 'route:1:1:5'), clock.now())).toBeUndefined();
    expect(arrived()).toEqual(['a']);
    expect(await stored()).toEqual([{ text: 'a', origin: 'routed' }]);
  });

  it('keeps the order of a chat over faults and waits as told', async () => {
    sandbox.fault({
      kind: 'too_many_requests',
      method: 'sendMessage',
      times: 1,
      retryAfterSeconds: 9,
    });
    for (const text of ['1', '2', '3']) await outbox.enqueue(intent(text), clock.now());
    const before = clock.now();
    const reachable = platformUrl;
    platformUrl = nowhere;
    workers.start(bot.id);
    await until(async () => (await outbox.list({ botIds: null, limit: 3 }))[2]?.attempts === 3);
    platformUrl = reachable;
    await until(async () => (await states()).every((state) => state === 'sent'));
    expect(arrived()).toEqual(['1', '2', '3']);
    expect(clock.now() - before).toBeGreaterThanOrEqual(9_000);
  });

  it('does not know what became of a send at which the platform failed, and goes on', async () => {
    sandbox.fault({ kind: 'server_error', method: 'sendMessage', times: 1 });
    for (const text of ['1', '2']) await outbox.enqueue(intent(text), clock.now());
    workers.start(bot.id);
    await until(async () => (await states()).join() === 'unknown,sent');
    await clock.advance(120_000);
    expect(arrived()).toEqual(['2']);
    const [, unknown] = await outbox.list({ botIds: null, limit: 2 });
    expect(unknown?.error).toBe(
      'The platform failed at it (Internal Server Error); it may have arrived.',
    );
  });

  it('does again what does no harm twice, when the platform failed at it', async () => {
    const { message_id } = (await createSender(deps).send(request('a'))) as { message_id: number };
    sandbox.fault({ kind: 'server_error', method: 'editMessageText', times: 2 });
    const params = { chat_id: chatId, message_id, text: 'b' };
    await outbox.enqueue({ ...intent(''), method: 'editMessageText', params }, clock.now());
    workers.start(bot.id);
    await until(async () => (await states())[1] === 'sent');
    expect(await stored()).toEqual([{ text: 'b', origin: 'sent' }]);
  });

  function newChat(name: string): number {
    const user = sandbox.createUser({ first_name: name });
    sandbox.say(user.id, bot.platformId, '/start');
    return user.id;
  }
  const intentFor = (chat: number, text: string): OutboxIntent => ({
    ...intent(text),
    chatId: chat,
    params: { chat_id: chat, text },
  });

  it('does not let a chat with a long queue keep others waiting', async () => {
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
    const paused = Array.from({ length: 30 }, (_, n) => newChat(`P${n}`));
    for (const chat of paused) {
      deps.pacer.refused(bot.id, chat, 30);
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

  it('risks few sends while the platform fails at all of them', async () => {
    const faultId = sandbox.fault({ kind: 'server_error', method: 'sendMessage' });
    for (let n = 0; n < 50; n++) {
      await outbox.enqueue(intentFor(newChat(`R${n}`), 'hello'), clock.now());
    }
    const countOf = async (wanted: string) =>
      (await states()).filter((state) => state === wanted).length;
    const before = clock.now();
    workers.start(bot.id);
    await until(() => clock.now() - before > 60_000, 250);
    // Those that went out together, and one now and then.
    const risked = await countOf('unknown');
    expect(risked).toBeGreaterThan(20);
    expect(risked).toBeLessThan(30);
    sandbox.faults.remove(faultId);
    await until(async () => (await countOf('queued')) + (await countOf('sending')) === 0);
    expect(arrived().length).toBe(50 - (await countOf('unknown')));
    expect(await countOf('unknown')).toBeLessThanOrEqual(risked + 1);
  });

  it('goes on after what the platform will not take', async () => {
    await outbox.enqueue({ ...intent(''), params: { chat_id: chatId } }, clock.now());
    await outbox.enqueue(intent('next'), clock.now());
    workers.start(bot.id);
    await until(async () => (await states()).join() === 'failed,sent');
    expect(arrived()).toEqual(['next']);
  });

  it('after a crash, sends what was queued and not what was under way', async () => {
    await outbox.begin(intent('under way'), 'this', clock.now());
    await outbox.begin(intent('of another node'), 'that', clock.now());
    await outbox.enqueue(intent('queued'), clock.now());
    const [first] = await outbox.underWay();
    await outbox.abandon(first ? [first] : [], clock.now());
    workers.start(bot.id);
    await until(async () => (await states()).includes('sent'));
    expect(await states()).toEqual(['unknown', 'sending', 'sent']);
    expect(arrived()).toEqual(['queued']);
  });

  it('notices within a minute that nobody is at a send any more', async () => {
    const startedAt = clock.now();
    const secondsUntilUnknown = async (index: number) => {
      await until(async () => (await states())[index] === 'unknown', 250);
      return (clock.now() - startedAt) / 1_000;
    };
    await outbox.begin(intent('of a node about to die'), 'that', startedAt);
    await outbox.begin(
      intent('of this node, which could not write its end down'),
      'this',
      startedAt,
    );
    await outbox.begin(intent('of a node that left'), 'gone', startedAt);
    const busy = (await outbox.begin(intent('at work'), 'this', startedAt)) ?? 0;
    deps.atWork.add(busy);
    workers.start(bot.id);
    expect(await secondsUntilUnknown(1)).toBeLessThan(30);
    expect(await states()).toEqual(['sending', 'unknown', 'sending', 'sending']);
    dead.push('that');
    expect(await secondsUntilUnknown(0)).toBeLessThan(60);
    expect(await states()).toEqual(['unknown', 'unknown', 'sending', 'sending']);
    expect(await secondsUntilUnknown(2)).toBeLessThan(150);
    expect(await states()).toEqual(['unknown', 'unknown', 'unknown', 'sending']);
    expect(arrived()).toEqual([]);
  });

  it('lets a node that was held for dead say only what cannot send twice', async () => {
    const send = async () => {
      const id = (await outbox.begin(intent('x'), 'that', clock.now())) ?? 0;
      await outbox.abandon(await outbox.underWay(), clock.now());
      return { id, node: 'that' };
    };
    const stateOf = async ({ id }: { id: number }) => (await outbox.get(id))?.state;
    // It did not go out after all, or was refused.
    const unsent = await send();
    await outbox.requeue(unsent, 'no connection', 0, clock.now());
    expect(await stateOf(unsent)).toBe('queued');
    const refused = await send();
    await outbox.fail(refused, 'failed', 'no', clock.now());
    expect(await stateOf(refused)).toBe('failed');
    // Someone asked for it again meanwhile, and another node is at it.
    const again = await send();
    await outbox.sendAgain(again.id, clock.now());
    await outbox.fail(again, 'failed', 'no', clock.now());
    expect(await stateOf(again)).toBe('queued');
    await outbox.claim(again.id, 'this', clock.now());
    await outbox.requeue(again, 'no connection', 0, clock.now());
    expect(await stateOf(again)).toBe('sending');
  });

  it('sends nothing for a disabled bot, and does when it is enabled again', async () => {
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

  it('sends nothing that waited for its turn while its bot was disabled', async () => {
    deps.pacer.refused(bot.id, chatId, 3);
    const waiting = Promise.withResolvers<void>();
    const turns: OutboxDeps['turns'] = {
      ...deps.turns,
      next(asked) {
        const turn = deps.turns.next(asked);
        waiting.resolve();
        return turn;
      },
    };
    const outcome = createSender({ ...deps, turns })
      .send(request('no'))
      .catch((error: unknown) => error);
    await waiting.promise;
    await bots.toggle(bot.id, clock.now());
    await clock.advance(3_000);
    expect(await outcome).toMatchObject({ code: 'bot_disabled' });
    expect(arrived()).toEqual([]);
  });
});
