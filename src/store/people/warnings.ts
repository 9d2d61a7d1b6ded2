import { type Engine, raw, type Step } from '../engine.ts';
import { takeLock } from '../sql/dialect.ts';
import { insertInto } from '../sql/write-row.ts';

export interface WarningRecord {
  id: number;
  bot_id: number;
  chat_id: number;
  user_id: number;
  reason: string;
  warned_by: string;
  created_at: number;
  expires_at: number | null;
  cleared_at: number | null;
}

export interface WarnSettings {
  threshold: number;
  action: string;
  action_seconds: number;
  expire_seconds: number;
}

export interface WarnedPerson {
  botId: number;
  chatId: number;
  userId: number;
}

export interface AddedWarning {
  warning: WarningRecord;
  /** The number of warnings that counted, including this one. */
  active: number;
  isReached: boolean;
  /** The warnings that stopped counting because the threshold was reached, including this one. */
  cleared: number[];
}

export interface WarningRepository {
  /** Lists warnings, newest first. */
  ofUser(botId: number, userId: number): Promise<WarningRecord[]>;
  /** Returns the number that still count. */
  countActive(person: WarnedPerson, nowMs: number): Promise<number>;
  /**
   * Adds a warning. When `threshold` warnings count, counting starts again: of warnings given at
   * the same time, on any node, exactly one reaches the threshold.
   */
  add(warning: Omit<WarningRecord, 'id' | 'cleared_at'>, threshold: number): Promise<AddedWarning>;
  /** Undoes a warning as if it had never been given: the warnings that it cleared count again. */
  undo(added: AddedWarning): Promise<void>;
  /** Clears one warning; returns the warning. */
  clear(botId: number, id: number, nowMs: number): Promise<WarningRecord | undefined>;
  settings(botId: number, chatId: number): Promise<WarnSettings | undefined>;
  saveSettings(botId: number, chatId: number, settings: WarnSettings): Promise<void>;
}

const active = 'cleared_at is null and (expires_at is null or expires_at > $4)';

export function createWarningRepository(engine: Engine): WarningRepository {
  return {
    ofUser: (botId, userId) =>
      engine.readRaw(
        'select * from warnings where bot_id = $1 and user_id = $2 order by id desc limit 200',
        [botId, userId],
      ),
    async countActive({ botId, chatId, userId }, nowMs) {
      const [row] = await engine.readRaw<{ active: number }>(
        `select count(*) as active from warnings
         where bot_id = $1 and chat_id = $2 and user_id = $3 and ${active}`,
        [botId, chatId, userId, nowMs],
      );
      return row?.active ?? 0;
    },
    add: (warning, threshold) =>
      engine.write(function* (): Step<AddedWarning> {
        const person = [warning.bot_id, warning.chat_id, warning.user_id];
        // A concurrent warning of the same person counts after this one.
        yield* takeLock(engine.dialect, 'select pg_advisory_xact_lock(hashtextextended($1, 0))', [
          `warn ${person.join(' ')}`,
        ]);
        const [row] = yield* insertInto<WarningRecord>('warnings', warning, 'returning *');
        const counting = yield* raw<{ id: number }>(
          `select id from warnings
           where bot_id = $1 and chat_id = $2 and user_id = $3 and ${active}`,
          [...person, warning.created_at],
        );
        const isReached = counting.length >= threshold;
        const cleared = isReached ? counting.map(({ id }) => id) : [];
        for (const id of cleared) {
          yield* raw('update warnings set cleared_at = $1 where id = $2', [warning.created_at, id]);
        }
        return { warning: row as WarningRecord, active: counting.length, isReached, cleared };
      }),
    async undo({ warning, cleared }) {
      await engine.write(function* () {
        for (const id of cleared) {
          yield* raw('update warnings set cleared_at = null where id = $1', [id]);
        }
        yield* raw('delete from warnings where id = $1', [warning.id]);
      });
    },
    clear: (botId, id, nowMs) =>
      engine.write(function* () {
        const [row] = yield* raw<WarningRecord>(
          'select * from warnings where id = $1 and bot_id = $2 and cleared_at is null',
          [id, botId],
        );
        if (row) yield* raw('update warnings set cleared_at = $1 where id = $2', [nowMs, id]);
        return row;
      }),
    async settings(botId, chatId) {
      const [settings] = await engine.readRaw<WarnSettings>(
        `select threshold, action, action_seconds, expire_seconds from warn_settings
         where bot_id = $1 and chat_id = $2`,
        [botId, chatId],
      );
      return settings;
    },
    async saveSettings(botId, chatId, { threshold, action, action_seconds, expire_seconds }) {
      await engine.write(() =>
        raw(
          `insert into warn_settings
             (bot_id, chat_id, threshold, action, action_seconds, expire_seconds)
           values ($1, $2, $3, $4, $5, $6)
           on conflict (bot_id, chat_id) do update set threshold = excluded.threshold,
             action = excluded.action, action_seconds = excluded.action_seconds,
             expire_seconds = excluded.expire_seconds`,
          [botId, chatId, threshold, action, action_seconds, expire_seconds],
        ),
      );
    },
  };
}
