/*
 * Groups writes of many bots into one transaction.
 *
 * Invariants: a job that fails or waits for a lock delays the others only briefly, because each is
 * then run alone while the next group begins. Jobs are run again only after the server has rolled
 * the group back.
 */
import { isOutage } from '../../errors.ts';
import type { Step, WriteOptions } from '../engine.ts';
import { groupCommit } from '../group-commit.ts';
import { isOfOneStatement } from './outage.ts';

export type Job = () => Step<unknown>;

interface Write {
  botId: number;
  job: Job;
  options: WriteOptions;
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
  const write = groupCommit<Write, unknown>({
    async commit(take) {
      const [first, ...others] = take();
      if (first && others.length === 0) return commit([first.job], first.options);
      try {
        return await commit(
          take().map(({ job }) => job),
          { deadlineMs: groupMs },
        );
      } catch (error) {
        // An outage that one statement met says nothing about the other jobs.
        throw isOutage(error) && isOfOneStatement(error) ? error.cause : error;
      }
    },
    /**
     * The group is ordered by bot, so that nodes lock rows in the same order. It has one job per
     * bot, because two could lock its rows in either order.
     */
    next(waiting) {
      const group = new Map<number, (typeof waiting)[number]>();
      for (const one of waiting) {
        const { botId } = one.item;
        if (group.size < jobsPerCommit && !group.has(botId)) group.set(botId, one);
      }
      for (const one of group.values()) waiting.splice(waiting.indexOf(one), 1);
      return [...group.values()].sort((a, b) => a.item.botId - b.item.botId);
    },
    // Writes of the same turn join the group.
    begin: (commitNext) => void setImmediate(commitNext),
    besideMs: groupMs,
  });
  return <T>(botId: number, job: () => Step<T>, options: WriteOptions): Promise<T> =>
    write({ botId, job, options }) as Promise<T>;
}
