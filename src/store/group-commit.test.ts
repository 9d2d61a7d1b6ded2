import { describe, expect, it } from 'vitest';
import { RelayError } from '../errors.ts';
import { reason } from '../core/reasons/reason.ts';
import { groupCommit } from './group-commit.ts';

/** Commits are ended by hand, in the order in which they began. */
function rig(
  options: {
    refuses?: (item: string) => unknown;
    besideMs?: number;
    atOnce?: number;
    keyOf?: (item: string) => string;
  } = {},
) {
  const groups: string[][] = [];
  const ends: (() => void)[] = [];
  const commit = groupCommit<string, string>({
    async commit(take) {
      const open = Promise.withResolvers<void>();
      ends.push(open.resolve);
      groups.push([...take()]);
      await open.promise;
      for (const item of take()) {
        const error = options.refuses?.(item);
        if (error) throw error;
      }
      return take().map((item) => `${item} stored`);
    },
    ...options,
  });
  /** Ends every commit that begins until nothing waits. */
  async function endAll(): Promise<void> {
    for (let end = ends.shift(); end; end = ends.shift()) {
      end();
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  return { commit, groups, ends, endAll };
}

describe('a group commit', () => {
  it('gathers the next group while one commits', async () => {
    const { commit, groups, endAll } = rig();
    const all = Promise.all(['a', 'b', 'c'].map(commit));
    await endAll();
    expect(await all).toEqual(['a stored', 'b stored', 'c stored']);
    expect(groups).toEqual([['a'], ['b', 'c']]);
  });

  it('forms the group when its transaction begins', async () => {
    const begun = Promise.withResolvers<void>();
    const groups: string[][] = [];
    const commit = groupCommit<string, string>({
      async commit(take) {
        await begun.promise;
        groups.push([...take()]);
        return take();
      },
    });
    const all = Promise.all(['a', 'b'].map(commit));
    begun.resolve();
    expect(await all).toEqual(['a', 'b']);
    expect(groups).toEqual([['a', 'b']]);
  });

  it('lets each item of a refused group fail alone, one after the other', async () => {
    const refused = new Error('refused');
    const { commit, groups, endAll } = rig({ refuses: (item) => item === 'c' && refused });
    const all = Promise.allSettled(['a', 'b', 'c', 'd'].map(commit));
    await endAll();
    expect(await all).toEqual([
      { status: 'fulfilled', value: 'a stored' },
      { status: 'fulfilled', value: 'b stored' },
      { status: 'rejected', reason: refused },
      { status: 'fulfilled', value: 'd stored' },
    ]);
    expect(groups).toEqual([['a'], ['b', 'c', 'd'], ['b'], ['c'], ['d']]);
  });

  it('does not try items alone while the database is unavailable', async () => {
    const away = new RelayError('database_unavailable', reason('database_unreachable'));
    const { commit, groups, endAll } = rig({ refuses: () => away });
    const all = Promise.allSettled(['a', 'b', 'c'].map(commit));
    await endAll();
    expect((await all).map(({ status }) => status)).toEqual(Array(3).fill('rejected'));
    expect(groups).toEqual([['a'], ['b', 'c']]);
  });

  it('begins the next group beside one that takes too long', async () => {
    const { commit, groups, ends, endAll } = rig({ besideMs: 1 });
    const slow = commit('slow');
    const endSlow = ends.shift();
    const next = commit('next');
    await expect.poll(() => groups).toEqual([['slow'], ['next']]);
    await endAll();
    expect(await next).toBe('next stored');
    endSlow?.();
    expect(await slow).toBe('slow stored');
  });

  it('keeps items of one key in order while others overtake them', async () => {
    const { commit, groups, ends, endAll } = rig({ besideMs: 1, keyOf: ([key]) => key as string });
    const first = commit('a1');
    const endFirst = ends.shift();
    const others = Promise.all(['a2', 'b1', 'a3'].map(commit));
    await expect.poll(() => groups).toEqual([['a1'], ['b1']]);
    ends.shift()?.();
    endFirst?.();
    expect(await first).toBe('a1 stored');
    await expect.poll(() => groups).toEqual([['a1'], ['b1'], ['a2', 'a3']]);
    await endAll();
    expect(await others).toEqual(['a2 stored', 'b1 stored', 'a3 stored']);
  });

  it('begins no more groups than it may', async () => {
    const { commit, groups, ends, endAll } = rig({ besideMs: 1, atOnce: 2 });
    const all = ['a', 'b', 'c'].map(commit);
    await expect.poll(() => groups).toEqual([['a'], ['b', 'c']]);
    all.push(commit('d'));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(groups).toHaveLength(2);
    ends.shift()?.();
    await expect.poll(() => groups).toEqual([['a'], ['b', 'c'], ['d']]);
    await endAll();
    expect(await Promise.all(all)).toHaveLength(4);
  });

  it('tries the items of a refused group one after the other if keys tell their order', async () => {
    const refused = new Error('refused');
    const { commit, groups, endAll } = rig({
      besideMs: 60_000,
      keyOf: ([key]) => key as string,
      refuses: (item) => item === 'b1' && refused,
    });
    const all = Promise.allSettled(['a1', 'b1', 'b2'].map(commit));
    await endAll();
    expect((await all).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(groups).toEqual([['a1'], ['b1', 'b2'], ['b1'], ['b2']]);
  });

  it('tries the items of a refused group at the same time if groups may overlap', async () => {
    let isFirst = true;
    const { commit, groups, ends, endAll } = rig({
      besideMs: 60_000,
      refuses: (item) => item === 'b' && isFirst && new Error('refused'),
    });
    const all = Promise.all(['a', 'b', 'c'].map(commit));
    ends.shift()?.();
    await expect.poll(() => groups.length).toBe(2);
    ends.shift()?.();
    await expect.poll(() => groups).toEqual([['a'], ['b', 'c'], ['b'], ['c']]);
    isFirst = false;
    await endAll();
    expect(await all).toEqual(['a stored', 'b stored', 'c stored']);
  });
});
