import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type IncomingUpdate, readUpdate } from '../../src/core/update-facts.ts';
import { createPullers, type PollRequest, type Pullers } from '../../src/relay/pull/pullers.ts';
import { createUpdateLog, type UpdateLog } from '../../src/relay/update-log.ts';
import { createConsumerRepository } from '../../src/store/consumers.ts';
import { type Engine, run } from '../../src/store/engine.ts';
import { createLogRepository } from '../../src/store/log.ts';
import { createDatabase, type Database, dialects } from '../support/engines.ts';
import { createManualClock, type ManualClock } from '../support/manual-clock.ts';

const terminated =
  'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running';

function update(updateId: number, kind = 'message', text = 'x'): IncomingUpdate {
  const content = {
    update_id: updateId,
    [kind]: {
      message_id: updateId,
      date: 1_700_000_000,
      chat: { id: 5, type: 'private' },
      from: { id: 5, is_bot: false, first_name: 'Ann' },
      text,
    },
  };
  const read = readUpdate(JSON.stringify(content), content, 1_700_000_000_000);
  if (!read) throw new Error('not an update');
  return read;
}

describe.each(dialects)('long polls on %s', (dialect) => {
  let database: Database;
  let engine: Engine;
  let clock: ManualClock;
  let updateLog: UpdateLog;
  let pullers: Pullers;
  const announced: string[] = [];

  function start(): void {
    const log = createLogRepository(engine);
    updateLog = createUpdateLog(log);
    pullers = createPullers({
      consumers: createConsumerRepository(engine),
      log,
      updateLog,
      clock,
      onWaiting: (_botId, _consumer, pollId) => announced.push(pollId),
    });
  }

  async function restart(): Promise<void> {
    pullers.close();
    await engine.close();
    engine = await database.open();
    start();
  }

  beforeEach(async () => {
    database = await createDatabase(dialect);
    engine = await database.open();
    clock = createManualClock();
    start();
    await engine.write(() =>
      run(
        engine.sql.insertInto('bots').values({
          id: 1,
          platform_id: 1,
          token_hash: 'hash',
          token_sealed: '',
          name: 'bot',
          source: 'web',
          created_at: 0,
          updated_at: 0,
        } as never),
      ),
    );
    await pullers.ensureDefaultReader(1);
  });
  afterEach(async () => {
    pullers.close();
    await engine.close();
    await database.drop();
  });

  const append = (...updates: IncomingUpdate[]) =>
    updateLog.append(1, updates, { receivedAt: clock.now() });
  const appendIds = (...ids: number[]) => append(...ids.map((id) => update(id)));
  const range = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, index) => from + index);
  const pollRaw = (request: Partial<PollRequest> = {}) =>
    pullers.poll({ botId: 1, consumer: '', offset: 0, limit: 100, timeoutSeconds: 0, ...request });
  const poll = async (request: Partial<PollRequest> = {}) => idsOf(await pollRaw(request));
  const idsOf = (raws: string[]) =>
    raws.map((raw) => (JSON.parse(raw) as { update_id: number }).update_id);
  /** Resolves once that many polls wait. */
  async function waiting(count: number): Promise<void> {
    while (pullers.waiting !== count) await new Promise((resolve) => setImmediate(resolve));
  }

  it('clamps limit and timeout, whatever they are', async () => {
    await appendIds(...range(1, 150));
    expect(await poll({ limit: 0 })).toEqual([1]);
    expect(await poll({ limit: -5 })).toEqual([1]);
    expect(await poll({ limit: 1_000 })).toEqual(range(1, 100));
    expect(await poll({ offset: 151, timeoutSeconds: -3 })).toEqual([]);
    const long = poll({ offset: 151, timeoutSeconds: 5_000 });
    await waiting(1);
    await clock.advance(49_999);
    expect(pullers.waiting).toBe(1);
    await clock.advance(1);
    expect(await long).toEqual([]);
  });

  it('forgets what lies below a positive offset, and nothing for 0', async () => {
    await appendIds(10, 11, 12, 13);
    expect(await poll()).toEqual([10, 11, 12, 13]);
    expect(await poll({ limit: 2 })).toEqual([10, 11]);
    expect(await poll({ offset: 12 })).toEqual([12, 13]);
    expect(await poll()).toEqual([12, 13]);
    // An offset skips updates that were never shown, too, and one below the oldest changes nothing.
    await appendIds(14, 15, 16);
    expect(await poll({ offset: 3 })).toEqual([12, 13, 14, 15, 16]);
    expect(await poll({ offset: 16 })).toEqual([16]);
    expect(await poll({ offset: 17 })).toEqual([]);
    expect(await poll()).toEqual([]);
  });

  it('keeps only the last n for a negative offset', async () => {
    await appendIds(...range(1, 10));
    expect(await poll({ offset: -20 })).toEqual(range(1, 10));
    expect(await poll({ offset: -3 })).toEqual([8, 9, 10]);
    expect(await poll()).toEqual([8, 9, 10]);
    expect(await poll({ offset: -1 })).toEqual([10]);
    expect(await poll({ offset: 11 })).toEqual([]);
    expect(await poll({ offset: -1 })).toEqual([]);
  });

  it('takes an offset more than 10 past the newest id for a mistake', async () => {
    await appendIds(...range(1, 5));
    expect(await poll({ offset: 16 })).toEqual(range(1, 5));
    expect(await poll({ offset: 1_000_000 })).toEqual(range(1, 5));
    expect(await poll({ offset: 15 })).toEqual([]);
    await appendIds(6);
    expect(await poll()).toEqual([6]);
  });

  it('confirms thousands at once', async () => {
    for (let from = 1; from <= 5_000; from += 1_000) await appendIds(...range(from, from + 999));
    expect(await poll({ offset: 4_990, limit: 3 })).toEqual([4_990, 4_991, 4_992]);
  });

  it('stops an answer at about 4 MiB, yet never before the first update', async () => {
    const big = 'y'.repeat(1_500_000);
    await append(...range(1, 4).map((id) => update(id, 'message', big)));
    expect(await poll()).toEqual([1, 2]);
    await append(update(5, 'message', 'z'.repeat(5_000_000)));
    expect(await poll({ offset: 5 })).toEqual([5]);
  });

  it('gives updates to the byte as they came', async () => {
    const raw = '{"update_id": 5,  "new_kind":{"n":12345678901234567890,"1":1.0,"e":"\\u00e9"}}';
    await append(readUpdate(raw, JSON.parse(raw), 0) as IncomingUpdate);
    expect(await pollRaw()).toEqual([raw]);
  });

  it('waits for an update and answers the moment it is stored', async () => {
    const waits = poll({ timeoutSeconds: 30 });
    await waiting(1);
    await appendIds(1);
    expect(await waits).toEqual([1]);
    expect(pullers.waiting).toBe(0);
  });

  it('answers a poll that begins while an append is under way', async () => {
    for (let id = 1; id <= 40; id++) {
      const stored = appendIds(id);
      expect(await poll({ offset: id, timeoutSeconds: 50 })).toEqual([id]);
      await stored;
    }
  });

  it('ends a waiting poll when another has to wait, but not when that is answered at once', async () => {
    const older = poll({ timeoutSeconds: 50 });
    const refused = expect(older).rejects.toThrow(terminated);
    await waiting(1);
    const newer = poll({ timeoutSeconds: 50 });
    await refused;
    expect(await poll({ timeoutSeconds: 0 })).toEqual([]);
    expect(pullers.waiting).toBe(1);
    // Another consumer is no rival.
    const other = poll({ consumer: 'other', timeoutSeconds: 50 });
    await waiting(2);
    await appendIds(1);
    expect(await newer).toEqual([1]);
    expect(await other).toEqual([1]);
  });

  it('ends a poll that began to wait elsewhere, and all of them at the close', async () => {
    const older = poll({ timeoutSeconds: 50 });
    const refused = expect(older).rejects.toThrow(terminated);
    await waiting(1);
    // What was said of another poll before this one was announced is older than this one.
    pullers.heard(1, '', 'elsewhere 1');
    pullers.heard(1, '', announced.at(-1) ?? '');
    expect(pullers.waiting).toBe(1);
    pullers.heard(1, '', 'elsewhere 2');
    await refused;
    const last = poll({ timeoutSeconds: 50 });
    await waiting(1);
    pullers.close();
    expect(await last).toEqual([]);
    expect(await poll({ timeoutSeconds: 50 })).toEqual([]);
  });

  it('lets go when the client goes away', async () => {
    const gone = new AbortController();
    const waits = poll({ timeoutSeconds: 50, signal: gone.signal });
    await waiting(1);
    gone.abort();
    expect(await waits).toEqual([]);
    await appendIds(1);
    expect(await poll()).toEqual([1]);
  });

  it('never spans a downward jump, and resolves an offset within the run it showed', async () => {
    await appendIds(900_000, 900_001);
    await appendIds(12, 13);
    expect(await poll()).toEqual([900_000, 900_001]);
    // 13 + 1 lies below every id of the run that was shown: it confirms nothing of either.
    expect(await poll({ offset: 14 })).toEqual([900_000, 900_001]);
    expect(await poll({ offset: 900_002 })).toEqual([12, 13]);
    // The old offset once more: nothing of the new run is confirmed by it.
    expect(await poll({ offset: 900_002 })).toEqual([12, 13]);
    expect(await poll({ offset: 13 })).toEqual([13]);
    expect(await poll({ offset: 14 })).toEqual([]);
  });

  it('loses nothing that arrives late and out of order', async () => {
    await appendIds(7);
    expect(await poll()).toEqual([7]);
    expect(await poll({ offset: 8 })).toEqual([]);
    await appendIds(6, 9, 8);
    // A client goes on asking with the offset it has.
    expect(await poll({ offset: 8 })).toEqual([6, 9]);
    expect(await poll({ offset: 10 })).toEqual([8]);
    expect(await poll({ offset: 9 })).toEqual([]);
    // The same for an id that comes a second time after days.
    await engine.write(() => run(engine.sql.deleteFrom('seen_updates')));
    await appendIds(8);
    expect(await poll({ offset: 9 })).toEqual([8]);
    // Nobody can tell whether that answer arrived, so it comes again; but not for ever.
    for (let repeat = 0; repeat < 3; repeat++) expect(await poll({ offset: 9 })).toEqual([8]);
    expect(await poll({ offset: 9 })).toEqual([]);
  });

  it('shows the beginning of a lower run again when its answer was lost', async () => {
    await appendIds(7);
    await poll();
    expect(await poll({ offset: 8 })).toEqual([]);
    const waits = poll({ offset: 8, timeoutSeconds: 50 });
    await waiting(1);
    await appendIds(3);
    expect(await waits).toEqual([3]);
    await restart();
    // The answer was lost: the client knows only its old offset.
    expect(await poll({ offset: 8 })).toEqual([3]);
    expect(await poll({ offset: 4 })).toEqual([]);
    await appendIds(4);
    expect(await poll({ offset: 4 })).toEqual([4]);
  });

  it('hides three kinds unless they are asked for, and remembers what was asked for', async () => {
    const kinds = ['message', 'chat_member', 'message_reaction', 'message_reaction_count', 'poll'];
    const all = (from: number) => append(...kinds.map((kind, index) => update(from + index, kind)));
    await all(1);
    expect(await poll()).toEqual([1, 5]);
    // Asked for now, it holds for what is queued from now on.
    expect(await poll({ allowedUpdates: '["chat_member", "poll"]' })).toEqual([1, 5]);
    await all(11);
    expect(await poll()).toEqual([1, 5, 12, 15]);
    expect(await poll({ offset: 6 })).toEqual([12, 15]);
    await restart();
    await all(21);
    expect(await poll({ offset: 13 })).toEqual([15, 22, 25]);
    // What is no list keeps the former wish; an empty one is the default again.
    expect(await poll({ offset: 26, allowedUpdates: 'nonsense' })).toEqual([]);
    await all(31);
    expect(await poll({ offset: 26, allowedUpdates: [] })).toEqual([32, 35]);
    await all(41);
    expect(await poll({ offset: 36 })).toEqual([41, 45]);
  });

  it('does not wake a poll for what it does not want, and puts long stretches behind it', async () => {
    const waits = poll({ allowedUpdates: ['poll'], timeoutSeconds: 50 });
    await waiting(1);
    await appendIds(...range(1, 250));
    await clock.advance(50_000);
    expect(await waits).toEqual([]);
    expect(await poll()).toEqual([]);
    expect(await pullers.pending(1)).toBe(0);
    await append(update(251, 'poll'));
    expect(await poll()).toEqual([251]);
    expect(await pullers.pending(1)).toBe(1);
  });

  it('leaves others their turn while it looks through a long stretch', async () => {
    for (let n = 0; n < 6; n++) {
      await append(...range(1, 1_000).map((id) => update(n * 1_000 + id, 'message_reaction')));
    }
    let turns = 0;
    const polled = poll();
    const count = () => {
      turns++;
      pending = setImmediate(count);
    };
    let pending = setImmediate(count);
    expect(await polled).toEqual([]);
    expect(turns).toBeGreaterThan(50);
    for (let n = 6; n < 12; n++) {
      await append(...range(1, 1_000).map((id) => update(n * 1_000 + id)));
    }
    turns = 0;
    await poll({ offset: 5_000_000 });
    expect(turns).toBeGreaterThan(2);
    clearImmediate(pending);
  });

  it('gives each named consumer every update, from its first poll on', async () => {
    await appendIds(1);
    expect(await poll({ consumer: 'a' })).toEqual([]);
    await appendIds(2, 3);
    expect(await poll({ consumer: 'b' })).toEqual([]);
    await appendIds(4);
    expect(await poll({ consumer: 'a', offset: 3 })).toEqual([3, 4]);
    expect(await poll({ consumer: 'b' })).toEqual([4]);
    expect(await poll()).toEqual([1, 2, 3, 4]);
    const pending = async (consumer: string) => await pullers.pending(1, consumer);
    expect([await pending(''), await pending('a'), await pending('b')]).toEqual([4, 2, 1]);
  });

  it('reads again from the position it is set to, whatever offset its client asks with', async () => {
    await appendIds(...range(1, 10));
    expect(await poll()).toEqual(range(1, 10));
    expect(await poll({ offset: 11 })).toEqual([]);
    expect(await pullers.rewind(1, '', 4)).toBe(10);
    expect(await pullers.pending(1)).toBe(6);
    // The client goes on as before. An answer that ended with 10 would have it ask as if it were lost.
    expect(await poll({ offset: 11 })).toEqual(range(5, 9));
    expect(await poll({ offset: 11 })).toEqual(range(5, 9));
    await restart();
    expect(await poll({ offset: 10 })).toEqual([10]);
    expect(await poll({ offset: 11 })).toEqual([]);
    expect(await poll()).toEqual([]);
    await pullers.rewind(1, '', 9);
    expect(await poll({ offset: 11 })).toEqual([10]);
    expect(await poll({ offset: 11 })).toEqual([]);
    // New ones among those read again.
    await pullers.rewind(1, '', 8);
    await appendIds(11, 12);
    expect(await poll({ offset: 11 })).toEqual([9, 10, 11, 12]);
    expect(await poll({ offset: 13 })).toEqual([]);
    expect(await pullers.rewind(1, 'nobody', 3)).toBeUndefined();
    expect(await pullers.pending(1, 'nobody')).toBe(0);
  });

  it('skips what lies before the position it is set to, and loses nothing after it', async () => {
    await appendIds(1, 2, 3);
    expect(await poll()).toEqual([1, 2, 3]);
    expect(await pullers.rewind(1, '', 3)).toBe(0);
    expect(await poll({ offset: 4 })).toEqual([]);
    const waits = poll({ offset: 4, timeoutSeconds: 50 });
    await waiting(1);
    await appendIds(4);
    expect(await waits).toEqual([4]);
    expect(await poll({ offset: 4 })).toEqual([4]);
    expect(await poll({ offset: 5 })).toEqual([]);
    // A run that is lower than all the client has seen.
    await appendIds(900, 901);
    await engine.write(() => run(engine.sql.deleteFrom('seen_updates')));
    await appendIds(2, 3);
    await pullers.rewind(1, '', 6);
    expect(await poll({ offset: 5 })).toEqual([2, 3]);
    expect(await poll({ offset: 5 })).toEqual([2, 3]);
    expect(await poll({ offset: 4 })).toEqual([]);
  });

  it('shows what is read again by the wish in force', async () => {
    await append(update(1), update(2, 'poll'), update(3, 'chat_member'));
    expect(await poll({ allowedUpdates: ['poll'] })).toEqual([1, 2]);
    expect(await poll({ offset: 4 })).toEqual([]);
    await pullers.rewind(1, '', 0);
    expect(await poll()).toEqual([2]);
    await restart();
    await append(update(4, 'chat_member'), update(5, 'poll'));
    expect(await poll({ offset: 3 })).toEqual([5]);
  });

  it('answers a waiting poll with nothing when its consumer is set elsewhere', async () => {
    await appendIds(1, 2);
    expect(await poll({ offset: 3 })).toEqual([]);
    const waits = poll({ offset: 3, timeoutSeconds: 50 });
    const other = poll({ consumer: 'other', timeoutSeconds: 50 });
    await waiting(2);
    expect([pullers.isWaiting(1, ''), pullers.isWaiting(1, 'x')]).toEqual([true, false]);
    await pullers.rewind(1, '', 0);
    expect(await waits).toEqual([]);
    expect(pullers.waiting).toBe(1);
    expect(await poll({ offset: 3 })).toEqual([1]);
    // The other was told of it as well, and goes on waiting.
    await appendIds(3);
    expect(await other).toEqual([3]);
  });

  it('does not miss that its consumer is set elsewhere while it looks', async () => {
    await appendIds(1);
    for (let round = 0; round < 30; round++) {
      await poll({ offset: 2 });
      await poll({ offset: 2 });
      const waits = poll({ offset: 2, timeoutSeconds: 50 });
      for (let turn = 0; turn < round % 6; turn++) await new Promise(setImmediate);
      await pullers.rewind(1, '', 0);
      // Answered with nothing, or from the new position, but never left to wait.
      expect([[], [1]]).toContainEqual(await waits);
    }
  });

  it('ends the poll of a consumer that is removed, and does not make it anew', async () => {
    await appendIds(...range(1, 3));
    const waits = poll({ consumer: 'a', timeoutSeconds: 50 });
    const ended = expect(waits).rejects.toThrow('the consumer a was removed');
    await waiting(1);
    expect(await pullers.remove(1, 'a')).toBe(3);
    await ended;
    expect(await pullers.remove(1, 'a')).toBeUndefined();
    // One that learns of it only at its end leaves nothing behind either.
    const late = poll({ consumer: 'b', allowedUpdates: ['poll'], timeoutSeconds: 50 });
    await waiting(1);
    await engine.write(() => run(engine.sql.deleteFrom('readers').where('name', '=', 'pull:b')));
    await appendIds(...range(4, 150));
    await clock.advance(50_000);
    expect(await late).toEqual([]);
    expect(await pullers.remove(1, 'b')).toBeUndefined();
  });

  it('does not take an offset for one of updates that came after those retention took', async () => {
    await appendIds(20, 21);
    await appendIds(12, 13);
    expect(await poll({ offset: 5 })).toEqual([20, 21]);
    expect(await poll({ offset: 22 })).toEqual([12, 13]);
    await appendIds(3, 4);
    await engine.write(() => run(engine.sql.deleteFrom('log').where('position', '<=', 4)));
    // 14 is one past what was shown, which is gone; 3 and 4 never were.
    expect(await poll({ offset: 14 })).toEqual([3, 4]);
    expect(await poll({ offset: 5 })).toEqual([]);
  });

  it('bounds the number of consumers', async () => {
    for (let index = 1; index < 100; index++) await poll({ consumer: `c${index}` });
    await expect(poll({ consumer: 'one-more' })).rejects.toThrow('100 consumers');
    expect(await poll({ consumer: 'c5' })).toEqual([]);
  });

  it('survives a restart where it stood, with what came before the first poll', async () => {
    await appendIds(1, 2, 3);
    await restart();
    expect(await poll()).toEqual([1, 2, 3]);
    expect(await poll({ offset: 3 })).toEqual([3]);
    await restart();
    expect(await poll({ offset: 3 })).toEqual([3]);
    expect(await poll({ offset: 4 })).toEqual([]);
    await restart();
    expect(await poll()).toEqual([]);
  });

  it('drops what is pending, and nothing that comes late with an id among those', async () => {
    await appendIds(1, 3, 9);
    expect(await poll()).toEqual([1, 3, 9]);
    expect(await poll({ offset: 3 })).toEqual([3, 9]);
    await pullers.drop(1);
    expect(await poll()).toEqual([]);
    await appendIds(7);
    expect(await poll({ offset: 10 })).toEqual([7]);
    await pullers.drop(1, 'nobody');
    expect(await pullers.remove(1, 'nobody')).toBeUndefined();
  });

  it('answers the waiting polls of a bot whose settings changed', async () => {
    const polls = [poll({ timeoutSeconds: 50 }), poll({ consumer: 'a', timeoutSeconds: 50 })];
    await waiting(2);
    pullers.recall(11);
    expect(pullers.waiting).toBe(2);
    pullers.recall(1);
    expect(await Promise.all(polls)).toEqual([[], []]);
  });

  it('keeps polls of one consumer on several nodes from undoing each other', async () => {
    const secondEngine = dialect === 'postgres' ? await database.open() : engine;
    const log = createLogRepository(secondEngine);
    const second = createPullers({
      consumers: createConsumerRepository(secondEngine),
      log,
      updateLog: createUpdateLog(log),
      clock,
    });
    try {
      await appendIds(...range(1, 60));
      for (let id = 2; id <= 61; id += 2) {
        const request = { botId: 1, consumer: '', limit: 100, timeoutSeconds: 0 };
        await Promise.all([
          pullers.poll({ ...request, offset: id }),
          second.poll({ ...request, offset: id - 1 }),
        ]);
        expect((await poll())[0] ?? 61).toBe(Math.max(id, 1));
      }
    } finally {
      second.close();
      if (secondEngine !== engine) await secondEngine.close();
    }
  });
});
