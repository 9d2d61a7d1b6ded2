import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type IncomingUpdate, readUpdate } from '../../../src/core/log/update-facts.ts';
import { createLogger } from '../../../src/logger.ts';
import { createRetention } from '../../../src/relay/log/retention.ts';
import { type Engine, raw } from '../../../src/store/engine.ts';
import { outage } from '../../../src/store/outage.ts';
import { createRetentionRepository } from '../../../src/store/log/retention.ts';
import { dialects } from '../../support/database/engines.ts';
import { advanceUntil, createManualClock, type ManualClock } from '../../support/manual-clock.ts';
import { createTestStore, type TestStore } from '../../support/database/store.ts';

const dayMs = 86_400_000;

describe.each(dialects)('retention on %s', (dialect) => {
  let test: TestStore;
  let clock: ManualClock;
  let botId: number;
  let nextUpdateId = 1;
  const logLines: string[] = [];

  beforeEach(async () => {
    test = await createTestStore(dialect);
    clock = createManualClock();
    const bot = {
      token: '1:a',
      source: 'web' as const,
      proxy_enabled: true,
      long_poll_enabled: true,
      backend_url: 'http://127.0.0.1:9/',
    };
    botId = (await test.store.bots.insert(bot, clock.now())).id;
    // Each test opens the readers it needs.
    await write('delete from readers');
  });
  afterEach(() => test.close());

  function retention(
    limits: { maxAgeMs?: number; maxBytesPerBot?: number } = {},
    repository = test.store.retention,
  ) {
    return createRetention({
      repository,
      clock,
      random: () => 0.5,
      logger: createLogger({ level: 'warn', write: (line) => logLines.push(line) }),
      limits: { maxAgeMs: 7 * dayMs, maxBytesPerBot: 1_000_000, ...limits },
    });
  }
  async function append(count: number, text = 'x'): Promise<void> {
    const updates = Array.from({ length: count }, () => {
      const update = { update_id: nextUpdateId++, note: text };
      return readUpdate(JSON.stringify(update), update, clock.now()) as IncomingUpdate;
    });
    await test.store.log.append(() => [{ botId, updates, receivedAt: clock.now() }]);
  }
  const positions = async () =>
    (await test.store.log.read(botId, 0, 10_000)).map((entry) => entry.position);
  const range = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, index) => from + index);
  const write = (sql: string, parameters: unknown[] = []) =>
    test.store.engine.write(() => raw(sql, parameters));
  const droppedFromReaders = async () =>
    (await test.store.readers.list(botId)).map(({ name, dropped }) => ({
      name,
      dropped,
    }));
  const count = async (table: string) =>
    Number(
      (await test.store.engine.readRaw<{ n: number }>(`select count(*) as n from ${table}`, []))[0]
        ?.n,
    );

  it('removes what is too old, in portions, and keeps the rest in order', async () => {
    await append(450);
    await clock.advance(8 * dayMs);
    await append(3);
    const rounds = retention();
    expect(await rounds.run()).toEqual({ removed: 450, dropped: 0 });
    expect(await positions()).toEqual([451, 452, 453]);
    const head = await test.store.log.head(botId);
    expect(head).toMatchObject({ lastPosition: 453, trimmedTo: 450 });
    const left = await test.store.log.read(botId, 0, 10);
    expect(head.bytes).toBe(left.reduce((sum, entry) => sum + entry.raw.length, 0));
    await append(1);
    expect(await positions()).toEqual([451, 452, 453, 454]);
    expect(rounds.totals()).toEqual({ removed: 450, dropped: 0 });
  });

  it('removes what is too old although its clock was ahead when some of it came', async () => {
    await append(1);
    clock.shiftWall(365 * dayMs);
    // More than one portion.
    await append(450);
    clock.shiftWall(-365 * dayMs);
    await append(1);
    await clock.advance(8 * dayMs);
    await append(1);
    expect(await retention().run()).toEqual({ removed: 452, dropped: 0 });
    expect(await positions()).toEqual([453]);
    clock.shiftWall(365 * dayMs);
    await append(1);
    clock.shiftWall(-365 * dayMs);
    await append(1);
    // What came before something young, and may be as young, is kept.
    await clock.advance(6 * dayMs);
    expect(await retention().run()).toEqual({ removed: 0, dropped: 0 });
    await clock.advance(2 * dayMs);
    await append(1);
    expect(await retention().run()).toEqual({ removed: 3, dropped: 0 });
    expect(await positions()).toEqual([456]);
  });

  it('removes the oldest of what is too much, counting as the log does', async () => {
    await append(10, 'é😀'.repeat(100));
    const { bytes } = await test.store.log.head(botId);
    await retention({ maxBytesPerBot: bytes / 2 }).run();
    expect(await positions()).toEqual(range(6, 10));
    expect((await test.store.log.head(botId)).bytes).toBeLessThanOrEqual(bytes / 2);
  });

  it('keeps what a reader needs until its own limit, then counts what it lost', async () => {
    await append(10);
    await test.store.log.openReader(botId, 'push', clock.now(), 4);
    await test.store.log.openReader(botId, 'ahead', clock.now(), 10);
    await clock.advance(8 * dayMs);
    expect(await retention().run()).toEqual({ removed: 4, dropped: 0 });
    expect(await positions()).toEqual(range(5, 10));
    await clock.advance(7 * dayMs);
    expect(await retention().run()).toEqual({ removed: 6, dropped: 6 });
    expect(await positions()).toEqual([]);
    expect(await droppedFromReaders()).toEqual([
      { name: 'ahead', dropped: 0 },
      { name: 'push', dropped: 6 },
    ]);
  });

  it('says once for each bot what went unread, however many portions that took', async () => {
    await test.store.log.openReader(botId, 'push', clock.now());
    await append(450);
    await clock.advance(15 * dayMs);
    logLines.length = 0;
    expect(await retention().run()).toEqual({ removed: 450, dropped: 450 });
    expect(logLines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { bot: botId, updates: 450 },
    ]);
  });

  it('keeps positions in retry queues too, and counts those it has to drop', async () => {
    await append(6);
    await test.store.log.openReader(botId, 'push', clock.now(), 6);
    await write(`insert into retry_positions (bot_id, position, queue) values ($1, 3, 'c5')`, [
      botId,
    ]);
    await clock.advance(8 * dayMs);
    expect(await retention().run()).toEqual({ removed: 2, dropped: 0 });
    await clock.advance(7 * dayMs);
    expect(await retention().run()).toEqual({ removed: 4, dropped: 1 });
    expect(await count('retry_positions')).toBe(0);
    expect(await droppedFromReaders()).toEqual([{ name: 'push', dropped: 1 }]);
  });

  it('counts what it drops from retry queues for the reader that they belong to', async () => {
    await append(6);
    await test.store.log.openReader(botId, 'push', clock.now(), 6);
    await test.store.log.openReader(botId, 'push:second', clock.now(), 6);
    for (const position of [3, 4]) {
      await write(
        `insert into retry_positions (bot_id, reader, position, queue)
         values ($1, 'push:second', $2, 'c5')`,
        [botId, position],
      );
    }
    // A dead letter of one reader is no copy for the other.
    await write(
      `insert into dead_letters (bot_id, reader, position, update_id, kind, queue, raw, reason, attempts, received_at, died_at)
       values ($1, 'push', 3, 3, 'message', 'c5', '{}', '', 1, $2, $2)`,
      [botId, clock.now() + 90 * dayMs],
    );
    await clock.advance(8 * dayMs);
    expect(await retention().run()).toEqual({ removed: 2, dropped: 0 });
    await clock.advance(7 * dayMs);
    expect(await retention().run()).toEqual({ removed: 4, dropped: 2 });
    expect(await droppedFromReaders()).toEqual([
      { name: 'push', dropped: 0 },
      { name: 'push:second', dropped: 2 },
    ]);
  });

  it('keeps what waits for a reader that is gone', async () => {
    await append(6);
    await write(
      `insert into retry_positions (bot_id, reader, position, queue)
       values ($1, 'push:gone', 3, 'c5'), ($1, 'push', 5, 'c5')`,
      [botId],
    );
    await clock.advance(8 * dayMs);
    expect(await retention().run()).toEqual({ removed: 2, dropped: 0 });
    await clock.advance(7 * dayMs);
    expect(await retention().run()).toEqual({ removed: 4, dropped: 2 });
    expect(await count('retry_positions')).toBe(0);
  });

  it('looks at no more of the retry queues than it removes', async () => {
    await append(6);
    await test.store.log.openReader(botId, 'push', clock.now(), 6);
    const numbers = `with recursive n (i) as (select 1 union all select i + 1 from n where i < 20000)`;
    for (const reader of ['push', 'push:second']) {
      await write(
        `insert into retry_positions (bot_id, reader, position, queue)
         ${numbers} select cast($1 as bigint), cast($2 as text), i, 'c5' from n`,
        [botId, reader],
      );
    }
    if (dialect === 'postgres') await write('analyze');
    const asked: { sql: string; parameters: readonly unknown[] }[] = [];
    const { engine } = test.store;
    const watched: Engine = {
      ...engine,
      write: (step, options) =>
        engine.write(function* () {
          const steps = step();
          let next = steps.next();
          while (!next.done) {
            if (next.value.sql.includes('retry_positions')) asked.push(next.value);
            next = steps.next(yield next.value);
          }
          return next.value;
        }, options),
    };
    await clock.advance(15 * dayMs);
    await retention({}, createRetentionRepository(watched)).run();
    expect(await count('retry_positions')).toBe(2 * (20_000 - 6));
    expect(asked.length).toBeGreaterThanOrEqual(2);
    const [explain, isScan, isShort] =
      dialect === 'sqlite'
        ? ['explain query plan', /(SEARCH|SCAN) [pq]\b/, /bot_id=\? AND reader[=>]\?/]
        : ['explain', /Scan.* on retry_positions/, /Index (Only )?Scan/];
    for (const { sql, parameters } of asked) {
      const plan = await engine.readRaw(`${explain} ${sql}`, parameters);
      const scans = plan.map((line) => JSON.stringify(line)).filter((line) => isScan.test(line));
      expect(scans.length).toBeGreaterThan(0);
      for (const scan of scans) expect(scan).toMatch(isShort);
    }
  });

  it('keeps nothing for readers that are switched off, and counts nothing for them', async () => {
    await append(6);
    await test.store.log.openReader(botId, 'push', clock.now(), 2);
    await test.store.log.openReader(botId, 'pull:a', clock.now(), 3);
    await write(`insert into retry_positions (bot_id, position, queue) values ($1, 1, 'c5')`, [
      botId,
    ]);
    await test.store.bots.update(botId, { proxy_enabled: false }, clock.now());
    await clock.advance(8 * dayMs);
    expect(await retention().run()).toEqual({ removed: 3, dropped: 0 });
    expect(await count('retry_positions')).toBe(0);
    await test.store.bots.update(botId, { long_poll_enabled: false }, clock.now());
    await clock.advance(dayMs);
    expect(await retention().run()).toEqual({ removed: 3, dropped: 0 });
    expect(await droppedFromReaders()).toEqual([
      { name: 'pull:a', dropped: 0 },
      { name: 'push', dropped: 0 },
    ]);
  });

  it('takes a named reader for one of its kind', async () => {
    await append(6);
    await test.store.log.openReader(botId, 'push:shop', clock.now(), 2);
    await test.store.log.openReader(botId, 'export:cold', clock.now(), 4);
    await test.store.bots.update(botId, { proxy_enabled: false }, clock.now());
    await clock.advance(8 * dayMs);
    expect(await retention().run()).toEqual({ removed: 4, dropped: 0 });
    await clock.advance(7 * dayMs);
    expect(await retention().run()).toEqual({ removed: 2, dropped: 2 });
    expect(await droppedFromReaders()).toEqual([
      { name: 'export:cold', dropped: 2 },
      { name: 'push:shop', dropped: 0 },
    ]);
  });

  it('takes smaller portions when the database has no time for a large one', async () => {
    await append(30);
    await clock.advance(8 * dayMs);
    const repository = test.store.retention;
    const asked: number[] = [];
    const run = (maxRows: number) =>
      retention(
        {},
        {
          ...repository,
          trimLog(id, bounds, rows) {
            asked.push(rows);
            if (rows <= maxRows) return repository.trimLog(id, bounds, rows);
            return Promise.reject(outage('unreachable', { code: '57014' }));
          },
        },
      ).run();
    expect(await run(0)).toEqual({ removed: 0, dropped: 0 });
    expect(asked.splice(0)).toEqual([200, 100, 50, 25, 12, 6, 3, 1]);
    expect(logLines.at(-1)).toContain('deleting old updates timed out');
    await clock.advance(dayMs / 24);
    expect(await run(25)).toEqual({ removed: 30, dropped: 0 });
    expect(asked).toEqual([200, 100, 50, 25, 25]);
  });

  it('does not deadlock with a push that frees what it drops', async () => {
    await append(3);
    await test.store.log.openReader(botId, 'push', clock.now(), 3);
    await write(`insert into retry_positions (bot_id, position, queue) values ($1, 1, 'c5')`, [
      botId,
    ]);
    await clock.advance(15 * dayMs);
    const { engine } = test.store;
    const trims: number[] = [];
    const repository = createRetentionRepository({
      ...engine,
      write(job) {
        const index = trims.push(0) - 1;
        return engine.write(() => {
          trims[index] = (trims[index] ?? 0) + 1;
          return job();
        });
      },
    });
    let tries = 0;
    // As push's commits do: first the reader, then what is parked.
    const pushing = engine.write(function* () {
      tries++;
      const lock = dialect === 'postgres' ? 'for update' : '';
      yield* raw(`select 1 from readers where bot_id = $1 and name = 'push' ${lock}`, [botId]);
      if (dialect === 'postgres') yield* raw('select pg_sleep(0.3)');
      yield* raw('delete from retry_positions where bot_id = $1', [botId]);
    });
    if (dialect === 'postgres') {
      await vi.waitFor(async () => {
        const asleep = `select 1 from pg_stat_activity where wait_event = 'PgSleep'
          and datname = current_database()`;
        expect(await engine.readRaw(asleep, [])).toHaveLength(1);
      });
    }
    const now = clock.now();
    const all = {
      nowMs: clock.now(),
      before: now,
      maxBytes: 0,
      neededBefore: now,
      neededMaxBytes: 0,
    };
    const [outcome] = await Promise.all([repository.trimLog(botId, all, 9), pushing]);
    expect(outcome).toMatchObject({ removed: 3 });
    expect([trims, tries]).toEqual([[1], 1]);
  });

  it('counts nothing for updates in retry queues of a disabled backend', async () => {
    await append(4);
    await test.store.log.openReader(botId, 'push', clock.now(), 4);
    await test.store.log.openReader(botId, 'pull:a', clock.now(), 2);
    await write(`insert into retry_positions (bot_id, position, queue) values ($1, 1, 'c5')`, [
      botId,
    ]);
    await test.store.bots.update(botId, { proxy_enabled: false }, clock.now());
    await clock.advance(15 * dayMs);
    expect(await retention().run()).toEqual({ removed: 4, dropped: 2 });
    expect(await droppedFromReaders()).toEqual([
      { name: 'pull:a', dropped: 2 },
      { name: 'push', dropped: 0 },
    ]);
  });

  it('does not touch dead letters being replayed, and keeps nothing for them', async () => {
    await append(6);
    await test.store.log.openReader(botId, 'push', clock.now(), 6);
    for (const position of [2, 5]) {
      await write(
        `insert into dead_letters (bot_id, position, update_id, kind, queue, raw, reason, attempts, received_at, died_at)
         values ($1, $2, 1, 'message', 'c5', '{}', '', 1, $3, $3)`,
        [botId, position, clock.now() + 7 * dayMs],
      );
      await write(
        `insert into retry_positions (bot_id, position, queue, replay) values ($1, $2, 'c5', 1)`,
        [botId, position],
      );
    }
    await clock.advance(8 * dayMs);
    expect(await retention().run()).toEqual({ removed: 6, dropped: 0 });
    await append(1);
    await write('update readers set position = 7');
    await clock.advance(8 * dayMs);
    expect(await retention().run()).toEqual({ removed: 1, dropped: 0 });
    expect(await count('retry_positions')).toBe(2);
  });

  it('forgets the numbers of updates in time', async () => {
    await append(600);
    expect(await count('seen_ranges')).toBe(1);
    await clock.advance(8 * dayMs);
    expect(await retention().run()).toMatchObject({ removed: 600 });
    expect(await count('seen_ranges')).toBe(0);
  });

  it('knows updates again for three days although a small log lost them', async () => {
    const small = retention({ maxAgeMs: 3_600_000 });
    await append(600);
    await clock.advance(2 * 3_600_000);
    expect(await small.run()).toMatchObject({ removed: 600 });
    nextUpdateId -= 600;
    await append(600);
    expect(await positions()).toEqual([]);
    await clock.advance(3 * dayMs);
    await append(1);
    await small.run();
    expect(await count('seen_ranges')).toBe(1);
  });

  it('removes finished sends, attempts, idempotency keys, sessions and gone nodes', async () => {
    const now = clock.now();
    const outbox = (state: string) =>
      write(
        `insert into outbox (bot_id, chat_id, method, params, origin, priority, state, created_at, updated_at)
         values ($1, 1, 'sendMessage', '{}', 'sent', 0, $2, $3, $3)`,
        [botId, state, now],
      );
    for (const state of ['sent', 'failed', 'unknown', 'queued', 'sending']) await outbox(state);
    await write(
      `insert into delivery_attempts (bot_id, position, update_id, queue, started_at, duration_ms, status, error, answer)
       values ($1, 1, 1, 'c1', $2, 1, 200, '', '')`,
      [botId, now],
    );
    await write(
      `insert into idempotency (scope, idempotency_key, request_hash, created_at) values ('s', 'k', 'h', $1)`,
      [now],
    );
    await write(
      `insert into users (id, username, password_hash, role, created_at) values (1, 'ann', '', 'user', $1)`,
      [now],
    );
    await write(
      `insert into sessions (token_hash, user_id, csrf_token, created_at, expires_at, last_used_at)
       values ('t', 1, '', $1, $2, $1)`,
      [now, now + 1_000],
    );
    await write(`insert into nodes (id, incarnation, beat, seen_at) values ('n', 'i', 1, $1)`, [
      now,
    ]);
    await retention().run();
    expect(await count('sessions')).toBe(1);
    await clock.advance(15 * dayMs);
    await retention().run();
    expect(await count('outbox')).toBe(2);
    for (const table of ['delivery_attempts', 'idempotency', 'sessions', 'nodes']) {
      expect([table, await count(table)]).toEqual([table, 0]);
    }
  });

  it('is done by one node per period and repeats by itself', async () => {
    const one = retention();
    const two = retention();
    expect(await one.run()).toEqual({ removed: 0, dropped: 0 });
    expect(await two.run()).toBeUndefined();
    await append(5);
    await clock.advance(8 * dayMs);
    const shutdown = new AbortController();
    const running = one.keepRunning(shutdown.signal);
    const isEmpty = async () => (await positions()).length === 0;
    await advanceUntil(clock, isEmpty, 0);
    await append(5);
    await clock.advance(8 * dayMs);
    await advanceUntil(clock, isEmpty, 60_000);
    shutdown.abort();
    await running;
    expect(one.totals()).toEqual({ removed: 10, dropped: 0 });
  });
});
