import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createOutboxWorkers } from '../../../src/relay/outbox/worker.ts';
import { createSender } from '../../../src/relay/outbox/outbox.ts';
import { nowhere } from '../../support/rigs/domain-app.ts';
import { dialects } from '../../support/database/engines.ts';
import { createOutboxRig, type OutboxRig } from '../../support/rigs/outbox-rig.ts';

describe.each(dialects)('outbox in trouble on %s', (dialect) => {
  let rig: OutboxRig;

  beforeEach(async () => {
    rig = await createOutboxRig(dialect);
  });
  afterEach(() => rig.close());

  it('records a lost answer as unknown and does not send again', async () => {
    const { outbox, clock, workers, sandbox, deps, bot, request, arrived, states, until } = rig;
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

  /** What a node does that is paused after the send is on record, while the chat's limit is used up. */
  async function pauseMeanwhile<T>(work: Promise<T>): Promise<T> {
    const result = await work;
    await rig.clock.advance(40_000);
    const message = { chatId: rig.chatId, sendClass: 'message' } as const;
    for (let sent = 0; sent < 4; sent++) rig.rateLimiter.take(rig.bot.id, message);
    return result;
  }

  it('does not send in a turn that passed while the node was paused', async () => {
    const { outbox, deps, request, arrived, states } = rig;
    const begin: typeof outbox.begin = (...args) => pauseMeanwhile(outbox.begin(...args));
    const sender = createSender({ ...deps, outbox: { ...outbox, begin } });
    await expect(sender.send({ ...request('late'), maxWaitMs: 500 })).rejects.toMatchObject({
      code: 'rate_limited',
    });
    expect(arrived()).toEqual([]);
    expect(await states()).toEqual(['failed']);
  });

  it('leaves queued what has no turn any more when its bot stops', async () => {
    const { outbox, clock, deps, bot, nodes, fail, intent, arrived, states, until } = rig;
    const paused = Promise.withResolvers<void>();
    const take: typeof outbox.take = async (...args) => {
      const taken = await pauseMeanwhile(outbox.take(...args));
      paused.resolve();
      return taken;
    };
    const workers = createOutboxWorkers(
      { ...deps, outbox: { ...outbox, take } },
      { random: () => 0.5, giveUpAfterMs: 3_600_000, onError: fail, nodes },
    );
    await outbox.enqueue(intent('late'), clock.now());
    workers.start(bot.id);
    await paused.promise;
    await workers.stop(bot.id);
    expect(await states()).toEqual(['queued']);
    expect(arrived()).toEqual([]);
    rig.workers.start(bot.id);
    await until(async () => (await states())[0] === 'sent');
    expect(arrived()).toEqual(['late']);
    await workers.stopAll();
  });

  it('keeps the order of a chat over faults and waits as told', async () => {
    const { outbox, clock, workers, sandbox, bot, platform, intent, arrived, states, until } = rig;
    sandbox.fault({
      kind: 'too_many_requests',
      method: 'sendMessage',
      times: 1,
      retryAfterSeconds: 9,
    });
    for (const text of ['1', '2', '3']) await outbox.enqueue(intent(text), clock.now());
    const before = clock.now();
    const reachable = platform.url;
    platform.url = nowhere;
    workers.start(bot.id);
    await until(async () => (await outbox.list({ botIds: null, limit: 3 }))[2]?.attempts === 3);
    platform.url = reachable;
    await until(async () => (await states()).every((state) => state === 'sent'));
    expect(arrived()).toEqual(['1', '2', '3']);
    expect(clock.now() - before).toBeGreaterThanOrEqual(9_000);
  });

  it('does not know what became of a send at which the platform failed, and goes on', async () => {
    const { outbox, clock, workers, sandbox, bot, intent, arrived, states, until } = rig;
    sandbox.fault({ kind: 'server_error', method: 'sendMessage', times: 1 });
    for (const text of ['1', '2']) await outbox.enqueue(intent(text), clock.now());
    workers.start(bot.id);
    await until(async () => (await states()).join() === 'unknown,sent');
    await clock.advance(120_000);
    expect(arrived()).toEqual(['2']);
    const [, unknown] = await outbox.list({ botIds: null, limit: 2 });
    expect(unknown?.error).toBe(
      'Telegram failed (Internal Server Error). The message may have been sent: check the chat.',
    );
  });

  it('does again what does no harm twice, when the platform failed at it', async () => {
    const {
      outbox,
      clock,
      workers,
      sandbox,
      deps,
      bot,
      chatId,
      request,
      intent,
      states,
      stored,
      until,
    } = rig;
    const { message_id } = (await createSender(deps).send(request('a'))) as { message_id: number };
    sandbox.fault({ kind: 'server_error', method: 'editMessageText', times: 2 });
    const params = { chat_id: chatId, message_id, text: 'b' };
    await outbox.enqueue({ ...intent(''), method: 'editMessageText', params }, clock.now());
    workers.start(bot.id);
    await until(async () => (await states())[1] === 'sent');
    expect(await stored()).toEqual([{ text: 'b', origin: 'sent' }]);
  });

  it('risks few sends while the platform fails at all of them', async () => {
    const { outbox, clock, workers, sandbox, bot, intentFor, newChat, arrived, states, until } =
      rig;
    const faultId = sandbox.fault({ kind: 'server_error', method: 'sendMessage' });
    for (let n = 0; n < 50; n++) {
      await outbox.enqueue(intentFor(newChat(`R${n}`), 'hello'), clock.now());
    }
    const countOf = async (wanted: string) =>
      (await states()).filter((state) => state === wanted).length;
    const before = clock.now();
    workers.start(bot.id);
    // Twenty went out together; the others go one by one, and each waits longer than the last.
    await until(async () => (await countOf('unknown')) >= 25);
    expect(clock.now() - before).toBeGreaterThan(20_000);
    const risked = await countOf('unknown');
    sandbox.faults.remove(faultId);
    await until(async () => (await countOf('queued')) + (await countOf('sending')) === 0);
    expect(arrived().length).toBe(50 - (await countOf('unknown')));
    expect(await countOf('unknown')).toBeLessThanOrEqual(risked + 1);
  });

  it('after a crash, sends what was queued and not what was in flight', async () => {
    const { outbox, clock, workers, bot, intent, arrived, states, until } = rig;
    await outbox.begin(intent('under way'), 'this', clock.now());
    await outbox.begin(intent('of another node'), 'that', clock.now());
    await outbox.enqueue(intent('queued'), clock.now());
    const [first] = await outbox.inFlight();
    await outbox.abandon(first ? [first] : [], clock.now());
    workers.start(bot.id);
    await until(async () => (await states()).includes('sent'));
    expect(await states()).toEqual(['unknown', 'sending', 'sent']);
    expect(arrived()).toEqual(['queued']);
  });

  it('notices within a minute that no node works on a send', async () => {
    const { outbox, clock, workers, deps, bot, dead, intent, arrived, states, until } = rig;
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
    deps.inFlight.add(busy);
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
    const { outbox, clock, bot, intent } = rig;
    const send = async () => {
      const id = (await outbox.begin(intent('x'), 'that', clock.now())) ?? 0;
      await outbox.abandon(await outbox.inFlight(), clock.now());
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
    // It was requested again, and another node is sending it.
    const again = await send();
    await outbox.sendAgain(again.id, clock.now());
    await outbox.fail(again, 'failed', 'no', clock.now());
    expect(await stateOf(again)).toBe('queued');
    await outbox.take({ ...again, botId: bot.id }, 'this', clock.now());
    await outbox.requeue(again, 'no connection', 0, clock.now());
    expect(await stateOf(again)).toBe('sending');
  });
});
