/* Drives the generators of a transaction, with few waits for the server. */
import type { StatementResult, Step } from '../engine.ts';
import type { Job } from './grouped-writes.ts';

export interface Driven<T> {
  value: T;
  /** The statements it did not wait for; the job is done when all of them are. */
  effects: Promise<unknown>[];
}

type Query = (sql: string, parameters: readonly unknown[]) => Promise<StatementResult>;

const noResult: StatementResult = { rows: [], changes: 0 };
/** PostgreSQL's code for a statement that follows a failed one. */
const abortedState = '25P02';

/** Drives all jobs in turn: the next statements of all are sent before the first is answered. */
export async function driveAll(
  jobs: readonly Job[],
  query: Query,
  begun?: Promise<unknown>,
): Promise<Driven<unknown[]>> {
  const ended = await Promise.allSettled(jobs.map((job) => drive(job(), query, begun)));
  const errors = ended.flatMap((end) => (end.status === 'rejected' ? [end.reason as Error] : []));
  if (errors.length > 0) {
    throw errors.find((error) => (error as { code?: unknown }).code !== abortedState) ?? errors[0];
  }
  const driven = ended.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []));
  return {
    value: driven.map(({ value }) => value),
    effects: driven.flatMap(({ effects }) => effects),
  };
}

/** Awaits `begun` together with the first result that matters. */
async function drive<T>(step: Step<T>, query: Query, begun?: Promise<unknown>): Promise<Driven<T>> {
  let effects: Promise<unknown>[] = begun ? [begun] : [];
  let next = step.next();
  while (!next.done) {
    const { sql, parameters, isForEffect } = next.value;
    const answer = query(sql, parameters);
    if (isForEffect) {
      answer.catch(() => {});
      effects.push(answer);
      next = step.next(noResult);
      continue;
    }
    let result: StatementResult;
    try {
      // The first failed statement gives the reason; the others only report that the transaction is
      // over.
      await Promise.all([...effects, answer]);
      result = await answer;
    } catch (error) {
      next = step.throw(error);
      continue;
    } finally {
      effects = [];
    }
    next = step.next(result);
  }
  return { value: next.value, effects };
}
