import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLogger } from '../../../src/logger.ts';
import { answerIntents } from '../../../src/relay/delivery/answer-intent.ts';
import { ConnectionPool } from '../../../src/relay/delivery/connection-pool.ts';
import { createPushers, type Pushers } from '../../../src/relay/delivery/pushers.ts';
import { createUpdateLog } from '../../../src/relay/log/update-log.ts';
import { dialects } from '../../support/database/engines.ts';
import { createPushRig, message, type PushRig } from '../../support/rigs/delivery-rig.ts';

describe.each(dialects)('push told by another node, on %s', (dialect) => {
  let rig: PushRig;
  let other: Pushers;
  let notified: number[];

  beforeEach(async () => {
    rig = await createPushRig(dialect);
    notified = [];
    const open = () => {
      throw new Error('this node pushes nothing');
    };
    const logger = createLogger({ level: 'silent' });
    other = createPushers({
      store: rig.store,
      bots: rig.store.bots,
      log: createUpdateLog(rig.store.log),
      readers: rig.store.log,
      clock: rig.clock,
      logger,
      random: () => 0,
      settings: { maxConnections: 40, giveUpAfterMs: 86_400_000 },
      connections: new ConnectionPool({ open, most: 1, clock: rig.clock, logger }),
      onMethodCall: answerIntents(rig.clock),
      notifyOthers: (botId) => void notified.push(botId),
    });
  });
  afterEach(() => rig.close());

  const call = '{"method":"sendMessage","chat_id":2,"text":"from the answer"}';

  /** The first retry comes at once, the next one not before time moves on. */
  async function retried(): Promise<void> {
    const attempts = async () => (await rig.retryQueues.list(rig.bot, 'push', 9))[0]?.attempts;
    await rig.until(async () => (await attempts()) === 2, 10);
  }

  /** One chat failed and waits, another has a delivery under way and more behind it. */
  async function busy() {
    const open = Promise.withResolvers<void>();
    await rig.apply();
    rig.backend.answer = async ({ chatId, updateId }) => {
      if (chatId === 1) return { status: 500 };
      if (updateId === 3) return new Promise(() => {});
      await open.promise;
      return updateId === 2 ? { body: call } : {};
    };
    rig.seen.held = 1;
    await rig.receive([message(1, 1), message(2, 2), message(3, 2), message(4, 2)]);
    await retried();
    return open;
  }
  const calls = () => rig.engine.readRaw('select params from outbox', []);
  const times = (id: number) => rig.arrivedIds().filter((one) => one === id).length;

  it('forgets what waits, and finishes what is in flight', async () => {
    const open = await busy();
    const tried = times(1);
    await other.dropPending(rig.bot);
    expect(notified).toEqual([rig.bot]);
    let isDone = false;
    void rig.pushers.onRemoteChange(rig.bot).then(() => {
      isDone = true;
    });
    open.resolve();
    await rig.until(() => isDone, 50);
    // The answer of the one under way counts, and its call is sent.
    expect(await calls()).toHaveLength(1);
    rig.backend.answer = () => ({});
    await rig.receive([message(5, 1), message(6, 2)]);
    await rig.until(async () => (await rig.cursor())?.position === 6, 10);
    await rig.clock.advance(120_000);
    expect([1, 4, 5, 6].map(times)).toEqual([tried, 0, 1, 1]);
    expect(await rig.retryQueues.list(rig.bot, 'push', 9)).toEqual([]);
  });

  it('notices by itself that it was moved when it did not hear of it', async () => {
    const open = await busy();
    const tried = times(1);
    await other.dropPending(rig.bot);
    await rig.receive([message(5, 2)]);
    open.resolve();
    await rig.until(async () => (await rig.cursor())?.position === 5, 10);
    await rig.clock.advance(120_000);
    // The commit of the first answer fails: only what was in flight until then goes out.
    expect([1, 2, 4, 5].map(times)).toEqual([tried, 1, 0, 1]);
    expect(await calls()).toHaveLength(1);
    expect(await rig.retryQueues.list(rig.bot, 'push', 9)).toEqual([]);
  });

  it('begins at once what another node asked to be tried again', async () => {
    await rig.apply();
    rig.backend.answer = () => ({ status: 500 });
    await rig.receive([message(1, 1)]);
    await retried();
    const before = rig.arrivedIds().length;
    rig.backend.answer = () => ({});
    await rig.retryQueues.retryNow(rig.bot, 'push', undefined, rig.clock.now());
    await other.wake(rig.bot);
    expect(notified).toEqual([rig.bot]);
    await rig.pushers.onRemoteChange(rig.bot);
    await rig.until(() => rig.arrivedIds().length === before + 1);
  });

  it.each([
    ['when it hears of it', true],
    ['when its commit is refused', false],
  ])('ends where another node removed the backend, %s', async (_name, isNotified) => {
    const open = Promise.withResolvers<object>();
    await rig.apply();
    rig.backend.answer = () => open.promise;
    await rig.receive([message(1, 1)]);
    await rig.until(() => rig.backend.arrivals.length === 1);
    const none = { backend_url: '', proxy_enabled: false };
    await rig.store.bots.update(rig.bot, none, rig.clock.now(), { isRemoved: true });
    const applied = isNotified ? rig.pushers.onRemoteChange(rig.bot) : undefined;
    open.resolve({});
    await applied;
    await rig.until(() => rig.pushers.botIds().length === 0, 10);
    await rig.receive([message(2, 2)]);
    await rig.clock.advance(120_000);
    expect(rig.arrivedIds()).toEqual([1]);
    await rig.apply({ backend_url: rig.backend.url, proxy_enabled: true });
    await rig.until(() => rig.backend.arrivals.length === 2);
    expect(rig.arrivedIds()).toEqual([1, 2]);
  });
});
