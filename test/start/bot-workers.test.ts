import { Client } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createVault } from '../../src/core/access/vault.ts';
import { createLogger } from '../../src/logger.ts';
import { createBotWorkers } from '../../src/relay/cluster/bot-workers.ts';
import { createBackground } from '../../src/relay/async/background.ts';
import { answerIntents } from '../../src/relay/delivery/answer-intent.ts';
import { ConnectionPool } from '../../src/relay/delivery/connection-pool.ts';
import { createPushers } from '../../src/relay/delivery/pushers.ts';
import { createLogReaders, type LogReader } from '../../src/relay/log/log-readers.ts';
import { createUpdateLog } from '../../src/relay/log/update-log.ts';
import type { DialectName } from '../../src/store/engine.ts';
import { createStore } from '../../src/store/store.ts';
import { createDatabase, dialects } from '../support/database/engines.ts';
import { gateEngine } from '../support/database/gated-engine.ts';
import { advanceUntil, createManualClock } from '../support/manual-clock.ts';

/** Only what these tests need. */
const reader = (run?: Pick<Required<LogReader>['run'], 'apply' | 'stop'>) =>
  ({ ...(run ? { run } : {}) }) as LogReader;

/** Everything is real except two parts that record their calls. */
async function open(dialect: DialectName) {
  const database = await createDatabase(dialect);
  const engine = await database.open();
  const gates = gateEngine(engine);
  const clock = createManualClock();
  const store = createStore(gates.engine, createVault(['a key for tests that is long enough']));
  const bot = await store.bots.insert(
    { token: '1:own', source: 'web', proxy_enabled: true, backend_url: 'http://127.0.0.1:9/' },
    clock.now(),
  );
  const logger = createLogger({ level: 'silent' });
  const pushers = createPushers({
    store,
    bots: store.bots,
    log: createUpdateLog(store.log),
    readers: store.log,
    clock,
    logger,
    random: () => 0.5,
    settings: { maxConnections: 1, giveUpAfterMs: 1_000 },
    connections: new ConnectionPool({
      open: (origin) => new Client(origin),
      most: 1,
      clock,
      logger,
    }),
    onMethodCall: answerIntents(clock),
  });
  const running = new Set<string>();
  const noted = (name: string) => ({
    start: async () => void running.add(name),
    stop: async () => void running.delete(name),
  });
  const router = noted('router');
  /** The lease that the node holds, and those under which the router was started. */
  const leases = { held: 1, started: [] as number[] };
  const background = createBackground();
  const failures: unknown[] = [];
  const readers = createBotWorkers({
    bots: store.bots,
    logReaders: createLogReaders({
      kinds: {
        push: reader({ apply: pushers.apply, stop: pushers.stop }),
        routing: reader({
          async apply(_bot, leaseEpoch) {
            leases.started.push(leaseEpoch);
            await router.start();
          },
          stop: router.stop,
        }),
        pull: reader(),
        export: reader(),
      },
      readers: store.readers,
      clock,
      apps: store.apps,
      publishMoved: () => {},
    }),
    workers: { ...noted('worker'), start: () => void running.add('worker') },
    leaseEpochOf: () => leases.held,
    clock,
    background,
    failed: (error) => failures.push(error),
  });
  onTestFinished(async () => {
    await background.end();
    await pushers.stopAll();
    await engine.close();
    await database.drop();
    expect(failures).toEqual([]);
  });
  const working = () => [...running, ...(pushers.botIds().length > 0 ? ['pusher'] : [])].sort();
  return { readers, gates, store, clock, botId: bot.id, background, working, failures, leases };
}

describe.each(dialects)('what works for the bots of a node, on %s', (dialect) => {
  const all = ['pusher', 'router', 'worker'];

  it('is begun with a bot and ends with it', async () => {
    const { readers, botId, working } = await open(dialect);
    await readers.apply(botId);
    expect(working()).toEqual([]);
    readers.gained(botId, 1);
    await readers.apply(botId);
    expect(working()).toEqual(all);
    await readers.lost(botId);
    expect(working()).toEqual([]);
    await readers.apply(botId);
    expect(working()).toEqual([]);
  });

  it.each([
    ['its settings are read', 'from bots where id'],
    ['its place in the log is read', 'retry_queues'],
  ])('is not begun for a bot that is lost while %s', async (_moment, words) => {
    const { readers, gates, botId, background, working } = await open(dialect);
    const held = gates.holdAnswer(words);
    readers.gained(botId, 1);
    await held.reached;
    const lost = readers.lost(botId);
    held.open();
    await lost;
    await background.end();
    expect(working()).toEqual([]);
  });

  it('is begun in the end when its settings could not be read at first', async () => {
    const { readers, gates, clock, botId, working, failures } = await open(dialect);
    gates.failAnswer('from bots where id');
    gates.failAnswer('from bots where id');
    readers.gained(botId, 1);
    await advanceUntil(clock, () => failures.length === 2, 100);
    expect(working()).toEqual([]);
    await advanceUntil(clock, () => working().length === all.length, 100);
    failures.length = 0;
  });

  it('follows changed settings that could not be read at first', async () => {
    const { readers, gates, store, clock, botId, working, failures } = await open(dialect);
    readers.gained(botId, 1);
    await readers.apply(botId);
    expect(working()).toEqual(all);
    await store.bots.update(botId, { proxy_enabled: false }, clock.now());
    gates.failAnswer('from bots where id');
    expect(await readers.changed(botId)).toBe(false);
    expect(failures).toHaveLength(1);
    await advanceUntil(clock, () => !working().includes('pusher'), 100);
    failures.length = 0;
  });

  it('is not tried again for a bot that is lost', async () => {
    const { readers, gates, clock, botId, working, failures } = await open(dialect);
    gates.failAnswer('from bots where id');
    readers.gained(botId, 1);
    await advanceUntil(clock, () => failures.length === 1, 100);
    await readers.lost(botId);
    await clock.advance(10_000);
    expect(working()).toEqual([]);
    failures.length = 0;
  });

  it('is begun for a bot that is gained again while it is lost', async () => {
    const { readers, gates, botId, background, working } = await open(dialect);
    const held = gates.holdAnswer('from bots where id');
    readers.gained(botId, 1);
    await held.reached;
    const lost = readers.lost(botId);
    readers.gained(botId, 2);
    held.open();
    await lost;
    await background.end();
    expect(working()).toEqual(all);
  });

  it('is begun only under the lease that the node holds', async () => {
    const { readers, gates, botId, background, working, leases } = await open(dialect);
    const held = gates.holdAnswer('retry_queues');
    readers.gained(botId, 1);
    await held.reached;
    const lost = readers.lost(botId);
    leases.held = 2;
    readers.gained(botId, 2);
    held.open();
    await lost;
    await background.end();
    expect(working()).toEqual(all);
    expect(leases.started).toEqual([2]);
  });
});
