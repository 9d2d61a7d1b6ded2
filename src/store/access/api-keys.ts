import type { Selectable } from 'kysely';
import type { Scope } from '../../core/access/access.ts';
import { missingBots, readBotList, writeBotList } from './bot-list.ts';
import { all, type Engine, first, run, type Step } from '../engine.ts';
import { createStampedCache } from '../sql/stamped-cache.ts';
import type { ApiKeysTable } from '../schema/tables.ts';

export interface StoredApiKey {
  id: number;
  name: string;
  keyHash: string;
  hint: string;
  scope: Scope;
  botIds: number[] | null;
  expiresAt: number | null;
  disabled: boolean;
  createdBy: string;
  createdAt: number;
  lastUsedAt: number | null;
}

export type NewApiKey = Omit<StoredApiKey, 'id' | 'disabled' | 'lastUsedAt'>;

export interface ApiKeyRepository {
  findByHash(keyHash: string): Promise<StoredApiKey | undefined>;
  list(): Promise<StoredApiKey[]>;
  touch(id: number, usedAt: number): Promise<void>;
  getStep(id: number): Step<StoredApiKey | undefined>;
  listStep(): Step<StoredApiKey[]>;
  insertStep(key: NewApiKey): Step<StoredApiKey>;
  updateStep(key: StoredApiKey): Step<void>;
  setDisabledStep(id: number, disabled: boolean): Step<void>;
  deleteStep(id: number): Step<void>;
  missingBotsStep(botIds: readonly number[]): Step<number[]>;
}

export function createApiKeyRepository(engine: Engine): ApiKeyRepository {
  const { sql } = engine;
  const byHash = sql.selectFrom('api_keys').selectAll().where('key_hash', '=', '').compile().sql;
  // Every request needs its key. It is read again as soon as any key changes, so a revocation
  // applies at once.
  const cache = createStampedCache<StoredApiKey | undefined>({
    engine,
    tables: ['api_keys'],
    weigh: () => 1,
    capacity: 1_000,
  });
  const everyKey = sql.selectFrom('api_keys').selectAll().orderBy('id');

  return {
    findByHash: (keyHash) =>
      cache.get(keyHash, async () => {
        const [row] = await engine.readRaw<Selectable<ApiKeysTable>>(byHash, [keyHash]);
        return row && fromRow(row);
      }),
    list: async () => (await engine.read(everyKey)).map(fromRow),
    async touch(id, usedAt) {
      await engine.write(() =>
        run(sql.updateTable('api_keys').set({ last_used_at: usedAt }).where('id', '=', id)),
      );
    },
    *getStep(id) {
      const row = yield* first(sql.selectFrom('api_keys').selectAll().where('id', '=', id));
      return row && fromRow(row);
    },
    *listStep() {
      return (yield* all(everyKey)).map(fromRow);
    },
    *insertStep(key) {
      const row = yield* first(
        sql
          .insertInto('api_keys')
          .values({
            name: key.name,
            key_hash: key.keyHash,
            hint: key.hint,
            scope: key.scope,
            bot_ids: writeBotList(key.botIds),
            expires_at: key.expiresAt,
            disabled: 0,
            created_by: key.createdBy,
            created_at: key.createdAt,
            last_used_at: null,
          })
          .returningAll(),
      );
      return fromRow(row as Selectable<ApiKeysTable>);
    },
    *updateStep(key) {
      yield* run(
        sql
          .updateTable('api_keys')
          .set({
            key_hash: key.keyHash,
            hint: key.hint,
            scope: key.scope,
            bot_ids: writeBotList(key.botIds),
            expires_at: key.expiresAt,
            disabled: key.disabled ? 1 : 0,
          })
          .where('id', '=', key.id),
      );
    },
    *setDisabledStep(id, disabled) {
      yield* run(
        sql
          .updateTable('api_keys')
          .set({ disabled: disabled ? 1 : 0 })
          .where('id', '=', id),
      );
    },
    *deleteStep(id) {
      yield* run(sql.deleteFrom('api_keys').where('id', '=', id));
    },
    missingBotsStep: (botIds) => missingBots(engine, botIds),
  };
}

function fromRow(row: Selectable<ApiKeysTable>): StoredApiKey {
  return {
    id: row.id,
    name: row.name,
    keyHash: row.key_hash,
    hint: row.hint,
    scope: row.scope as Scope,
    botIds: readBotList(row.bot_ids),
    expiresAt: row.expires_at,
    disabled: row.disabled === 1,
    createdBy: row.created_by,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
  };
}
