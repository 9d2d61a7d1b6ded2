import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { createHeavyReader, type HeavyReaderOptions } from '../../src/store/sqlite/heavy-reader.ts';
import { temporaryFolder } from '../support/relay-process.ts';

function openReader(options: HeavyReaderOptions) {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const file = path.join(folder.path, 'x.db');
  const db = new DatabaseSync(file);
  db.exec('pragma journal_mode = wal; create table numbers (n)');
  db.close();
  const reader = createHeavyReader(file, options);
  onTestFinished(() => reader.close());
  return reader;
}

const one = 'select 1 as one';
const long = `with recursive c (n) as (select 1 union all select n + 1 from c where n < 2000000)
  select count(*) as n from c`;

it('answers others while one read takes long', async () => {
  const reader = openReader({});
  // Both threads run.
  await Promise.all([reader.read(one, []), reader.read(one, [])]);
  let isDone = false;
  const slow = reader.read(long, []).then(() => {
    isDone = true;
  });
  expect(await reader.read(one, [])).toEqual([{ one: 1 }]);
  expect(isDone).toBe(false);
  await slow;
});

it('fails a caller that finds no thread in time, and goes on afterwards', async () => {
  const reader = openReader({ threads: 1, waitMs: 50 });
  await reader.read(one, []);
  const slow = reader.read(long, []);
  await expect(reader.read(one, [])).rejects.toMatchObject({
    code: 'database_unavailable',
    message: expect.stringContaining('Too many long queries') as string,
  });
  await slow;
  expect(await reader.read(one, [])).toEqual([{ one: 1 }]);
  await expect(reader.read('select 1 from nowhere', [])).rejects.toThrow('no such table');
});
