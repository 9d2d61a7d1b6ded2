import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
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
const long = `with recursive c (n) as (select 1 union all select n + 1 from c where n < 300000)
  select count(*) as n from c`;

describe('the pool of reading threads', () => {
  it('answers others while one read takes long', async () => {
    const reader = openReader({});
    // Both threads run.
    await Promise.all([reader.read(one, []), reader.read(one, [])]);
    // If this process was paused meanwhile, the long read may have ended: that shows nothing.
    await vi.waitFor(async () => {
      let isDone = false;
      const slow = reader.read(long, []).then(() => {
        isDone = true;
      });
      expect(await reader.read(one, [])).toEqual([{ one: 1 }]);
      const wasDone = isDone;
      await slow;
      expect(wasDone).toBe(false);
    });
  });

  it('fails a caller that finds no thread in time, and goes on afterwards', async () => {
    const reader = openReader({ threads: 1, waitMs: 50 });
    await reader.read(one, []);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const slow = reader.read(long, []);
    const late = reader.read(one, []);
    // At once, so that the thread cannot be free before.
    vi.advanceTimersByTime(50);
    await expect(late).rejects.toMatchObject({
      code: 'database_unavailable',
      message: expect.stringContaining('Too many long queries') as string,
    });
    expect(await slow).toEqual([{ n: 300_000 }]);
    expect(await reader.read(one, [])).toEqual([{ one: 1 }]);
    await expect(reader.read('select 1 from nowhere', [])).rejects.toThrow('no such table');
  });
});
