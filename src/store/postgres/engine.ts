import { isOutage, type RelayError } from '../../errors.ts';
import type { Engine, OnCommit, Step, WriteOptions } from '../engine.ts';
import { type BeforeMigration, examineSchema, migrate } from '../schema/migrate.ts';
import { outage } from '../outage.ts';
import { createConnections, type Lane, type Run } from './connections.ts';
import { driveAll, type Driven } from './drive.ts';
import { asOutage } from './outage.ts';
import { createGroupedWrites, type Job } from './grouped-writes.ts';
import { detectPooling } from './pooler.ts';
import { createTransactions, type Deadlines, defaultDeadlines, graceMs } from './transactions.ts';

export interface PostgresOptions extends Partial<Deadlines> {
  onCommit?: OnCommit | undefined;
  beforeMigration?: BeforeMigration;
}

const retryableStates = new Set(['40001', '40P01']);
const attempts = 5;
const migrationMs = 3_600_000;
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
  const times = { ...defaultDeadlines, ...options };
  const { query, transact } = createTransactions(times, await detectPooling(url));
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
  /** The reason why a readable database cannot be written, until it can. */
  let lastOutage: RelayError | undefined;

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
