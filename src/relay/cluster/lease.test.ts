import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createManualClock, type ManualClock } from '../../../test/support/manual-clock.ts';
import { createLogger } from '../../logger.ts';
import type { NodeLeaseOptions } from './lease-keeper.ts';
import { createNodeLease, type NodeLease } from './lease.ts';

describe('what a node knows of its leases', () => {
  let clock: ManualClock;
  let shutdown: AbortController;
  let options: NodeLeaseOptions;
  let nodeLease: NodeLease;
  let lost: number[];
  /** The calls to the bot's slot, in order. */
  let events: string[];
  let pausedMs: number;
  let surveys: number;
  let survey: () => Promise<void>;
  let stored: { botId: number; epoch: number }[];
  let heartbeats: number;
  let heartbeat: () => Promise<void>;
  let retake: () => Promise<void>;
  let takeOne: () => Promise<void>;
  let free: number;
  let released: number[];
  let nodes: Awaited<ReturnType<NodeLeaseOptions['leases']['nodes']>>;

  beforeEach(async () => {
    clock = createManualClock();
    shutdown = new AbortController();
    lost = [];
    events = [];
    heartbeat = retake = takeOne = async () => {};
    free = 0;
    released = [];
    nodes = [];
    pausedMs = 0;
    surveys = 0;
    survey = async () => {};
    stored = [{ botId: 1, epoch: 1 }];
    heartbeats = 0;
    const raised = async () =>
      (stored = stored.map(({ botId, epoch }) => ({ botId, epoch: epoch + 1 })));
    const leases: NodeLeaseOptions['leases'] = {
      enter: async () => {},
      async heartbeat() {
        heartbeats++;
        await heartbeat();
        return true;
      },
      leave: async () => {},
      newerSchema: async () => undefined,
      refuse() {},
      nodes: async () => nodes.map((node) => ({ ...node })),
      async survey() {
        surveys++;
        await survey();
        const checksum = free > 0 ? 0 : (stored[0]?.epoch ?? 0);
        return { wanted: 1, mine: stored.length - free, checksum, free };
      },
      async retake() {
        const taken = await raised();
        await retake();
        return taken;
      },
      async take() {
        free = 0;
        return raised();
      },
      async takeOne() {
        const [taken] = await raised();
        await takeOne();
        return taken;
      },
      held: async () => stored,
      changedBots: async () => [],
      release: async () => {},
      async releaseUnused(_nodeId, leases) {
        released.push(...leases.map(({ botId }) => botId));
        if (leases.length > 0) free = 1;
      },
    };
    options = {
      leases,
      clock: { ...clock, monotonic: () => clock.monotonic() + pausedMs },
      logger: createLogger({ level: 'silent' }),
      nodeId: 'one',
      singleNode: false,
      gained: () => void events.push('gained'),
      lost(botIds) {
        lost.push(...botIds);
        events.push('lost');
      },
      handOff: () => {},
    };
    nodeLease = createNodeLease(options);
    await nodeLease.start(shutdown.signal);
  });
  afterEach(() => shutdown.abort());

  it('holds every node for living until it looked, and then no dead one', async () => {
    const starting = createNodeLease({ ...options, nodeId: 'two' });
    nodes = [
      { id: 'silent', incarnation: 'a', heartbeats: 1 },
      { id: 'lively', incarnation: 'b', heartbeats: 1 },
    ];
    expect(['silent', 'gone', 'two'].map(starting.mayLive)).toEqual([true, true, true]);
    await starting.start(shutdown.signal);
    expect(['silent', 'gone', 'two'].map(starting.mayLive)).toEqual([true, false, true]);
    for (let seconds = 0; seconds < 10; seconds++) {
      nodes = nodes.map((node) =>
        node.id === 'lively' ? { ...node, heartbeats: node.heartbeats + 1 } : node,
      );
      await clock.advance(1_000);
    }
    expect(['silent', 'lively', 'two'].map(starting.mayLive)).toEqual([false, true, true]);
  });

  it('is certain while heartbeats succeed, whatever else of the database fails', async () => {
    survey = () => Promise.reject(new Error('no answer'));
    await clock.advance(60_000);
    expect(heartbeats).toBeGreaterThan(20);
    expect(nodeLease.isUncertain()).toBe(false);
    expect(nodeLease.held()).toEqual([1]);
  });

  it('is uncertain after a pause, until it has compared', async () => {
    await clock.advance(10_000);
    expect(nodeLease.isUncertain()).toBe(false);
    pausedMs = 40_000;
    expect(nodeLease.isUncertain()).toBe(true);
    stored = [];
    await clock.advance(1_000);
    expect(lost).toEqual([1]);
    expect(nodeLease.isUncertain()).toBe(false);
  });

  it.each(['heartbeat', 'survey'] as const)(
    'takes a bot up only once after it let it go during a slow %s',
    async (slow) => {
      const held = Promise.withResolvers<void>();
      if (slow === 'heartbeat') heartbeat = () => held.promise;
      else survey = () => held.promise;
      await clock.advance(10_000);
      expect(events).toEqual(['gained', 'lost']);
      heartbeat = survey = async () => {};
      held.resolve();
      await clock.advance(0);
      // The abandoned look ends: it takes nothing and gives nothing away.
      expect(nodeLease.problem()).toBeDefined();
      expect(released).toEqual([]);
      expect(events).toEqual(['gained', 'lost']);
      await clock.advance(5_000);
      expect(events).toEqual(['gained', 'lost', 'gained']);
      expect(nodeLease.leaseEpochOf(1)).toBe(stored[0]?.epoch);
      expect(nodeLease.problem()).toBeUndefined();
    },
  );

  it('lets go also when its heartbeat came during a look that then hangs', async () => {
    await clock.advance(1_500);
    const before = heartbeats;
    survey = () => new Promise(() => {});
    await clock.advance(1_000);
    expect(heartbeats).toBe(before + 1);
    await clock.advance(6_000);
    expect(events).toEqual(['gained', 'lost']);
  });

  it.each(['before', 'after'] as const)(
    'takes a bot up once when the answer to a request came %s that of all of its own',
    async (order) => {
      const retaken = Promise.withResolvers<void>();
      const answered = Promise.withResolvers<void>();
      const lateHeartbeat = Promise.withResolvers<void>();
      heartbeat = () => lateHeartbeat.promise;
      await clock.advance(10_000);
      expect(events).toEqual(['gained', 'lost']);
      heartbeat = async () => {};
      retake = () => retaken.promise;
      lateHeartbeat.resolve();
      await clock.advance(1_000);
      if (order === 'after') takeOne = () => answered.promise;
      const taking = nodeLease.takeOne(1);
      await clock.advance(0);
      retaken.resolve();
      await clock.advance(0);
      answered.resolve();
      await taking;
      await clock.advance(5_000);
      expect(events.filter((event, index) => event === events[index - 1])).toEqual([]);
      expect(events.at(-1)).toBe('gained');
      expect(nodeLease.leaseEpochOf(1)).toBe(stored[0]?.epoch);
    },
  );

  it('notices that a lease of its own is not the one it holds', async () => {
    await clock.advance(1_000);
    stored = stored.map(({ botId, epoch }) => ({ botId, epoch: epoch + 5 }));
    await clock.advance(3_000);
    expect(events).toEqual(['gained', 'lost', 'gained']);
    expect(nodeLease.leaseEpochOf(1)).toBe(stored[0]?.epoch);
  });

  it('keeps a bot when what was refused came under a former lease', () => {
    const epoch = nodeLease.leaseEpochOf(1) ?? 0;
    nodeLease.lose({ botId: 1, epoch: epoch - 1 });
    expect(nodeLease.held()).toEqual([1]);
    nodeLease.lose({ botId: 1, epoch });
    expect(nodeLease.held()).toEqual([]);
  });

  it('looks again at once when it is asked to during a look', async () => {
    const held = Promise.withResolvers<void>();
    survey = () => held.promise;
    await clock.advance(1_000);
    const before = surveys;
    nodeLease.look();
    survey = async () => {};
    held.resolve();
    await clock.advance(0);
    expect(surveys).toBe(before + 1);
  });
});
