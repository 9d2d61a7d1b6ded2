/*
 * Groups writes of many bots into one transaction: while one runs, new ones gather for the next.
 *
 * Invariants: a job that fails or waits for a lock delays the others only briefly, because each is
 * then run alone while the next group begins. Jobs are run again only after the server has rolled
 * the group back.
 */
import { isOutage } from '../../errors.ts';
import type { Step, WriteOptions } from '../engine.ts';
import { isOfOneStatement } from './outage.ts';

export type Job = () => Step<unknown>;

interface Waiting {
  botId: number;
  job: Job;
  options: WriteOptions;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

const jobsPerCommit = 50;

/**
 * `commit` runs jobs in one transaction and returns their results in order. A statement that waits
 * for a lock delays the other jobs by at most `groupMs`.
 */
export function createGroupedWrites(
  commit: (jobs: readonly Job[], options: WriteOptions) => Promise<unknown[]>,
  groupMs: number,
) {
  let waiting: Waiting[] = [];
  let isRunning = false;

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      const group = nextGroup();
      if (group.length > 1) await writeTogether(group);
      else for (const only of group) await forAtMost(groupMs, writeAlone(only));
    }
    isRunning = false;
  }

  /**
   * The group is ordered by bot, so that nodes lock rows in the same order. It has one job per bot,
   * because two could lock its rows in either order.
   */
  function nextGroup(): Waiting[] {
    const group = new Map<number, Waiting>();
    for (const one of waiting) {
      if (group.size < jobsPerCommit && !group.has(one.botId)) group.set(one.botId, one);
    }
    waiting = waiting.filter((one) => group.get(one.botId) !== one);
    return [...group.values()].sort((a, b) => a.botId - b.botId);
  }

  async function writeAlone({ job, options, resolve, reject }: Waiting): Promise<void> {
    await commit([job], options).then(([value]) => resolve(value), reject);
  }

  async function writeTogether(group: readonly Waiting[]): Promise<void> {
    const jobs = group.map(({ job }) => job);
    try {
      const values = await commit(jobs, { deadlineMs: groupMs });
      group.forEach(({ resolve }, index) => resolve(values[index]));
    } catch (error) {
      // If the database is unavailable, separate transactions would all wait for it again.
      if (isOutage(error) && !isOfOneStatement(error))
        for (const { reject } of group) reject(error);
      else for (const one of group) void writeAlone(one);
    }
  }

  return <T>(botId: number, job: () => Step<T>, options: WriteOptions): Promise<T> =>
    new Promise<unknown>((resolve, reject) => {
      waiting.push({ botId, job, options, resolve, reject });
      if (isRunning) return;
      isRunning = true;
      // Writes of the same turn join the group.
      setImmediate(() => void run());
    }) as Promise<T>;
}

/** Waits at most this long, while the work itself continues. */
async function forAtMost(ms: number, work: Promise<void>): Promise<void> {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, ms);
  await Promise.race([work, over.promise]);
  clearTimeout(timer);
}
