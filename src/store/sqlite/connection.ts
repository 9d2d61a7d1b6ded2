import {
  constants,
  DatabaseSync,
  type SQLInputValue,
  type SQLOutputValue,
  type StatementSync,
} from 'node:sqlite';
import { bindable, type StatementResult } from '../engine.ts';

const statementCacheSize = 500;

/** One SQLite connection with its prepared statements. */
export interface Connection {
  exec(sql: string): void;
  run(sql: string, parameters: readonly unknown[]): StatementResult;
  /**
   * Runs the same statement with each of these, which are values that SQLite takes; returns for
   * each whether it changed a row. This is the hot path of bulk inserts.
   */
  runEach(sql: string, each: readonly (readonly unknown[])[]): boolean[];
  close(): void;
}

interface Prepared {
  statement: StatementSync;
  /** The columns of the rows it returns; empty if it returns nothing. */
  columns: readonly string[];
  /** The parameter for each question mark, if the text was written with `$1`. */
  order: number[] | undefined;
  /**
   * The tables it writes to, also by a cascade or a trigger, as SQLite reports when it is prepared.
   */
  writes: readonly string[];
}

const writing = new Set([
  constants.SQLITE_INSERT,
  constants.SQLITE_UPDATE,
  constants.SQLITE_DELETE,
]);

export function openConnection(
  file: string,
  options: {
    readOnly: boolean;
    /** Receives the tables that each statement is about to write to. */
    touched?: (tables: readonly string[]) => void;
  },
): Connection {
  const db = new DatabaseSync(file, { readOnly: options.readOnly, timeout: 5_000 });
  if (!options.readOnly) {
    db.exec('pragma journal_mode = wal');
    db.exec('pragma synchronous = full');
    db.exec('pragma foreign_keys = on');
    db.exec('pragma journal_size_limit = 67108864');
  }
  db.exec('pragma cache_size = -32768');
  db.exec('pragma temp_store = memory');
  db.exec('pragma mmap_size = 67108864');

  const { touched } = options;
  const writes = new Set<string>();
  if (touched) {
    db.setAuthorizer((action, table) => {
      if (writing.has(action) && table !== null) writes.add(table);
      return constants.SQLITE_OK;
    });
  }

  const statements = new Map<string, Prepared>();

  function prepared(sql: string) {
    const known = statements.get(sql);
    if (known) return known;
    const { text, order } = withQuestionMarks(sql);
    writes.clear();
    const statement = db.prepare(text);
    const columns = statement.columns().map(({ name }) => name);
    if (columns.length > 0) statement.setReturnArrays(true);
    const entry = { statement, order, columns, writes: [...writes] };
    // The oldest statement is dropped: statements built from user filters must not pile up.
    if (statements.size >= statementCacheSize) {
      statements.delete(statements.keys().next().value as string);
    }
    statements.set(sql, entry);
    return entry;
  }

  return {
    exec: (sql) => db.exec(sql),
    run(sql, parameters) {
      const { statement, order, columns, writes: tables } = prepared(sql);
      if (tables.length > 0) touched?.(tables);
      const values = (
        order ? order.map((index) => bindable(parameters[index])) : parameters.map(bindable)
      ) as SQLInputValue[];
      if (columns.length > 0) {
        const rows = (statement.all(...values) as unknown as SQLOutputValue[][]).map((row) =>
          named(columns, row),
        );
        return { rows, changes: rows.length };
      }
      const { changes } = statement.run(...values);
      return { rows: [], changes: Number(changes) };
    },
    runEach(sql, each) {
      const { statement, order, writes: tables } = prepared(sql);
      touched?.(tables);
      return each.map((values) => {
        const ordered = order ? order.map((index) => values[index]) : values;
        return statement.run(...(ordered as SQLInputValue[])).changes !== 0;
      });
    },
    close: () => db.close(),
  };
}

/**
 * Returns an ordinary object. Those that node:sqlite makes each have a hidden class, which only a
 * full collection frees, and cost more than twice the time.
 */
function named(columns: readonly string[], row: readonly SQLOutputValue[]) {
  const object: Record<string, SQLOutputValue> = {};
  columns.forEach((column, index) => {
    object[column] = row[index] as SQLOutputValue;
  });
  return object;
}

/**
 * Replaces `$1` by question marks, because hand-written statements number their parameters as
 * PostgreSQL does, on both engines.
 */
function withQuestionMarks(sql: string): { text: string; order: number[] | undefined } {
  const order: number[] = [];
  const text = sql.replace(/\$(\d+)/g, (_, number: string) => {
    order.push(Number(number) - 1);
    return '?';
  });
  return { text, order: order.length > 0 ? order : undefined };
}
