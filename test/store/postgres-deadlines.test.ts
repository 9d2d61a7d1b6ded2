import pg from 'pg';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Engine, raw } from '../../src/store/engine.ts';
import { openPostgres, type PostgresOptions } from '../../src/store/postgres/engine.ts';
import { behindProxy } from '../support/database/cuttable-proxy.ts';
import { createDatabase } from '../support/database/engines.ts';
import { storeOn } from '../support/database/store.ts';

async function openDatabase() {
  const database = await createDatabase('postgres');
  onTestFinished(() => database.drop());
  return database;
}

async function openBehindProxy(options: PostgresOptions) {
  const { proxy, behind } = await behindProxy(await openDatabase(), options);
  const engine = await behind.open();
  onTestFinished(() => {
    proxy.cut();
    return engine.close();
  });
  return { proxy, engine };
}

/** Several connections that are open and idle. */
async function warm(engine: Engine): Promise<void> {
  const sleeps = Array.from({ length: 4 }, () => engine.readRaw('select pg_sleep(0.05)', []));
  await Promise.all(sleeps);
}

const outage = { code: 'database_unavailable' };
const set = (value: string) =>
  raw(
    `insert into settings (name, value) values ('x', $1)
     on conflict (name) do update set value = excluded.value`,
    [value],
  );

describe('a PostgreSQL connection that went silent', () => {
  it('fails what was asked of it, and the next statements go through new connections', async () => {
    const { proxy, engine } = await openBehindProxy({ quickMs: 1_500 });
    await warm(engine);
    await warm(engine.reserved);
    proxy.strand();
    await expect(engine.readRaw('select 1 as one', [])).rejects.toMatchObject(outage);
    // One silence is enough: the other idle connections are not tried one after the other.
    expect(await engine.readRaw('select 1 as one', [])).toEqual([{ one: 1 }]);
    await engine.write(() => set('new'));
    await engine.reserved.write(() => set('newer'));
    await engine.ping();
  });

  it('ends a write in flight, which is told as an outage', async () => {
    const { proxy, engine } = await openBehindProxy({
      quickMs: 1_500,
      statementMs: 1_500,
      frozenAfterMs: 1_500,
    });
    const { promise: begun, resolve } = Promise.withResolvers<void>();
    const writing = engine.write(function* () {
      yield* set('before');
      resolve();
      yield* raw('select pg_sleep(0.2)');
    });
    const failed = expect(writing).rejects.toMatchObject(outage);
    await begun;
    proxy.strand();
    await failed;
    await vi.waitFor(() => engine.write(() => set('after')));
  });
});

