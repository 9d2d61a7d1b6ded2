import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSender } from '../../../src/relay/outbox/outbox.ts';
import { createOutboxRig, type OutboxRig } from '../../support/rigs/outbox-rig.ts';
import { createPushRig, message, type PushRig } from '../../support/rigs/delivery-rig.ts';
import { openRoutingWorld } from '../../support/rigs/routing-world.ts';

const hourMs = 3_600_000;

describe('sending when the wall clock is set', () => {
  let rig: OutboxRig;

  beforeEach(async () => {
    rig = await createOutboxRig('sqlite');
  });
  afterEach(() => rig.close());

  it('back: does not hold the sending limits for as long', async () => {
    const { deps, clock, request, arrived } = rig;
    const sender = createSender(deps);
    for (let count = 0; count < 4; count++) await sender.send(request(`before ${count}`));
    clock.shiftWall(-hourMs);
    await clock.advance(1_500);
    await sender.send(request('after'));
    expect(arrived()).toContain('after');
  });

  it('back: sends what was put off for a moment', async () => {
    const { clock, outbox, workers, bot, intent, arrived, until } = rig;
    const id = (await outbox.enqueue(intent('put off'), clock.now())) ?? 0;
    await outbox.take({ id, botId: bot.id }, 'this', clock.now());
    await outbox.requeue({ id, node: 'this' }, 'later', clock.now() + 1_000, clock.now());
    clock.shiftWall(-3 * hourMs);
    const startedAt = clock.monotonic();
    workers.start(bot.id);
    await until(() => arrived().length > 0, 500);
    expect(clock.monotonic() - startedAt).toBeLessThan(10_000);
  });

  it('back: notices a send that no node is working on', async () => {
    const { clock, outbox, workers, bot, intent, states, until } = rig;
    await outbox.begin(intent('nobody is at it'), 'this', clock.now());
    clock.shiftWall(-hourMs);
    const startedAt = clock.monotonic();
    workers.start(bot.id);
    await until(async () => (await states())[0] === 'unknown', 500);
    expect(clock.monotonic() - startedAt).toBeLessThan(40_000);
  });

  it('forward: does not touch sends that a node is working on', async () => {
    const { clock, outbox, workers, deps, bot, intent, states } = rig;
    const own = (await outbox.begin(intent('of this node'), 'this', clock.now())) ?? 0;
    deps.inFlight.add(own);
    await outbox.begin(intent('of another node'), 'that', clock.now());
    clock.shiftWall(hourMs);
    workers.start(bot.id);
    for (let passedMs = 0; passedMs < 40_000; passedMs += 500) {
      await clock.advance(500);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    expect(await states()).toEqual(['sending', 'sending']);
  });
});

describe('pushing when the wall clock is set', () => {
  let rig: PushRig;

  beforeEach(async () => {
    rig = await createPushRig('postgres');
    await rig.apply();
  });
  afterEach(() => rig.close());
  const attempts = async () =>
    (await rig.deliveries.attempts({ botIds: null, reader: 'push', limit: 10 })).reverse();

  it('back: ends a delivery that takes too long', async () => {
    let open = () => {};
    rig.backend.answer = () => new Promise((resolve) => (open = () => resolve({})));
    await rig.receive([message(1, 1)]);
    await rig.until(() => rig.backend.arrivals.length === 1);
    rig.clock.shiftWall(-hourMs);
    for (let second = 0; second < 62; second++) await rig.clock.advance(1_000);
    await rig.until(async () => (await attempts()).length > 0, 10);
    expect((await attempts())[0]).toMatchObject({ status: 0, duration_ms: 60_000 });
    open();
  });

  it('back: tries a failed chat again', async () => {
    rig.backend.answer = () => ({ status: 500 });
    await rig.receive([message(1, 1)]);
    await rig.answered(2);
    await rig.until(
      async () => (await rig.retryQueues.list(rig.bot, 'push', 1))[0]?.attempts === 2,
      10,
    );
    rig.clock.shiftWall(-hourMs);
    rig.backend.answer = () => ({});
    const startedAt = rig.clock.monotonic();
    await rig.until(() => rig.backend.arrivals.length === 3, 500);
    expect(rig.clock.monotonic() - startedAt).toBeLessThan(5_000);
  });

  it('back, and the process started again: tries a failed chat again', async () => {
    rig.backend.answer = () => ({ status: 500 });
    await rig.receive([message(1, 1)]);
    await rig.answered(2);
    await rig.until(
      async () => (await rig.retryQueues.list(rig.bot, 'push', 1))[0]?.attempts === 2,
      10,
    );
    rig.clock.shiftWall(-3 * hourMs);
    await rig.crash();
    rig.backend.answer = () => ({});
    await rig.apply();
    const startedAt = rig.clock.monotonic();
    await rig.until(() => rig.backend.arrivals.length === 3, 1_000);
    expect(rig.clock.monotonic() - startedAt).toBeLessThan(600_000);
  });

  it('back: replays what is asked for afterwards', async () => {
    await rig.receive([message(1, 1)]);
    await rig.until(async () => (await rig.cursor())?.position === 1, 10);
    rig.backend.answer = () => ({ status: 500 });
    await rig.receive([message(2, 2)]);
    await rig.until(
      async () => (await rig.retryQueues.list(rig.bot, 'push', 1))[0]?.attempts === 2,
      10,
    );
    await rig.retryQueues.retryNow(rig.bot, 'push', undefined, rig.clock.now());
    await rig.pushers.wake(rig.bot);
    await rig.until(() => rig.backend.arrivals.length >= 4, 10);
    rig.clock.shiftWall(-hourMs);
    rig.backend.answer = () => ({});
    const range = { from: 1, to: 1 };
    await rig.deliveries.replayRange(rig.bot, 'push', range, rig.clock.now());
    await rig.pushers.wake(rig.bot);
    await rig.until(() => rig.arrivedOf(1).length > 1, 10);
    expect(rig.arrivedOf(1)).toEqual([1, 1]);
  });

  it('forward by a month: writes down how long a delivery took', async () => {
    let open = () => {};
    rig.backend.answer = () => new Promise((resolve) => (open = () => resolve({})));
    await rig.receive([message(1, 1)]);
    await rig.until(() => rig.backend.arrivals.length === 1);
    rig.clock.shiftWall(30 * 24 * hourMs);
    open();
    await rig.until(async () => (await rig.cursor())?.position === 1, 10);
    expect((await attempts())[0]).toMatchObject({ status: 200, duration_ms: 0 });
  });
});

it('a node routes an album received before the wall clock was set back', async () => {
  const { sandbox, rig, clock } = await openRoutingWorld('sqlite', { seed: 5 });
  const front = await rig.addBot('front');
  const back = await rig.addBot('back');
  const team = rig.group('Team', [back]);
  await rig.route(front, back, { action: 'copy', target_chat_id: team.id });
  const ann = sandbox.createUser({ first_name: 'Ann' });
  rig.say(ann, front, '/start');
  await rig.settle();
  for (const caption of ['one', 'two']) {
    sandbox.sendMedia(ann.id, front.platformId, { caption, mediaGroupId: '77' });
  }
  await rig.takeIn();
  clock.shiftWall(-hourMs);
  const startedAt = clock.monotonic();
  await rig.settle();
  expect(rig.messagesIn(team).map(({ caption }) => caption)).toContain('two');
  expect(clock.monotonic() - startedAt).toBeLessThan(10_000);
});
