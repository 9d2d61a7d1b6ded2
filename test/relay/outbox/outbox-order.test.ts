import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createInFlight } from '../../../src/relay/outbox/in-flight.ts';
import { createOutboxWorkers, type WorkerDeps } from '../../../src/relay/outbox/worker.ts';
import { createLeaseRepository } from '../../../src/store/cluster/leases.ts';
import type { TelegramClient } from '../../../src/telegram/client.ts';
import { dialects } from '../../support/database/engines.ts';
import { createOutboxRig, type OutboxRig } from '../../support/rigs/outbox-rig.ts';

describe.each(dialects)('order within a chat on %s', (dialect) => {
  let rig: OutboxRig;

  beforeEach(async () => {
    rig = await createOutboxRig(dialect);
  });
  afterEach(() => rig.close());

  /** The platform, which keeps the send of one text waiting until it is released. */
  function holding(text: string) {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
    const telegram: TelegramClient = {
      ...rig.telegram,
      async call(token, method, params, options) {
        if (params?.['text'] === text) {
          reach();
          await released;
        }
        return rig.telegram.call(token, method, params, options);
      },
    };
    return { telegram, reached, release };
  }

  const node = (name: string, more: Partial<WorkerDeps> = {}, epoch?: number) =>
    createOutboxWorkers(
      {
        ...rig.deps,
        node: () => name,
        inFlight: createInFlight({ clock: rig.clock, events: rig.deps.events }),
        ...more,
      },
      {
        random: () => 0.5,
        giveUpAfterMs: 3_600_000,
        onError: rig.fail,
        nodes: rig.nodes,
        ...(epoch === undefined ? {} : { leaseEpochOf: () => epoch }),
      },
    );

  it('holds when the worker is restarted while a message is in flight', async () => {
    const { outbox, clock, bot, intent, intentFor, newChat, arrived, until } = rig;
    const held = holding('1');
    const workers = node('this', { telegram: held.telegram });
    await outbox.enqueue(intent('1'), clock.now());
    workers.start(bot.id);
    await held.reached;
    const stopped = workers.stop(bot.id);
    await outbox.enqueue(intent('2'), clock.now());
    await outbox.enqueue(intentFor(newChat('Ben'), 'elsewhere'), clock.now());
    workers.start(bot.id);
    await until(() => arrived().includes('elsewhere'));
    expect(arrived()).toEqual(['elsewhere']);
    const releasedAt = clock.now();
    held.release();
    await stopped;
    await until(() => arrived().length === 3);
    expect(arrived()).toEqual(['elsewhere', '1', '2']);
    expect(clock.now() - releasedAt).toBeLessThan(5_000);
    await workers.stopAll();
  });

  it('is kept under a new name where another process runs under the same one', async () => {
    const { outbox, clock, bot, intent, until, arrived } = rig;
    const held = holding('1');
    let name = 'this';
    const renamed = node('this', { telegram: held.telegram, node: () => name });
    const under = async () => (await outbox.inFlight()).map((send) => send.node);
    await outbox.enqueue(intent('1'), clock.now());
    renamed.start(bot.id);
    await held.reached;
    name = 'renamed';
    held.release();
    await until(() => arrived().includes('1'));
    const next = holding('2');
    const after = node('', { telegram: next.telegram, node: () => name });
    await renamed.stopAll();
    await outbox.enqueue(intent('2'), clock.now());
    after.start(bot.id);
    await next.reached;
    expect(await under()).toEqual(['renamed']);
    next.release();
    await until(() => arrived().includes('2'));
    await after.stopAll();
    expect(await under()).toEqual([]);
  });

  it('holds when the bot moves to another node while a message is in flight', async () => {
    const { outbox, clock, bot, intent, intentFor, newChat, arrived, until } = rig;
    const held = holding('1');
    const before = node('this', { telegram: held.telegram });
    const after = node('that');
    await outbox.enqueue(intent('1'), clock.now());
    before.start(bot.id);
    await held.reached;
    const stopped = before.stop(bot.id);
    await outbox.enqueue(intent('2'), clock.now());
    await outbox.enqueue(intentFor(newChat('Ben'), 'elsewhere'), clock.now());
    after.start(bot.id);
    await until(() => arrived().includes('elsewhere'));
    expect(arrived()).toEqual(['elsewhere']);
    held.release();
    await stopped;
    await until(() => arrived().length === 3);
    expect(arrived()).toEqual(['elsewhere', '1', '2']);
    await Promise.all([before.stopAll(), after.stopAll()]);
  });

  it('does not make queued messages wait for what someone sends by hand', async () => {
    const { outbox, clock, workers, bot, intent, arrived, until } = rig;
    await outbox.begin({ ...intent('by hand'), origin: 'sent' }, 'that', clock.now());
    await outbox.enqueue(intent('queued'), clock.now());
    workers.start(bot.id);
    await until(() => arrived().length === 1);
    expect(arrived()).toEqual(['queued']);
  });

  it('leaves the queue to the node that took the bot over', async () => {
    const { outbox, clock, engine, bot, intent, arrived, states, until } = rig;
    const leases = createLeaseRepository(engine);
    const epochFor = async (name: string) => {
      const lease = await leases.takeOne(name, [], bot.id);
      return lease && 'epoch' in lease ? lease.epoch : 0;
    };
    const before = await epochFor('this');
    const after = await epochFor('that');
    await outbox.enqueue(intent('1'), clock.now());
    const tried = Promise.withResolvers<void>();
    const watched: WorkerDeps['outbox'] = {
      ...outbox,
      take: (...asked) => outbox.take(...asked).finally(tried.resolve),
    };
    const stale = node('this', { outbox: watched }, before);
    stale.start(bot.id);
    await tried.promise;
    await stale.stopAll();
    expect(await states()).toEqual(['queued']);
    expect(arrived()).toEqual([]);
    const owner = node('that', {}, after);
    owner.start(bot.id);
    await until(async () => (await states())[0] === 'sent');
    expect(arrived()).toEqual(['1']);
    await owner.stopAll();
  });
});