describe('the PostgreSQL engine', () => {
  it('ends a statement that takes longer than its write may, and lets go of its locks', async () => {
    const database = await openDatabase();
    const engine = await openPostgres(database.databaseUrl, { statementMs: 1_000 });
    onTestFinished(() => engine.close());
    const slow = engine.write(function* () {
      yield* set('slow');
      yield* raw('select pg_sleep(20)');
    });
    await expect(slow).rejects.toMatchObject(outage);
    await engine.write(() => set('after'));
    await engine.write(() => raw('select pg_sleep(1.5)'), { deadlineMs: 10_000 });
  });

  it('takes no commit for done that was only answered because it was cancelled', async () => {
    const database = await openDatabase();
    const engine = await openPostgres(database.databaseUrl, { statementMs: 300, groupMs: 300 });
    onTestFinished(() => engine.close());
    const admin = new pg.Client({ connectionString: database.databaseUrl });
    await admin.connect();
    onTestFinished(() => admin.end());
    // Commits like a server whose synchronous standby is away: once its wait is cancelled, as if all were well.
    await admin.query(`
    create function wait_for_standby() returns trigger language plpgsql as $$
      begin perform pg_sleep(600); return null; exception when query_canceled then return null; end $$;
    create constraint trigger waits after insert or update on settings
      deferrable initially deferred for each row execute function wait_for_standby()`);
    const failures = await Promise.allSettled([
      engine.write(() => set('alone')),
      engine.write(() => set('in a group'), { ofBot: 1 }),
      engine.write(() => set('in one statement'), { isSingle: true }),
    ]);
    expect(failures).toEqual(
      failures.map(() => ({
        status: 'rejected',
        reason: expect.objectContaining(outage) as unknown,
      })),
    );
    await admin.query('drop trigger waits on settings');
    await engine.write(() => set('after'));
  });

  it('ends a slow read on the server, too, and keeps the connections of other work', async () => {
    const database = await openDatabase();
    const engine = await openPostgres(database.databaseUrl, { quickMs: 1_500 });
    onTestFinished(() => engine.close());
    const backend = () => engine.reserved.readRaw('select pg_backend_pid() as pid', []);
    const before = await backend();
    await expect(engine.readRaw('select pg_sleep(600)', [])).rejects.toMatchObject(outage);
    await vi.waitFor(async () => {
      const running = await engine.readRaw(
        `select pid from pg_stat_activity where datname = current_database()
         and state = 'active' and query like '%pg_sleep(600)%' and pid <> pg_backend_pid()`,
        [],
      );
      expect(running).toEqual([]);
    });
    expect(await backend()).toEqual(before);
  });

  it('leaves the connections to a server that became a standby', async () => {
    const database = await openDatabase();
    const admin = new pg.Client({ connectionString: database.databaseUrl });
    await admin.connect();
    onTestFinished(() => admin.end());
    const name = new URL(database.databaseUrl).pathname.slice(1);
    await admin.query(`alter database ${name} set default_transaction_read_only = on`);
    const opening = openPostgres(database.databaseUrl);
    // As a primary that is demoted after connections were opened; here the order is the other way round.
    await expect(opening).rejects.toMatchObject({ code: '25006' });
    await admin.query(`alter database ${name} reset default_transaction_read_only`);
    const engine = await openPostgres(database.databaseUrl);
    onTestFinished(() => engine.close());
    await warm(engine);
    await engine.readRaw(`select set_config('default_transaction_read_only', 'on', false)`, []);
    await expect(engine.write(() => set('refused'))).rejects.toMatchObject(outage);
    await engine.write(() => set('taken'));
  });

  it('stays not ready while writes are refused, also when a job that only reads succeeds', async () => {
    const database = await openDatabase();
    const engine = await openPostgres(database.databaseUrl);
    onTestFinished(() => engine.close());
    const admin = new pg.Client({ connectionString: database.databaseUrl });
    await admin.connect();
    onTestFinished(() => admin.end());
    const name = new URL(database.databaseUrl).pathname.slice(1);
    await admin.query(`alter database ${name} set default_transaction_read_only = on`);
    await admin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()`,
    );
    await vi.waitFor(() =>
      expect(engine.write(() => set('refused'))).rejects.toMatchObject({
        reason: { code: 'database_read_only' },
      }),
    );
    await engine.write(() => raw('select 1 as one'));
    await expect(engine.ping()).rejects.toMatchObject(outage);
    await admin.query(`alter database ${name} reset default_transaction_read_only`);
    await vi.waitFor(() => engine.write(() => set('taken')));
    await engine.ping();
  });

  it('waits for the disk unless a write is approximate', async () => {
    const database = await openDatabase();
    const engine = await openPostgres(database.databaseUrl);
    onTestFinished(() => engine.close());
    const ask = () => raw<Record<string, string>>('show synchronous_commit');
    expect(await engine.write(ask)).toEqual([{ synchronous_commit: 'on' }]);
    const [approximate] = await engine.write(ask, { isApproximate: true });
    expect(approximate).toEqual({ synchronous_commit: 'off' });
    expect(await engine.reserved.write(ask)).toEqual([{ synchronous_commit: 'on' }]);
  });

  it('sends heartbeats however many wait to store updates', async () => {
    const database = await openDatabase();
    const engine = await openPostgres(database.databaseUrl);
    onTestFinished(() => engine.close());
    const holder = new pg.Client({ connectionString: database.databaseUrl });
    await holder.connect();
    await holder.query('select pg_advisory_lock(1)');
    const outcomes = Array.from({ length: 20 }, () =>
      engine.reserved.write(() => raw('select pg_advisory_xact_lock_shared(1)')),
    );
    const { leases } = storeOn(engine);
    await leases.enter('one', 'its only start', 0);
    expect(await leases.heartbeat('one', 'its only start', 0)).toBe(true);
    await holder.end();
    await Promise.allSettled(outcomes);
  });
});

describe('long reads', () => {
  it('delay neither leases and intake nor ordinary requests', async () => {
    const database = await openDatabase();
    const engine = await openPostgres(database.databaseUrl);
    const holder = new pg.Client({ connectionString: database.databaseUrl });
    await holder.connect();
    await holder.query('select pg_advisory_lock(1)');
    const outcomes = Array.from({ length: 20 }, () =>
      engine.readHeavy('select pg_advisory_xact_lock_shared(1)', []),
    );
    await engine.reserved.write(() => set('intake'));
    await engine.write(() => set('management'));
    expect(await engine.readRaw('select 1 as one', [])).toEqual([{ one: 1 }]);
    await holder.end();
    await Promise.all(outcomes);
    await engine.close();
  });

  it('are stopped after a while', async () => {
    const database = await openDatabase();
    const engine = await openPostgres(database.databaseUrl, { heavyMs: 200 });
    onTestFinished(() => engine.close());
    await expect(engine.readHeavy('select pg_sleep(20)', [])).rejects.toMatchObject({
      ...outage,
      message: expect.stringContaining('took too long') as string,
    });
  });
});
