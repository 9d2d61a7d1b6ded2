/*
 * Writes of many bots that share a transaction: while one runs, those that arrive gather for the next.
 *
 * Invariant: a job that fails costs the others nothing, as each is then run alone.
 */
import { isOutage } from '../../errors.ts';
import type { Step, WriteOptions } from '../engine.ts';

export type Job = () => Step<unknown>;

interface Waiting {
  key: number;
  job: Job;
  options: WriteOptions;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

// A statement that waits for a lock has all of them wait.
const jobsPerCommit = 50;

/** `commit` runs jobs in one transaction and gives back what they return, in their order. */
export function createGroupedWrites(
  commit: (jobs: readonly Job[], options: WriteOptions) => Promise<unknown[]>,
) {
  const waiting: Waiting[] = [];
  let isRunning = false;

  async function run(): Promise<void> {
    while (waiting.length > 0) await write(waiting.splice(0, jobsPerCommit));
    isRunning = false;
  }

  async function write(group: Waiting[]): Promise<void> {
    const [only, another] = group;
    if (only && !another) {
      await commit([only.job], only.options).then(([value]) => only.resolve(value), only.reject);
      return;
    }
    // Two nodes that lock rows of the same bots do so in the same order.
    group.sort((a, b) => a.key - b.key);
    try {
      const values = await commit(
        group.map(({ job }) => job),
        {},
      );
      group.forEach(({ resolve }, index) => resolve(values[index]));
    } catch (error) {
      // With the database away, each alone would only wait for the same once more.
      if (isOutage(error)) for (const { reject } of group) reject(error);
      else await Promise.all(group.map((one) => write([one])));
    }
  }

  return <T>(key: number, job: () => Step<T>, options: WriteOptions): Promise<T> =>
    new Promise<unknown>((resolve, reject) => {
      waiting.push({ key, job, options, resolve, reject });
      if (isRunning) return;
      isRunning = true;
      // What is written in the same turn comes along.
      setImmediate(() => void run());
    }) as Promise<T>;
}
