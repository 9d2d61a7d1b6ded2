/* The transactions and deadlines of one node's connections to PostgreSQL. */
import { createHash } from 'node:crypto';
import { bindable, type StatementResult } from '../engine.ts';
import type { Lane, Run } from './connections.ts';
import type { Driven } from './drive.ts';
import type { Pooling } from './pooler.ts';

export interface Deadlines {
  /** The server ends a transaction that has been idle for this long. */
  frozenAfterMs: number;
  /** The deadline of statements that the server answers at once: BEGIN, ordinary reads. */
  quickMs: number;
  /** The deadline of statements of a write, unless the write sets its own. */
  statementMs: number;
  /** The deadline of statements of writes that share a transaction. */
  groupMs: number;
  heavyMs: number;
}

export const defaultDeadlines: Deadlines = {
  // A node that froze, or was cut off, in the middle of a transaction must not keep its bots
  // locked: the others take them over after 9 s of silence. None of our transactions waits between
  // statements.
  frozenAfterMs: 5_000,
  quickMs: 5_000,
  statementMs: 10_000,
  groupMs: 2_000,
  heavyMs: 30_000,
};
/** The server ends a statement of a transaction by itself before the connection is closed. */
export const graceMs = 2_000;

type Mode = '' | 'read only' | 'approximate';

export interface Transactions {
  /** Runs one statement of a transaction, or one by itself. */
  query(
    run: Run,
    deadlineMs: number,
    sql: string,
    parameters: readonly unknown[],
  ): Promise<StatementResult>;
  /**
   * Sends `begin` with the first statement, and `commit` with the last ones if nobody reads their
   * results.
   */
  transact<T>(
    lane: Lane,
    mode: Mode,
    deadlineMs: number,
    work: (run: Run, begun: Promise<unknown>) => Promise<Driven<T>>,
  ): Promise<T>;
}

export function createTransactions(deadlines: Deadlines, pooling: Pooling): Transactions {
  const names = createStatementNames();

  /**
   * The settings belong to the transaction, not to the session, which a pooler would give to
   * others.
   */
  function begin(mode: Mode, deadlineMs: number): string {
    const isApproximate = mode === 'approximate';
    const frozenMs = isApproximate
      ? Math.min(deadlineMs, deadlines.frozenAfterMs)
      : deadlines.frozenAfterMs;
    return [
      mode === 'read only' ? 'begin read only' : 'begin',
      `set local statement_timeout = ${deadlineMs}`,
      `set local idle_in_transaction_session_timeout = ${frozenMs}`,
      ...(isApproximate ? ['set local synchronous_commit = off'] : []),
    ].join('; ');
  }

  async function query(
    run: Run,
    deadlineMs: number,
    sql: string,
    parameters: readonly unknown[],
  ): Promise<StatementResult> {
    // In transaction mode the next connection does not know what was prepared on the last one.
    const name = pooling === 'transaction' ? undefined : names.of(sql);
    const result = await run(
      {
        text: sql,
        values: parameters.map(bindable),
        ...(name === undefined ? {} : { name }),
      },
      deadlineMs,
    );
    return { rows: result.rows, changes: result.rowCount ?? 0 };
  }

  function transact<T>(
    lane: Lane,
    mode: Mode,
    deadlineMs: number,
    work: (run: Run, begun: Promise<unknown>) => Promise<Driven<T>>,
  ): Promise<T> {
    return lane.use(async (run, discard) => {
      const begun = run(begin(mode, deadlineMs), Math.min(deadlines.quickMs, deadlineMs + graceMs));
      begun.catch(() => {});
      try {
        const { value, effects } = await work(run, begun);
        const committed = run('commit', deadlineMs + graceMs);
        await Promise.all([...effects, committed]);
        // After a statement that failed, PostgreSQL rolls back instead.
        if ((await committed).command !== 'COMMIT') throw new Error('PostgreSQL did not commit');
        return value;
      } catch (error) {
        await run('rollback', deadlines.quickMs).catch(discard);
        throw error;
      }
    });
  }

  return { query, transact };
}

/**
 * Names make the server keep a plan per connection; their number is bounded, as filters vary the
 * text. A name is derived from the text, so processes that share connections never confuse two
 * statements.
 */
function createStatementNames() {
  const known = new Map<string, string>();
  return {
    of(sql: string): string | undefined {
      const name = known.get(sql);
      if (name !== undefined) return name;
      if (known.size >= 500) return undefined;
      const fresh = createHash('sha256').update(sql).digest('base64url').slice(0, 22);
      known.set(sql, fresh);
      return fresh;
    },
  };
}
