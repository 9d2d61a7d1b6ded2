import { createVault } from '../../src/core/vault.ts';
import { addMessageFacts, emptyFacts } from '../../src/core/message-facts.ts';
import type { DialectName } from '../../src/store/engine.ts';
import { createStore, type Store } from '../../src/store/store.ts';
import type { ArchiveEntry } from '../../src/store/archive.ts';
import { createDatabase, type Database } from './engines.ts';

const masterKey = 'a master key for tests, long enough to be one';

export interface TestStore {
  store: Store;
  database: Database;
  close(): Promise<void>;
}

export async function createTestStore(dialect: DialectName): Promise<TestStore> {
  const database = await createDatabase(dialect);
  const engine = await database.open();
  return {
    store: createStore(engine, createVault([masterKey])),
    database,
    async close() {
      await engine.close();
      await database.drop();
    },
  };
}

/** What the archive is given for a message as the platform shows it. */
export function archived(
  botId: number,
  message: Record<string, unknown>,
  origin: ArchiveEntry['origin'] = 'received',
): ArchiveEntry {
  const facts = emptyFacts();
  addMessageFacts(facts, message);
  return { botId, facts, origin, position: 0 };
}
