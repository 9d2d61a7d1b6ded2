import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type IncomingUpdate, readUpdate } from '../../src/core/log/update-facts.ts';
import { raw } from '../../src/store/engine.ts';
import { moveReader } from '../../src/store/log/log.ts';
import type { ReaderRepository } from '../../src/store/log/readers.ts';
import { dialects } from '../support/database/engines.ts';
import { createTestStore, type TestStore } from '../support/database/store.ts';

describe.each(dialects)('readers of a log on %s', (dialect) => {
  let test: TestStore;
  let readers: ReaderRepository;
  let botId: number;

  beforeEach(async () => {
    test = await createTestStore(dialect);
    readers = test.store.readers;
    botId = (await test.store.bots.insert({ token: '1:a', source: 'web' }, 1)).id;
    await write('update bots set proxy_enabled = 1, long_poll_enabled = 1');
  });
  afterEach(() => test.close());

  async function append(receivedAt: number, ...ids: number[]): Promise<void> {
    const updates = ids.map(
      (id) => readUpdate(`{"update_id":${id}}`, { update_id: id }, 0) as IncomingUpdate,
    );
    await test.store.log.append(() => [{ botId, updates, receivedAt }]);
  }
  const write = (sql: string, parameters: unknown[] = []) =>
    test.store.engine.write(() => raw(sql, parameters));
  const read = <T>(sql: string) => test.store.engine.readRaw<T>(sql, []);

  it('tell when their position last moved, not when something else about them changed', async () => {
    await append(100, 1, 2);
    await test.store.log.openReader(botId, 'routing', 5, 0);
    await test.store.log.openReader(botId, 'pull:', 5, 0);
    const consumers = test.store.consumers;
    const start = { position: 0, state: '' };
    const shown = {
      position: 0,
      state: '{"shown":{"position":1,"updateId":1},"allowedUpdatesHistory":[]}',
    };
    const place = { position: 0, state: 'mine', generation: 0 };
    await consumers.move(botId, '', { from: start, to: shown }, 6);
    await test.store.engine.write(() => moveReader(botId, 'routing', { ...place, nowMs: 6 }));
    expect(await readers.list(botId)).toMatchObject([
      { name: 'pull:', state: shown.state, updatedAt: 5 },
      { name: 'routing', state: 'mine', updatedAt: 5 },
    ]);
    await consumers.move(botId, '', { from: shown, to: { ...shown, position: 1 } }, 7);
    await test.store.engine.write(() =>
      moveReader(botId, 'routing', { ...place, position: 2, nowMs: 8 }),
    );
    expect(await readers.list(botId)).toMatchObject([{ updatedAt: 7 }, { updatedAt: 8 }]);
  });

  it('are listed with their position and the oldest update they wait for', async () => {
    await append(100, 1, 2);
    await append(200, 3);
    await test.store.log.openReader(botId, 'push', 5, 1);
    await test.store.log.openReader(botId, 'pull:a', 6, 2);
    await test.store.log.openReader(botId, 'routing', 7, 3);
    await write(`update readers set dropped = 9 where name = 'pull:a'`);
    expect(await readers.list(botId)).toMatchObject([
      { name: 'pull:a', position: 2, dropped: 9, updatedAt: 6, oldestAt: 200 },
      { name: 'push', position: 1, dropped: 0, updatedAt: 5, oldestAt: 100 },
      { name: 'routing', position: 3, oldestAt: null },
    ]);
    expect((await readers.totals()).sort((a, b) => a.kind.localeCompare(b.kind))).toEqual([
      { kind: 'pull', readers: 1, behind: 1, dropped: 9 },
      { kind: 'push', readers: 1, behind: 2, dropped: 0 },
      { kind: 'routing', readers: 1, behind: 0, dropped: 0 },
    ]);
  });

  it('are counted by their kind, whatever their names, and removed with it', async () => {
    await append(100, 1, 2);
    for (const name of ['export', 'export:cold', 'push', 'push:shop', 'pull:', 'pull:export']) {
      await test.store.log.openReader(botId, name, 5, 1);
    }
    // Of a version to come.
    await test.store.log.openReader(botId, 'exporter', 5, 1);
    await write(`update readers set state = '{"finished":[[2,2]]}' where name like 'push%'`);
    const kinds = async () =>
      (await readers.totals())
        .sort((a, b) => a.kind.localeCompare(b.kind))
        .map(({ kind, readers: count, behind }) => [kind, count, behind]);
    expect(await kinds()).toEqual([
      ['export', 2, 2],
      ['pull', 2, 2],
      ['push', 2, 0],
    ]);
    await readers.removeKind('export');
    expect((await test.store.log.readers(botId)).map(({ name }) => name)).toEqual([
      'exporter',
      'pull:',
      'pull:export',
      'push',
      'push:shop',
    ]);
  });

  it('find the position of a time among what is still there', async () => {
    for (const [index, at] of [10, 20, 20, 20, 35, 50, 80].entries()) await append(at, index + 1);
    await write('delete from log where position <= 2');
    await write('update log_heads set trimmed_to = 2');
    const head = await test.store.log.head(botId);
    const places = [0, 10, 20, 21, 35, 36, 50, 80, 81].map((at) =>
      readers.positionBefore(botId, at, head),
    );
    expect(await Promise.all(places)).toEqual([2, 2, 2, 4, 4, 5, 5, 6, 7]);
    const empty = { lastPosition: 0, trimmedTo: 0, bytes: 0 };
    expect(await readers.positionBefore(botId, 5, empty)).toBe(0);
  });

  it('are not moved by a session opened before they were set elsewhere', async () => {
    await append(1, 1, 2, 3, 4);
    const { generation } = await test.store.log.openReader(botId, 'routing', 1, 2);
    const move = (to: { position: number; generation: number }) =>
      test.store.engine.write(() => moveReader(botId, 'routing', { state: '', nowMs: 2, ...to }));
    expect(await move({ position: 3, generation })).toBe(true);
    expect(await readers.rewind(botId, 'routing', 1, 3)).toEqual({ before: 3 });
    expect(await move({ position: 4, generation })).toBe(false);
    const again = await test.store.log.openReader(botId, 'routing', 4);
    expect(again.position).toBe(1);
    expect(await move({ position: 2, generation: again.generation })).toBe(true);
    expect(await readers.rewind(botId, 'push', 1, 3)).toBeUndefined();
  });

  it('take back retries and dead letters after the position they are set to', async () => {
    await append(1, 1, 2, 3, 4, 5, 6);
    await test.store.log.openReader(botId, 'push', 1, 6);
    await write(`update readers set state = '{"finished":[[8,9]],"paused":true}'`);
    for (const [queue, ...positions] of [
      ['c1', 2, 5],
      ['c2', 4],
    ] as const) {
      await write(
        `insert into retry_queues (bot_id, queue, attempts, first_failed_at, next_attempt_at, last_error)
         values ($1, $2, 1, 1, 1, '')`,
        [botId, queue],
      );
      for (const position of positions) {
        await write('insert into retry_positions (bot_id, position, queue) values ($1, $2, $3)', [
          botId,
          position,
          queue,
        ]);
      }
    }
    for (const position of [1, 6]) {
      await write(
        `insert into dead_letters (bot_id, position, update_id, kind, queue, raw, reason, attempts, received_at, died_at)
         values ($1, $2, 1, 'message', 'c3', '{}', '', 1, 1, 1)`,
        [botId, position],
      );
    }
    expect(await readers.rewind(botId, 'push', 3, 9)).toEqual({ before: 6 });
    expect(await read('select position from retry_positions')).toEqual([{ position: 2 }]);
    expect(await read('select queue from retry_queues')).toEqual([{ queue: 'c1' }]);
    expect(await read('select position from dead_letters')).toEqual([{ position: 1 }]);
    // A backend whose circuit breaker is open stays so, and what was read before is remembered.
    expect(await read('select position, state, updated_at from readers')).toEqual([
      { position: 3, state: '{"paused":true,"readBefore":9}', updated_at: 9 },
    ]);
  });
});
