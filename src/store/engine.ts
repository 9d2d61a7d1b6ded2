import type { Compilable, Kysely } from 'kysely';
import type { RelayError } from '../errors.ts';
import type { TableName, Tables } from './schema/tables.ts';

export type DialectName = 'sqlite' | 'postgres';

export interface Statement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  /** SQLite only: run once for each of these instead, and give nothing back. */
  readonly each?: readonly (readonly unknown[])[];
  /**
   * Nobody reads its result, so PostgreSQL gets the next statement, or the commit, without waiting for it.
   * If it fails, that one fails with its error.
   */
  readonly isForEffect?: boolean;
}

export interface StatementResult {
  readonly rows: readonly unknown[];
  /** Rows inserted, updated or deleted. */
  readonly changes: number;
}

/**
 * A piece of a transaction: it yields statements and is handed their results. SQLite drives it
 * synchronously inside one BEGIN…COMMIT (no other work can slip in between), PostgreSQL drives it
 * with awaits. So one piece of code is a transaction on both engines.
 */
export type Step<T> = Generator<Statement, T, StatementResult>;

export interface WriteOptions {
  deadlineMs?: number;
  /**
   * For figures that may be off: PostgreSQL writes them over connections of their own, and a crash
   * of its server may lose the latest.
   */
  isApproximate?: boolean;
  /**
   * The job yields one statement: PostgreSQL runs it without a transaction around it. One that missed its
   * deadline may still be stored later, so it must be safe to repeat.
   */
  isSingle?: boolean;
  /**
   * The job locks rows of this bot only: of other bots it adds rows at most. PostgreSQL then runs it in one
   * transaction with those of other bots that wait, in the order of their ids; SQLite does so with every job.
   */
  ofBot?: number;
}

/** Told how long a write transaction took, once it is committed. */
export type OnCommit = (durationMs: number) => void;

/**
 * One database. Reads see everything whose `write` has resolved. A `write` resolves only after its
 * commit is on disk; writes that arrive together may share a commit, yet each fails alone.
 */
export interface Engine {
  /** For the store only: what others decide by the engine has a word of its own. */
  readonly dialect: DialectName;
  /** Whether several nodes may work on it at once. */
  readonly isShared: boolean;
  /**
   * The same database for what must never wait for slow reads and management: intake,
   * acknowledgements and the outbox. PostgreSQL has connections of their own for them.
   */
  readonly reserved: Engine;
  /** For heartbeats, and what comes between two of them: a node keeps its bots however busy it is. */
  readonly leases: Engine;
  /** Builds and compiles queries; it never runs them itself. */
  readonly sql: Kysely<Tables>;
  read<T>(query: Compilable<T>): Promise<T[]>;
  readOne<T>(query: Compilable<T>): Promise<T | undefined>;
  /** A statement of fixed text with `$1`-style parameters, prepared once: for the hot paths. */
  readRaw<T>(sql: string, parameters: readonly unknown[]): Promise<T[]>;
  /** For queries that may take long (search, export, statistics): never blocks the event loop. */
  readHeavy<T>(sql: string, parameters: readonly unknown[]): Promise<T[]>;
  /**
   * `job` is called again from its start when the engine has to retry, so it must not keep state.
   * On PostgreSQL every statement has a deadline; a write that may take long names its own.
   */
  write<T>(job: () => Step<T>, options?: WriteOptions): Promise<T>;
  /**
   * Changes with every commit that may have touched the table, so that what was read from it may be
   * kept while this stays the same. Undefined where others write to the same database.
   */
  stamp(table: TableName): number | undefined;
  /** From now on, fails everything with this error (PostgreSQL only). */
  refuse?(error: RelayError): void;
  /** Resolves when the database answers. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export function* all<T>(query: Compilable<T>): Step<T[]> {
  const result = yield query.compile();
  return result.rows as T[];
}

export function* first<T>(query: Compilable<T>): Step<T | undefined> {
  const result = yield query.compile();
  return result.rows[0] as T | undefined;
}

/** Runs a query for its effect and tells how many rows it touched. */
export function* run(query: Compilable): Step<number> {
  const result = yield query.compile();
  return result.changes;
}

export function* raw<T>(sql: string, parameters: readonly unknown[] = []): Step<T[]> {
  const result = yield { sql, parameters };
  return result.rows as T[];
}

/** A statement whose result nobody reads. */
export function* effect(sql: string, parameters: readonly unknown[]): Step<void> {
  yield { sql, parameters, isForEffect: true };
}

/** Both engines keep booleans as 0 and 1, so that one schema and one set of queries serve both. */
export function bindable(value: unknown): unknown {
  if (value === true) return 1;
  if (value === false) return 0;
  return value ?? null;
}
