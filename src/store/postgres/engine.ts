import type { Compilable } from 'kysely';
import pg from 'pg';
import { createCompiler } from '../compiler.ts';
import { bindable, type Engine, type StatementResult, type Step } from '../engine.ts';
import { migrate } from '../migrate.ts';
import { asOutage } from './outage.ts';

// Ids are at most 52 bits, so bigint columns fit a JavaScript number exactly.
const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === pg.types.builtins.INT8 || oid === pg.types.builtins.NUMERIC) return Number;
    return pg.types.getTypeParser(oid, format);
  },
} as pg.CustomTypesConfig;

const retryableStates = new Set(['40001', '40P01']);
const attempts = 5;
// A node that froze, or was cut off, in the middle of a transaction must not keep its bots locked: the
// others take them over once it was silent for 9 s. No transaction of ours waits between statements.
const frozenAfterMs = 5_000;
// Any number will do, as long as no other program locks the same one in this database.
const migrationLock = 724_178_233;

/** A shared PostgreSQL: as many nodes as there are may open the same one. */
export async function openPostgres(
  url: string,
  options: { maxConnections?: number; frozenAfterMs?: number } = {},
): Promise<Engine> {
  const patienceMs = Math.round(options.frozenAfterMs ?? frozenAfterMs);
  const pool = new pg.Pool({
    connectionString: url,
    max: options.maxConnections ?? 10,
    connectionTimeoutMillis: 10_000,
    application_name: 'bot-relay',
    types,
    // Not a parameter of the connection: poolers in between refuse those that they do not know. The
    // pool waits for what this gives.
    onConnect: (client) =>
      client.query(`set idle_in_transaction_session_timeout = ${patienceMs}`) as unknown,
  });
  // An idle connection that the server ends is replaced by the pool when next needed.
  pool.on('error', () => {});
  const names = createStatementNames();

  async function read<T>(sql: string, parameters: readonly unknown[]): Promise<T[]> {
    try {
      return (await query(pool, sql, parameters)).rows as T[];
    } catch (error) {
      throw asOutage(error);
    }
  }

  async function query(
    client: pg.Pool | pg.PoolClient,
    sql: string,
    parameters: readonly unknown[],
  ): Promise<StatementResult> {
    const name = names.of(sql);
    const result = await client.query({
      text: sql,
      values: parameters.map(bindable),
      ...(name === undefined ? {} : { name }),
    });
    return { rows: result.rows, changes: result.rowCount ?? 0 };
  }

  async function attempt<T>(job: () => Step<T>): Promise<T> {
    const client = await pool.connect();
    let broken: Error | undefined;
    // A connection lost meanwhile fails the statement under way, which is told below; without a
    // listener it would end the process as well.
    const onLost = () => {};
    client.on('error', onLost);
    try {
      await client.query('begin');
      const value = await drive(job(), (sql, parameters) => query(client, sql, parameters));
      await client.query('commit');
      return value;
    } catch (error) {
      await client.query('rollback').catch((failure: Error) => {
        broken = failure;
      });
      throw error;
    } finally {
      client.off('error', onLost);
      client.release(broken);
    }
  }

  async function write<T>(job: () => Step<T>): Promise<T> {
    for (let tried = 1; ; tried++) {
      try {
        return await attempt(job);
      } catch (error) {
        const state = (error as { code?: string }).code ?? '';
        if (tried >= attempts || !retryableStates.has(state)) throw error;
      }
    }
  }

  try {
    await write(function* () {
      yield { sql: 'select pg_advisory_xact_lock($1)', parameters: [migrationLock] };
      return yield* migrate('postgres');
    });
  } catch (error) {
    await pool.end();
    throw error;
  }

  return {
    dialect: 'postgres',
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
    readHeavy: read,
    async write<T>(job: () => Step<T>) {
      try {
        return await write(job);
      } catch (error) {
        throw asOutage(error);
      }
    },
    stamp: () => undefined,
    async ping() {
      await pool.query('select 1');
    },
    close: () => pool.end(),
  };
}

async function drive<T>(
  step: Step<T>,
  query: (sql: string, parameters: readonly unknown[]) => Promise<StatementResult>,
): Promise<T> {
  let next = step.next();
  while (!next.done) {
    let result: StatementResult;
    try {
      result = await query(next.value.sql, next.value.parameters);
    } catch (error) {
      next = step.throw(error);
      continue;
    }
    next = step.next(result);
  }
  return next.value;
}

/** Names make the server keep a plan per connection; a bounded number, as filters vary the text. */
function createStatementNames() {
  const known = new Map<string, string>();
  return {
    of(sql: string): string | undefined {
      const name = known.get(sql);
      if (name !== undefined) return name;
      if (known.size >= 500) return undefined;
      const fresh = `s${known.size}`;
      known.set(sql, fresh);
      return fresh;
    },
  };
}
