import type { Selectable } from 'kysely';
import { type Engine, first, raw, run, type Step } from './engine.ts';
import type { PeopleTables } from './people-tables.ts';

export type WarningRecord = Selectable<PeopleTables['warnings']>;
export type WarnSettings = Omit<Selectable<PeopleTables['warn_settings']>, 'bot_id' | 'chat_id'>;

export interface WarnedPerson {
  botId: number;
  chatId: number;
  userId: number;
}

export interface WarningStore {
  /** Newest first. */
  ofUser(botId: number, userId: number): Promise<WarningRecord[]>;
  /** How many still count. */
  countActive(person: WarnedPerson, nowMs: number): Promise<number>;
  /** `clears`: the threshold is reached, so that counting begins anew. */
  add(
    warning: Omit<WarningRecord, 'id' | 'cleared_at'>,
    options: { clears: boolean },
  ): Promise<WarningRecord>;
  /** Takes one warning back; gives it as it was. */
  clear(botId: number, id: number, nowMs: number): Promise<WarningRecord | undefined>;
  settings(botId: number, chatId: number): Promise<WarnSettings | undefined>;
  saveSettings(botId: number, chatId: number, settings: WarnSettings): Promise<void>;
}

const active = 'cleared_at is null and (expires_at is null or expires_at > $4)';

export function createWarningStore(engine: Engine): WarningStore {
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
    add: (warning, { clears }) =>
      engine.write(function* (): Step<WarningRecord> {
        const row = yield* first(sql.insertInto('warnings').values(warning).returningAll());
        if (clears) {
          yield* raw(
            `update warnings set cleared_at = $4
             where bot_id = $1 and chat_id = $2 and user_id = $3 and cleared_at is null`,
            [warning.bot_id, warning.chat_id, warning.user_id, warning.created_at],
          );
        }
        return row as WarningRecord;
      }),
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
