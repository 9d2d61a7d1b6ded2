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
  lock(words: string): string;
  /** A select of rows that are passed as parameters, which are the last ones, from `first` on. */
  rows(columns: RowColumns, first: number): string;
  rowParameters(columns: RowColumns, rows: readonly (readonly unknown[])[]): unknown[];
  /** JSON text, of which `->> 'field'` is a field. */
  json(text: string): string;
  /** The elements of a JSON array; each is `name.value`. */
  elements(json: string, name: string): string;
  /** The same for an array of strings. */
  strings(json: string, name: string): string;
  /** Compares without regard to case; SQLite knows the case of Latin letters only. */
  like: string;
  /** Selects the size of the database as `bytes`. */
  databaseSize: string;
  /** Selects a row if there is a table of that name. */
  tableNamed(name: string): string;
}

/** The columns of rows that are passed as parameters, in order. */
type RowColumns = Readonly<Record<string, 'bigint' | 'text'>>;

export const wordsOf: Readonly<Record<DialectName, Words>> = {
  sqlite: {
    list: (values) => JSON.stringify(values),
    isIn: (column, parameter) => `${column} in (select value from json_each(${parameter}))`,
    isNotIn: (column, parameter) => `${column} not in (select value from json_each(${parameter}))`,
    lock: () => '',
    rows: (columns, first) =>
      `select ${Object.keys(columns)
        .map((name, index) => `value ->> ${index} as ${name}`)
        .join(', ')} from json_each($${first})`,
    rowParameters: (_columns, rows) => [JSON.stringify(rows)],
    json: (text) => text,
    elements: (json, name) => `json_each(${json}) ${name}`,
    strings: (json, name) => `json_each(${json}) ${name}`,
    like: 'like',
    databaseSize:
      'select page_count * page_size as bytes from pragma_page_count(), pragma_page_size()',
    tableNamed: (name) => `select name from sqlite_master where name = '${name}'`,
  },
  postgres: {
    list: (values) => values,
    isIn: (column, parameter, type = 'bigint') => `${column} = any(${parameter}::${type}[])`,
    isNotIn: (column, parameter, type = 'bigint') => `${column} <> all(${parameter}::${type}[])`,
    lock: (words) => words,
    rows: (columns, first) =>
      `select * from unnest(${Object.values(columns)
        .map((type, index) => `$${first + index}::${type}[]`)
        .join(', ')}) as k (${Object.keys(columns).join(', ')})`,
    rowParameters: (columns, rows) =>
      Object.keys(columns).map((_, index) => rows.map((row) => row[index])),
    json: (text) => `${text}::json`,
    elements: (json, name) => `json_array_elements(${json}::json) ${name} (value)`,
    strings: (json, name) => `json_array_elements_text(${json}::json) ${name} (value)`,
    like: 'ilike',
    databaseSize: 'select pg_database_size(current_database()) as bytes',
    tableNamed: (name) => `select name from to_regclass('${name}') as name where name is not null`,
  },
};

/**
 * Runs a statement that only takes a lock, which lasts until the transaction ends. SQLite has one
 * writer, which needs no locks.
 */
export function* takeLock(
  dialect: DialectName,
  sql: string,
  parameters: readonly unknown[] = [],
): Step<void> {
  if (dialect === 'postgres') yield* raw(sql, parameters);
}
