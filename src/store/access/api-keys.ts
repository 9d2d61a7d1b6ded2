import type { Scope } from '../../core/access/access.ts';
import { missingBots, readBotList, writeBotList } from './bot-list.ts';
import { type Engine, raw, type Step } from '../engine.ts';
import { createStampedCache } from '../sql/stamped-cache.ts';
import { insertInto } from '../sql/write-row.ts';

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

interface Row {
  id: number;
  name: string;
  key_hash: string;
  hint: string;
  scope: string;
  bot_ids: string | null;
  expires_at: number | null;
  disabled: number;
  created_by: string;
  created_at: number;
  last_used_at: number | null;
}

const everyKey = 'select * from api_keys order by id';

export function createApiKeyRepository(engine: Engine): ApiKeyRepository {
  // Every request needs its key. It is read again as soon as any key changes, so a revocation
  // applies at once.
  const cache = createStampedCache<StoredApiKey | undefined>({
    engine,
    tables: ['api_keys'],
    weigh: () => 1,
    capacity: 1_000,
  });

  return {
    findByHash: (keyHash) =>
      cache.get(keyHash, async () => {
        const [row] = await engine.readRaw<Row>('select * from api_keys where key_hash = $1', [
          keyHash,
        ]);
        return row && fromRow(row);
      }),
    list: async () => (await engine.readRaw<Row>(everyKey)).map(fromRow),
    async touch(id, usedAt) {
      await engine.write(() =>
        raw('update api_keys set last_used_at = $1 where id = $2', [usedAt, id]),
      );
    },
    *getStep(id) {
      const [row] = yield* raw<Row>('select * from api_keys where id = $1', [id]);
      return row && fromRow(row);
    },
    *listStep() {
      return (yield* raw<Row>(everyKey)).map(fromRow);
    },
    *insertStep(key) {
      const columns = {
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
      };
      const [row] = yield* insertInto<Row>('api_keys', columns, 'returning *');
      return fromRow(row as Row);
    },
    *updateStep(key) {
      yield* raw(
        `update api_keys set key_hash = $2, hint = $3, scope = $4, bot_ids = $5, expires_at = $6,
           disabled = $7
         where id = $1`,
        [
          key.id,
          key.keyHash,
          key.hint,
          key.scope,
          writeBotList(key.botIds),
          key.expiresAt,
          key.disabled,
        ],
      );
    },
    *setDisabledStep(id, disabled) {
      yield* raw('update api_keys set disabled = $1 where id = $2', [disabled, id]);
    },
    *deleteStep(id) {
      yield* raw('delete from api_keys where id = $1', [id]);
    },
    missingBotsStep: (botIds) => missingBots(engine, botIds),
  };
}

function fromRow(row: Row): StoredApiKey {
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
