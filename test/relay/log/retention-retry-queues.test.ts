import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Engine, raw } from '../../../src/store/engine.ts';
import { createRetentionRepository } from '../../../src/store/log/retention.ts';
import { dialects, postgresUrl } from '../../support/database/engines.ts';
import { createRetentionRig, dayMs, type RetentionRig } from '../../support/rigs/retention-rig.ts';

/** A lock that `taken` waits for until it is released; `waitingAre` tells how many wait for any. */
async function holdLock(engine: Engine) {
  const [database] = await engine.readRaw<{ name: string }>(
    'select current_database() as name',
    [],
  );
  const url = Object.assign(new URL(await postgresUrl()), { pathname: `/${database?.name}` });
  const client = new pg.Client(url.href);
  // A test that fails leaves it to the end of the database.
  client.on('error', () => {});
  await client.connect();
  await client.query('select pg_advisory_lock(1)');
  return {
    taken: () => raw('select pg_advisory_xact_lock(1)'),
    waitingAre: (count: number) =>
      vi.waitFor(async () => {
        const { rows } = await client.query(
          `select 1 from pg_stat_activity
           where datname = current_database() and wait_event_type = 'Lock'`,
        );
        expect(rows).toHaveLength(count);
      }),
    release: () => client.end(),
  };
}

