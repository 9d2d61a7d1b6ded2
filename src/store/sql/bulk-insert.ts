import type { DialectName, Statement, Step } from '../engine.ts';
import { binaryArray, type ColumnType } from './binary-array.ts';

interface BulkInsertOptions<Row, Key extends keyof Row> {
  table: string;
  columns: { [Column in keyof Row]: ColumnType };
  /** The text after `on conflict`, the same on both engines. */
  onConflict?: string;
  /** These columns are returned of each row that was inserted or changed. */
  returning?: readonly Key[];
}

interface BulkInsert<Row, Key extends keyof Row> {
  (dialect: DialectName, rows: readonly Row[]): Step<Pick<Row, Key>[]>;
  /** PostgreSQL: the statement alone, to be run together with others. */
  onArrays(rows: readonly Row[]): Statement;
}

/**
 * Inserts many rows with the statement that is fastest on each engine: on SQLite one prepared
 * statement run per row (no round trips to save), on PostgreSQL one statement over arrays (one
 * round trip for all). The caller makes sure that no key occurs twice among the rows.
 */
export function bulkInsert<Row extends object, Key extends keyof Row = never>(
  options: BulkInsertOptions<Row, Key>,
): BulkInsert<Row, Key> {
  const columns = Object.keys(options.columns) as (keyof Row & string)[];
  const into = `insert into ${options.table} (${columns.join(', ')})`;
  const tail = [options.onConflict ? `on conflict ${options.onConflict}` : ''].join(' ');
  const returning = options.returning ? `returning ${options.returning.join(', ')}` : '';
  const isForEffect = options.returning === undefined;
  const marks = columns.map(() => '?').join(', ');
  const arrays = columns.map((name, index) => `$${index + 1}::${options.columns[name]}[]`);
  const onSqlite = `${into} values (${marks}) ${tail}`;
  const onPostgres = `${into} select * from unnest(${arrays.join(', ')}) ${tail} ${returning}`;

  function onArrays(rows: readonly Row[]): Statement {
    const parameters = columns.map((name) =>
      binaryArray(
        options.columns[name],
        rows.map((row) => row[name]),
      ),
    );
    return { sql: onPostgres, parameters, isForEffect };
  }

  function* insert(dialect: DialectName, rows: readonly Row[]): Step<Pick<Row, Key>[]> {
    if (rows.length === 0) return [];
    if (dialect === 'postgres') return (yield onArrays(rows)).rows as Pick<Row, Key>[];
    const each = rows.map((row) => columns.map((name) => row[name]));
    const changed = (yield { sql: onSqlite, parameters: [], each }).rows as boolean[];
    return isForEffect ? [] : rows.filter((_, index) => changed[index]);
  }
  return Object.assign(insert, { onArrays });
}
