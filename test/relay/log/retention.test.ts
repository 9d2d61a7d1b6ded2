import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { outage } from '../../../src/store/outage.ts';
import { dialects } from '../../support/database/engines.ts';
import { advanceUntil } from '../../support/manual-clock.ts';
import { createRetentionRig, dayMs, type RetentionRig } from '../../support/rigs/retention-rig.ts';

describe.each(dialects)('retention on %s', (dialect) => {
  let rig: RetentionRig;
  beforeEach(async () => {
    rig = await createRetentionRig(dialect);
  });
  afterEach(() => rig.close());
  const range = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, index) => from + index);

  it('removes what is too old, in portions, and keeps the rest in order', async () => {
    await rig.append(450);
    await rig.clock.advance(8 * dayMs);
    await rig.append(3);
    const rounds = rig.retention();
    expect(await rounds.run()).toEqual({ removed: 450, dropped: 0 });
    expect(await rig.positions()).toEqual([451, 452, 453]);
    const head = await rig.store.log.head(rig.botId);
    expect(head).toMatchObject({ lastPosition: 453, trimmedTo: 450 });
    const left = await rig.store.log.read(rig.botId, 0, 10);
    expect(head.bytes).toBe(left.reduce((sum, entry) => sum + entry.raw.length, 0));
    await rig.append(1);
    expect(await rig.positions()).toEqual([451, 452, 453, 454]);
    expect(rounds.totals()).toEqual({ removed: 450, dropped: 0 });
  });

  it('removes what is too old although its rig.clock was ahead when some of it came', async () => {
    await rig.append(1);
    rig.clock.shiftWall(365 * dayMs);
    // More than one portion.
    await rig.append(450);
    rig.clock.shiftWall(-365 * dayMs);
    await rig.append(1);
    await rig.clock.advance(8 * dayMs);
    await rig.append(1);
    expect(await rig.retention().run()).toEqual({ removed: 452, dropped: 0 });
    expect(await rig.positions()).toEqual([453]);
    rig.clock.shiftWall(365 * dayMs);
    await rig.append(1);
    rig.clock.shiftWall(-365 * dayMs);
    await rig.append(1);
    // Updates before a young one may be as young, and are kept.
    await rig.clock.advance(6 * dayMs);
    expect(await rig.retention().run()).toEqual({ removed: 0, dropped: 0 });
    await rig.clock.advance(2 * dayMs);
    await rig.append(1);
    expect(await rig.retention().run()).toEqual({ removed: 3, dropped: 0 });
    expect(await rig.positions()).toEqual([456]);
  });

  it('removes the oldest of what is too much, counting as the log does', async () => {
    await rig.append(10, 'é😀'.repeat(100));
    const { bytes } = await rig.store.log.head(rig.botId);
    await rig.retention({ maxBytesPerBot: bytes / 2 }).run();
    expect(await rig.positions()).toEqual(range(6, 10));
    expect((await rig.store.log.head(rig.botId)).bytes).toBeLessThanOrEqual(bytes / 2);
  });

  it('keeps what a reader needs until its own limit, then counts what it lost', async () => {
    await rig.append(10);
    await rig.store.log.openReader(rig.botId, 'push', rig.clock.now(), 4);
    await rig.store.log.openReader(rig.botId, 'ahead', rig.clock.now(), 10);
    await rig.clock.advance(8 * dayMs);
    expect(await rig.retention().run()).toEqual({ removed: 4, dropped: 0 });
    expect(await rig.positions()).toEqual(range(5, 10));
    await rig.clock.advance(7 * dayMs);
    expect(await rig.retention().run()).toEqual({ removed: 6, dropped: 6 });
    expect(await rig.positions()).toEqual([]);
    expect(await rig.droppedFromReaders()).toEqual([
      { name: 'ahead', dropped: 0 },
      { name: 'push', dropped: 6 },
    ]);
  });

  it('says once for each bot what went unread, however many portions that took', async () => {
    await rig.store.log.openReader(rig.botId, 'push', rig.clock.now());
    await rig.append(450);
    await rig.clock.advance(15 * dayMs);
    rig.logLines.length = 0;
    expect(await rig.retention().run()).toEqual({ removed: 450, dropped: 450 });
    expect(rig.logLines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { bot: rig.botId, updates: 450 },
    ]);
  });

  it('keeps nothing for readers that are switched off, and counts nothing for them', async () => {
    await rig.append(6);
    await rig.store.log.openReader(rig.botId, 'push', rig.clock.now(), 2);
    await rig.store.log.openReader(rig.botId, 'pull:a', rig.clock.now(), 3);
    await rig.write(`insert into retry_positions (bot_id, position, queue) values ($1, 1, 'c5')`, [
      rig.botId,
    ]);
    await rig.store.bots.update(rig.botId, { proxy_enabled: false }, rig.clock.now());
    await rig.clock.advance(8 * dayMs);
    expect(await rig.retention().run()).toEqual({ removed: 3, dropped: 0 });
    expect(await rig.count('retry_positions')).toBe(0);
    await rig.store.bots.update(rig.botId, { long_poll_enabled: false }, rig.clock.now());
    await rig.clock.advance(dayMs);
    expect(await rig.retention().run()).toEqual({ removed: 3, dropped: 0 });
    expect(await rig.droppedFromReaders()).toEqual([
      { name: 'pull:a', dropped: 0 },
      { name: 'push', dropped: 0 },
    ]);
  });

  it('takes a named reader for one of its kind', async () => {
    await rig.append(6);
    await rig.store.log.openReader(rig.botId, 'push:shop', rig.clock.now(), 2);
    await rig.store.log.openReader(rig.botId, 'export:cold', rig.clock.now(), 4);
    await rig.store.bots.update(rig.botId, { proxy_enabled: false }, rig.clock.now());
    await rig.clock.advance(8 * dayMs);
    expect(await rig.retention().run()).toEqual({ removed: 4, dropped: 0 });
    await rig.clock.advance(7 * dayMs);
    expect(await rig.retention().run()).toEqual({ removed: 2, dropped: 2 });
    expect(await rig.droppedFromReaders()).toEqual([
      { name: 'export:cold', dropped: 2 },
      { name: 'push:shop', dropped: 0 },
    ]);
  });

  it('takes smaller portions when the database has no time for a large one', async () => {
    await rig.append(30);
    await rig.clock.advance(8 * dayMs);
    const repository = rig.store.retention;
    const asked: number[] = [];
    const run = (maxRows: number) =>
      rig
        .retention(
          {},
          {
            ...repository,
            trimLog(id, bounds, rows) {
              asked.push(rows);
              if (rows <= maxRows) return repository.trimLog(id, bounds, rows);
              return Promise.reject(outage('deadline', undefined));
            },
          },
        )
        .run();
    expect(await run(0)).toEqual({ removed: 0, dropped: 0 });
    expect(asked.splice(0)).toEqual([200, 100, 50, 25, 12, 6, 3, 1]);
    expect(rig.logLines.at(-1)).toContain('deleting old updates timed out');
    await rig.clock.advance(dayMs / 24);
    expect(await run(25)).toEqual({ removed: 30, dropped: 0 });
    expect(asked).toEqual([200, 100, 50, 25, 25]);
  });

  it('forgets the numbers of updates in time', async () => {
    await rig.append(600);
    expect(await rig.count('seen_ranges')).toBe(1);
    await rig.clock.advance(8 * dayMs);
    expect(await rig.retention().run()).toMatchObject({ removed: 600 });
    expect(await rig.count('seen_ranges')).toBe(0);
  });

  it('knows updates again for three days although a small log lost them', async () => {
    const small = rig.retention({ maxAgeMs: 3_600_000 });
    await rig.append(600, 'x', 1);
    await rig.clock.advance(2 * 3_600_000);
    expect(await small.run()).toMatchObject({ removed: 600 });
    await rig.append(600, 'x', 1);
    expect(await rig.positions()).toEqual([]);
    await rig.clock.advance(3 * dayMs);
    await rig.append(1);
    await small.run();
    expect(await rig.count('seen_ranges')).toBe(1);
  });

  it('removes finished sends, attempts, idempotency keys, sessions and gone nodes', async () => {
    const now = rig.clock.now();
    const outbox = (state: string) =>
      rig.write(
        `insert into outbox (bot_id, chat_id, method, params, origin, priority, state, created_at, updated_at)
         values ($1, 1, 'sendMessage', '{}', 'sent', 0, $2, $3, $3)`,
        [rig.botId, state, now],
      );
    for (const state of ['sent', 'failed', 'unknown', 'queued', 'sending']) await outbox(state);
    await rig.write(
      `insert into delivery_attempts (bot_id, position, update_id, queue, started_at, duration_ms, status, error, answer)
       values ($1, 1, 1, 'c1', $2, 1, 200, '', '')`,
      [rig.botId, now],
    );
    await rig.write(
      `insert into idempotency (scope, idempotency_key, request_hash, created_at) values ('s', 'k', 'h', $1)`,
      [now],
    );
    await rig.write(
      `insert into users (id, username, password_hash, role, created_at) values (1, 'ann', '', 'user', $1)`,
      [now],
    );
    await rig.write(
      `insert into sessions (token_hash, user_id, csrf_token, created_at, expires_at, last_used_at)
       values ('t', 1, '', $1, $2, $1)`,
      [now, now + 1_000],
    );
    await rig.write(`insert into nodes (id, incarnation, beat, seen_at) values ('n', 'i', 1, $1)`, [
      now,
    ]);
    await rig.retention().run();
    expect(await rig.count('sessions')).toBe(1);
    await rig.clock.advance(15 * dayMs);
    await rig.retention().run();
    expect(await rig.count('outbox')).toBe(2);
    for (const table of ['delivery_attempts', 'idempotency', 'sessions', 'nodes']) {
      expect([table, await rig.count(table)]).toEqual([table, 0]);
    }
  });

  it('is done by one node per period and repeats by itself', async () => {
    const one = rig.retention();
    const two = rig.retention();
    expect(await one.run()).toEqual({ removed: 0, dropped: 0 });
    expect(await two.run()).toBeUndefined();
    await rig.append(5);
    await rig.clock.advance(8 * dayMs);
    const shutdown = new AbortController();
    const running = one.keepRunning(shutdown.signal);
    const isEmpty = async () => (await rig.positions()).length === 0;
    await advanceUntil(rig.clock, isEmpty, 0);
    await rig.append(5);
    await rig.clock.advance(8 * dayMs);
    await advanceUntil(rig.clock, isEmpty, 60_000);
    shutdown.abort();
    await running;
    expect(one.totals()).toEqual({ removed: 10, dropped: 0 });
  });
});
