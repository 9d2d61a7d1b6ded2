import type { StatementResult, Step } from '../engine.ts';
import type { Statement } from './batch.ts';
import type { Run } from './connections.ts';

/** What one transaction says to the server. */
export interface Talk {
  /** Goes out with the next `send`; the result is there when that resolves. */
  add(sql: string, parameters: readonly unknown[]): StatementResult;
  send(): Promise<void>;
}

export function createTalk(
  run: Run,
  first: readonly Statement[],
  toStatement: (sql: string, parameters: readonly unknown[]) => Statement,
): Talk {
  let waiting: { statement: Statement; result: StatementResult }[] = [];
  const put = (statement: Statement): StatementResult => {
    const result = { rows: [], changes: 0 };
    waiting.push({ statement, result });
    return result;
  };
  for (const statement of first) put(statement);
  return {
    add: (sql, parameters) => put(toStatement(sql, parameters)),
    async send() {
      const sent = waiting;
      waiting = [];
      const answers = await run(sent.map(({ statement }) => statement));
      answers.forEach(({ rows, rowCount }, index) => {
        Object.assign(sent[index]?.result ?? {}, { rows, changes: rowCount ?? 0 });
      });
    },
  };
}

/**
 * Lets a piece of a transaction speak, one statement at a time. Together they would cost one round trip,
 * but a server that got only the first of them waits for the rest without any timeout, with all its locks.
 */
export async function drive<T>(step: Step<T>, { add, send }: Talk): Promise<T> {
  let next = step.next();
  while (!next.done) {
    const result = add(next.value.sql, next.value.parameters);
    try {
      await send();
    } catch (error) {
      next = step.throw(error);
      continue;
    }
    next = step.next(result);
  }
  return next.value;
}
