import { verbatim } from '../../../src/core/reasons/reason.ts';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { RelayError } from '../../../src/errors.ts';
import { createSender } from '../../../src/relay/outbox/outbox.ts';
import type { Preparation } from '../../../src/relay/outbox/preparation.ts';
import { createOutboxWorkers, type WorkerDeps } from '../../../src/relay/outbox/worker.ts';
import { raw } from '../../../src/store/engine.ts';
import { createOutboxRepository } from '../../../src/store/outbox/outbox.ts';
import { behindProxy } from '../../support/database/cuttable-proxy.ts';
import { dialects } from '../../support/database/engines.ts';
import { createOutboxRig, type OutboxRig } from '../../support/rigs/outbox-rig.ts';

const outage = () =>
  new RelayError('database_unavailable', verbatim('The database cannot be reached.'));

/** A preparation that knows no other way and records nothing. */
const preparing = (prepare: Preparation['prepare']): Preparation => ({
  prepare,
  instead: async () => undefined,
  *recordAlso() {},
});

describe.each(dialects)('outbox without its database on %s', (dialect) => {
  let rig: OutboxRig;
  /** Calls of the database that fail from now on. */
  let failing: Set<string>;
  let deps: WorkerDeps;
  let calls: string[];

  beforeEach(async () => {
    rig = await createOutboxRig(dialect);
    failing = new Set();
    calls = [];
    const breakable = <T extends object>(target: T): T =>
      new Proxy(target, {
        get(_, name: string) {
          const found: unknown = Reflect.get(target, name);
          if (typeof found !== 'function') return found;
          return async (...given: unknown[]) => {
            calls.push(name);
            if (failing.has(name)) throw outage();
            return (found as (...g: unknown[]) => unknown).apply(target, given);
          };
        },
      });
    deps = { ...rig.deps, outbox: breakable(rig.deps.outbox) };
  });
  afterEach(() => rig.close());

  function createWorkers(more: Partial<WorkerDeps> = {}, prepare?: Preparation['prepare']) {
    return createOutboxWorkers(
      { ...deps, ...more },
      {
        random: () => 0.5,
        giveUpAfterMs: 3_600_000,
        onError: () => {},
        nodes: rig.nodes,
        ...(prepare && { preparation: preparing(prepare) }),
      },
    );
  }

  const carried = (text: string) => ({ ...rig.intent(text), context: { kind: 'test' } });

  it('sends what could not be prepared once the database is back', async () => {
    const { outbox, clock, bot, chatId, arrived, states, until } = rig;
    let isAway = true;
    let tries = 0;
    const workers = createWorkers({}, async () => {
      tries++;
      if (isAway) throw outage();
      return { method: 'sendMessage', params: { chat_id: chatId, text: 'late' } };
    });
    failing.add('requeue');
    await outbox.enqueue(carried('late'), clock.now());
    workers.start(bot.id);
    await until(() => tries > 0);
    // Longer than anything counts as lost.
    await clock.advance(30_000);
    expect(await states()).toEqual(['sending']);
    isAway = false;
    failing.clear();
    await until(async () => (await states())[0] === 'sent');
    expect(arrived()).toEqual(['late']);
    await workers.stopAll();
  });

  it('fails what can never be prepared, as it surely was not sent', async () => {
    const { outbox, clock, bot, intent, arrived, states, until } = rig;
    const workers = createWorkers({}, async () => {
      throw new TypeError('a bug');
    });
    await outbox.enqueue(carried('never'), clock.now());
    await outbox.enqueue(intent('next'), clock.now());
    workers.start(bot.id);
    await until(async () => (await states()).join() === 'failed,sent');
    expect(arrived()).toEqual(['next']);
    await workers.stopAll();
  });

  it('sends what was refused for now although that could not be recorded at once', async () => {
    const { outbox, clock, sandbox, bot, intent, arrived, states, until } = rig;
    sandbox.fault({
      kind: 'too_many_requests',
      method: 'sendMessage',
      times: 1,
      retryAfterSeconds: 3,
    });
    const workers = createWorkers();
    failing.add('requeue');
    await outbox.enqueue(intent('1'), clock.now());
    await outbox.enqueue(intent('2'), clock.now());
    workers.start(bot.id);
    await until(() => calls.includes('requeue'));
    await clock.advance(30_000);
    expect(await states()).toEqual(['sending', 'queued']);
    failing.clear();
    await until(async () => (await states()).every((state) => state === 'sent'));
    expect(arrived()).toEqual(['1', '2']);
    await workers.stopAll();
  });

  it('sends what it took without hearing so', async () => {
    const { outbox, clock, bot, intent, arrived, states, until } = rig;
    let isLost = true;
    const workers = createWorkers({
      outbox: {
        ...deps.outbox,
        async take(...asked) {
          const taken = await outbox.take(...asked);
          if (!isLost) return taken;
          isLost = false;
          throw outage();
        },
      },
    });
    failing.add('requeue');
    await outbox.enqueue(intent('1'), clock.now());
    workers.start(bot.id);
    await until(() => calls.includes('requeue'));
    await clock.advance(30_000);
    expect(await states()).toEqual(['sending']);
    failing.clear();
    await until(async () => (await states())[0] === 'sent');
    expect(arrived()).toEqual(['1']);
    await workers.stopAll();
  });

  it('keeps the text of an earlier version as it puts a send back', async () => {
    const { outbox, engine, clock, bot, intent, until } = rig;
    const workers = createWorkers({
      outbox: {
        ...deps.outbox,
        async take(...asked) {
          await outbox.take(...asked);
          throw outage();
        },
      },
    });
    await outbox.enqueue(intent('1'), clock.now());
    await engine.write(() => raw(`update outbox set error = 'answered 500'`));
    workers.start(bot.id);
    await until(() => calls.includes('requeue'));
    await workers.stopAll();
    expect(await outbox.list({ botIds: null, limit: 1 })).toMatchObject([
      { state: 'queued', error: 'answered 500' },
    ]);
  });

  it('records an arrival once the database is back, and does not send it again', async () => {
    const { outbox, clock, bot, intent, arrived, states, stored, until } = rig;
    const workers = createWorkers();
    failing.add('succeed');
    await outbox.enqueue(intent('1'), clock.now());
    await outbox.enqueue(intent('2'), clock.now());
    workers.start(bot.id);
    await until(() => calls.includes('succeed'));
    await clock.advance(30_000);
    expect(await states()).toEqual(['sending', 'queued']);
    failing.clear();
    await until(async () => (await states()).every((state) => state === 'sent'));
    expect(arrived()).toEqual(['1', '2']);
    expect(await stored()).toHaveLength(2);
    await workers.stopAll();
  });

  it.each([
    ['is away', outage()],
    ['refuses to store it', Object.assign(new Error('disk full'), { code: '53100' })],
  ])('confirms a message sent by hand when the database %s', async (_, error) => {
    const { chatId, request, arrived, states, until } = rig;
    let isAway = true;
    const sender = createSender({
      ...deps,
      outbox: {
        ...deps.outbox,
        async succeed(...given) {
          if (isAway) throw error;
          return rig.outbox.succeed(...given);
        },
        async fail(...given) {
          if (isAway) throw error;
          return rig.outbox.fail(...given);
        },
      },
    });
    await expect(sender.send(request('once'))).rejects.toMatchObject({ code: 'platform_timeout' });
    await expect(
      sender.send({ ...request('?'), params: { chat_id: chatId } }),
    ).rejects.toMatchObject({ code: 'platform_refused' });
    isAway = false;
    if (error instanceof RelayError) {
      await until(async () => (await states()).join() === 'sent,failed');
    }
    expect(arrived()).toEqual(['once']);
  });
});

