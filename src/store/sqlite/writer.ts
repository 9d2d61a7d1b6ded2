/*
 * The one queue of the one write connection.
 *
 * Invariant: a job's promise resolves only after the COMMIT that holds its changes. All jobs that
 * wait when a turn begins share one transaction and so one fsync; a job that throws rejects alone.
 * Of the jobs in the background a turn takes at most one, so that others never wait for several.
 */
import { isOutage, type RelayError } from '../../errors.ts';
import type { OnCommit, StatementResult, Step, WriteOptions } from '../engine.ts';
import type { Connection } from './connection.ts';
import { asOutage } from './outage.ts';

interface Job {
  start: () => Step<unknown>;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

// Limits how long one turn may hold the event loop; the rest waits for the next turn.
const jobsPerCommit = 500;
/** A job in the background lets others go first for this long. */
const backgroundWaitMs = 20;

export interface Writer {
  write<T>(job: () => Step<T>, options?: WriteOptions): Promise<T>;
  /**
   * Returns why nothing can be written, according to the last attempt; undefined once something
   * was.
   */
  outage(): RelayError | undefined;
  /** Resolves when everything queued before is committed; refuses later writes. */
  close(): Promise<void>;
}

/** `committed` is called after each commit, before anything that waits for it continues. */
export function createWriter(connection: Connection, committed: OnCommit): Writer {
  let queue: Job[] = [];
  const background: (Job & { queuedAt: number })[] = [];
  let scheduled = false;
  let closed = false;
  let outage: RelayError | undefined;

  function schedule() {
    if (scheduled || queue.length + background.length === 0) return;
    scheduled = true;
    setImmediate(turn);
  }

  function turn() {
    const batch = queue.slice(0, jobsPerCommit);
    queue = queue.slice(jobsPerCommit);
    const [first] = background;
    const isDue = first && performance.now() - first.queuedAt >= backgroundWaitMs;
    if (first && (isDue || batch.length === 0)) {
      background.shift();
      batch.push(first);
    }
    commit(batch);
    // Committed results are passed on before the next commit holds the event loop again.
    setImmediate(rest);
  }

  function rest() {
    scheduled = false;
    schedule();
  }

  /*
   * Commits without a savepoint for each job, because SQLite would copy every page that a job
   * touches. A job that fails rolls the whole transaction back, and the others are run again
   * without it; that is rare.
   */
  function commit(batch: Job[]) {
    const done: { job: Job; value: unknown }[] = [];
    const changesBefore = outage ? changes() : 0;
    const startedAt = performance.now();
    try {
      connection.exec('begin immediate');
    } catch (error) {
      rejectAll(batch, error);
      return;
    }
    for (const job of batch) {
      try {
        done.push({ job, value: drive(connection, job.start()) });
      } catch (thrown) {
        rollback();
        const error = asOutage(thrown);
        // If the disk is full or failing, the other jobs would fail in the same way.
        if (isOutage(error)) {
          rejectAll(batch, error);
          return;
        }
        job.reject(error);
        const others = batch.filter((other) => other !== job);
        if (others.length > 0) commit(others);
        return;
      }
    }
    try {
      connection.exec('commit');
    } catch (error) {
      rollback();
      rejectAll(batch, error);
      return;
    }
    // A commit without changes writes nothing, so it says nothing about the disk.
    if (outage && changes() !== changesBefore) outage = undefined;
    for (const { job, value } of done) job.resolve(value);
    committed(performance.now() - startedAt);
  }

  function rejectAll(batch: readonly Job[], thrown: unknown) {
    const error = asOutage(thrown);
    if (isOutage(error)) outage = error;
    for (const job of batch) job.reject(error);
  }

  function changes(): number {
    const [row] = connection.run('select total_changes() as count', []).rows;
    return (row as { count: number }).count;
  }

  function rollback() {
    try {
      connection.exec('rollback');
    } catch {
      // There may be no transaction left to roll back.
    }
  }

  return {
    write<T>(start: () => Step<T>, { isBackground = false }: WriteOptions = {}) {
      if (closed) return Promise.reject(new Error('the database is closed'));
      return new Promise<T>((resolve, reject) => {
        const job = { start, resolve: resolve as (value: unknown) => void, reject };
        if (isBackground) background.push({ ...job, queuedAt: performance.now() });
        else queue.push(job);
        schedule();
      });
    },
    outage: () => outage,
    async close() {
      closed = true;
      while (queue.length + background.length > 0) {
        const batch = [...queue, ...background.splice(0)];
        queue = [];
        commit(batch);
      }
    },
  };
}

function drive<T>(connection: Pick<Connection, 'run' | 'runEach'>, step: Step<T>): T {
  let next = step.next();
  while (!next.done) {
    let result: StatementResult;
    try {
      const { sql, parameters, each } = next.value;
      if (each) {
        const rows = connection.runEach(sql, each);
        result = { rows, changes: rows.filter(Boolean).length };
      } else {
        result = connection.run(sql, parameters);
      }
    } catch (error) {
      next = step.throw(error);
      continue;
    }
    next = step.next(result);
  }
  return next.value;
}
