import type { RelayError } from '../errors.ts';

export type DialectName = 'sqlite' | 'postgres';

/** The tables of which answers are cached until they change. */
export type CachedTable =
  | 'api_keys'
  | 'apps'
  | 'backend_health'
  | 'bot_runtime'
  | 'bots'
  | 'leases'
  | 'log_heads'
  | 'messages'
  | 'readers'
  | 'retry_positions'
  | 'retry_queues';

export interface Statement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  /**
   * SQLite only: runs the statement once for each of these instead, and returns for each whether it
   * changed a row.
   */
  readonly each?: readonly (readonly unknown[])[];
  /**
   * Nobody reads the result, so PostgreSQL gets the next statement, or the commit, without waiting
   * for it. If it fails, the next one fails with its error.
   */
  readonly isForEffect?: boolean;
}

export interface StatementResult {
  readonly rows: readonly unknown[];
  /** The number of rows inserted, updated or deleted. */
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
   * Allowed for figures that may be inexact: PostgreSQL writes them over separate connections, and
   * a crash of its server may lose the latest.
   */
  isApproximate?: boolean;
  /**
   * The job yields one statement: PostgreSQL runs it without a transaction around it. If it missed
   * its deadline, it may still be stored later, so it must be safe to repeat.
   */
  isSingle?: boolean;
  /**
   * The job locks rows of this bot only, and at most adds rows of other bots. PostgreSQL then runs
   * it in one transaction with waiting jobs of other bots, in the order of their IDs; SQLite does
   * so with every job.
   */
  ofBot?: number;
  /**
   * Nobody waits for the job. SQLite runs one such job at a time, when no other job waits or after
   * a short wait.
   */
  isBackground?: boolean;
}

/** Receives the duration of a write transaction once it is committed. */
export type OnCommit = (durationMs: number) => void;

/**
 * One database. Reads see every `write` that has resolved. A `write` resolves only after its commit
 * is on disk; writes that arrive together may share a commit, yet each fails alone.
 */
export interface Engine {
  /** Only the store asks it; other code asks `isShared`. */
  readonly dialect: DialectName;
  /** True if several nodes may work on it at once. */
  readonly isShared: boolean;
  /**
   * The same database for work that must never wait for slow reads and management: intake,
   * acknowledgements and the outbox. PostgreSQL has separate connections for it.
   */
  readonly reserved: Engine;
  /**
   * For heartbeats and the work between two of them, so that a node keeps its bots however busy it
   * is.
   */
  readonly leases: Engine;
  /**
   * Runs a statement with `$1`-style parameters. Each text is prepared once, so a statement should
   * have few.
   */
  readRaw<T>(sql: string, parameters?: readonly unknown[]): Promise<T[]>;
  /**
   * Runs queries that may take long (search, export, statistics) and never blocks the event loop.
   */
  readHeavy<T>(sql: string, parameters: readonly unknown[]): Promise<T[]>;
  /**
   * `job` is called again from its start when the engine has to retry, so it must not keep state.
   * On PostgreSQL every statement has a deadline; a write that may take long sets its own.
   */
  write<T>(job: () => Step<T>, options?: WriteOptions): Promise<T>;
  /**
   * Changes with every commit that may have touched the table, so data read from it may be cached
   * while this stays the same. Undefined if others write to the same database.
   */
  stamp(table: CachedTable): number | undefined;
  /** Fails every later call with this error (PostgreSQL only). */
  refuse?(error: RelayError): void;
  /** Resolves when the database answers. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Runs a statement and returns its rows. */
export function* raw<T>(sql: string, parameters: readonly unknown[] = []): Step<T[]> {
  const result = yield { sql, parameters };
  return result.rows as T[];
}

/** Runs a statement and returns the number of rows it inserted, updated or deleted. */
export function* changes(sql: string, parameters: readonly unknown[] = []): Step<number> {
  const result = yield { sql, parameters };
  return result.changes;
}

/** A statement whose result nobody reads. */
export function* effect(sql: string, parameters: readonly unknown[]): Step<void> {
  yield { sql, parameters, isForEffect: true };
}

/** Both engines store booleans as 0 and 1, so that one schema and one set of queries serve both. */
export function bindable(value: unknown): unknown {
  if (value === true) return 1;
  if (value === false) return 0;
  return value ?? null;
}
