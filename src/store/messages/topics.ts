import { wordsOf } from '../sql/dialect.ts';
import { filter } from '../sql/filter.ts';
import type { Engine } from '../engine.ts';
import { type MessageRow, messageColumns } from './messages.ts';
import type { TopicRecord } from './save-topics.ts';

/** A cursor in the list of topics, which begins with the latest. */
export type TopicCursor = Pick<TopicRecord, 'last_message_at' | 'thread_id'>;

export interface TopicRepository {
  /** Lists the topics of a chat by last message, the latest first. */
  list(
    botId: number,
    chatId: number,
    after: TopicCursor | undefined,
    limit: number,
  ): Promise<TopicRecord[]>;
  /** True if Telegram said that the bot cannot write into the topic. */
  isGone(botId: number, chatId: number, threadId: number): Promise<boolean>;
  /** Returns the newest message of each topic that has one, by topic. */
  lastMessages(
    botId: number,
    chatId: number,
    threadIds: readonly number[],
  ): Promise<Map<number, MessageRow>>;
}

export function createTopicRepository(engine: Engine): TopicRepository {
  const { list } = wordsOf[engine.dialect];
  const newest = `from messages m where m.bot_id = $1 and m.chat_id = $2
    and m.thread_id = t.thread_id order by m.date desc, m.id desc limit 1`;
  return {
    list(botId, chatId, after, limit) {
      const { where, parameters } = filter([
        ['bot_id = ?', botId],
        ['chat_id = ?', chatId],
        after && ['(last_message_at, thread_id) < (?, ?)', after.last_message_at, after.thread_id],
      ]);
      return engine.readHeavy<TopicRecord>(
        `select * from topics ${where} order by last_message_at desc, thread_id desc
         limit $${parameters.push(limit)}`,
        parameters,
      );
    },
    async isGone(botId, chatId, threadId) {
      const found = await engine.readRaw(
        `select 1 as one from topics where bot_id = $1 and chat_id = $2 and thread_id = $3
           and gone_at > 0`,
        [botId, chatId, threadId],
      );
      return found.length > 0;
    },
    async lastMessages(botId, chatId, threadIds) {
      if (threadIds.length === 0) return new Map();
      const rows = await engine.readRaw<MessageRow>(
        engine.dialect === 'sqlite'
          ? `select ${messageColumns('newest')} from messages newest where newest.doc in (
               select (select m.doc ${newest})
               from (select value as thread_id from json_each($3)) t)`
          : `select ${messageColumns('newest')} from unnest($3::bigint[]) as t (thread_id)
             cross join lateral (select m.* ${newest}) newest`,
        [botId, chatId, list(threadIds)],
      );
      return new Map(rows.map((row) => [row.thread_id ?? 0, row]));
    },
  };
}
