import { expect, it, onTestFinished } from 'vitest';
import { type IncomingUpdate, readUpdate } from '../../../src/core/log/update-facts.ts';
import { createUpdateLog } from '../../../src/relay/log/update-log.ts';
import { createLogRepository } from '../../../src/store/log/log.ts';
import { behindProxy } from '../../support/database/cuttable-proxy.ts';
import { createDatabase } from '../../support/database/engines.ts';

it('tells all who append at once that the database is away, and goes on when it is back', async () => {
  const database = await createDatabase('postgres');
  onTestFinished(() => database.drop());
  const { proxy, behind } = await behindProxy(database);
  const engine = await behind.open();
  onTestFinished(() => engine.close());
  const repository = createLogRepository(engine);
  let commits = 0;
  const log = createUpdateLog({
    ...repository,
    append(requests) {
      commits++;
      return repository.append(requests);
    },
  });
  const update = { update_id: 1, message: {} };
  const read = readUpdate(JSON.stringify(update), update, 0) as IncomingUpdate;
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