describe.each(dialects)('retention of retry queues on %s', (dialect) => {
  let rig: RetentionRig;
  beforeEach(async () => {
    rig = await createRetentionRig(dialect);
  });
  afterEach(() => rig.close());

  it('keeps positions in retry queues too, and counts those it has to drop', async () => {
    await rig.append(6);
    await rig.store.log.openReader(rig.botId, 'push', rig.clock.now(), 6);
    await rig.write(`insert into retry_positions (bot_id, position, queue) values ($1, 3, 'c5')`, [
      rig.botId,
    ]);
    await rig.clock.advance(8 * dayMs);
    expect(await rig.retention().run()).toEqual({ removed: 2, dropped: 0 });
    await rig.clock.advance(7 * dayMs);
    expect(await rig.retention().run()).toEqual({ removed: 4, dropped: 1 });
    expect(await rig.count('retry_positions')).toBe(0);
    expect(await rig.droppedFromReaders()).toEqual([{ name: 'push', dropped: 1 }]);
  });

  it('counts what it drops from retry queues for the reader that they belong to', async () => {
    await rig.append(6);
    await rig.store.log.openReader(rig.botId, 'push', rig.clock.now(), 6);
    await rig.store.log.openReader(rig.botId, 'push:second', rig.clock.now(), 6);
    for (const position of [3, 4]) {
      await rig.write(
        `insert into retry_positions (bot_id, reader, position, queue)
         values ($1, 'push:second', $2, 'c5')`,
        [rig.botId, position],
      );
    }
    // A dead letter of one reader is no copy for the other.
    await rig.write(
      `insert into dead_letters (bot_id, reader, position, update_id, kind, queue, raw, reason, attempts, received_at, died_at)
       values ($1, 'push', 3, 3, 'message', 'c5', '{}', '', 1, $2, $2)`,
      [rig.botId, rig.clock.now() + 90 * dayMs],
    );
    await rig.clock.advance(8 * dayMs);
    expect(await rig.retention().run()).toEqual({ removed: 2, dropped: 0 });
    await rig.clock.advance(7 * dayMs);
    expect(await rig.retention().run()).toEqual({ removed: 4, dropped: 2 });
    expect(await rig.droppedFromReaders()).toEqual([
      { name: 'push', dropped: 0 },
      { name: 'push:second', dropped: 2 },
    ]);
  });

  it('keeps what waits for a reader that is gone', async () => {
    await rig.append(6);
    await rig.write(
      `insert into retry_positions (bot_id, reader, position, queue)
       values ($1, 'push:gone', 3, 'c5'), ($1, 'push', 5, 'c5')`,
      [rig.botId],
    );
    await rig.clock.advance(8 * dayMs);
    expect(await rig.retention().run()).toEqual({ removed: 2, dropped: 0 });
    await rig.clock.advance(7 * dayMs);
    expect(await rig.retention().run()).toEqual({ removed: 4, dropped: 2 });
    expect(await rig.count('retry_positions')).toBe(0);
  });

  it('looks at no more of the retry queues than it removes', async () => {
    await rig.append(6);
    await rig.store.log.openReader(rig.botId, 'push', rig.clock.now(), 6);
    const numbers = `with recursive n (i) as (select 1 union all select i + 1 from n where i < 20000)`;
    for (const reader of ['push', 'push:second']) {
      await rig.write(
        `insert into retry_positions (bot_id, reader, position, queue)
         ${numbers} select cast($1 as bigint), cast($2 as text), i, 'c5' from n`,
        [rig.botId, reader],
      );
    }
    if (dialect === 'postgres') await rig.write('analyze');
    const asked: { sql: string; parameters: readonly unknown[] }[] = [];
    const { engine } = rig.store;
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
    await rig.clock.advance(15 * dayMs);
    await rig.retention({}, createRetentionRepository(watched)).run();
    expect(await rig.count('retry_positions')).toBe(2 * (20_000 - 6));
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

  it('does not deadlock with a push that frees what it drops', async () => {
    await rig.append(3);
    await rig.store.log.openReader(rig.botId, 'push', rig.clock.now(), 3);
    await rig.write(`insert into retry_positions (bot_id, position, queue) values ($1, 1, 'c5')`, [
      rig.botId,
    ]);
    await rig.clock.advance(15 * dayMs);
    const { engine } = rig.store;
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
    const held = dialect === 'postgres' ? await holdLock(engine) : undefined;
    let tries = 0;
    // In the order of push's commits: first the reader, then its retry queues.
    const pushing = engine.write(function* () {
      tries++;
      const lock = dialect === 'postgres' ? 'for update' : '';
      yield* raw(`select 1 from readers where bot_id = $1 and name = 'push' ${lock}`, [rig.botId]);
      if (held) yield* held.taken();
      yield* raw('delete from retry_positions where bot_id = $1', [rig.botId]);
    });
    await held?.waitingAre(1);
    const now = rig.clock.now();
    const all = {
      nowMs: rig.clock.now(),
      before: now,
      maxBytes: 0,
      neededBefore: now,
      neededMaxBytes: 0,
    };
    const trimming = repository.trimLog(rig.botId, all, 9);
    await held?.waitingAre(2);
    await held?.release();
    const [outcome] = await Promise.all([trimming, pushing]);
    expect(outcome).toMatchObject({ removed: 3 });
    expect([trims, tries]).toEqual([[1], 1]);
  });

  it('counts nothing for updates in retry queues of a disabled backend', async () => {
    await rig.append(4);
    await rig.store.log.openReader(rig.botId, 'push', rig.clock.now(), 4);
    await rig.store.log.openReader(rig.botId, 'pull:a', rig.clock.now(), 2);
    await rig.write(`insert into retry_positions (bot_id, position, queue) values ($1, 1, 'c5')`, [
      rig.botId,
    ]);
    await rig.store.bots.update(rig.botId, { proxy_enabled: false }, rig.clock.now());
    await rig.clock.advance(15 * dayMs);
    expect(await rig.retention().run()).toEqual({ removed: 4, dropped: 2 });
    expect(await rig.droppedFromReaders()).toEqual([
      { name: 'pull:a', dropped: 2 },
      { name: 'push', dropped: 0 },
    ]);
  });

  it('does not touch dead letters being replayed, and keeps nothing for them', async () => {
    await rig.append(6);
    await rig.store.log.openReader(rig.botId, 'push', rig.clock.now(), 6);
    for (const position of [2, 5]) {
      await rig.write(
        `insert into dead_letters (bot_id, position, update_id, kind, queue, raw, reason, attempts, received_at, died_at)
         values ($1, $2, 1, 'message', 'c5', '{}', '', 1, $3, $3)`,
        [rig.botId, position, rig.clock.now() + 7 * dayMs],
      );
      await rig.write(
        `insert into retry_positions (bot_id, position, queue, replay) values ($1, $2, 'c5', 1)`,
        [rig.botId, position],
      );
    }
    await rig.clock.advance(8 * dayMs);
    expect(await rig.retention().run()).toEqual({ removed: 6, dropped: 0 });
    await rig.append(1);
    await rig.write('update readers set position = 7');
    await rig.clock.advance(8 * dayMs);
    expect(await rig.retention().run()).toEqual({ removed: 1, dropped: 0 });
    expect(await rig.count('retry_positions')).toBe(2);
  });
});
