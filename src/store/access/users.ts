import type { Role } from '../../core/access/access.ts';
import type { Selectable } from 'kysely';
import { missingBots, readBotList, writeBotList } from './bot-list.ts';
import { all, type Engine, first, run, type Step } from '../engine.ts';
import type { UsersTable } from '../schema/tables.ts';

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
}

export type NewUser = Omit<StoredUser, 'id' | 'disabled' | 'lastSignInAt'>;

export interface UserRepository {
  findByName(username: string): Promise<StoredUser | undefined>;
  list(): Promise<StoredUser[]>;
  getStep(id: number): Step<StoredUser | undefined>;
  listStep(): Step<StoredUser[]>;
  /** Undefined if the name is taken. */
  insertStep(user: NewUser): Step<StoredUser | undefined>;
  updateStep(user: StoredUser): Step<void>;
  deleteStep(id: number): Step<void>;
  missingBotsStep(botIds: readonly number[]): Step<number[]>;
}

export function createUserRepository(engine: Engine): UserRepository {
  const { sql } = engine;
  const everyUser = sql.selectFrom('users').selectAll().orderBy('id');

  return {
    async findByName(username) {
      const row = await engine.readOne(
        sql.selectFrom('users').selectAll().where('username', '=', username),
      );
      return row && fromRow(row);
    },
    list: async () => (await engine.read(everyUser)).map(fromRow),
    *getStep(id) {
      const row = yield* first(sql.selectFrom('users').selectAll().where('id', '=', id));
      return row && fromRow(row);
    },
    *listStep() {
      return (yield* all(everyUser)).map(fromRow);
    },
    *insertStep(user) {
      const row = yield* first(
        sql
          .insertInto('users')
          .values({
            username: user.username,
            password_hash: user.passwordHash,
            role: user.role,
            bot_ids: writeBotList(user.botIds),
            disabled: 0,
            created_at: user.createdAt,
            last_sign_in_at: null,
          })
          .onConflict((conflict) => conflict.column('username').doNothing())
          .returningAll(),
      );
      return row && fromRow(row);
    },
    *updateStep(user) {
      yield* run(
        sql
          .updateTable('users')
          .set({
            password_hash: user.passwordHash,
            role: user.role,
            bot_ids: writeBotList(user.botIds),
            disabled: user.disabled ? 1 : 0,
            last_sign_in_at: user.lastSignInAt,
          })
          .where('id', '=', user.id),
      );
    },
    *deleteStep(id) {
      yield* run(sql.deleteFrom('users').where('id', '=', id));
    },
    missingBotsStep: (botIds) => missingBots(engine, botIds),
  };
}

function fromRow(row: Selectable<UsersTable>): StoredUser {
  return {
    id: row.id,
    username: row.username,
    passwordHash: row.password_hash,
    role: row.role as Role,
    botIds: readBotList(row.bot_ids),
    disabled: row.disabled === 1,
    createdAt: row.created_at,
    lastSignInAt: row.last_sign_in_at,
  };
}
