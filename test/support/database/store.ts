import { onTestFinished } from 'vitest';
import { createVault } from '../../../src/core/access/vault.ts';
import { addMessageFacts, emptyFacts } from '../../../src/core/messages/message-facts.ts';
import type { DialectName, Engine } from '../../../src/store/engine.ts';
import { createClaimRegistry } from '../../../src/store/apps/claim-registry.ts';
import type { AppendParts } from '../../../src/store/log/append.ts';
import { archive } from '../../../src/store/messages/archive.ts';
import { createQuestionAnswers } from '../../../src/store/questions/question-answers.ts';
import { insertInto } from '../../../src/store/sql/write-row.ts';
import { createStore, type Store } from '../../../src/store/store.ts';
import type { ArchiveEntry } from '../../../src/core/messages/archive-facts.ts';
import { createDatabase, type Database } from './engines.ts';

const masterKey = 'a master key for tests, long enough to be one';

export interface TestStore {
  store: Store;
  database: Database;
  close(): Promise<void>;
}

export const storeOn = (engine: Engine): Store => createStore(engine, createVault([masterKey]));

/** The parts that an append of the service has. */
export const appendParts = (dialect: DialectName): AppendParts => ({
  claims: createClaimRegistry(dialect),
  archive,
  questions: createQuestionAnswers(dialect),
});

export async function createTestStore(dialect: DialectName): Promise<TestStore> {
  const database = await createDatabase(dialect);
  const engine = await database.open();
  return {
    store: storeOn(engine),
    database,
    async close() {
      await engine.close();
      await database.drop();
    },
  };
}

/** Ends with the test. */
export async function openStore(dialect: DialectName): Promise<Store> {
  const { store, close } = await createTestStore(dialect);
  onTestFinished(close);
  return store;
}

/** A row in `bots`, for what only needs one to be there. */
export async function addBotRow(engine: Engine, id: number): Promise<void> {
  await engine.write(() =>
    insertInto('bots', {
      id,
      platform_id: id,
      token_hash: `hash ${id}`,
      token_sealed: '',
      name: '',
      source: 'web',
      created_at: 0,
      updated_at: 0,
    }),
  );
}

/** Copies everything. */
export const plainRoute = {
  condition_type: 'all',
  condition_value: '',
  action: 'copy',
  target_chat_id: 0,
  enabled: true,
  description: '',
  priority: 0,
  source_chat_id: 0,
  source_thread_id: 0,
  target_thread_id: 0,
  return_mode: 'reply',
} as const;

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
