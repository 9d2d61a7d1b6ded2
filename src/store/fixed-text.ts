import type { DialectName } from './engine.ts';

/** A statement written once with `?`, in the placeholders of the engine. */
export function fixedText(dialect: DialectName, sql: string): string {
  if (dialect === 'sqlite') return sql;
  let count = 0;
  return sql.replaceAll('?', () => `$${++count}`);
}
