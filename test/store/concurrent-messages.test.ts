import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { emptyFacts } from '../../src/core/messages/message-facts.ts';
import { type IncomingUpdate, readUpdate } from '../../src/core/log/update-facts.ts';
import type { ArchiveEntry } from '../../src/core/messages/archive-facts.ts';
import { archive } from '../../src/store/messages/archive.ts';
import { append } from '../../src/store/log/append.ts';
import type { Engine, Step } from '../../src/store/engine.ts';
import { dialects } from '../support/database/engines.ts';
import {
  appendParts,
  archived,
  createTestStore,
  type TestStore,
} from '../support/database/store.ts';

/** A message stored by several nodes at the same time counts once, and each edit is kept. */
describe.each(dialects)('one message stored by several on %s', (dialect) => {
  let test: TestStore;
  let other: Engine;
  let chatId = -100;
  beforeAll(async () => {
    test = await createTestStore(dialect);
    // A second node where there can be one.
    other = dialect === 'postgres' ? await test.database.open() : test.store.engine;
  });
  afterAll(async () => {
    if (other !== test.store.engine) await other.close();
    await test.close();
  });

  const chat = () => ({ id: chatId, type: 'supergroup', title: 'Team' });

  async function managedBot() {
    chatId--;
    const { store } = test;
    const token = `${-chatId}:concurrent`;
    const bot = await store.bots.insert({ token, source: 'web', manage_enabled: true }, 1);
    const known = archived(bot.id, { message_id: 1, date: 1, chat: chat(), text: 'first' });
    await store.messages.archive([known], 1);
    return bot.id;
  }

  /** As a busy chat is stored: without the chat, which is known already and would be waited for. */
  function entryOf(botId: number, id: number, text: string, editedAt?: number): ArchiveEntry {
    const { facts } = archived(botId, {
      message_id: id,
      date: 100,
      chat: chat(),
      text,
      ...(editedAt === undefined ? {} : { edit_date: editedAt }),
    });
    return {
      botId,
      facts: { ...emptyFacts(), messages: facts.messages },
      origin: 'received',
      position: 0,
    };
  }

  const store = (engine: Engine, entry: ArchiveEntry) =>
    engine.write(() => archive(dialect, [entry], 1));

  async function counted(botId: number) {
    const { engine, stats, chats } = test.store;
    while ((await stats.countMessages(100)) > 0);
    const hours = await stats.hours({ botId, chatId }, [0, 1_000]);
    const edits = await engine.readRaw<{ text: string }>(
      'select text from message_edits where bot_id = $1 order by id',
      [botId],
    );
    return {
      inChat: (await chats.get(botId, chatId))?.message_count,
      inStatistics: hours.reduce((sum, { received }) => sum + received, 0),
      edits: edits.map(({ text }) => text),
    };
  }

  it('keeps of an answer that a bot streams the first text and those that stood for a while', async () => {
    const botId = await managedBot();
    const texts = [
      ['…', undefined],
      ['It', 101],
      ['It is', 101],
      ['It is done.', 104],
      ['It is done', 114],
      ['It is done!', 115],
    ] as const;
    const steps = (id: number, origin: ArchiveEntry['origin']) =>
      texts.map(([text, at]) => ({ ...entryOf(botId, id, text, at), origin }));
    for (const entry of steps(2, 'gateway')) await store(test.store.engine, entry);
    expect((await counted(botId)).edits).toEqual(['…', 'It is done.']);
    // What people edit is kept whole.
    for (const entry of steps(3, 'received')) await store(test.store.engine, entry);
    expect((await counted(botId)).edits.slice(2)).toEqual(texts.slice(0, -1).map(([text]) => text));
  });

  it('counts it once', async () => {
    const botId = await managedBot();
    for (let id = 2; id <= 11; id++) {
      const entry = entryOf(botId, id, 'hello');
      await Promise.all([test.store.engine, other].map((engine) => store(engine, entry)));
    }
    expect(await counted(botId)).toEqual({ inChat: 11, inStatistics: 11, edits: [] });
  });

  it('keeps what each of two edits replaced', async () => {
    const botId = await managedBot();
    for (let id = 2; id <= 11; id++) {
      await store(other, entryOf(botId, id, 'one'));
      await Promise.all([
        store(test.store.engine, entryOf(botId, id, 'two', 200)),
        store(other, entryOf(botId, id, 'three', 300)),
      ]);
    }
    const { edits, inChat } = await counted(botId);
    expect(inChat).toBe(11);
    // Where the later edit came first, the earlier one changes nothing.
    const replaced = edits.join(' ').replaceAll('one two', 'one').split(' ');
    expect(replaced).toEqual(Array.from({ length: 10 }, () => 'one'));
  });

  it('counts it once, and keeps the text, when the first is late to commit', async () => {
    const botId = await managedBot();
    const late = archive(dialect, [entryOf(botId, 2, 'hello')], 1);
    await meanwhile(late, () => store(other, entryOf(botId, 2, 'hello again', 150)));
    expect(await counted(botId)).toEqual({ inChat: 2, inStatistics: 2, edits: ['hello'] });
  });

  it('counts it once when management is switched on while it is on its way', async () => {
    const { store: parts } = test;
    const botId = await managedBot();
    await counted(botId);
    await parts.bots.update(botId, { manage_enabled: false }, 1);
    const update = readUpdate(
      '{}',
      { update_id: 1, message: { message_id: 2, date: 100, chat: chat(), text: 'hello' } },
      1,
    );
    const request = { botId, updates: [update as IncomingUpdate], receivedAt: 1 };
    await meanwhile(append(dialect, appendParts(dialect), [request]), () =>
      parts.bots.update(botId, { manage_enabled: true }, 1),
    );
    while ((await parts.stats.backfill(100)) > 0);
    expect(await counted(botId)).toEqual({ inChat: 2, inStatistics: 2, edits: [] });
  });

  /** Where there are several nodes, `work` is held up before its commit until the other waits for it. */
  async function meanwhile(work: Step<unknown>, begin: () => Promise<unknown>): Promise<void> {
    if (dialect === 'sqlite') {
      await Promise.all([test.store.engine.write(() => work), begin()]);
      return;
    }
    const lock = 99;
    // Not one of a pool, which closes those that are idle for a while.
    const holder = new pg.Client(test.database.databaseUrl);
    await holder.connect();
    await holder.query('select pg_advisory_lock($1)', [lock]);
    const first = test.store.engine.write(function* () {
      yield* work;
      yield { sql: 'select pg_advisory_xact_lock($1)', parameters: [lock] };
    });
    await waitingAre(1);
    const second = begin();
    await waitingAre(2);
    await holder.end();
    await Promise.all([first, second]);
  }

  async function waitingAre(count: number): Promise<void> {
    for (let waiting = 0; waiting < count; ) {
      const [row] = await other.readRaw<{ n: number }>(
        `select count(*) as n from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'`,
        [],
      );
      waiting = row?.n ?? 0;
    }
  }
});
