import { beforeEach, describe, expect, it } from 'vitest';
import type { NewRoute } from '../../src/store/routing/routes.ts';
import type { Store } from '../../src/store/store.ts';
import { dialects } from '../support/database/engines.ts';
import { openStore } from '../support/database/store.ts';

describe.each(dialects)('routes on %s', (dialect) => {
  let store: Store;
  let route: NewRoute;

  beforeEach(async () => {
    store = await openStore(dialect);
    const a = await store.bots.insert({ token: '1:a', source: 'web' }, 1);
    const b = await store.bots.insert({ token: '2:b', source: 'web' }, 1);
    route = {
      source_bot_id: a.id,
      target_bot_id: b.id,
      condition_type: 'keyword',
      condition_value: 'help',
      action: 'forward',
      target_chat_id: -(2 ** 52 - 1),
      enabled: false,
      description: 'for people',
      priority: 0,
      source_chat_id: 0,
      source_thread_id: 0,
      target_thread_id: 0,
      return_mode: 'reply',
    };
  });

  it('keeps a route as it was given', async () => {
    const added = await store.routes.insert(route, 1);
    expect(added).toEqual({ id: 1, ...route });
    expect(await store.routes.get(1)).toEqual(added);
    expect(await store.routes.get(2)).toBeUndefined();
  });

  it('has room for the conditions of a bot once, though many ask at the same moment', async () => {
    const heavy = (n: number): NewRoute => ({
      ...route,
      enabled: true,
      condition_type: 'regex',
      condition_value: `[ab].{700}.{700}${n}`,
    });
    const added = await Promise.allSettled(
      Array.from({ length: 14 }, (_, n) => store.routes.insert(heavy(n), 1)),
    );
    expect(added.filter(({ status }) => status === 'fulfilled')).toHaveLength(11);
    expect(await store.routes.list()).toHaveLength(11);
    const [one, other] = await Promise.all([0, 1].map(() => store.routes.insert(route, 1)));
    await store.routes.remove((await store.routes.list())[0]?.id ?? 0);
    const replaced = await Promise.allSettled(
      [one, other].map((each, n) => store.routes.replace(each?.id ?? 0, heavy(30 + n), 1)),
    );
    expect(replaced.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });

  it('lists in the order of priority and then of age', async () => {
    for (const [description, priority] of [
      ['third', 5],
      ['first', -1],
      ['second', 0],
      ['fourth', 5],
    ] as const) {
      await store.routes.insert({ ...route, description, priority }, 1);
    }
    const described = (await store.routes.fromBot(route.source_bot_id)).map((r) => r.description);
    expect(described).toEqual(['first', 'second', 'third', 'fourth']);
  });

  it('tells routes of a bot in both directions from those it starts', async () => {
    await store.routes.insert(route, 1);
    expect(await store.routes.ofBot(route.target_bot_id)).toHaveLength(1);
    expect(await store.routes.fromBot(route.target_bot_id)).toHaveLength(0);
    expect(await store.routes.list()).toHaveLength(1);
  });

  it('replaces a route whole', async () => {
    await store.routes.insert(route, 1);
    const next = { ...route, condition_type: 'all', condition_value: '', enabled: true };
    expect(await store.routes.replace(1, next, 2)).toEqual({ id: 1, ...next });
    expect(await store.routes.replace(9, next, 2)).toBeUndefined();
  });

  it('has no route to a bot that has gone', async () => {
    await store.routes.insert(route, 1);
    expect(await store.routes.insert({ ...route, target_bot_id: 99 }, 1)).toBeUndefined();
    expect(await store.routes.replace(1, { ...route, source_bot_id: 99 }, 1)).toBeUndefined();
    expect(await store.routes.list()).toEqual([{ id: 1, ...route }]);
  });

  it('removes once', async () => {
    await store.routes.insert(route, 1);
    expect(await store.routes.remove(1)).toBe(true);
    expect(await store.routes.remove(1)).toBe(false);
  });
});
