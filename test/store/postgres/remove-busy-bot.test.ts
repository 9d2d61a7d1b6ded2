import pg from 'pg';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createVault } from '../../../src/core/access/vault.ts';
import { type IncomingUpdate, readUpdate } from '../../../src/core/log/update-facts.ts';
import { isMissingReference } from '../../../src/errors.ts';
import { removeBot } from '../../../src/store/bots/remove-bot.ts';
import { commitPush } from '../../../src/store/delivery/deliveries.ts';
import { raw, type Statement, type Step } from '../../../src/store/engine.ts';
import { append } from '../../../src/store/log/append.ts';
import { findOrMakeReader } from '../../../src/store/log/log.ts';
import { archive } from '../../../src/store/messages/archive.ts';
import { createStore } from '../../../src/store/store.ts';
import { createDatabase } from '../../support/database/engines.ts';
import { appendParts } from '../../support/database/store.ts';

const unchecked = ['log', 'messages', 'delivery_attempts'];

async function openWithBot() {
  const database = await createDatabase('postgres');
  onTestFinished(() => database.drop());
  const engine = await database.open();
  onTestFinished(() => engine.close());
  const { bots } = createStore(
    engine,
    createVault(['a master key of at least thirty-two characters']),
  );
  const { id } = await bots.insert({ token: '4711:AAdelete', source: 'web' }, 1);
  await engine.write(() => findOrMakeReader(id, 'push', 1, 0));
  const counts = async () => {
    const found = unchecked.map((table) =>
      engine.readRaw<{ n: number }>(`select count(*) as n from ${table} where bot_id = $1`, [id]),
    );
    return (await Promise.all(found)).map(([row]) => Number(row?.n));
  };
  const message = { message_id: 1, date: 1, text: 'hello', chat: { id: 5, type: 'private' } };
  const update = { update_id: 1, message };
  const read = readUpdate(JSON.stringify(update), update, 0) as IncomingUpdate;
  const writers: Record<string, () => Step<unknown>> = {
    append: () =>
      append('postgres', appendParts('postgres'), [{ botId: id, updates: [read], receivedAt: 1 }]),
    archive: () =>
      archive(
        'postgres',
        [{ botId: id, facts: { ...read.archive, chats: [] }, origin: 'sent', position: 0 }],
        1,
      ),
    push: () => commitPush(engine, [changesOf(id)], 1, function* () {}),
  };
  /** What a transaction waits for until it is let go on; the removal meanwhile waits for the transaction. */
  const pause: Statement = { sql: 'select pg_advisory_xact_lock(1)', parameters: [] };
  const holder = new pg.Client(database.databaseUrl);
  await holder.connect();
  onTestFinished(() => holder.end());
  await holder.query('select pg_advisory_lock(1)');
  const waiting = `select 1 from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  const waitingAre = (count: number) =>
    vi.waitFor(async () => expect(await engine.readRaw(waiting, [])).toHaveLength(count));
  async function removeMeanwhile(): Promise<boolean> {
    const removing = removeBot(engine, id);
    await waitingAre(2);
    await holder.query('select pg_advisory_unlock(1)');
    return removing;
  }
  return { engine, id, counts, writers, pause, waitingAre, removeMeanwhile };
}

function changesOf(botId: number) {
  const attempt = {
    ...{ bot_id: botId, reader: 'push', position: 1, update_id: 1, queue: 'c5', started_at: 1 },
    ...{ duration_ms: 1, status: 200, error: '', answer: '', replay: 0 },
  };
  return {
    ...{ botId, reader: 'push', epoch: undefined, generation: 0 },
    cursor: { position: 1, state: '' },
    attempts: [attempt],
    ...{ positions: new Map(), queues: new Map(), deadLetters: [], replayed: [], calls: [] },
    backend: undefined,
  };
}

describe('the removal of a bot', () => {
  it.each(['append', 'archive', 'push'])(
    'removes what a transaction in flight adds to a bot: %s',
    async (name) => {
      const { engine, counts, writers, pause, waitingAre, removeMeanwhile } = await openWithBot();
      const slow = engine.write(function* () {
        yield* writers[name]?.() ?? [];
        yield pause;
        return 'committed';
      });
      await waitingAre(1);
      expect(await counts()).toEqual([0, 0, 0]);
      const [outcome, removed] = await Promise.all([slow, removeMeanwhile()]);
      expect([outcome, removed]).toEqual(['committed', true]);
      expect(await counts()).toEqual([0, 0, 0]);
    },
  );

  it('waits for a transaction that appends, and not the other way round', async () => {
    const { engine, id, pause, waitingAre, removeMeanwhile } = await openWithBot();
    await engine.write(() => raw('insert into log_heads (bot_id) values ($1)', [id]));
    let runs = 0;
    const slow = engine.write(function* () {
      runs++;
      // Who finds out first that two wait for each other is refused and runs again.
      yield* raw(`set local deadlock_timeout = '10ms'`, []);
      yield* raw('select 1 from log_heads where bot_id = $1 for update', [id]);
      yield pause;
      yield* raw('select 1 from bots where id = $1 for key share', [id]);
    });
    await waitingAre(1);
    const [, removed] = await Promise.all([slow, removeMeanwhile()]);
    expect({ runs, removed }).toEqual({ runs: 1, removed: true });
  });

  it('refuses to add anything to a bot that is gone', async () => {
    const { engine, id, counts, writers } = await openWithBot();
    await removeBot(engine, id);
    const write = (name: string) => engine.write(writers[name] as () => Step<unknown>);
    expect(await write('append')).toEqual([{ status: 'gone' }]);
    expect(await write('push')).toEqual(['gone']);
    expect(isMissingReference(await write('archive').catch((error: unknown) => error))).toBe(true);
    expect(await counts()).toEqual([0, 0, 0]);
  });
});
