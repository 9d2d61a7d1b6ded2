import { readBotList } from './bot-list.ts';
import { type Engine, run, type Step } from '../engine.ts';
import type { Role } from '../../core/access/access.ts';

export interface NewSession {
  tokenHash: string;
  userId: number;
  csrfToken: string;
  createdAt: number;
  expiresAt: number;
}

/** A session together with the present rights of its user. */
export interface LiveSession {
  userId: number;
  username: string;
  role: Role;
  botIds: number[] | null;
  disabled: boolean;
  csrfToken: string;
  expiresAt: number;
}

interface LiveRow {
  user_id: number;
  username: string;
  role: string;
  bot_ids: string | null;
  disabled: number;
  csrf_token: string;
  expires_at: number;
}

export interface SessionRepository {
  findByHash(tokenHash: string): Promise<LiveSession | undefined>;
  insertStep(session: NewSession): Step<void>;
  remove(tokenHash: string): Promise<void>;
  /** Removes all of a user's sessions, or all but one. */
  removeOfUserStep(userId: number, exceptHash?: string): Step<void>;
  removeExpiredStep(now: number): Step<void>;
}

export function createSessionRepository(engine: Engine): SessionRepository {
  const { sql } = engine;
  const byHash = sql
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .select([
      'sessions.user_id',
      'users.username',
      'users.role',
      'users.bot_ids',
      'users.disabled',
      'sessions.csrf_token',
      'sessions.expires_at',
    ])
    .where('sessions.token_hash', '=', '')
    .compile().sql;

  return {
    async findByHash(tokenHash) {
      const [row] = await engine.readRaw<LiveRow>(byHash, [tokenHash]);
      return (
        row && {
          userId: row.user_id,
          username: row.username,
          role: row.role as Role,
          botIds: readBotList(row.bot_ids),
          disabled: row.disabled === 1,
          csrfToken: row.csrf_token,
          expiresAt: row.expires_at,
        }
      );
    },
    *insertStep(session) {
      yield* run(
        sql.insertInto('sessions').values({
          token_hash: session.tokenHash,
          user_id: session.userId,
          csrf_token: session.csrfToken,
          created_at: session.createdAt,
          expires_at: session.expiresAt,
          last_used_at: session.createdAt,
        }),
      );
    },
    async remove(tokenHash) {
      await engine.write(() => run(sql.deleteFrom('sessions').where('token_hash', '=', tokenHash)));
    },
    *removeOfUserStep(userId, exceptHash = '') {
      yield* run(
        sql
          .deleteFrom('sessions')
          .where('user_id', '=', userId)
          .where('token_hash', '!=', exceptHash),
      );
    },
    *removeExpiredStep(now) {
      yield* run(sql.deleteFrom('sessions').where('expires_at', '<=', now));
    },
  };
}
