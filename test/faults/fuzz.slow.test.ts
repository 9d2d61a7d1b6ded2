import { expect, it, onTestFinished } from 'vitest';
import { createDatabase } from '../support/database/engines.ts';
import { runFuzz } from './fuzz.ts';
import { quickly } from './quickly.ts';

it('the service answers 2,000 hostile requests without a 5xx and without a secret', async () => {
  const database = await createDatabase('sqlite');
  onTestFinished(() => database.drop());
  const { marks } = await runFuzz({ ...quickly, database, requests: 2_000 });
  expect(marks.filter(({ ok }) => !ok)).toEqual([]);
  expect(marks).toContainEqual(expect.objectContaining({ name: 'requests', value: '2,000' }));
}, 300_000);
