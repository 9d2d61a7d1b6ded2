import type { DeskClaims } from '../apps/claim-registry.ts';
import { type DialectName, raw } from '../engine.ts';
import { wordsOf } from '../sql/dialect.ts';

/** Tells appends which topics of a bot's forums are those of customers. */
export function deskClaims(dialect: DialectName): DeskClaims {
  const { isIn, list } = wordsOf[dialect];
  return {
    *forumsOf(botId) {
      const desks = yield* raw<{ chat_id: number }>(
        'select chat_id from desks where desk_bot_id = $1',
        [botId],
      );
      return desks.map(({ chat_id }) => chat_id);
    },
    *topicsAmong(botId, threadIds) {
      return yield* raw<{ chatId: number; threadId: number }>(
        `select d.chat_id as "chatId", t.thread_id as "threadId" from desks d join desk_topics t on t.desk_id = d.id
         where d.desk_bot_id = $1 and ${isIn('t.thread_id', '$2')}`,
        [botId, list(threadIds)],
      );
    },
  };
}
