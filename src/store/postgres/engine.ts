import { createHash } from 'node:crypto';
import { isOutage, type RelayError } from '../../errors.ts';
import {
  bindable,
  type Engine,
  type OnCommit,
  type StatementResult,
  type Step,
  type WriteOptions,
} from '../engine.ts';
import { type BeforeMigration, examineSchema, migrate } from '../schema/migrate.ts';
import { outage } from '../outage.ts';
import { createConnections, type Lane, type Run } from './connections.ts';
import { asOutage } from './outage.ts';
import { createGroupedWrites, type Job } from './grouped-writes.ts';
import { detectPooling } from './pooler.ts';

export interface PostgresOptions {
  /** The server ends a transaction that has been idle for this long. */
  frozenAfterMs?: number;
  /** The deadline of statements that the server answers at once: BEGIN, ordinary reads. */
  quickMs?: number;
  /** The deadline of statements of a write, unless the write sets its own. */
  statementMs?: number;
  /** The deadline of statements of writes that share a transaction. */
  groupMs?: number;
  heavyMs?: number;
  onCommit?: OnCommit | undefined;
  beforeMigration?: BeforeMigration;
}

type Mode = '' | 'read only' | 'approximate';

const retryableStates = new Set(['40001', '40P01']);
const attempts = 5;
// A node that froze, or was cut off, in the middle of a transaction must not keep its bots locked:
// the others take them over after 9 s of silence. None of our transactions waits between
// statements.
const frozenAfterMs = 5_000;
const quickMs = 5_000;
const statementMs = 10_000;
const groupMs = 2_000;
const heavyMs = 30_000;
const migrationMs = 3_600_000;
/** The server ends a statement of a transaction by itself before the connection is closed. */
const graceMs = 2_000;
// The numbers are per node; one more connection listens for notifications.
const lanes = {
  /** A late heartbeat costs the node its bots. */
  leases: { max: 2, waitMs: 5_000 },
  /** For intake, acknowledgements and the outbox. */
  reserved: { max: 6, waitMs: 5_000 },
  general: { max: 8, waitMs: 5_000 },
  heavy: { max: 3, waitMs: 10_000 },
  approximate: { max: 2, waitMs: 2_000 },
};
// Any number works, as long as no other program locks the same one in this database.
const migrationLock = 724_178_233;

