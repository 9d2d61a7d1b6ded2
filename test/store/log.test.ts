import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sliceArray } from '../../src/core/log/json-slices.ts';
import { runsOf } from '../../src/core/log/seen-ranges.ts';
import { type IncomingUpdate, readUpdate } from '../../src/core/log/update-facts.ts';
import type { Engine } from '../../src/store/engine.ts';
import { insertInto } from '../../src/store/sql/write-row.ts';
import { createRandom } from '../../sandbox/src/index.ts';
import { createLogRepository, type LogRepository } from '../../src/store/log/log.ts';
import { createDatabase, type Database, dialects } from '../support/database/engines.ts';
import { addBotRow, appendParts } from '../support/database/store.ts';

const now = 1_700_000_000_000;

function message(updateId: number, text: string, more: object = {}): IncomingUpdate {
  const update = {
    update_id: updateId,
    message: {
      message_id: updateId,
      date: 1_700_000_000,
      chat: { id: 5, type: 'private', first_name: 'Ann' },
      from: { id: 5, is_bot: false, first_name: 'Ann', username: 'ann' },
      text,
      ...more,
    },
  };
  return incoming(update);
}

function incoming(update: object): IncomingUpdate {
  const read = readUpdate(JSON.stringify(update), update, now);
  if (!read) throw new Error('not an update');
  return read;
}

