import { describe, expect, it } from 'vitest';
import { raw } from '../../../src/store/engine.ts';
import { dialects } from '../../support/database/engines.ts';
import { pullsForEachTest, range, update } from '../../support/rigs/pull-rig.ts';

describe.each(dialects)('long polls set to another position, on %s', (dialect) => {
  const { engine, pullers, append, appendIds, poll, waiting, restart } = pullsForEachTest(dialect);

  it('reads again from the position it is set to, whatever offset its client asks with', async () => {
    await appendIds(...range(1, 10));
    expect(await poll()).toEqual(range(1, 10));
    expect(await poll({ offset: 11 })).toEqual([]);
    expect(await pullers().rewind(1, '', 4)).toBe(10);
    expect(await pullers().pending(1)).toBe(6);
    // The client continues as before. An answer that ended with 10 would have it ask as if it were lost.
    expect(await poll({ offset: 11 })).toEqual(range(5, 9));
    expect(await poll({ offset: 11 })).toEqual(range(5, 9));
    await restart();
    expect(await poll({ offset: 10 })).toEqual([10]);
    expect(await poll({ offset: 11 })).toEqual([]);
    expect(await poll()).toEqual([]);
    await pullers().rewind(1, '', 9);
    expect(await poll({ offset: 11 })).toEqual([10]);
    expect(await poll({ offset: 11 })).toEqual([]);
    // New ones among those read again.
    await pullers().rewind(1, '', 8);
    await appendIds(11, 12);
    expect(await poll({ offset: 11 })).toEqual([9, 10, 11, 12]);
    expect(await poll({ offset: 13 })).toEqual([]);
    expect(await pullers().rewind(1, 'nobody', 3)).toBeUndefined();
    expect(await pullers().pending(1, 'nobody')).toBeUndefined();
  });

  it('skips what lies before the position it is set to, and loses nothing after it', async () => {
    await appendIds(1, 2, 3);
    expect(await poll()).toEqual([1, 2, 3]);
    expect(await pullers().rewind(1, '', 3)).toBe(0);
    expect(await poll({ offset: 4 })).toEqual([]);
    const waits = poll({ offset: 4, timeoutSeconds: 50 });
    await waiting(1);
    await appendIds(4);
    expect(await waits).toEqual([4]);
    expect(await poll({ offset: 4 })).toEqual([4]);
    expect(await poll({ offset: 5 })).toEqual([]);
    // A run that is lower than all the client has seen.
    await appendIds(900, 901);
    await engine().write(() => raw('delete from seen_ranges'));
    await appendIds(2, 3);
    await pullers().rewind(1, '', 6);
    expect(await poll({ offset: 5 })).toEqual([2, 3]);
    expect(await poll({ offset: 5 })).toEqual([2, 3]);
    expect(await poll({ offset: 4 })).toEqual([]);
  });

  it('shows what is read again by the allowed_updates in force', async () => {
    await append(update(1), update(2, 'poll'), update(3, 'chat_member'));
    expect(await poll({ allowedUpdates: ['poll'] })).toEqual([1, 2]);
    expect(await poll({ offset: 4 })).toEqual([]);
    await pullers().rewind(1, '', 0);
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
    expect([pullers().isWaiting(1, ''), pullers().isWaiting(1, 'x')]).toEqual([true, false]);
    await pullers().rewind(1, '', 0);
    expect(await waits).toEqual([]);
    expect(pullers().waiting).toBe(1);
    expect(await poll({ offset: 3 })).toEqual([1]);
    // The other node was notified as well, and continues to wait.
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
      await pullers().rewind(1, '', 0);
      // Answered with nothing, or from the new position, but never left to wait.
      expect([[], [1]]).toContainEqual(await waits);
    }
  });
});
