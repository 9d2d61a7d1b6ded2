import { createHash } from 'node:crypto';
import type { Compilable } from 'kysely';
import { isOutage, type RelayError } from '../../errors.ts';
import { createCompiler } from '../sql/compiler.ts';
import { bindable, type Engine, type OnCommit, type Step, type WriteOptions } from '../engine.ts';
import { migrate } from '../schema/migrate.ts';
import { outage } from '../outage.ts';
import type { Statement } from './batch.ts';
import { createConnections, type Lane } from './connections.ts';
import { asOutage } from './outage.ts';
import { detectPooling } from './pooler.ts';
import { createTalk, drive, type Talk } from './talk.ts';

export interface PostgresOptions {
  /** How long a transaction may stand idle before the server ends it. */
  frozenAfterMs?: number;
  /** For statements that the server answers at once: BEGIN, ordinary reads. */
  quickMs?: number;
  /** For statements of a write, unless the write says otherwise. */
  statementMs?: number;
  heavyMs?: number;
  onCommit?: OnCommit | undefined;
}

type Mode = '' | 'read only' | 'approximate';

const retryableStates = new Set(['40001', '40P01']);
const attempts = 5;
// A node that froze, or was cut off, in the middle of a transaction must not keep its bots locked: the
// others take them over once it was silent for 9 s. No transaction of ours waits between statements.
const frozenAfterMs = 5_000;
const quickMs = 5_000;
const statementMs = 10_000;
const heavyMs = 30_000;
const migrationMs = 3_600_000;
/** The server ends a statement itself before the connection is given up. */
const graceMs = 2_000;
// Per node; one more listens for notifications.
const lanes = {
  /** Leases, intake, acknowledgements, outbox. */
  reserved: { max: 6, waitMs: 5_000 },
  general: { max: 8, waitMs: 5_000 },
  heavy: { max: 3, waitMs: 10_000 },
  approximate: { max: 2, waitMs: 2_000 },
};
// Any number will do, as long as no other program locks the same one in this database.
const migrationLock = 724_178_233;

/** A shared PostgreSQL: as many nodes as there are may open the same one. */
export async function openPostgres(url: string, options: PostgresOptions = {}): Promise<Engine> {
  const times = { frozenAfterMs, quickMs, statementMs, heavyMs, ...options };
  const pooling = await detectPooling(url);
  const connections = createConnections(url);
  let refusal: RelayError | undefined;
  const open = (options: Parameters<typeof connections.lane>[0]): Lane => {
    const lane = connections.lane(options);
    return { use: async (work) => (refusal ? Promise.reject(refusal) : lane.use(work)) };
  };
  const reserved = open(lanes.reserved);
  const general = open(lanes.general);
  const heavy = open(lanes.heavy);
  const approximate = open(lanes.approximate);
  const names = createStatementNames();
  /** Why a database that can be read cannot be written, until it can. */
  let lastOutage: RelayError | undefined;

  function statement(sql: string, parameters: readonly unknown[], deadlineMs: number): Statement {
    return {
      text: sql,
      values: parameters.map(bindable),
      // In transaction mode the next connection does not know what was prepared on the last one.
      name: pooling === 'transaction' ? undefined : names.of(sql),
      deadlineMs,
    };
  }

  /** Settings of the transaction, not of the session, which a pooler would give to others. */
  function begin(mode: Mode, deadlineMs: number): Statement[] {
    const isApproximate = mode === 'approximate';
    const frozenMs = isApproximate
      ? Math.min(deadlineMs, times.frozenAfterMs)
      : times.frozenAfterMs;
    const quickly = Math.min(times.quickMs, deadlineMs + graceMs);
    return [
      statement(mode === 'read only' ? 'begin read only' : 'begin', [], quickly),
      statement(
        `select set_config('statement_timeout', $1, true),
           set_config('idle_in_transaction_session_timeout', $2, true)
           ${isApproximate ? ", set_config('synchronous_commit', 'off', true)" : ''}`,
        [String(deadlineMs), String(frozenMs)],
        quickly,
      ),
    ];
  }

  function transact<T>(
    lane: Lane,
    mode: Mode,
    deadlineMs: number,
    work: (talk: Talk) => Promise<T>,
  ): Promise<T> {
    return lane.use(async (run, discard) => {
      const talk = createTalk(run, begin(mode, deadlineMs), (sql, parameters) =>
        statement(sql, parameters, deadlineMs + graceMs),
      );
      try {
        await talk.send();
        const value = await work(talk);
        talk.add('commit', []);
        await talk.send();
        return value;
      } catch (error) {
        await run([statement('rollback', [], times.quickMs)]).catch(discard);
        throw error;
      }
    });
  }

  async function write<T>(
    ownLane: Lane,
    job: () => Step<T>,
    { deadlineMs = times.statementMs, isApproximate = false }: WriteOptions = {},
  ): Promise<T> {
    const lane = isApproximate ? approximate : ownLane;
    const mode = isApproximate ? 'approximate' : '';
    for (let tried = 1; ; tried++) {
      const startedAt = performance.now();
      try {
        let isChange = false;
        const value = await transact(lane, mode, deadlineMs, (talk) =>
          drive(job(), {
            ...talk,
            add(sql, parameters) {
              isChange ||= !sql.startsWith('select');
              return talk.add(sql, parameters);
            },
          }),
        );
        // A server that refuses to write still answers a job that only read.
        if (isChange) lastOutage = undefined;
        options.onCommit?.(performance.now() - startedAt);
        return value;
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
      const { rows } = await transact(heavy, 'read only', times.heavyMs, async (talk) =>
        talk.add(sql, parameters),
      );
      return rows as T[];
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      if (code === '57014') throw outage('tooLong', error);
      if (message.startsWith('timeout exceeded')) throw outage('crowded', error);
      throw asOutage(error);
    }
  }

  function engineOn(lane: Lane, vital?: Engine): Engine {
    async function read<T>(sql: string, parameters: readonly unknown[]): Promise<T[]> {
      try {
        const [answer] = await lane.use((run) => run([statement(sql, parameters, times.quickMs)]));
        return answer?.rows as T[];
      } catch (error) {
        throw asOutage(error);
      }
    }
    const engine: Engine = {
      dialect: 'postgres',
      isShared: true,
      get reserved() {
        return vital ?? engine;
      },
      sql: createCompiler('postgres'),
      read<T>(q: Compilable<T>) {
        const { sql, parameters } = q.compile();
        return read<T>(sql, parameters);
      },
      async readOne<T>(q: Compilable<T>) {
        const { sql, parameters } = q.compile();
        return (await read<T>(sql, parameters))[0];
      },
      readRaw: read,
      readHeavy,
      write: (job, writeOptions) => write(lane, job, writeOptions),
      stamp: () => undefined,
      async ping() {
        await reserved.use((run) => run([statement('select 1', [], times.quickMs)]));
        if (lastOutage) throw lastOutage;
      },
      refuse(error) {
        refusal = error;
      },
      close: () => connections.end(),
    };
    return engine;
  }

  try {
    await write(
      general,
      function* () {
        yield { sql: 'select pg_advisory_xact_lock($1)', parameters: [migrationLock] };
        return yield* migrate('postgres');
      },
      { deadlineMs: migrationMs },
    );
  } catch (error) {
    await connections.end();
    throw isOutage(error) ? error.cause : error;
  }

  return engineOn(general, engineOn(reserved));
}

/**
 * Names make the server keep a plan per connection; a bounded number, as filters vary the text. The
 * name follows from the text: processes that share connections never take one for another.
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
