import type { Scope } from '../../core/access/access.ts';
import { missingBots, readIdList, writeIdList } from './id-list.ts';
import { type Engine, raw, type Step } from '../engine.ts';
import { fieldsOf, type RowOf } from '../sql/row-fields.ts';
import { createStampedCache } from '../sql/stamped-cache.ts';
import { insertInto } from '../sql/write-row.ts';

export interface StoredApiKey {
  id: number;
  name: string;
  keyHash: string;
  hint: string;
  scope: Scope;
  botIds: number[] | null;
  /** Chat IDs; null for all chats. */
  readChats: number[] | null;
  writeChats: number[] | null;
  /** Changes that it may make in a day (UTC); 0 for any number. */
  dailyWrites: number;
  /** Those of the day it last made one, as the number of the day since the epoch. */
  writes: { day: number; count: number };
  expiresAt: number | null;
  disabled: boolean;
  createdBy: string;
  createdAt: number;
  lastUsedAt: number | null;
}

type Limits = 'readChats' | 'writeChats' | 'dailyWrites';
export type NewApiKey = Omit<StoredApiKey, 'id' | 'disabled' | 'lastUsedAt' | 'writes' | Limits> &
  Partial<Pick<StoredApiKey, Limits>>;

export interface ApiKeyRepository {
  findByHash(keyHash: string): Promise<StoredApiKey | undefined>;
  list(): Promise<StoredApiKey[]>;
  touch(id: number, usedAt: number): Promise<void>;
  /** Counts a change on that day, unless the key made as many as it may; false then. */
  countWrite(id: number, day: number, most: number): Promise<boolean>;
  /** Takes back a change of that day. */
  uncountWrite(id: number, day: number): Promise<void>;
  getStep(id: number): Step<StoredApiKey | undefined>;
  listStep(): Step<StoredApiKey[]>;
  insertStep(key: NewApiKey): Step<StoredApiKey>;
  updateStep(key: StoredApiKey): Step<void>;
  setDisabledStep(id: number, disabled: boolean): Step<void>;
  deleteStep(id: number): Step<void>;
  missingBotsStep(botIds: readonly number[]): Step<number[]>;
}

type Lists = 'botIds' | 'readChats' | 'writeChats';
type StoredRow = Omit<StoredApiKey, Lists | 'writes' | 'disabled'> &
  Record<Lists, string | null> & {
    disabled: number;
    writtenOn: number | null;
    written: number | null;
  };
type Row = RowOf<StoredRow>;

const columns = 'api_keys.*, key_writes.day as written_on, key_writes.writes as written';
const keys = `select ${columns} from api_keys left join key_writes on key_writes.key_id = api_keys.id`;
const everyKey = `${keys} order by id`;

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
    async countWrite(id, day, most) {
      const rows = await engine.write(() =>
        raw(
          `insert into key_writes (key_id, day, writes) values ($1, $2, 1)
           on conflict (key_id) do update set day = excluded.day,
             writes = case when key_writes.day = excluded.day then key_writes.writes + 1 else 1 end
           where key_writes.day <> excluded.day or key_writes.writes < $3
           returning writes`,
          [id, day, most],
        ),
      );
      return rows.length > 0;
    },
    async uncountWrite(id, day) {
      await engine.write(() =>
        raw(
          'update key_writes set writes = writes - 1 where key_id = $1 and day = $2 and writes > 0',
          [id, day],
        ),
      );
    },
    *getStep(id) {
      const [row] = yield* raw<Row>(`${keys} where id = $1`, [id]);
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
        bot_ids: writeIdList(key.botIds),
        read_chats: writeIdList(key.readChats ?? null),
        write_chats: writeIdList(key.writeChats ?? null),
        daily_writes: key.dailyWrites ?? 0,
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
           disabled = $7, read_chats = $8, write_chats = $9, daily_writes = $10
         where id = $1`,
        [
          key.id,
          key.keyHash,
          key.hint,
          key.scope,
          writeIdList(key.botIds),
          key.expiresAt,
          key.disabled,
          writeIdList(key.readChats),
          writeIdList(key.writeChats),
          key.dailyWrites,
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
  const { written, writtenOn, ...key } = fieldsOf<StoredRow>(row);
  return {
    ...key,
    botIds: readIdList(key.botIds),
    readChats: readIdList(key.readChats),
    writeChats: readIdList(key.writeChats),
    writes: { day: writtenOn ?? 0, count: written ?? 0 },
    disabled: key.disabled === 1,
  };
}
