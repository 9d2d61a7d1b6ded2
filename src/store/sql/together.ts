import type { Statement } from '../engine.ts';

const known = new Map<string, string>();

/**
 * PostgreSQL: combines changes of different tables into one statement whose result nobody reads.
 * All of them see the database as it was before, and their order is undefined, so they may change
 * only rows that this transaction has locked or adds.
 */
export function together(statements: readonly Statement[]): Statement {
  const key = statements.map(({ sql }) => sql).join(';');
  const sql = known.get(key) ?? joined(statements);
  known.set(key, sql);
  const parameters = statements.flatMap((statement) => statement.parameters);
  return { sql, parameters, isForEffect: true };
}

function joined(statements: readonly Statement[]): string {
  let before = 0;
  const texts = statements.map(({ sql, parameters }) => {
    const first = before;
    before += parameters.length;
    return sql.replace(/\$(\d+)/g, (_, number) => `$${first + Number(number)}`);
  });
  const last = texts.pop() as string;
  if (texts.length === 0) return last;
  return `with ${texts.map((text, index) => `part_${index} as (${text})`).join(', ')} ${last}`;
}