describe.each(dialects)('log on %s', (dialect) => {
  let database: Database;
  let engine: Engine;
  let log: LogRepository;

  beforeEach(async () => {
    database = await createDatabase(dialect);
    engine = await database.open();
    log = createLogRepository(engine, appendParts(engine.dialect));
    await addBotRow(engine, 1);
    await addBotRow(engine, 2);
  });
  afterEach(async () => {
    await engine.close();
    await database.drop();
  });

  const messages = () => engine.readRaw<{ text: string }>('select * from messages order by id');

  it('numbers the updates of each bot from 1 without gaps', async () => {
    await log.append(() => [
      { botId: 2, updates: [message(7, 'a'), message(8, 'b')], receivedAt: now },
      { botId: 1, updates: [message(7, 'c')], receivedAt: now },
    ]);
    await log.append(() => [{ botId: 2, updates: [message(9, 'd')], receivedAt: now }]);
    expect((await log.read(2, 0, 10)).map((entry) => [entry.position, entry.updateId])).toEqual([
      [1, 7],
      [2, 8],
      [3, 9],
    ]);
    expect((await log.read(1, 0, 10)).map((entry) => entry.position)).toEqual([1]);
    expect((await log.read(2, 1, 1)).map((entry) => entry.position)).toEqual([2]);
    expect(await log.head(2)).toMatchObject({ lastPosition: 3, trimmedTo: 0 });
  });

  it('stores an update once, however often and wherever it occurs in a batch', async () => {
    const twice = message(7, 'a');
    const [first] = await log.append(() => [
      { botId: 1, updates: [twice, twice, message(8, 'b')], receivedAt: now },
    ]);
    expect(first).toMatchObject({ status: 'stored', duplicates: 1 });
    const [second] = await log.append(() => [{ botId: 1, updates: [twice], receivedAt: now }]);
    expect(second).toMatchObject({ status: 'stored', entries: [], duplicates: 1 });
    expect((await log.read(1, 0, 10)).map((entry) => entry.updateId)).toEqual([7, 8]);
  });

  it('takes an update_id that jumps downward as new', async () => {
    await log.append(() => [{ botId: 1, updates: [message(900_000, 'a')], receivedAt: now }]);
    await log.append(() => [{ botId: 1, updates: [message(12, 'b')], receivedAt: now }]);
    expect((await log.read(1, 0, 10)).map((entry) => entry.updateId)).toEqual([900_000, 12]);
  });

  it('knows numbers that lie close together, with gaps between, and far apart', async () => {
    const fresh = async (...ids: number[]) => {
      const updates = ids.map((id) => message(id, 'x'));
      const [outcome] = await log.append(() => [{ botId: 1, updates, receivedAt: now }]);
      return outcome?.status === 'stored' ? outcome.entries.map((entry) => entry.updateId) : [];
    };
    expect(await fresh(11)).toEqual([11]);
    expect(await fresh(10, 12)).toEqual([10, 12]);
    expect(await fresh(9, 10, 11, 12, 13)).toEqual([9, 13]);
    expect(await fresh(8, 9_000_000_000, 9)).toEqual([8, 9_000_000_000]);
    expect(await fresh(9_000_000_000, 5_000, 8)).toEqual([5_000]);
  });

  it('knows the numbers of many bots, whatever their order, and keeps few rows for them', async () => {
    const random = createRandom(7);
    const taken = new Map([1, 2].map((botId) => [botId, new Set<number>()]));
    for (let round = 0; round < 60; round++) {
      const requests = [2, 1, 2].map((botId) => {
        const start = 1 + round * 3 + random.integer(0, 39);
        const ids = Array.from({ length: random.integer(1, 9) }, (_, index) =>
          random.next() < 0.8 ? start + index : random.integer(1, 250),
        );
        return { botId, updates: ids.map((id) => message(id, 'x')), receivedAt: now + round };
      });
      const outcomes = await log.append(() => requests);
      for (const [index, { botId, updates }] of requests.entries()) {
        const known = taken.get(botId) as Set<number>;
        const fresh = updates
          .map(({ updateId }) => updateId)
          .filter((id) => {
            const isNew = !known.has(id);
            known.add(id);
            return isNew;
          });
        const outcome = outcomes[index];
        if (outcome?.status !== 'stored') throw new Error('not stored');
        expect(outcome.entries.map(({ updateId }) => updateId)).toEqual(fresh);
      }
    }
    const ranges = await engine.readRaw<{ bot_id: number; first_id: number; last_id: number }>(
      'select bot_id, first_id, last_id from seen_ranges order by bot_id, first_id',
      [],
    );
    const rows = [...taken].flatMap(([bot_id, ids]) =>
      runsOf(ids).map(({ first, last }) => ({ bot_id, first_id: first, last_id: last })),
    );
    expect(ranges).toEqual(rows);
  });

  it('takes a number again after three days, and not before', async () => {
    const again = async (afterMs: number) => {
      const [outcome] = await log.append(() => [
        { botId: 1, updates: [message(7, 'x')], receivedAt: now + afterMs },
      ]);
      return outcome?.status === 'stored' ? outcome.entries.length : 0;
    };
    const hourMs = 3_600_000;
    expect(await again(0)).toBe(1);
    expect(await again(71 * hourMs)).toBe(0);
    expect(await again(73 * hourMs)).toBe(1);
    expect(await again(74 * hourMs)).toBe(0);
  });

  it('gives concurrent appends positions without gaps, in the order they become visible', async () => {
    const batches = Array.from({ length: 20 }, (_, batch) =>
      log.append(() => [
        {
          botId: (batch % 2) + 1,
          updates: [message(batch * 10 + 1, 'x'), message(batch * 10 + 2, 'y')],
          receivedAt: now,
        },
      ]),
    );
    await Promise.all(batches);
    for (const botId of [1, 2]) {
      const positions = (await log.read(botId, 0, 100)).map((entry) => entry.position);
      expect(positions).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    }
  });

  it('refuses a writer whose lease was taken over, and an unknown bot, but not the others', async () => {
    await engine.write(() =>
      insertInto('leases', { bot_id: 1, owner: 'b', epoch: 4, expires_at: now + 1 }),
    );
    const outcomes = await log.append(() => [
      { botId: 1, updates: [message(1, 'late')], receivedAt: now, epoch: 3 },
      { botId: 1, updates: [message(2, 'fine')], receivedAt: now, epoch: 4 },
      { botId: 77, updates: [message(3, 'nobody')], receivedAt: now },
      { botId: 2, updates: [message(4, 'fine')], receivedAt: now },
    ]);
    expect(outcomes.map((outcome) => outcome.status)).toEqual([
      'stale',
      'stored',
      'gone',
      'stored',
    ]);
    expect((await log.read(1, 0, 10)).map((entry) => entry.updateId)).toEqual([2]);
  });

  it('archives messages with their edits in the same transaction', async () => {
    const edited = incoming({
      update_id: 2,
      edited_message: {
        message_id: 1,
        date: 1_700_000_000,
        edit_date: 1_700_000_050,
        chat: { id: 5, type: 'private', first_name: 'Ann' },
        from: { id: 5, is_bot: false, first_name: 'Ann' },
        text: 'after',
      },
    });
    await log.append(() => [
      { botId: 1, updates: [message(1, 'before'), edited], receivedAt: now },
    ]);
    expect(await messages()).toMatchObject([{ id: 1, text: 'after', edited_at: 1_700_000_050 }]);
    // An older state that arrives late does not win.
    await log.append(() => [
      {
        botId: 1,
        updates: [{ ...message(3, 'before'), archive: message(1, 'old').archive }],
        receivedAt: now,
      },
    ]);
    expect(await messages()).toMatchObject([{ id: 1, text: 'after' }]);
  });

  it('archives a photo with its largest size, a caption as text, and the reply', async () => {
    const photo = message(1, '', {
      text: undefined,
      caption: 'sea',
      photo: [
        { file_id: 'small', width: 90, height: 90 },
        { file_id: 'large', width: 900, height: 900 },
        { file_id: 'middle', width: 300, height: 300 },
      ],
      reply_to_message: { message_id: 99 },
    });
    await log.append(() => [{ botId: 1, updates: [photo], receivedAt: now }]);
    expect(await messages()).toMatchObject([
      { text: 'sea', media_type: 'photo', file_id: 'large', reply_to_message_id: 99 },
    ]);
  });

  it('archives a button press as a row numbered by its position', async () => {
    const press = incoming({
      update_id: 2,
      callback_query: {
        id: 'q',
        from: { id: 5, is_bot: false, first_name: 'Ann' },
        message: { message_id: 1, date: 1, chat: { id: 5, type: 'private' } },
        data: 'yes',
      },
    });
    expect(press.queue).toBe('u5');
    await log.append(() => [{ botId: 1, updates: [message(1, 'choose'), press], receivedAt: now }]);
    expect((await messages())[0]).toMatchObject({
      id: -2,
      media_type: 'callback',
      text: 'yes',
      reply_to_message_id: 1,
      date: now / 1000,
    });
  });

  it('keeps ephemeral messages only in the log', async () => {
    const secret = { message_id: 0, date: 1, chat: { id: -9, type: 'supergroup', title: 'Room' } };
    const person = { id: 5, is_bot: false, first_name: 'Ann' };
    const command = incoming({
      update_id: 1,
      message: { ...secret, from: person, ephemeral_message_id: 4, text: '/balance' },
    });
    const press = incoming({
      update_id: 2,
      callback_query: {
        id: 'q',
        from: person,
        message: { ...secret, ephemeral_message_id: 5 },
        data: 'yes',
      },
    });
    await log.append(() => [{ botId: 1, updates: [command, press], receivedAt: now }]);
    expect(await log.read(1, 0, 10)).toHaveLength(2);
    expect(await messages()).toMatchObject([
      { media_type: 'callback', text: 'yes', reply_to_message_id: null },
    ]);
  });

  it('keeps chats, people and memberships, and text no engine refuses', async () => {
    const joined = incoming({
      update_id: 1,
      my_chat_member: {
        chat: { id: -100, type: 'supergroup', title: 'Room' },
        from: { id: 5, is_bot: false, first_name: 'Ann' },
        new_chat_member: {
          status: 'administrator',
          user: { id: 1, is_bot: true, first_name: 'B' },
        },
      },
    });
    await log.append(() => [
      { botId: 1, updates: [joined, message(2, 'nul \0 and half \ud800 pair')], receivedAt: now },
    ]);
    expect((await messages())[0]?.text).toBe('nul \uFFFD and half \uFFFD pair');
    const chats = await engine.readRaw('select * from chats order by chat_id');
    expect(chats).toMatchObject([
      { chat_id: -100, title: 'Room', member_status: 'administrator' },
      { chat_id: 5, title: 'Ann', last_message_at: 1_700_000_000_000 },
    ]);
    const people = await engine.readRaw('select * from people');
    expect(people.length).toBe(2);
  });

  it('moves the last message of a chat forward, and never back', async () => {
    await log.append(() => [{ botId: 1, updates: [message(1, 'a')], receivedAt: now }]);
    const touched = async (date: number) => {
      await log.touchChats([
        { botId: 1, chatId: 5, date },
        { botId: 1, chatId: 404, date },
      ]);
      const chats = await engine.readRaw<{ last_message_at: number }>(
        'select last_message_at from chats',
      );
      return chats.map((chat) => chat.last_message_at);
    };
    expect(await touched(1_700_000_009)).toEqual([1_700_000_009_000]);
    expect(await touched(1_700_000_005)).toEqual([1_700_000_009_000]);
  });

  it('moves many chats forward in several transactions on SQLite, where others wait for each', async () => {
    const updates = Array.from({ length: 250 }, (_, index) =>
      message(index + 1, 'a', { chat: { id: index + 1, type: 'private', first_name: 'Ann' } }),
    );
    await log.append(() => [{ botId: 1, updates, receivedAt: now }]);
    let transactions = 0;
    const counted: Engine = {
      ...engine,
      write: (job, options) => {
        transactions++;
        return engine.write(job, options);
      },
    };
    await createLogRepository(counted, appendParts(dialect)).touchChats(
      updates.map((_, index) => ({ botId: 1, chatId: 250 - index, date: 1_700_000_009 })),
    );
    expect(transactions).toBe(dialect === 'sqlite' ? 3 : 1);
    expect(
      await engine.readRaw(
        'select last_message_at, count(*) as count from chats group by last_message_at',
      ),
    ).toEqual([{ last_message_at: 1_700_000_009_000, count: 250 }]);
  });

  it('opens a new reader at the end and an old one where it was', async () => {
    await log.append(() => [{ botId: 1, updates: [message(1, 'a')], receivedAt: now }]);
    expect(await log.openReader(1, 'push', now)).toMatchObject({ position: 1 });
    await log.append(() => [{ botId: 1, updates: [message(2, 'b')], receivedAt: now }]);
    expect(await log.openReader(1, 'push', now)).toMatchObject({ position: 1 });
    expect(await log.openReader(1, 'other', now, 0)).toMatchObject({ position: 0 });
    expect((await log.readers(1)).map((reader) => reader.name).sort()).toEqual(['other', 'push']);
  });

  it('keeps the raw text to the byte', async () => {
    const raw = '{"update_id": 5,  "new_kind":{"n":12345678901234567890,"1":1.0,"e":"\\u0000\\/"}}';
    const [slice] = sliceArray(`{"ok":true,"result":[ ${raw} ]}`, 'result') ?? [];
    const update = readUpdate(slice ?? '', JSON.parse(raw), now);
    expect(update).toMatchObject({ kind: 'new_kind', queue: 'other' });
    await log.append(() => [{ botId: 1, updates: [update as IncomingUpdate], receivedAt: now }]);
    expect((await log.read(1, 0, 1))[0]?.raw).toBe(raw);
  });
});
