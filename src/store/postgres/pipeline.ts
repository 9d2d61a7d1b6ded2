/*
 * Statements that follow each other on one connection without waiting for the answers that nobody
 * needs yet, so that a transaction costs few round trips.
 *
 * Invariant: the first failure is what everybody gets to see. After it the server refuses the rest
 * of the transaction, and turns its COMMIT into a rollback.
 */
import type pg from 'pg';
import type { Run } from './connections.ts';

type Query = string | pg.QueryConfig;
type Answer = pg.QueryResult<Record<string, unknown>>;

export interface Pipeline {
  /** Sends it behind the others and waits for its answer, so for theirs as well. */
  send(query: Query, deadlineMs: number): Promise<Answer>;
  /** Sends it and goes on. */
  sendOnly(query: Query, deadlineMs: number, onAnswer?: (answer: Answer) => void): void;
  /** Resolves when everything was answered; throws the first failure. */
  settle(): Promise<void>;
}

export function createPipeline(run: Run): Pipeline {
  const open: Promise<unknown>[] = [];
  let failure: { error: unknown } | undefined;

  async function send(query: Query, deadlineMs: number): Promise<Answer> {
    try {
      const answer = await run(query, deadlineMs);
      // Of what came before: an answer after a failure is of no use.
      if (!failure) return answer;
    } catch (error) {
      failure ??= { error };
    }
    throw failure.error;
  }

  return {
    send,
    sendOnly(query, deadlineMs, onAnswer = () => {}) {
      open.push(send(query, deadlineMs).then(onAnswer, () => {}));
    },
    async settle() {
      await Promise.all(open.splice(0));
      if (failure) throw failure.error;
    },
  };
}
