import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { defaultAppSettings } from '../../src/core/apps/app.ts';
import { type IncomingUpdate, readUpdate } from '../../src/core/log/update-facts.ts';
import { emptyFacts } from '../../src/core/messages/message-facts.ts';
import type { AnswerFacts } from '../../src/core/messages/answer-facts.ts';
import type { ArchiveEntry } from '../../src/core/messages/archive-facts.ts';
import { archive } from '../../src/store/messages/archive.ts';
import { createAlertConditionRepository } from '../../src/store/alerts/alert-conditions.ts';
import { createCaptureRepository } from '../../src/store/outbox/captures.ts';
import { archived, createTestStore, type TestStore } from '../support/database/store.ts';

/** Bots with ids of one and of two digits, each with the same two chats. */
async function startStage() {
  const test = await createTestStore('postgres');
  onTestFinished(() => test.close());
  const bots: number[] = [];
  for (let index = 0; index < 11; index++) {
    const token = `${index + 1}:order`;
    const bot = await test.store.bots.insert({ token, source: 'web', manage_enabled: true }, 1);
    bots.push(bot.id);
  }
  const known = bots.flatMap((botId) => [9, 10].map((chatId) => messageIn(botId, chatId, 1)));
  await test.store.messages.archive(known, 1);
  const client = new pg.Client({ connectionString: test.database.databaseUrl });
  await client.connect();
  onTestFinished(() => client.end());
  // By number 2 comes before 11, as text it does not.
  const [first, last] = [bots[1] as number, bots.at(-1) as number];
  expect(String(first) > String(last)).toBe(true);

  /** Locks two chats one after the other, as any transaction may that keeps to the order. */
  async function lockBoth(
    chats: readonly (readonly [botId: number, chatId: number])[],
    meanwhile: () => Promise<unknown>,
  ): Promise<void> {
    const touch = 'update chats set updated_at = updated_at where bot_id = $1 and chat_id = $2';
    await lockRows(touch, chats, meanwhile);
  }

  async function lockRows(
    touch: string | readonly string[],
    rows: readonly (readonly number[])[],
    meanwhile: () => Promise<unknown>,
  ): Promise<void> {
    const [low, high] = rows as [readonly number[], readonly number[]];
    await client.query('begin');
    await client.query(typeof touch === 'string' ? touch : (touch[0] as string), [...low]);
    const other = meanwhile();
    await waiting();
    await client.query(typeof touch === 'string' ? touch : (touch[1] as string), [...high]);
    await client.query('commit');
    await other;
  }

  /** Until so many wait for a lock. */
  async function waiting(wanted = 1): Promise<void> {
    for (let count = 0; count < wanted; ) {
      const [row] = await test.store.engine.readRaw<{ n: number }>(
        `select count(*) as n from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'`,
        [],
      );
      count = row?.n ?? 0;
    }
  }
  return { ...test, first, last, lockBoth, lockRows, waiting, client };
}

function messageIn(botId: number, chatId: number, id: number): ArchiveEntry {
  const chat = { id: chatId, type: 'private', first_name: 'Ann' };
  return archived(botId, { message_id: id, date: 100, chat, text: 'x' });
}

/** As of a chat that was stored a moment ago. */
function withoutChat(entry: ArchiveEntry): ArchiveEntry {
  return { ...entry, facts: { ...emptyFacts(), messages: entry.facts.messages } };
}

// In a ring of waiting PostgreSQL ends one of the two after a second: either fails or runs twice.
function once() {
  let runs = 0;
  return {
    run() {
      runs++;
    },
    check: () => expect(runs).toBe(1),
  };
}

