import type { Role } from '../../core/access/access.ts';
import { missingBots, readIdList, writeIdList } from './id-list.ts';
import { type Engine, raw, type Step } from '../engine.ts';
import { conversationTables } from '../conversations/topic-states.ts';
import { fieldsOf, type RowOf } from '../sql/row-fields.ts';
import { insertInto } from '../sql/write-row.ts';

export interface StoredUser {
  id: number;
  username: string;
  /** Empty for a user without a password. */
  passwordHash: string;
  role: Role;
  /** The bots of a `user`; null for an `admin`, who has all bots. */
  botIds: number[] | null;
  disabled: boolean;
  createdAt: number;
  lastSignInAt: number | null;
  /** The same person in Telegram; 0 if not known. */
  telegramUserId: number;
}

export type NewUser = Omit<StoredUser, 'id' | 'disabled' | 'lastSignInAt' | 'telegramUserId'>;

export interface UserRepository {
  findByName(username: string): Promise<StoredUser | undefined>;
  list(): Promise<StoredUser[]>;
  getStep(id: number): Step<StoredUser | undefined>;
  listStep(): Step<StoredUser[]>;
  /** Undefined if the name is taken. */
  insertStep(user: NewUser): Step<StoredUser | undefined>;
  /** Conversations of the person in Telegram become those of the user. */
  updateStep(user: StoredUser): Step<void>;
  /** Nobody has the user's conversations afterwards. */
  deleteStep(id: number): Step<void>;
  /** Returns the user who is this person in Telegram. */
  ofPersonStep(telegramUserId: number): Step<StoredUser | undefined>;
  missingBotsStep(botIds: readonly number[]): Step<number[]>;
}

type StoredRow = Omit<StoredUser, 'botIds' | 'disabled'> & {
  botIds: string | null;
  disabled: number;
};
type Row = RowOf<StoredRow>;

const everyUser = 'select * from users order by id';

export function createUserRepository(engine: Engine): UserRepository {
  return {
    async findByName(username) {
      const [row] = await engine.readRaw<Row>('select * from users where username = $1', [
        username,
      ]);
      return row && fromRow(row);
    },
    list: async () => (await engine.readRaw<Row>(everyUser)).map(fromRow),
    *getStep(id) {
      const [row] = yield* raw<Row>('select * from users where id = $1', [id]);
      return row && fromRow(row);
    },
    *listStep() {
      return (yield* raw<Row>(everyUser)).map(fromRow);
    },
    *insertStep(user) {
      const columns = {
        username: user.username,
        password_hash: user.passwordHash,
        role: user.role,
        bot_ids: writeIdList(user.botIds),
        disabled: 0,
        created_at: user.createdAt,
        last_sign_in_at: null,
      };
      const [row] = yield* insertInto<Row>(
        'users',
        columns,
        'on conflict (username) do nothing returning *',
      );
      return row && fromRow(row);
    },
    *updateStep(user) {
      yield* raw(
        `update users set password_hash = $2, role = $3, bot_ids = $4, disabled = $5,
           last_sign_in_at = $6, telegram_user_id = $7
         where id = $1`,
        [
          user.id,
          user.passwordHash,
          user.role,
          writeIdList(user.botIds),
          user.disabled,
          user.lastSignInAt,
          user.telegramUserId,
        ],
      );
      if (user.telegramUserId === 0) return;
      for (const table of conversationTables) {
        yield* raw(`update ${table} set assignee = $1, assignee_name = $2 where assignee = $3`, [
          `user:${user.id}`,
          user.username,
          `person:${user.telegramUserId}`,
        ]);
      }
    },
    *deleteStep(id) {
      yield* raw('delete from users where id = $1', [id]);
      for (const table of conversationTables) {
        yield* raw(`update ${table} set assignee = '', assignee_name = '' where assignee = $1`, [
          `user:${id}`,
        ]);
      }
    },
    *ofPersonStep(telegramUserId) {
      const [row] = yield* raw<Row>('select * from users where telegram_user_id = $1', [
        telegramUserId,
      ]);
      return row && fromRow(row);
    },
    missingBotsStep: (botIds) => missingBots(engine, botIds),
  };
}

function fromRow(row: Row): StoredUser {
  const user = fieldsOf<StoredRow>(row);
  return { ...user, botIds: readIdList(user.botIds), disabled: user.disabled === 1 };
}