/** Opens a shared PostgreSQL; any number of nodes may open the same one. */
export async function openPostgres(url: string, options: PostgresOptions = {}): Promise<Engine> {
  const times = { frozenAfterMs, quickMs, statementMs, groupMs, heavyMs, ...options };
  const pooling = await detectPooling(url);
  const connections = createConnections(url);
  let refusal: RelayError | undefined;
  const open = (options: Parameters<typeof connections.lane>[0]): Lane => {
    const lane = connections.lane(options);
    return { use: async (work) => (refusal ? Promise.reject(refusal) : lane.use(work)) };
  };
  const leases = open(lanes.leases);
  const reserved = open(lanes.reserved);
  const general = open(lanes.general);
  const heavy = open(lanes.heavy);
  const approximate = open(lanes.approximate);
  const names = createStatementNames();
  /** The reason why a readable database cannot be written, until it can. */
  let lastOutage: RelayError | undefined;

  /**
   * The settings belong to the transaction, not to the session, which a pooler would give to
   * others.
   */
  function begin(mode: Mode, deadlineMs: number): string {
    const isApproximate = mode === 'approximate';
    const frozenMs = isApproximate
      ? Math.min(deadlineMs, times.frozenAfterMs)
      : times.frozenAfterMs;
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

  /**
   * Sends `begin` with the first statement, and `commit` with the last ones if nobody reads their
   * results.
   */
  function transact<T>(
    lane: Lane,
    mode: Mode,
    deadlineMs: number,
    work: (run: Run, begun: Promise<unknown>) => Promise<Driven<T>>,
  ): Promise<T> {
    return lane.use(async (run, discard) => {
      const begun = run(begin(mode, deadlineMs), Math.min(times.quickMs, deadlineMs + graceMs));
      begun.catch(() => {});
      try {
        const { value, effects } = await work(run, begun);
        const committed = run('commit', deadlineMs + graceMs);
        await Promise.all([...effects, committed]);
        // After a statement that failed, PostgreSQL rolls back instead.
        if ((await committed).command !== 'COMMIT') throw new Error('PostgreSQL did not commit');
        return value;
      } catch (error) {
        await run('rollback', times.quickMs).catch(discard);
        throw error;
      }
    });
  }

  /** Runs the jobs in one transaction; returns their results in order. */
  async function write(
    ownLane: Lane,
    jobs: readonly Job[],
    { deadlineMs = times.statementMs, isApproximate = false, isSingle = false }: WriteOptions = {},
  ): Promise<unknown[]> {
    const lane = isApproximate ? approximate : ownLane;
    const mode = isApproximate ? 'approximate' : '';
    const within = (work: (run: Run, begun?: Promise<unknown>) => Promise<Driven<unknown[]>>) =>
      isSingle
        ? lane.use(async (run) => {
            const { value, effects } = await work(run);
            await Promise.all(effects);
            return value;
          })
        : transact(lane, mode, deadlineMs, work);
    for (let tried = 1; ; tried++) {
      const startedAt = performance.now();
      try {
        let isChange = false;
        let statements = 0;
        const values = await within((run, begun) =>
          driveAll(
            jobs,
            (sql, parameters) => {
              isChange ||= !sql.startsWith('select');
              if (isSingle && ++statements > 1) throw new Error(`one statement too many: ${sql}`);
              return query(run, deadlineMs + graceMs, sql, parameters);
            },
            begun,
          ),
        );
        // A server that refuses to write still accepts a job that only reads.
        if (isChange) lastOutage = undefined;
        options.onCommit?.(performance.now() - startedAt);
        return values;
      } catch (error) {
        const state = (error as { code?: string }).code ?? '';
        if (tried < attempts && retryableStates.has(state)) continue;
        const failure = asOutage(error);
        if (isOutage(failure) && failure.reason.code !== 'database_unreachable')
          lastOutage = failure;
        throw failure;
      }
    }
  }

  async function readHeavy<T>(sql: string, parameters: readonly unknown[]): Promise<T[]> {
    try {
      return await transact(heavy, 'read only', times.heavyMs, async (run, begun) => {
        const answer = query(run, times.heavyMs + graceMs, sql, parameters);
        await Promise.all([begun, answer]);
        return { value: (await answer).rows as T[], effects: [] };
      });
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      if (code === '57014') throw outage('tooLong', error);
      if (message.startsWith('timeout exceeded')) throw outage('crowded', error);
      throw asOutage(error);
    }
  }

  function engineOn(lane: Lane): Engine {
    const writeGrouped = createGroupedWrites(
      (jobs, options) => write(lane, jobs, options),
      times.groupMs,
    );
    async function read<T>(sql: string, parameters: readonly unknown[] = []): Promise<T[]> {
      try {
        return await lane.use(
          async (run) => (await query(run, times.quickMs, sql, parameters)).rows as T[],
        );
      } catch (error) {
        throw asOutage(error);
      }
    }
    return {
      dialect: 'postgres',
      isShared: true,
      get reserved() {
        return engines.reserved;
      },
      get leases() {
        return engines.leases;
      },
      readRaw: read,
      readHeavy,
      async write<T>(job: () => Step<T>, writeOptions: WriteOptions = {}) {
        const { ofBot } = writeOptions;
        if (ofBot !== undefined) return writeGrouped(ofBot, job, writeOptions);
        const [value] = await write(lane, [job], writeOptions);
        return value as T;
      },
      stamp: () => undefined,
      async ping() {
        await reserved.use((run) => run('select 1', times.quickMs));
        if (lastOutage) throw lastOutage;
      },
      refuse(error) {
        refusal = error;
      },
      close: () => connections.end(),
    };
  }
  const engines = {
    general: engineOn(general),
    reserved: engineOn(reserved),
    leases: engineOn(leases),
  };

  const withSchemaLocked = <T>(work: () => Step<T>) =>
    engines.general.write(
      function* () {
        yield { sql: 'select pg_advisory_xact_lock($1)', parameters: [migrationLock] };
        return yield* work();
      },
      { deadlineMs: migrationMs },
    );
  try {
    const found = await withSchemaLocked(() => examineSchema('postgres'));
    if (found.pending.length > 0) await options.beforeMigration?.(found);
    await withSchemaLocked(() => migrate('postgres'));
  } catch (error) {
    await connections.end();
    throw isOutage(error) ? error.cause : error;
  }

  return engines.general;
}

interface Driven<T> {
  value: T;
  /** The statements it did not wait for; the job is done when all of them are. */
  effects: Promise<unknown>[];
}

type Query = (sql: string, parameters: readonly unknown[]) => Promise<StatementResult>;

const noResult: StatementResult = { rows: [], changes: 0 };
/** PostgreSQL's code for a statement that follows a failed one. */
const abortedState = '25P02';

/** Drives all jobs in turn: the next statements of all are sent before the first is answered. */
async function driveAll(
  jobs: readonly Job[],
  query: Query,
  begun?: Promise<unknown>,
): Promise<Driven<unknown[]>> {
  const ended = await Promise.allSettled(jobs.map((job) => drive(job(), query, begun)));
  const errors = ended.flatMap((end) => (end.status === 'rejected' ? [end.reason as Error] : []));
  if (errors.length > 0) {
    throw errors.find((error) => (error as { code?: unknown }).code !== abortedState) ?? errors[0];
  }
  const driven = ended.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []));
  return {
    value: driven.map(({ value }) => value),
    effects: driven.flatMap(({ effects }) => effects),
  };
}

/** Awaits `begun` together with the first result that matters. */
async function drive<T>(step: Step<T>, query: Query, begun?: Promise<unknown>): Promise<Driven<T>> {
  let effects: Promise<unknown>[] = begun ? [begun] : [];
  let next = step.next();
  while (!next.done) {
    const { sql, parameters, isForEffect } = next.value;
    const answer = query(sql, parameters);
    if (isForEffect) {
      answer.catch(() => {});
      effects.push(answer);
      next = step.next(noResult);
      continue;
    }
    let result: StatementResult;
    try {
      // The first failed statement gives the reason; the others only report that the transaction is
      // over.
      await Promise.all([...effects, answer]);
      result = await answer;
    } catch (error) {
      next = step.throw(error);
      continue;
    } finally {
      effects = [];
    }
    next = step.next(result);
  }
  return { value: next.value, effects };
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
