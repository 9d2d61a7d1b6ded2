import type { Selectable } from 'kysely';
import { type Engine, first, raw, run, type Step } from '../engine.ts';
import type { PeopleTables } from '../schema/people-tables.ts';

export type WarningRecord = Selectable<PeopleTables['warnings']>;
export type WarnSettings = Omit<Selectable<PeopleTables['warn_settings']>, 'bot_id' | 'chat_id'>;

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
  const { sql } = engine;
  return {
    ofUser: (botId, userId) =>
      engine.read(
        sql
          .selectFrom('warnings')
          .selectAll()
          .where('bot_id', '=', botId)
          .where('user_id', '=', userId)
          .orderBy('id', 'desc')
          .limit(200),
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
        if (engine.dialect === 'postgres') {
          // A concurrent warning of the same person counts after this one.
          yield* raw('select pg_advisory_xact_lock(hashtextextended($1, 0))', [
            `warn ${person.join(' ')}`,
          ]);
        }
        const row = (yield* first(
          sql.insertInto('warnings').values(warning).returningAll(),
        )) as WarningRecord;
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
        return { warning: row, active: counting.length, isReached, cleared };
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
    settings: (botId, chatId) =>
      engine.readOne(
        sql
          .selectFrom('warn_settings')
          .select(['threshold', 'action', 'action_seconds', 'expire_seconds'])
          .where('bot_id', '=', botId)
          .where('chat_id', '=', chatId),
      ),
    async saveSettings(botId, chatId, settings) {
      await engine.write(() =>
        run(
          sql
            .insertInto('warn_settings')
            .values({ bot_id: botId, chat_id: chatId, ...settings })
            .onConflict((conflict) =>
              conflict.columns(['bot_id', 'chat_id']).doUpdateSet({ ...settings }),
            ),
        ),
      );
    },
  };
}
