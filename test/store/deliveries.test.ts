import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { noteBackendHealth } from '../../src/store/delivery/backend-health.ts';
import {
  createDeadLetterRepository,
  type DeadLetterRepository,
} from '../../src/store/delivery/dead-letters.ts';
import {
  commitPush,
  createDeliveryRepository,
  type DeliveryRepository,
  type PushChanges,
} from '../../src/store/delivery/deliveries.ts';
import type { Step } from '../../src/store/engine.ts';
import { raw } from '../../src/store/engine.ts';
import {
  createRetryQueueRepository,
  type RetryQueueRepository,
} from '../../src/store/delivery/retry-queues.ts';
import { readUpdate } from '../../src/core/log/update-facts.ts';
import { dialects } from '../support/database/engines.ts';
import { message } from '../support/rigs/delivery-rig.ts';
import { createTestStore, type TestStore } from '../support/database/store.ts';

const now = 1_700_000_000_000;

describe.each(dialects)('deliveries on %s', (dialect) => {
  let test: TestStore;
  let one: number;
  let two: number;
  let retryQueues: RetryQueueRepository;
  let dead: DeadLetterRepository;
  let deliveries: DeliveryRepository;

  beforeEach(async () => {
    test = await createTestStore(dialect);
    const { engine, bots, log } = test.store;
    one = (await bots.insert({ token: '1:a', source: 'web' }, now)).id;
    two = (await bots.insert({ token: '2:b', source: 'web' }, now)).id;
    await log.openReader(one, 'push', now);
    await log.openReader(two, 'push', now);
    retryQueues = createRetryQueueRepository(engine);
    dead = createDeadLetterRepository(engine);
    deliveries = createDeliveryRepository(engine);
  });
  afterEach(() => test.close());

  function changes(botId: number, more: Partial<PushChanges> = {}): PushChanges {
    return {
      botId,
      reader: 'push',
      epoch: undefined,
      generation: 0,
      cursor: { position: 5, state: 'mine' },
      attempts: [attempt(botId, 5)],
      positions: new Map(),
      queues: new Map(),
      deadLetters: [],
      replayed: [],
      calls: [],
      backend: undefined,
      ...more,
    };
  }
  const attempt = (botId: number, position: number, startedAt = now) => ({
    bot_id: botId,
    reader: 'push',
    position,
    update_id: position,
    queue: 'c1',
    started_at: startedAt,
    duration_ms: 3,
    status: 200,
    error: '',
    answer: '',
    replay: 0,
  });
  const commit = (
    all: PushChanges[],
    onCall: (from: { botId: number; position: number }) => Step<unknown> = function* () {},
  ) => test.store.engine.write(() => commitPush(test.store.engine, all, now, onCall));
  const position = async (botId: number) => (await test.store.log.readers(botId))[0]?.position;
  const write = (sql: string, parameters: unknown[]) =>
    test.store.engine.write(() => raw(sql, parameters));
  const retryQueueChange = (queue: string) =>
    ({
      kind: 'waiting',
      queue,
      attempts: 1,
      firstFailedAt: now,
      nextAttemptAt: now + 5,
      requestedAt: 0,
      lastError: 'no',
    }) as const;

  it('moves many readers in one transaction, and refuses only a stale or deleted bot', async () => {
    await write('insert into leases (bot_id, owner, epoch, expires_at) values ($1, $2, 3, 0)', [
      one,
      'node',
    ]);
    const verdicts = await commit([
      changes(two, { cursor: { position: 9, state: '' } }),
      changes(one, { epoch: 2 }),
      changes(999),
    ]);
    expect(verdicts).toEqual(['stored', 'stale', 'gone']);
    expect([await position(one), await position(two)]).toEqual([0, 9]);
    const attempts = await deliveries.attempts({ botIds: null, reader: 'push', limit: 10 });
    expect(attempts.map((row) => row.bot_id)).toEqual([two]);
    expect(await commit([changes(one, { epoch: 3 })])).toEqual(['stored']);
    expect(await position(one)).toBe(5);
  });

  it('keeps the time of the last move when an attempt does not move the position', async () => {
    const commitAt = (position: number, state: string, at: number) =>
      test.store.engine.write(() =>
        commitPush(
          test.store.engine,
          [changes(one, { cursor: { position, state } })],
          at,
          function* () {},
        ),
      );
    const movedAt = async () => (await test.store.log.readers(one))[0]?.updatedAt;
    await commitAt(5, '', now + 1);
    expect(await movedAt()).toBe(now + 1);
    await commitAt(5, '{"paused":true}', now + 2);
    expect((await test.store.log.readers(one))[0]?.state).toBe('{"paused":true}');
    expect(await movedAt()).toBe(now + 1);
    await commitAt(6, '', now + 3);
    expect(await movedAt()).toBe(now + 3);
  });

  it('refuses what a pusher decided before its reader was moved, beside its successor', async () => {
    await deliveries.dropPending(one, 'push', now);
    const late = changes(one, {
      cursor: { position: 7, state: '' },
      positions: new Map([[7, { queue: 'c1', replay: false }]]),
    });
    const successor = changes(one, {
      generation: 1,
      cursor: { position: 0, state: '' },
      attempts: [],
    });
    expect(await commit([late, successor])).toEqual(['outdated', 'stored']);
    expect(await commit([successor, late])).toEqual(['stored', 'outdated']);
    expect(await position(one)).toBe(0);
    expect(await retryQueues.counts([one], 'push')).toEqual(new Map());
  });

  it('takes method calls into the same transaction, or nothing at all', async () => {
    const call = { position: 5, call: {} };
    await commit([changes(one, { calls: [call] })], ({ botId, position: at }) =>
      raw('insert into settings (name, value) values ($1, $2)', ['called', `${botId} ${at}`]),
    );
    expect(await test.store.engine.readRaw('select value from settings', [])).toContainEqual({
      value: `${one} 5`,
    });
    const failing = commit(
      [changes(one, { cursor: { position: 6, state: '' }, calls: [call] })],
      () => raw('insert into no_such_outbox (id) values (1)'),
    );
    await expect(failing).rejects.toThrow('no_such_outbox');
    expect(await position(one)).toBe(5);
  });

  it('stores positions in retry queues, and removes a queue only when it is empty and was not woken', async () => {
    const positions = new Map([1, 2, 3].map((p) => [p, { queue: 'c1', replay: false }]));
    await commit([changes(one, { positions, queues: new Map([['c1', retryQueueChange('c1')]]) })]);
    expect(await retryQueues.list(one, 'push', 10)).toMatchObject([
      { queue: 'c1', attempts: 1, waiting: 3, firstPosition: 1, lastError: 'no' },
    ]);
    const empty = (left: number[], requestedAt = 0) =>
      commit([
        changes(one, {
          positions: new Map(left.map((p) => [p, null])),
          queues: new Map([['c1', { kind: 'emptied', requestedAt }]]),
        }),
      ]);
    await empty([1]);
    expect(await retryQueues.list(one, 'push', 10)).toMatchObject([{ waiting: 2 }]);
    expect(await retryQueues.retryNow(one, 'push', 'c1', now)).toBe(1);
    await empty([2, 3]);
    expect(await retryQueues.list(one, 'push', 10)).toMatchObject([
      { waiting: 0, requestedAt: now },
    ]);
    expect(await retryQueues.retryNow(one, 'push', undefined, now)).toBe(1);
    const [requested] = await retryQueues.requestedSince(one, 'push', now);
    expect(requested?.requestedAt).toBe(now + 1);
    await empty([], now + 1);
    expect(await retryQueues.list(one, 'push', 10)).toEqual([]);
  });

  it('gives positions whose queue went missing a queue again', async () => {
    await write(
      'insert into retry_positions (bot_id, position, queue, replay) values ($1, 7, $2, 0)',
      [one, 'c9'],
    );
    await retryQueues.repair(one, 'push', now);
    await retryQueues.repair(one, 'push', now);
    expect(await retryQueues.list(one, 'push', 10)).toMatchObject([
      { queue: 'c9', waiting: 1, attempts: 0 },
    ]);
    expect(await retryQueues.counts([one, two], 'push')).toEqual(
      new Map([[one, { failing: 0, waiting: 1 }]]),
    );
    expect(await retryQueues.among(one, 'push', ['c9', 'c8'])).toEqual(new Set(['c9']));
    const { entries, lost } = await retryQueues.entries(one, 'push', 'c9', 10);
    expect([entries, lost]).toEqual([[], [7]]);
  });

  it('replays a long stretch of the log in portions, no further than the reader is', async () => {
    const updates = Array.from({ length: 2_300 }, (_, index) => {
      const update = message(index + 1, (index % 3) + 1);
      const read = readUpdate(JSON.stringify(update), update, now);
      if (!read) throw new Error('not an update');
      return read;
    });
    await test.store.log.append(() => [{ botId: one, updates, receivedAt: now }]);
    await commit([changes(one, { cursor: { position: 2_200, state: '' } })]);
    expect(await deliveries.replayRange(one, 'push', { from: 101, to: 5_000 }, now)).toBe(2_100);
    const queues = await retryQueues.list(one, 'push', 10);
    expect(queues.map((queue) => queue.waiting)).toEqual([700, 700, 700]);
    await deliveries.dropPending(one, 'push', now);
    expect(await retryQueues.list(one, 'push', 10)).toEqual([]);
    expect(await position(one)).toBe(2_300);
  });

  const letter = (position: number) => ({
    bot_id: one,
    reader: 'push',
    position,
    update_id: position,
    kind: 'message',
    queue: 'c1',
    raw: '{}',
    reason: 'no',
    attempts: 9,
    received_at: now,
    died_at: now,
  });

  it('lets a dead letter be replayed again whose replay was dropped with all that waited', async () => {
    await commit([changes(one, { deadLetters: [letter(1), letter(2)] })]);
    expect(await dead.replay(one, 'push', undefined, now)).toBe(2);
    expect(await dead.replay(one, 'push', undefined, now)).toBe(0);
    await deliveries.dropPending(one, 'push', now);
    expect((await retryQueues.entries(one, 'push', 'c1', 9)).entries).toEqual([]);
    expect(await dead.replay(one, 'push', undefined, now)).toBe(2);
    expect((await retryQueues.entries(one, 'push', 'c1', 9)).entries).toMatchObject([
      { position: 1, replay: true },
      { position: 2, replay: true },
    ]);
  });

  it('forgets that updates were refused with the last letter about them only', async () => {
    const { engine } = test.store;
    await engine.write(() => noteBackendHealth(one, 'push', { error: '', refused: 'no' }, now));
    const refused = async () => (await engine.readRaw('select 1 from backend_health', [])).length;
    expect(await dead.discard(one, 'push', [77])).toBe(0);
    expect(await dead.discard(one, 'push', undefined)).toBe(0);
    expect(await refused()).toBe(1);
    await commit([changes(one, { deadLetters: [letter(1), letter(2)] })]);
    const ids = (await dead.list({ botIds: null, limit: 5 })).map(({ id }) => id);
    expect(await dead.discard(one, 'push', ids.slice(0, 1))).toBe(1);
    expect(await refused()).toBe(1);
    expect(await dead.discard(one, 'push', ids.slice(1))).toBe(1);
    expect(await refused()).toBe(0);
  });

  it('forgets all of a bot with the bot', async () => {
    await commit([changes(one, { attempts: [attempt(one, 1)], deadLetters: [letter(1)] })]);
    expect(await dead.count(one, 'push')).toBe(1);
    await test.store.bots.remove(one);
    expect(await dead.list({ botIds: null, limit: 5 })).toEqual([]);
    expect(await deliveries.attempts({ botIds: null, reader: 'push', limit: 5 })).toEqual([]);
  });
});
