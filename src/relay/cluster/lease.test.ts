import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createManualClock, type ManualClock } from '../../../test/support/manual-clock.ts';
import { createLogger } from '../../logger.ts';
import { createNodeLease, type NodeLease, type NodeLeaseOptions } from './lease.ts';

describe('what a node knows of its leases', () => {
  let clock: ManualClock;
  let shutdown: AbortController;
  let nodeLease: NodeLease;
  let lost: number[];
  /** What the bot's slot was told, in order. */
  let events: string[];
  let pausedMs: number;
  let surveys: number;
  let survey: () => Promise<void>;
  let stored: { botId: number; epoch: number }[];
  let heartbeats: number;
  let heartbeat: () => Promise<void>;
  let free: number;

  beforeEach(async () => {
    clock = createManualClock();
    shutdown = new AbortController();
    lost = [];
    events = [];
    heartbeat = async () => {};
    free = 0;
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
      nodes: async () => [],
      async survey() {
        surveys++;
        await survey();
        return { wanted: 1, mine: stored.length - free, free };
      },
      retake: raised,
      take: raised,
      takeOne: async () => undefined,
      held: async () => stored,
      changedBots: async () => [],
      release: async () => {},
    };
    nodeLease = createNodeLease({
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
    });
    await nodeLease.start(shutdown.signal);
  });
  afterEach(() => shutdown.abort());

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
      free = 1;
      held.resolve();
      await clock.advance(0);
      free = 0;
      await clock.advance(5_000);
      expect(nodeLease.leaseEpochOf(1)).toBe(stored[0]?.epoch);
      expect(events.filter((event, index) => event === events[index - 1])).toEqual([]);
      expect(events.at(-1)).toBe('gained');
    },
  );

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
