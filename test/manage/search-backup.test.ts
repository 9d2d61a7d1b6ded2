import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readWordQuery } from '../../src/core/search/search-grams.ts';
import { createVault } from '../../src/core/access/vault.ts';
import { backUp, restore } from '../../src/manage/service/backup.ts';
import { createMessageSearchRepository } from '../../src/store/messages/message-search.ts';
import { databaseFileName } from '../../src/store/sqlite/database-file.ts';
import { openSqlite } from '../../src/store/sqlite/engine.ts';
import { createStore } from '../../src/store/store.ts';
import { temporaryFolder } from '../support/relay-process.ts';
import { archived } from '../support/database/store.ts';

/** The index refers to messages by row number, so those must survive a backup. */
describe('search on the embedded database', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let dataDir: string;
  beforeEach(async () => {
    folder = temporaryFolder();
    dataDir = path.join(folder.path, 'data');
    const { store, search, engine } = await open(dataDir);
    const bot = await store.bots.insert({ token: '1:x', source: 'web', manage_enabled: true }, 1);
    const chat = { id: 5, type: 'private', first_name: 'Ann' };
    const words = ['apple', 'pear', 'plum', 'cherry', 'quince'];
    await store.messages.archive(
      words.map((text, index) => archived(bot.id, { message_id: index + 1, date: 1, chat, text })),
      1,
    );
    while ((await search.index(100)) === 'more');
    // Numbers with gaps, which a copy that renumbers would close.
    await engine.write(function* () {
      yield { sql: 'delete from messages where id in (1, 3)', parameters: [] };
    });
    await engine.close();
  });
  afterEach(() => folder.remove());

  async function open(dir: string) {
    const engine = await openSqlite(dir);
    const store = createStore(engine, createVault(['a master key for tests, long enough to be']));
    return { engine, store, search: createMessageSearchRepository(engine) };
  }

  async function foundIn(dir: string): Promise<Record<string, string[]>> {
    const { engine, search } = await open(dir);
    const found: Record<string, string[]> = {};
    for (const word of ['apple', 'pear', 'plum', 'cherry', 'quince']) {
      const grams = readWordQuery(word)?.grams ?? [];
      const hits = await search.find({ botId: 1, grams, chatIds: undefined, limit: 10 });
      found[word] = hits.map(({ row }) => row.text);
    }
    await engine.close();
    return found;
  }

  const expected = {
    apple: [],
    pear: ['pear'],
    plum: [],
    cherry: ['cherry'],
    quince: ['quince'],
  };

  it('finds the same after a backup is restored', async () => {
    const file = path.join(folder.path, 'copy.db');
    await backUp(dataDir, file, { force: false });
    const elsewhere = path.join(folder.path, 'elsewhere');
    restore(elsewhere, file, { force: false, stamp: 'x', nowMs: 1 });
    expect(await foundIn(elsewhere)).toEqual(expected);
  });

  it.each([
    ['vacuumed', (db: DatabaseSync) => db.exec('vacuum')],
    [
      'copied row by row, as a dump does',
      (db: DatabaseSync) =>
        db.exec(`create temp table kept as select * from messages;
          drop trigger messages_removed; delete from messages;
          insert into messages select * from kept order by text`),
    ],
  ])('finds the same after it was %s', async (_what, work) => {
    const db = new DatabaseSync(path.join(dataDir, databaseFileName));
    work(db);
    db.close();
    expect(await foundIn(dataDir)).toEqual(expected);
  });
});
