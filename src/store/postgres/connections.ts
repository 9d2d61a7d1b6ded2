/*
 * Opens connections to PostgreSQL on which nothing waits forever.
 *
 * Invariants: a statement that misses its deadline is cancelled on the server, and its connection
 * is closed, so that nobody gets a connection with a pending answer. It counts as failed whatever
 * the server answers: PostgreSQL reports a commit as done if only its wait for a synchronous
 * standby was cancelled. The lanes share nothing: a caller that fills one of them, or asks for too
 * much, does not delay the others.
 */
import pg from 'pg';
import { cancelStatement } from './cancel.ts';

/** Runs one statement within a deadline. */
export type Run = (
  query: string | pg.QueryConfig,
  deadlineMs: number,
) => Promise<pg.QueryResult<Record<string, unknown>>>;

/** A pool of connections for one kind of work. */
export interface Lane {
  /** Lends one connection until `work` ends; `discard` keeps others from getting it. */
  use<T>(work: (run: Run, discard: (reason: Error) => void) => Promise<T>): Promise<T>;
}

export interface Connections {
  lane(options: { max: number; waitMs: number }): Lane;
  end(): Promise<void>;
}

// The primary became a standby, so open connections lead to the wrong server.
const readOnlyState = '25006';
/**
 * A connection that does not answer within this time that its statement was cancelled counts as
 * silent.
 */
const silentAfterMs = 1_000;

// IDs are at most 52 bits, so bigint columns fit a JavaScript number exactly.
const types = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === pg.types.builtins.INT8 || oid === pg.types.builtins.NUMERIC) return Number;
    return pg.types.getTypeParser(oid, format);
  },
} as pg.CustomTypesConfig;

export function createConnections(url: string): Connections {
  const pools: pg.Pool[] = [];
  const idle = new Set<pg.PoolClient>();

  const streamOf = (client: pg.PoolClient) =>
    (client as pg.PoolClient & Pick<pg.Client, 'connection'>).connection.stream;

  function destroy(client: pg.PoolClient, reason: Error): void {
    streamOf(client).destroy(reason);
  }

  /** Statements that are sent in the same turn share one write, which costs 0.1 ms. */
  function cork(client: pg.PoolClient): void {
    const stream = streamOf(client);
    stream.cork();
    process.nextTick(() => stream.uncork());
  }

  /** A fault found on one connection most likely affects all connections opened before. */
  function destroyIdle(reason: Error): void {
    for (const client of idle) destroy(client, reason);
    idle.clear();
  }

  function runOn(client: pg.PoolClient, discard: (reason: Error) => void) {
    /** Settles with the last statement that was sent. */
    let last: Promise<unknown> = Promise.resolve();
    const run: Run = async (query, deadlineMs) => {
      let isDone = false;
      let timer: NodeJS.Timeout | undefined;
      let givenUp: Error | undefined;
      const before = last;
      cork(client);
      const answer = client.query(query as pg.QueryConfig);
      last = answer.catch(() => {});
      // The server begins a statement when the one before is done.
      void before.then(() => {
        if (!isDone) timer = setTimeout(() => setImmediate(giveUp), deadlineMs);
      });
      // This runs one turn late: after this process was suspended, the answer may be there but not
      // read yet.
      function giveUp() {
        if (isDone) return;
        const late = new Error(`no answer from PostgreSQL within ${deadlineMs} ms`);
        const reason = Object.assign(late, { code: 'ETIMEDOUT' });
        // The cancellation may come late and end the connection's next statement instead.
        discard(reason);
        givenUp = reason;
        cancelStatement(url, client);
        timer = setTimeout(() => setImmediate(foundSilent, reason), silentAfterMs);
      }
      /** A slow statement would have been cancelled, so the server cannot be reached. */
      function foundSilent(reason: Error) {
        if (isDone) return;
        destroy(client, reason);
        destroyIdle(reason);
      }
      try {
        const result = await answer;
        if (givenUp) throw givenUp;
        return result;
      } finally {
        isDone = true;
        clearTimeout(timer);
      }
    };
    return { run, settled: () => last };
  }

  return {
    lane({ max, waitMs }) {
      const pool = new pg.Pool({
        connectionString: url,
        max,
        connectionTimeoutMillis: waitMs,
        application_name: 'bot-relay',
        keepAlive: true,
        keepAliveInitialDelayMillis: 5_000,
        types,
        // A statement may be sent before the previous one is answered.
        pipeline: true,
      });
      pools.push(pool);
      // The pool replaces an idle connection that the server ends when it is next needed.
      pool.on('error', () => {});
      // Between two users nobody listens, and the server may end a connection as soon as it is
      // open.
      pool.on('connect', (client) => client.on('error', () => {}));
      pool.on('release', (_, client) => idle.add(client));
      pool.on('acquire', (client) => idle.delete(client));
      pool.on('remove', (client) => idle.delete(client as pg.PoolClient));
      return {
        async use(work) {
          const client = await pool.connect();
          let lost: Error | undefined;
          // The statement in flight fails as well; without a listener the process would end.
          const discard = (reason: Error) => {
            lost = reason;
          };
          client.on('error', discard);
          const { run, settled } = runOn(client, discard);
          try {
            return await work(run, discard);
          } catch (error) {
            if ((error as { code?: unknown }).code === readOnlyState) {
              lost = error as Error;
              destroyIdle(lost);
            }
            throw error;
          } finally {
            await settled();
            client.off('error', discard);
            client.release(lost);
          }
        },
      };
    },
    async end() {
      await Promise.all(pools.map((pool) => pool.end()));
    },
  };
}
