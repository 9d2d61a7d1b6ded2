import { beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import { dialects } from '../support/database/engines.ts';
import { openStore } from '../support/database/store.ts';

const tag = { chat_id: -5, user_id: 7, username: 'ann', tag: 'vip', color: '' };

describe.each(dialects)('tags and keys of repeated requests on %s', (dialect) => {
  let store: Store;

  beforeEach(async () => {
    store = await openStore(dialect);
  });

  it('adds a tag in the default colour', async () => {
    const added = await store.tags.add(tag, [0], '#888888', 42);
    expect(added).toEqual({ ...tag, id: 1, color: '#888888', created_at: 42 });
    expect(await store.tags.get(1)).toEqual(added);
  });

  it('has one tag per chat, user and label, whose colour follows', async () => {
    const added = await store.tags.add({ ...tag, color: 'red' }, [0], '#888888', 1);
    expect(await store.tags.add(tag, [0], '#888888', 2)).toEqual(added);
    const repainted = await store.tags.add({ ...tag, color: 'blue', username: 'new' }, [0], 'x', 3);
    expect(repainted).toEqual({ ...added, color: 'blue' });
    expect(await store.tags.ofChat(-5, null)).toEqual([repainted]);
  });

  it('lists by chat and by user', async () => {
    await store.tags.add({ ...tag, user_id: 9 }, [0], 'red', 1);
    await store.tags.add(tag, [0], 'red', 1);
    await store.tags.add({ ...tag, tag: 'second' }, [0], 'red', 1);
    await store.tags.add({ ...tag, chat_id: -6 }, [0], 'red', 1);
    expect((await store.tags.ofChat(-5, null)).map((row) => [row.user_id, row.tag])).toEqual([
      [7, 'vip'],
      [7, 'second'],
      [9, 'vip'],
    ]);
    expect((await store.tags.ofUser(-5, 7, null)).map((row) => row.tag)).toEqual(['vip', 'second']);
  });

  it('removes once', async () => {
    await store.tags.add(tag, [0], 'red', 1);
    expect(await store.tags.remove(1, null)).toBe(true);
    expect(await store.tags.remove(1, null)).toBe(false);
  });

  it('gives a key to the first request that begins with it', async () => {
    const begin = (hash: string) => store.idempotency.begin('key:1', 'k', hash, 100, 0);
    const outcomes = await Promise.all(['a', 'b', 'c'].map(begin));
    expect(outcomes.filter((outcome) => outcome === undefined)).toHaveLength(1);
    await store.idempotency.finish('key:1', 'k', 'answer');
    expect(await begin('a')).toMatchObject({ response: 'answer', created_at: 100 });
    expect(await store.idempotency.begin('key:2', 'k', 'a', 100, 0)).toBeUndefined();
  });

  it('gives a key again once it is forgotten, expired or purged', async () => {
    const begin = (now: number, expiredBefore: number) =>
      store.idempotency.begin('key:1', 'k', 'a', now, expiredBefore);
    await begin(100, 0);
    await store.idempotency.forget('key:1', 'k');
    expect(await begin(200, 0)).toBeUndefined();
    expect(await begin(300, 200)).toBeDefined();
    expect(await begin(300, 201)).toBeUndefined();
    expect(await store.idempotency.purge(301)).toBe(1);
    expect(await store.idempotency.get('key:1', 'k')).toBeUndefined();
  });
});