describe('the store', () => {
  it('locks the chats of several bots by number, as touching chats does', async () => {
    const { store, first, last, lockBoth } = await startStage();
    const job = once();
    await lockBoth(
      [
        [first, 10],
        [last, 10],
      ],
      () =>
        store.engine.write(() => {
          job.run();
          const entries = [messageIn(last, 10, 2), messageIn(first, 10, 2)];
          return archive('postgres', entries, 1);
        }),
    );
    job.check();
    await lockBoth(
      [
        [first, 9],
        [first, 10],
      ],
      () =>
        store.log.touchChats([
          { botId: first, chatId: 10, date: 200 },
          { botId: first, chatId: 9, date: 200 },
        ]),
    );
  });

  it('locks chats that are only counted together with those that are stored', async () => {
    const { store, first, lockBoth } = await startStage();
    const job = once();
    await lockBoth(
      [
        [first, 9],
        [first, 10],
      ],
      () =>
        store.engine.write(() => {
          job.run();
          const entries = [messageIn(first, 10, 2), withoutChat(messageIn(first, 9, 2))];
          return archive('postgres', entries, 1);
        }),
    );
    job.check();
  });

  it('locks the chats of many captured answers in that order', async () => {
    const { store, first, lockBoth } = await startStage();
    const captured = [10, 9].map((chatId) => ({
      botId: first,
      answer: { archive: messageIn(first, chatId, 2).facts } as AnswerFacts,
    }));
    const job = once();
    const { engine } = store;
    const captures = createCaptureRepository({
      ...engine,
      write: (work) =>
        engine.write(() => {
          job.run();
          return work();
        }),
    });
    await lockBoth(
      [
        [first, 9],
        [first, 10],
      ],
      () => captures.store(captured, 1),
    );
    job.check();
  });

  it('locks patterns that were left undecided in one order, whatever came first', async () => {
    const { store, first, last, lockRows } = await startStage();
    const job = once();
    const { engine } = store;
    const conditions = createAlertConditionRepository({
      ...engine,
      write: (work) =>
        engine.write(() => {
          job.run();
          return work();
        }),
    });
    const of = (botId: number) => ({ botId, appId: 1, routeId: 0 });
    await createAlertConditionRepository(engine).recordUndecided([of(first), of(last)], 1);
    await lockRows(
      'update undecided_patterns set at = at where bot_id = $1',
      [[first], [last]],
      () => conditions.recordUndecided([of(last), of(first)], 2),
    );
    job.check();
  });

  it('waits for no change of a bot as it stores that a group of an app moved', async () => {
    const { store, first, client } = await startStage();
    const app = await addApp(store, first);
    const message = { message_id: 1, date: 1, chat: { id: -4, type: 'group' } };
    const update = { update_id: 1, message: { ...message, migrate_to_chat_id: -1004 } };
    const incoming = readUpdate(JSON.stringify(update), update, 0) as IncomingUpdate;
    await store.messages.archive([archived(first, { ...message, text: 'x' })], 1);
    await client.query('begin');
    await client.query('update bots set updated_at = updated_at where id = $1', [first]);
    await store.log.append(() => [{ botId: first, updates: [incoming], receivedAt: 1 }]);
    await client.query('select 1 from log_heads where bot_id = $1 for update', [first]);
    await client.query('commit');
    expect((await store.apps.get(app))?.filter).toEqual({ chat_ids: [-1004] });
  });

  it.each(['updateStep', 'toggleStep', 'removeStep'] as const)(
    'locks the end of the log before the app, as an append does: %s',
    async (change) => {
      const { store, first, lockRows } = await startStage();
      const app = await addApp(store, first);
      const job = once();
      await lockRows(
        [
          'select 1 from log_heads where bot_id = $1 for update',
          'update apps set filter = filter where id = $1',
        ],
        [[first], [app]],
        () =>
          store.engine.write(() => {
            job.run();
            if (change === 'updateStep') return store.apps.updateStep(app, { patch: {} }, 2);
            return store.apps[change](app, 2);
          }),
      );
      job.check();
    },
  );
});

async function addApp(store: TestStore['store'], botId: number): Promise<number> {
  const settings = { ...defaultAppSettings, filter: { chat_ids: [-4] } };
  return (await store.apps.insert({ botId, name: 'shop', token: '', settings, patch: {} }, 1)).id;
}

it('an answer that is being stored while its bot gets per_topic ends the waiting', async () => {
  const { client, first: botId, store, waiting } = await startStage();
  const chat = { id: 9, type: 'private', first_name: 'Ann' };
  const topic = { chat, date: 100, message_thread_id: 7, is_topic_message: true, text: '?' };
  const update = { update_id: 1, message: { ...topic, message_id: 2, from: { id: 9 } } };
  const read = readUpdate(JSON.stringify(update), update, 100_000) as IncomingUpdate;
  await store.log.append(() => [{ botId, updates: [read], receivedAt: 100_000 }]);
  const since = async (threadId: number) =>
    (await store.chats.get(botId, chat.id, threadId))?.unanswered_since;
  expect(await since(0)).toBe(100_000);

  await client.query('begin');
  await client.query('select 1 from chats where bot_id = $1 for update', [botId]);
  const sent = archived(botId, { ...topic, message_id: 3 }, 'sent');
  const answered = store.messages.archive([{ ...sent, answeredBy: 'person' }], 1);
  await waiting();
  const changed = store.bots.update(botId, { per_topic: true }, 1);
  await waiting(2);
  await client.query('commit');
  await Promise.all([answered, changed]);
  expect(await Promise.all([since(0), since(7)])).toEqual([0, 0]);
});
