import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DeliveryPlan } from '../../../src/relay/delivery/plan/delivery-plan.ts';
import type { QueueSettings } from '../../../src/core/log/reader-queues.ts';
import type { PlanSettings } from '../../../src/relay/delivery/plan/plan-types.ts';
import {
  maxRequestsAtOnce,
  type RetryEntry,
  type RetryQueue,
} from '../../../src/store/delivery/retry-queues.ts';
import { createWorld, type World } from '../../support/rigs/delivery-world.ts';
import { seeded } from '../../support/seeded.ts';

const roomy: PlanSettings = {
  maxConnections: 40,
  giveUpAfterMs: 86_400_000,
  mostUncommitted: 40,
  mostUnfinished: 1_000,
  mostRetryQueues: 500,
};

const anySettings = fc.record({
  maxConnections: fc.integer({ min: 1, max: 6 }),
  giveUpAfterMs: fc.constantFrom(5_000, 60_000, 86_400_000),
  mostUncommitted: fc.integer({ min: 1, max: 6 }),
  mostUnfinished: fc.integer({ min: 2, max: 20 }),
  mostRetryQueues: fc.integer({ min: 1, max: 4 }),
});

/** How the backend is: for all, or for some chats. */
type Health = 'well' | 'down' | 'flaky' | 'odd chats fail';

const anyEvent = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ kind: 'append' as const }) },
  { weight: 30, arbitrary: fc.constant({ kind: 'work' as const }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('advance' as const),
      ms: fc.constantFrom(1, 100, 2_500, 30_000),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'crash' as const }) },
  { weight: 4, arbitrary: fc.constant({ kind: 'cancel' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'retryNow' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'replay' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'changeBackend' as const }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'switchQueues' as const }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('health' as const),
      health: fc.constantFrom<Health>('well', 'down', 'flaky', 'odd chats fail'),
    }),
  },
);

const chatOf = (queue: string) => Number.parseInt(queue.slice(1), 10);

