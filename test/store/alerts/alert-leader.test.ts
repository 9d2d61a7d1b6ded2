import { expect, it, onTestFinished } from 'vitest';
import { createAlertConditionRepository } from '../../../src/store/alerts/alert-conditions.ts';
import { createDatabase, dialects } from '../../support/database/engines.ts';

it.each(dialects)('one node watches until it is silent for half a minute (%s)', async (dialect) => {
  const database = await createDatabase(dialect);
  onTestFinished(() => database.drop());
  const engine = await database.open();
  onTestFinished(() => engine.close());
  const { lead } = createAlertConditionRepository(engine);
  const forMs = 30_000;
  const at = Date.parse('2026-01-15T12:00:00Z');
  const both = await Promise.all([lead('n-1', at, forMs), lead('n-2', at, forMs)]);
  expect(both.filter(Boolean)).toHaveLength(1);
  const [first, second] = both[0] ? ['n-1', 'n-2'] : ['n-2', 'n-1'];
  expect(await lead(first, at + 20_000, forMs)).toBe(true);
  expect(await lead(second, at + 40_000, forMs)).toBe(false);
  expect(await lead(second, at + 51_000, forMs)).toBe(true);
  expect(await lead(first, at + 52_000, forMs)).toBe(false);
  // A clock that was far ahead does not lead for years.
  expect(await lead(first, at - 3_600_000, forMs)).toBe(true);
});
