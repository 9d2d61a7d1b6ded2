import { describe, expect, it } from 'vitest';
import { raw } from '../../../src/store/engine.ts';
import { dialects } from '../../support/database/engines.ts';
import { pullsForEachTest, range, update } from '../../support/rigs/pull-rig.ts';

describe.each(dialects)('consumers of long polls on %s', (dialect) => {
  const { engine, clock, pullers, append, appendIds, poll, waiting, restart } =
    pullsForEachTest(dialect);

  it('hides three kinds unless they are asked for, and remembers what was asked for', async () => {
    const kinds = ['message', 'chat_member', 'message_reaction', 'message_reaction_count', 'poll'];
    const all = (from: number) => append(...kinds.map((kind, index) => update(from + index, kind)));
    await all(1);
    expect(await poll()).toEqual([1, 5]);
    // It applies to updates queued from now on.
    expect(await poll({ allowedUpdates: '["chat_member", "poll"]' })).toEqual([1, 5]);
    await all(11);
    expect(await poll()).toEqual([1, 5, 12, 15]);
    expect(await poll({ offset: 6 })).toEqual([12, 15]);
    await restart();
    await all(21);
    expect(await poll({ offset: 13 })).toEqual([15, 22, 25]);
    // An invalid list keeps the earlier one; an empty list is the default.
    expect(await poll({ offset: 26, allowedUpdates: 'nonsense' })).toEqual([]);
    await all(31);
    expect(await poll({ offset: 26, allowedUpdates: [] })).toEqual([32, 35]);
    await all(41);
    expect(await poll({ offset: 36 })).toEqual([41, 45]);
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
    const pending = async (consumer: string) => await pullers().pending(1, consumer);
    expect([await pending(''), await pending('a'), await pending('b')]).toEqual([4, 2, 1]);
  });

  it('ends the poll of a removed consumer, and does not create it again', async () => {
    await appendIds(...range(1, 3));
    const waits = poll({ consumer: 'a', timeoutSeconds: 50 });
    const ended = expect(waits).rejects.toThrow('consumer a was removed');
    await waiting(1);
    expect(await pullers().remove(1, 'a')).toBe(3);
    await ended;
    expect(await pullers().remove(1, 'a')).toBeUndefined();
    // One that learns of it only at its end leaves nothing behind either.
    const late = poll({ consumer: 'b', allowedUpdates: ['poll'], timeoutSeconds: 50 });
    await waiting(1);
    await engine().write(() => raw(`delete from readers where name = 'pull:b'`));
    await appendIds(...range(4, 150));
    await clock().advance(50_000);
    expect(await late).toEqual([]);
    expect(await pullers().remove(1, 'b')).toBeUndefined();
  });

  it('bounds the number of consumers', async () => {
    for (let index = 1; index <= 100; index++) await poll({ consumer: `c${index}` });
    await expect(poll({ consumer: 'one-more' })).rejects.toThrow('100 consumers');
    expect(await poll({ consumer: 'c5' })).toEqual([]);
  });

  it('drops what is pending, and nothing that comes late with an id among those', async () => {
    await appendIds(1, 3, 9);
    expect(await poll()).toEqual([1, 3, 9]);
    expect(await poll({ offset: 3 })).toEqual([3, 9]);
    await pullers().drop(1);
    expect(await poll()).toEqual([]);
    await appendIds(7);
    expect(await poll({ offset: 10 })).toEqual([7]);
    await pullers().drop(1, 'nobody');
    expect(await pullers().remove(1, 'nobody')).toBeUndefined();
  });
});
