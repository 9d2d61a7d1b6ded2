import { beforeEach, describe, expect, it } from 'vitest';
import { createLogger } from '../../../src/logger.ts';
import { createBackground } from '../../../src/relay/async/background.ts';
import { createDrains } from '../../../src/relay/cluster/drains.ts';
import type {
  NotificationPayloads,
  Notifications,
} from '../../../src/store/cluster/notifications.ts';
import { createManualClock, type ManualClock } from '../../support/manual-clock.ts';

type Drain = NotificationPayloads['drain'];

describe('a drain of readers', () => {
  let clock: ManualClock;
  let owner: string;
  let living: string[];
  /** What happened, in order. */
  let done: string[];
  let asked: Drain[];
  let warnings: number;
  let answer: (node: string) => void;
  let hear: (topic: 'drain' | 'resume', payload: object) => void;
  let begin: (work?: () => Promise<string>) => Promise<string>;

  beforeEach(() => {
    clock = createManualClock();
    owner = 'other';
    living = ['this', 'other', 'third'];
    done = [];
    asked = [];
    warnings = 0;
    const listeners = new Map<string, (said: object) => void>();
    answer = (node) => {
      listeners.get('drained')?.({ id: asked[0]?.id, node });
    };
    hear = (topic, payload) => listeners.get(topic)?.(payload);
    const notifications = {
      publish(topic: string, payload: Drain) {
        if (topic === 'drain') asked.push(payload);
        else done.push(topic);
      },
      subscribe(topic: string, listener: (said: object) => void) {
        listeners.set(topic, listener);
        return () => listeners.delete(topic);
      },
    } as unknown as Notifications;
    const logger = createLogger({ level: 'silent' });
    logger.warn = () => void warnings++;
    const whileDrained = createDrains(
      {
        pushers: {
          drain: async () => void done.push('drained here'),
          resume: async () => void done.push('resumed here'),
        },
        leases: { ownerOf: async () => owner },
        nodes: { nodeId: () => 'this', mayLive: (id) => living.includes(id) },
        notifications,
        singleNode: false,
        background: createBackground(),
        clock,
        logger,
      },
      new AbortController().signal,
    );
    begin = (work = async () => 'result') =>
      whileDrained([{ botId: 7, reader: 'push:shop' }], () => {
        done.push('work');
        return work();
      });
  });
  const all = ['drained here', 'work', 'resume', 'resumed here'];

  it('waits for the node that runs the bot, and for no other', async () => {
    const result = begin();
    await clock.advance(100);
    answer('third');
    await clock.advance(100);
    expect(done).toEqual(['drained here']);
    answer('other');
    expect(await result).toBe('result');
    expect(done).toEqual(all);
    expect(asked).toMatchObject([{ botId: 7, readers: ['push:shop'] }]);
    expect(warnings).toBe(0);
  });

  it('waits for the node that has taken the bot over meanwhile', async () => {
    const result = begin();
    await clock.advance(100);
    owner = 'third';
    answer('other');
    await clock.advance(100);
    expect(done).toEqual(['drained here']);
    answer('third');
    await result;
    expect(warnings).toBe(0);
  });

  it.each([
    ['this node', 'this'],
    ['nobody', ''],
    ['a dead node', 'dead'],
  ])('waits for nobody when the bot is run by %s', async (_name, runs) => {
    owner = runs;
    expect(await begin()).toBe('result');
    expect(done).toEqual(all);
    // The others hear of it, as the bot may become theirs.
    expect(asked).toHaveLength(1);
  });

  it('asks again when nobody answers, and goes on after a few seconds', async () => {
    const result = begin();
    await clock.advance(3_900);
    expect(done).toEqual(['drained here']);
    expect(asked).toHaveLength(4);
    await clock.advance(200);
    expect(await result).toBe('result');
    expect(done).toEqual(all);
    expect(warnings).toBe(1);
  });

  it('is carried out for other nodes, each time they ask', async () => {
    const drain = { id: 'theirs', botId: 7, readers: ['push'] };
    hear('drain', drain);
    await clock.advance(1);
    hear('drain', drain);
    await clock.advance(1);
    hear('resume', { id: 'theirs' });
    await clock.advance(1);
    const answered = ['drained here', 'drained'];
    expect(done).toEqual([...answered, ...answered, 'resumed here']);
  });

  it('resumes the readers when the work fails', async () => {
    owner = 'this';
    await expect(begin(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(done).toEqual(all);
  });
});
