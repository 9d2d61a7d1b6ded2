import { type DialectName, type Engine, raw, type Step } from '../engine.ts';
import { wordsOf } from '../sql/dialect.ts';

/** A send whose messages have no IDs yet. */
export interface AppSend {
  id: string;
  botId: number;
  appId: number;
  /** 0 if it may go into any chat. */
  chatId: number;
}

/**
 * Stores sends of apps that receive the replies to their messages. Appends of all nodes see them.
 */
export interface AppSendRepository {
  begin(send: AppSend, nowMs: number): Promise<void>;
  end(ids: readonly string[]): Promise<void>;
}

/** The ID of an outbox send among them. */
export const outboxSendId = (id: number): string => `${outboxPrefix}${id}`;
export const isOutboxSend = (id: string): boolean => id.startsWith(outboxPrefix);
const outboxPrefix = 'outbox ';

export function createAppSendRepository(engine: Engine): AppSendRepository {
  return {
    async begin({ id, botId, appId, chatId }, nowMs) {
      const insert = `insert into app_sends (id, bot_id, app_id, chat_id, begun_at)
        values ($1, $2, $3, $4, $5) on conflict do nothing`;
      const values = [id, botId, appId, chatId, nowMs];
      await engine.write(() => raw(insert, values), { isSingle: true });
    },
    end: (ids) => engine.write(() => endSends(engine.dialect, ids)),
  };
}

export function* endSends(dialect: DialectName, ids: readonly string[]): Step<void> {
  if (ids.length === 0) return;
  const { isIn, list } = wordsOf[dialect];
  yield* raw(`delete from app_sends where ${isIn('id', '$1', 'text')}`, [list(ids)]);
}