it('the outbox sends a message once, though PostgreSQL is cut off after it was taken', async () => {
  const rig = await createOutboxRig('postgres');
  onTestFinished(() => rig.close());
  const { outbox, clock, bot, chatId, arrived, states, until } = rig;
  const { proxy, behind } = await behindProxy(rig.database);
  const engine = await behind.open();
  onTestFinished(() => engine.close());
  const behindOutbox = createOutboxRepository(engine);
  let isCut = false;
  const workers = createOutboxWorkers(
    { ...rig.deps, outbox: behindOutbox },
    {
      random: () => 0.5,
      giveUpAfterMs: 3_600_000,
      onError: () => {},
      nodes: rig.nodes,
      preparation: preparing(async () => {
        if (!isCut) {
          isCut = true;
          proxy.cut();
        }
        await behindOutbox.waiting();
        return { method: 'sendMessage', params: { chat_id: chatId, text: 'late' } };
      }),
    },
  );
  onTestFinished(() => workers.stopAll());
  await outbox.enqueue({ ...rig.intent('late'), context: { kind: 'test' } }, clock.now());
  workers.start(bot.id);
  await until(() => isCut);
  await clock.advance(30_000);
  expect(await states()).toEqual(['sending']);
  proxy.mend();
  await until(async () => (await states())[0] === 'sent');
  expect(arrived()).toEqual(['late']);
});
