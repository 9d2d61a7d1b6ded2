import { describe, expect, it, vi } from 'vitest';
import { type IncomingUpdate, readUpdate } from '../../../src/core/log/update-facts.ts';
import { raw } from '../../../src/store/engine.ts';
import { dialects } from '../../support/database/engines.ts';
import { pullsForEachTest, range, update } from '../../support/rigs/pull-rig.ts';

describe.each(dialects)('offsets of long polls on %s', (dialect) => {
  const { engine, clock, pullers, append, appendIds, pollRaw, poll, waiting, restart } =
    pullsForEachTest(dialect);

  it('clamps limit and timeout, whatever they are', async () => {
    await appendIds(...range(1, 150));
    expect(await poll({ limit: 0 })).toEqual([1]);
    expect(await poll({ limit: -5 })).toEqual([1]);
    expect(await poll({ limit: 1_000 })).toEqual(range(1, 100));
    expect(await poll({ offset: 151, timeoutSeconds: -3 })).toEqual([]);
    const long = poll({ offset: 151, timeoutSeconds: 5_000 });
    await waiting(1);
    await clock().advance(49_999);
    expect(pullers().waiting).toBe(1);
    await clock().advance(1);
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

  it('drops nothing for a negative offset if pending updates are kept', async () => {
    const kept = (offset: number) => poll({ offset, keepsPending: true });
    await appendIds(...range(1, 4));
    expect(await kept(-1)).toEqual([4]);
    expect(await kept(-9)).toEqual(range(1, 4));
    await restart();
    // Clients that want to skip what waits send the offset after the update they were shown.
    expect(await kept(5)).toEqual(range(1, 3));
    expect(await kept(4)).toEqual([4]);
    expect(await kept(5)).toEqual([]);
    await appendIds(5);
    expect(await kept(-1)).toEqual([5]);
    expect(await kept(6)).toEqual([5]);
    expect(await kept(6)).toEqual([]);
    expect(await kept(-1)).toEqual([]);
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

  it('takes one commit for each answer, also where webhooks came out of order', async () => {
    await appendIds(105, 103, 107, 104);
    const write = vi.spyOn(engine(), 'write');
    expect(await poll()).toEqual([105]);
    expect(await poll({ offset: 106 })).toEqual([103, 107]);
    expect(await poll({ offset: 108 })).toEqual([104]);
    expect(await poll({ offset: 105 })).toEqual([]);
    expect(write).toHaveBeenCalledTimes(3);
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
    // A client repeats the offset it has.
    expect(await poll({ offset: 8 })).toEqual([6, 9]);
    expect(await poll({ offset: 10 })).toEqual([8]);
    expect(await poll({ offset: 9 })).toEqual([]);
    // The same for an id that comes a second time after days.
    await engine().write(() => raw('delete from seen_ranges'));
    await appendIds(8);
    expect(await poll({ offset: 9 })).toEqual([8]);
    // Whether that answer arrived is unknown, so it comes again; but not without end.
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

  it('does not take an offset for one of updates that came after those retention took', async () => {
    await appendIds(20, 21);
    await appendIds(12, 13);
    expect(await poll({ offset: 5 })).toEqual([20, 21]);
    expect(await poll({ offset: 22 })).toEqual([12, 13]);
    await appendIds(3, 4);
    await engine().write(() => raw('delete from log where position <= 4'));
    // 14 is one past the last shown, which was trimmed; 3 and 4 never existed.
    expect(await poll({ offset: 14 })).toEqual([3, 4]);
    expect(await poll({ offset: 5 })).toEqual([]);
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
});
