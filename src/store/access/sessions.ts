import { readIdList } from './id-list.ts';
import { type Engine, raw, type Step } from '../engine.ts';
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
  return {
    async findByHash(tokenHash) {
      const [row] = await engine.readRaw<LiveRow>(
        `select s.user_id, u.username, u.role, u.bot_ids, u.disabled, s.csrf_token, s.expires_at
         from sessions s join users u on u.id = s.user_id where s.token_hash = $1`,
        [tokenHash],
      );
      return (
        row && {
          userId: row.user_id,
          username: row.username,
          role: row.role as Role,
          botIds: readIdList(row.bot_ids),
          disabled: row.disabled === 1,
          csrfToken: row.csrf_token,
          expiresAt: row.expires_at,
        }
      );
    },
    *insertStep(session) {
      yield* raw(
        `insert into sessions (token_hash, user_id, csrf_token, created_at, expires_at, last_used_at)
         values ($1, $2, $3, $4, $5, $4)`,
        [
          session.tokenHash,
          session.userId,
          session.csrfToken,
          session.createdAt,
          session.expiresAt,
        ],
      );
    },
    async remove(tokenHash) {
      await engine.write(() => raw('delete from sessions where token_hash = $1', [tokenHash]));
    },
    *removeOfUserStep(userId, exceptHash = '') {
      yield* raw('delete from sessions where user_id = $1 and token_hash <> $2', [
        userId,
        exceptHash,
      ]);
    },
    *removeExpiredStep(now) {
      yield* raw('delete from sessions where expires_at <= $1', [now]);
    },
  };
}
