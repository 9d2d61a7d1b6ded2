import { expect, it } from 'vitest';
import { readWordQuery } from '../../src/core/search/search-grams.ts';
import { backgroundWork, restAfter, writeFor } from '../../src/store/background-work.ts';
import { type DialectName, type Engine, raw } from '../../src/store/engine.ts';
import { dialects } from '../support/database/engines.ts';
import { archived, openStore } from '../support/database/store.ts';

const chat = { id: 5, type: 'private', first_name: 'Ann' };
const longText = (id: number) => `refund${id} ${'x'.repeat(4_000)}`;

/** Adds a managed bot with messages that wait to be indexed, or for a backfill to reach them. */
async function filled(
  texts: readonly string[],
  by: 'queue' | 'backfill',
  dialect: DialectName = 'sqlite',
) {
  const store = await openStore(dialect);
  const isManaged = by === 'queue';
  const bot = await store.bots.insert(
    { token: '1:x', source: 'web', manage_enabled: isManaged },
    1,
  );
  await store.messages.archive(
    texts.map((text, index) => archived(bot.id, { message_id: index + 1, date: 1, chat, text })),
    1,
  );
  if (!isManaged) await store.bots.update(bot.id, { manage_enabled: true }, 1);
  const indexed = async () => {
    const [row] = await store.engine.readRaw<{ count: number }>(
      dialect === 'sqlite'
        ? 'select count(*) as count from message_search_docsize'
        : 'select count(*) as count from message_search',
    );
    return row?.count;
  };
  const segments = async () => {
    const [row] = await store.engine.readRaw<{ count: number }>(
      'select count(distinct segid) as count from message_search_idx',
    );
    return row?.count;
  };
  const find = async (text: string) => {
    const { grams = [] } = readWordQuery(text) ?? {};
    const filter = { botId: bot.id, grams, chatIds: undefined, limit: 100 };
    return (await store.messageSearch.find(filter)).map(({ row }) => row.id);
  };
  return { search: store.messageSearch, indexed, segments, find };
}

it.each(['queue', 'backfill'] as const)(
  'indexes few long texts of the %s at once, and leaves none out',
  async (by) => {
    const ids = Array.from({ length: 20 }, (_, index) => index + 1);
    const { search, indexed, find } = await filled(ids.map(longText), by);
    const work = backgroundWork(await search.backlog());
    for (const id of ids) {
      expect(await search.backlog()).toBeGreaterThan(0);
      await search.indexInBackground(work);
      expect(await indexed()).toBe(id);
    }
    while ((await search.indexInBackground(work)) === 'more');
    expect(await search.backlog()).toBe(0);
    for (const id of [1, 7, 20]) expect(await find(`refund${id}`)).toContain(id);
    expect(work.ownMs).toBeGreaterThan(0);
  },
);

it.each(['queue', 'backfill'] as const)(
  'makes the grams of few long texts of the %s at once on PostgreSQL, too',
  async (by) => {
    const texts = Array.from({ length: 25 }, (_, index) => longText(index + 1));
    const { search, indexed, find } = await filled(texts, by, 'postgres');
    const work = backgroundWork(await search.backlog());
    for (const count of [9, 18, 25]) {
      await search.indexInBackground(work);
      expect(await indexed()).toBe(count);
    }
    while ((await search.indexInBackground(work)) === 'more');
    expect(await search.backlog()).toBe(0);
    for (const id of [1, 7, 25]) expect(await find(`refund${id}`)).toContain(id);
  },
);

it('indexes at most sixty short texts at once', async () => {
  const { search, indexed } = await filled(
    Array.from({ length: 100 }, () => 'ok'),
    'queue',
  );
  expect(await search.backlog()).toBe(100);
  expect(await search.indexInBackground(backgroundWork(0))).toBe('more');
  expect(await indexed()).toBe(60);
  expect(await search.indexInBackground(backgroundWork(0))).toBe('done');
  expect(await indexed()).toBe(100);
});

it('merges the search index in small steps, so that few segments remain', async () => {
  const texts = Array.from({ length: 3_000 }, (_, index) => `order ${index} is on its way`);
  const { search, indexed, segments } = await filled(texts, 'queue');
  while ((await search.index(10)) === 'more');
  expect(await indexed()).toBe(3_000);
  // Each of 300 portions writes one, and FTS5 by itself would merge them only when 16 are alike.
  expect(await segments()).toBeLessThan(12);
});

it('rests as long as it waited and some times what it took, and less if too much waits', () => {
  expect(restAfter({ ...backgroundWork(1), ownMs: 3 }, 10, 9)).toBe(3 * 9 + 7);
  expect(restAfter({ ...backgroundWork(1), ownMs: 3, isBusy: true }, 10, 9)).toBe(3 * 27 + 7);
  expect(restAfter({ ...backgroundWork(100_001), ownMs: 3 }, 10, 9)).toBe(3);
  expect(backgroundWork(100_000).isUrgent).toBe(false);
});

it.each(dialects)('rests longer after a long commit only on PostgreSQL: %s', async (dialect) => {
  const { engine } = await openStore('sqlite');
  const slow: Engine = {
    ...engine,
    isShared: dialect === 'postgres',
    async write(job, options) {
      const written = await engine.write(job, options);
      await new Promise((resolve) => setTimeout(resolve, 12));
      return written;
    },
  };
  const work = backgroundWork(1);
  await writeFor(slow, work, () => raw('select 1'));
  expect(work.isBusy).toBe(dialect === 'postgres');
});
