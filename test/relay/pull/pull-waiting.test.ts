import { describe, expect, it } from 'vitest';
import { dialects } from '../../support/database/engines.ts';
import { pullsForEachTest, range, update } from '../../support/rigs/pull-rig.ts';

const terminated =
  'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running';

describe.each(dialects)('long polls that wait, on %s', (dialect) => {
  const {
    database,
    engine,
    clock,
    pullers,
    startPullers,
    announced,
    append,
    appendIds,
    poll,
    waiting,
  } = pullsForEachTest(dialect);

  it('waits for an update and answers the moment it is stored', async () => {
    const waits = poll({ timeoutSeconds: 30 });
    await waiting(1);
    await appendIds(1);
    expect(await waits).toEqual([1]);
    expect(pullers().waiting).toBe(0);
  });

  it('answers a poll that begins during an append', async () => {
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
    expect(pullers().waiting).toBe(1);
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
    // A notification about another poll, sent before this one was announced, is older than this one.
    pullers().onPollAnnounced(1, '', 'elsewhere 1');
    pullers().onPollAnnounced(1, '', announced.at(-1) ?? '');
    expect(pullers().waiting).toBe(1);
    pullers().onPollAnnounced(1, '', 'elsewhere 2');
    await refused;
    const last = poll({ timeoutSeconds: 50 });
    await waiting(1);
    pullers().close();
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

  it('does not wake a poll for what it does not want, and puts long stretches behind it', async () => {
    const waits = poll({ allowedUpdates: ['poll'], timeoutSeconds: 50 });
    await waiting(1);
    await appendIds(...range(1, 250));
    await clock().advance(50_000);
    expect(await waits).toEqual([]);
    expect(await poll()).toEqual([]);
    expect(await pullers().pending(1)).toBe(0);
    await append(update(251, 'poll'));
    expect(await poll()).toEqual([251]);
    expect(await pullers().pending(1)).toBe(1);
  });

  it('does not block other readers while it scans a long range', async () => {
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

  it('answers the waiting polls of a bot whose settings changed', async () => {
    const polls = [poll({ timeoutSeconds: 50 }), poll({ consumer: 'a', timeoutSeconds: 50 })];
    await waiting(2);
    pullers().recall(11);
    expect(pullers().waiting).toBe(2);
    pullers().recall(1);
    expect(await Promise.all(polls)).toEqual([[], []]);
  });

  it('keeps polls of one consumer on several nodes from undoing each other', async () => {
    const secondEngine = dialect === 'postgres' ? await database().open() : engine();
    const { pullers: second } = startPullers(secondEngine);
    try {
      await appendIds(...range(1, 60));
      for (let id = 2; id <= 61; id += 2) {
        const request = { botId: 1, consumer: '', limit: 100, timeoutSeconds: 0 };
        await Promise.all([
          pullers().poll({ ...request, offset: id }),
          second.poll({ ...request, offset: id - 1 }),
        ]);
        expect((await poll())[0] ?? 61).toBe(Math.max(id, 1));
      }
    } finally {
      second.close();
      if (secondEngine !== engine()) await secondEngine.close();
    }
  });
});
