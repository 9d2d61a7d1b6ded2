import { describe, expect, it, onTestFinished } from 'vitest';
import { type IncomingUpdate, readUpdate } from '../../../src/core/log/update-facts.ts';
import { createUpdateLog } from '../../../src/relay/log/update-log.ts';
import { createLogRepository } from '../../../src/store/log/log.ts';
import { behindProxy } from '../../support/database/cuttable-proxy.ts';
import { createDatabase, dialects } from '../../support/database/engines.ts';
import { appendParts, createTestStore } from '../../support/database/store.ts';

function updateOf(id: number): IncomingUpdate {
  const update = { update_id: id, message: {} };
  return readUpdate(JSON.stringify(update), update, 0) as IncomingUpdate;
}

describe('the update log', () => {
  it.each(dialects)(
    'sorts by ID what arrives for a bot while a commit runs, on %s',
    async (dialect) => {
      const { store, close } = await createTestStore(dialect);
      onTestFinished(close);
      const add = async (token: string) =>
        (await store.bots.insert({ token, source: 'web' }, 1)).id;
      const [first, second] = [await add('1:a'), await add('2:b')];
      const commits: number[] = [];
      let release: (() => void) | undefined;
      const log = createUpdateLog({
        ...store.log,
        async append(take) {
          if (!release) await new Promise<void>((resolve) => (release = resolve));
          commits.push(take().length);
          return store.log.append(take);
        },
      });
      let now = 100;
      const append = (botId: number, ...ids: number[]) =>
        log.append(botId, ids.map(updateOf), { receivedAt: now++ });

      // The first waits for its commit, and the others come along with it.
      const appended = [
        append(first, 7),
        append(second, 30),
        append(first, 9),
        append(second, 10),
        append(first, 8),
        append(first, 8),
        append(first, 5, 6),
      ];
      release?.();
      const outcomes = await Promise.all(appended);

      expect(commits).toEqual([7]);
      const read = async (botId: number) =>
        (await store.log.read(botId, 0, 100)).map((entry) => [entry.updateId, entry.receivedAt]);
      // Times rise as well, and none is earlier than the arrival.
      expect(await read(first)).toEqual([
        [5, 106],
        [6, 106],
        [7, 106],
        [8, 106],
        [9, 106],
      ]);
      expect(await read(second)).toEqual([
        [10, 103],
        [30, 103],
      ]);
      // Each hears of its own.
      expect(
        outcomes.map((outcome) => (outcome.status === 'stored' ? outcome.entries[0]?.updateId : 0)),
      ).toEqual([7, 30, 9, 10, 8, undefined, 5]);
    },
  );

  it.each(dialects)(
    'keeps times rising where a reply waited for a send, on %s',
    async (dialect) => {
      const { store, close } = await createTestStore(dialect);
      onTestFinished(close);
      const { id: botId } = await store.bots.insert({ token: '1:a', source: 'web' }, 1);
      let ended: (() => void) | undefined;
      let waits = 1;
      const log = createUpdateLog(
        {
          ...store.log,
          async append(take) {
            const outcomes = await store.log.append(waits-- > 0 ? () => (take(), []) : take);
            return outcomes.length > 0 ? outcomes : [{ status: 'awaits', sends: ['a'] }];
          },
        },
        {
          sends: {
            wait: () => new Promise((resolve) => (ended = () => resolve([]))),
            isAwaited: () => true,
          },
        },
      );
      const reply = log.append(botId, [updateOf(1)], { receivedAt: 100 });
      await expect.poll(() => ended).toBeDefined();
      await log.append(botId, [updateOf(2)], { receivedAt: 900 });
      ended?.();
      await reply;

      const entries = await store.log.read(botId, 0, 10);
      expect(entries.map((entry) => [entry.updateId, entry.receivedAt])).toEqual([
        [2, 900],
        [1, 900],
      ]);
    },
  );

  it('tells all who append at once that the database is away, and goes on when it is back', async () => {
    const database = await createDatabase('postgres');
    onTestFinished(() => database.drop());
    const { proxy, behind } = await behindProxy(database);
    const engine = await behind.open();
    onTestFinished(() => engine.close());
    const repository = createLogRepository(engine, appendParts(engine.dialect));
    let commits = 0;
    const log = createUpdateLog({
      ...repository,
      append(requests) {
        commits++;
        return repository.append(requests);
      },
    });
    const read = updateOf(1);
    const appendAll = () =>
      Promise.allSettled(
        Array.from({ length: 50 }, (_, index) => log.append(index + 1, [read], { receivedAt: 0 })),
      );

    proxy.cut();
    const refused = await appendAll();
    expect(refused.map(({ status }) => status)).toEqual(Array(50).fill('rejected'));
    expect(refused[0]).toMatchObject({ reason: { code: 'database_unavailable' } });
    expect(commits).toBe(1);
    proxy.mend();
    expect(await appendAll()).toContainEqual({ status: 'fulfilled', value: { status: 'gone' } });
  });
});
