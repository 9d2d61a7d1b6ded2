/*
 * The words in which the SQL of the two engines differs. Statements are written once, with these
 * words in them. What differs by more than words is decided where it is done.
 */
import { type DialectName, raw, type Step } from '../engine.ts';

export interface Words {
  /** Turns a list into one parameter, so that the text of a statement stays the same. */
  list(values: readonly unknown[]): unknown;
  /** A condition: the column has one of the values of a `list`. */
  isIn(column: string, parameter: string, type?: 'bigint' | 'text'): string;
  isNotIn(column: string, parameter: string, type?: 'bigint' | 'text'): string;
  /** Locks the rows of a select. SQLite has one writer, which needs no locks. */
  locked(words: string): string;
}

export const wordsOf: Readonly<Record<DialectName, Words>> = {
  sqlite: {
    list: (values) => JSON.stringify(values),
    isIn: (column, parameter) => `${column} in (select value from json_each(${parameter}))`,
    isNotIn: (column, parameter) => `${column} not in (select value from json_each(${parameter}))`,
    locked: () => '',
  },
  postgres: {
    list: (values) => values,
    isIn: (column, parameter, type = 'bigint') => `${column} = any(${parameter}::${type}[])`,
    isNotIn: (column, parameter, type = 'bigint') => `${column} <> all(${parameter}::${type}[])`,
    locked: (words) => words,
  },
};

/**
 * Runs a statement that only takes a lock, which lasts until the transaction ends. SQLite has one
 * writer, which needs no locks.
 */
export function* takeLock(
  dialect: DialectName,
  sql: string,
  parameters: readonly unknown[],
): Step<void> {
  if (dialect === 'postgres') yield* raw(sql, parameters);
}