describe('the delivery plan', () => {
  const chats = { urgent: [], per_topic: false, username: '' };
  const topics = { ...chats, per_topic: true };
  const urgent = { urgent: ['/stop'] };

  it.each<[number, QueueSettings[], boolean]>([
    [1, [], true],
    [0.6, [], true],
    [0.1, [], true],
    [1, [topics, chats], true],
    [1, [topics, chats], false],
    [
      1,
      [
        { ...topics, ...urgent },
        { ...chats, ...urgent },
      ],
      false,
    ],
  ])(
    'keeps order, loses nothing and comes to an end; chats for it: %d, queues: %j, crashes: %s',
    (share, queues, crashes) => {
      fc.assert(
        fc.property(
          anySettings,
          fc.integer(),
          fc.integer({ min: 1, max: 12 }),
          fc.array(anyEvent, { minLength: 20, maxLength: 300, size: 'max' }),
          (settings, seed, chats, events) => {
            const random = seeded(seed);
            let health: Health = 'well';
            const world = createWorld({
              settings,
              random,
              takes({ queue }) {
                if (health === 'down') return false;
                if (health === 'odd chats fail') return chatOf(queue) % 2 === 0;
                return health === 'well' || random() < 0.7;
              },
              ...(share < 1
                ? { wants: ({ queue }) => chatOf(queue) % 10 >= 10 * (1 - share) }
                : {}),
              queues,
            });
            for (const event of events) {
              if (event.kind === 'append') {
                const count = 1 + Math.floor(random() * 12);
                world.append(
                  Array.from({ length: count }, () => Math.floor(random() ** 2 * chats)),
                );
              } else if (event.kind === 'advance') world.advance(event.ms);
              else if (event.kind === 'health') health = event.health;
              else if (event.kind === 'replay') {
                world.replay(1 + Math.floor(random() * world.store.position));
              } else if (crashes || event.kind !== 'crash') world[event.kind]();
            }
            health = 'well';
            world.finish();
            world.checkAll();
            expect(world.store.queues.size).toBe(0);
          },
        ),
        { numRuns: queues.length > 0 ? 150 : 300 },
      );
    },
  );

  /** Works until only time could change anything. */
  const settle = (world: World) => {
    while (world.work());
  };

  it('lets a failing chat delay no other', () => {
    fc.assert(
      fc.property(
        anySettings,
        fc.integer(),
        fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 60 }),
        (settings, seed, chats) => {
          const random = seeded(seed);
          const world = createWorld({
            settings: { ...settings, mostUnfinished: 100, giveUpAfterMs: 86_400_000 },
            random,
            takes: ({ queue }) => queue !== 'c0',
          });
          for (const chat of chats) world.append([chat]);
          settle(world);
          // A read that failed is tried again after a second.
          for (let turn = 0; turn < 20; turn++) {
            world.advance(1_000);
            settle(world);
          }
          const others = chats.filter((chat) => chat !== 0).length;
          expect(world.taken.length).toBe(others);
          expect(world.status).toBe(chats.includes(0) ? 'failing' : 'ok');
        },
      ),
    );
  });

  it('pauses for a dead backend, probes it within 5 s and recovers', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 10, max: 60 }), (seed, chats) => {
        let isUp = false;
        const world = createWorld({
          settings: { ...roomy, maxConnections: 4 },
          random: seeded(seed),
          takes: () => isUp,
        });
        world.append(Array.from({ length: chats }, (_, index) => index));
        // A read that failed is tried again after a second.
        for (let turn = 0; turn < 50 && !world.isPaused; turn++) {
          settle(world);
          world.advance(100);
        }
        expect(world.isPaused).toBe(true);
        isUp = true;
        world.advance(4_000);
        settle(world);
        expect(world.isPaused).toBe(false);
        world.finish();
        world.checkAll();
        expect(world.status).toBe('ok');
        expect(world.taken.length).toBe(chats);
      }),
    );
  });

  it('does not pause a new backend for what was sent to the former one', () => {
    const world = createWorld({ settings: roomy, random: seeded(1), takes: () => false });
    world.append(Array.from({ length: 20 }, (_, index) => index));
    while (world.inFlight < 20) {
      world.advance(1_000);
      world.step();
    }
    world.changeBackend();
    while (world.inFlight > 0) world.answer();
    expect(world.status).toBe('failing');
  });

  it('sends to a new backend at once what the former one refused, or wanted later', () => {
    const now = { ms: 10_000, wallMs: 10_000 };
    const plan = new DeliveryPlan(
      { botId: 1, reader: 'push', settings: roomy, random: () => 0 },
      { position: 0, finished: [], paused: false, retryQueues: [] },
      now,
    );
    const update = { position: 1, updateId: 1, kind: 'message', queue: 'c1', receivedAt: 0 };
    plan.logGrew(1, now);
    plan.next(now, false);
    plan.entriesRead([{ ...update, raw: '{}', claimedBy: 0 }], now);
    const fail = (retryAfterMs?: number) => {
      const [attempt] = plan.next(now, false).attempts;
      if (!attempt) throw new Error('nothing is sent');
      return () => {
        const result = { status: 500, error: 'no', answer: '', durationMs: 1, call: undefined };
        plan.attemptEnded(attempt, { ...result, isUnreached: false, retryAfterMs }, now);
      };
    };
    const first = fail(3_600_000);
    plan.backendChanged(now);
    first();
    // Its second failure, for which it would wait.
    const second = fail();
    plan.backendChanged(now);
    second();
    expect(plan.next(now, false).attempts).toMatchObject([{ entry: { position: 1 } }]);
  });

  it('retries what found nobody once another update is taken, and not what was refused', () => {
    const now = { ms: 10_000, wallMs: 10_000 };
    const plan = new DeliveryPlan(
      { botId: 1, reader: 'push', settings: roomy, random: () => 0.5 },
      { position: 0, finished: [], paused: false, retryQueues: [] },
      now,
    );
    const read = (...positions: number[]) => {
      plan.logGrew(positions.at(-1) ?? 0, now);
      plan.next(now, false);
      const entries = positions.map((position) => ({
        position,
        updateId: position,
        kind: 'message',
        queue: `c${position}`,
        receivedAt: 0,
        raw: '{}',
        claimedBy: 0,
      }));
      plan.entriesRead(entries, now);
    };
    const answer = (status: number) => {
      const attempts = [...plan.next(now, false).attempts];
      for (const attempt of attempts) {
        const isRefused = attempt.queue.name === 'c3';
        const isFine = status === 200 && !isRefused;
        const result = {
          status: isFine ? 200 : isRefused ? 500 : 0,
          error: isFine ? '' : 'no',
          isUnreached: !isFine && !isRefused,
          answer: '',
          durationMs: 1,
          call: undefined,
          retryAfterMs: 3_600_000,
        };
        plan.attemptEnded(attempt, result, now);
      }
      plan.commitEnded(plan.takeChanges());
      return attempts.map(({ queue }) => queue.name);
    };
    read(1, 2, 3);
    expect(answer(0)).toEqual(['c1', 'c2', 'c3']);
    expect(answer(0)).toEqual([]);
    expect(plan.status).toBe('failing');
    read(4);
    expect(answer(200)).toEqual(['c4']);
    now.ms += 5_000;
    expect(answer(0)).toEqual(['c1', 'c2']);
    // Not a second time: some connections may work while others are refused.
    read(5);
    expect(answer(200)).toEqual(['c5']);
    now.ms += 60_000;
    expect(answer(200)).toEqual([]);
  });

  it('never pauses for two chats, however long they fail', () => {
    const world = createWorld({
      settings: roomy,
      random: seeded(1),
      takes: ({ queue }) => chatOf(queue) > 2,
    });
    world.append([1, 2, 1, 2, 3]);
    for (let turn = 0; turn < 100; turn++) {
      settle(world);
      world.advance(60_000);
      expect(world.isPaused).toBe(false);
    }
  });

  it('makes a dead letter after the configured time, and goes on with the chat', () => {
    const world = createWorld({
      settings: { ...roomy, giveUpAfterMs: 600_000 },
      random: seeded(1),
      takes: ({ position }) => position !== 1,
    });
    world.append([1, 1]);
    world.finish();
    expect([...world.store.dead]).toEqual([1]);
    expect(world.taken.map(({ position }) => position)).toEqual([2]);
    expect(world.now.ms).toBeLessThan(630_000);
  });

  it('is not called ok after a dead letter before the backend took an update', () => {
    let isMended = false;
    const world = createWorld({
      settings: { ...roomy, giveUpAfterMs: 600_000 },
      random: seeded(1),
      takes: () => isMended,
    });
    world.append([1]);
    world.finish();
    expect([...world.store.dead]).toEqual([1]);
    expect(world.status).toBe('failing');
    isMended = true;
    world.append([1]);
    world.finish();
    expect(world.status).toBe('ok');
  });

  it('ends the pause at an accepted check where nothing is left to probe with', () => {
    const now = { ms: 10_000, wallMs: 10_000 };
    const plan = new DeliveryPlan(
      { botId: 1, reader: 'push', settings: roomy, random: () => 0 },
      { position: 0, finished: [], paused: true, retryQueues: [] },
      now,
    );
    expect(plan.next(now, false).read).toBe(1);
    plan.entriesRead([], now);
    expect(plan.status).toBe('paused');
    plan.backendAccepts(now);
    expect(plan.status).toBe('ok');
  });

  describe('with a retry queue in the store', () => {
    const now = { ms: 10_000, wallMs: 10_000 };
    const row = (queue: string, requestedAt: number): RetryQueue => ({
      queue,
      attempts: 0,
      firstFailedAt: 0,
      nextAttemptAt: 0,
      requestedAt,
    });
    const planWith = (retryQueues: RetryQueue[], finished: [number, number][] = []) =>
      new DeliveryPlan(
        { botId: 1, reader: 'push', settings: roomy, random: () => 0 },
        { position: 10, finished, paused: false, retryQueues },
        now,
      );

    it('loads it again only when what retention took from it is on disk', () => {
      const plan = planWith([row('c1', 1)]);
      const [queue] = plan.next(now, false).loads;
      if (!queue) throw new Error('it is not loaded');
      plan.queueLoaded(queue, { entries: [], lost: [1, 2, 3], complete: false }, now);
      expect(plan.next(now, false)).toMatchObject({ loads: [], commit: 'now' });
      plan.commitEnded(plan.takeChanges());
      expect(plan.next(now, false).loads).toEqual([queue]);
    });

    it('loads it although retention took what was in flight at the last end', () => {
      const plan = planWith([row('c1', 1)], [[12, 20]]);
      const { loads, read } = plan.next(now, false);
      expect([loads.length, read > 0]).toEqual([0, true]);
      plan.entriesRead([], now);
      expect(plan.next(now, false).loads).toHaveLength(1);
    });

    it('loads it again when a replay was requested while it was loaded', () => {
      const plan = planWith([row('c1', 1)]);
      const entry = (position: number): RetryEntry => {
        const update = { position, updateId: position, kind: 'message', queue: 'c1' };
        return { ...update, receivedAt: 0, raw: '{}', replay: true };
      };
      const load = () => {
        const [queue] = plan.next(now, false).loads;
        if (!queue) throw new Error('it is not loaded');
        return queue;
      };
      const queue = load();
      plan.requested([row('c1', 2)], plan.askedForRequests(), now);
      plan.queueLoaded(queue, { entries: [entry(5)], lost: [], complete: true }, now);
      expect(load()).toBe(queue);
      plan.queueLoaded(queue, { entries: [entry(2), entry(5)], lost: [], complete: true }, now);
      expect(plan.next(now, false).attempts).toMatchObject([{ entry: { position: 2 } }]);
    });

    it('leaves to the store what was in flight when someone replayed into its queue', () => {
      const plan = planWith([]);
      plan.logGrew(11, now);
      plan.next(now, false);
      const update = { position: 11, updateId: 11, kind: 'message', queue: 'c1', receivedAt: 0 };
      plan.entriesRead([{ ...update, raw: '{}', claimedBy: 0 }], now);
      const [attempt] = plan.next(now, false).attempts;
      if (!attempt) throw new Error('nothing is sent');
      plan.requested([row('c1', 2)], plan.askedForRequests(), now);
      plan.attemptCancelled(attempt, now);
      expect(plan.takeChanges().positions).toEqual(new Map([[11, { queue: 'c1', replay: false }]]));
    });

    it('looks up the rest of more requests than it is told of at once', () => {
      const plan = planWith([]);
      const asked = plan.askedForRequests();
      const rows = Array.from({ length: maxRequestsAtOnce }, (_, index) => row(`c${index}`, 1));
      plan.requested(rows, asked, now);
      expect(plan.next(now, false).lookUp).toBe(true);
    });
  });
});
