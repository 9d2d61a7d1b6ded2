import type { DialectName } from '../engine.ts';
import { dialectWords } from './dialect-words.ts';
import type { Migration } from './migration.ts';

/**
 * Adds topics, and to each message its topic. The topics of stored messages are those whose opening
 * is stored: other messages have a thread ID as well, namely replies outside of topics.
 */
export const topics: Migration = {
  id: 36,
  name: 'topics',
  up(dialect) {
    const { bigint } = dialectWords(dialect);
    const { name, threadId } = stored[dialect];
    return [
      `create table topics (
        bot_id ${bigint} not null references bots (id) on delete cascade,
        chat_id ${bigint} not null,
        thread_id ${bigint} not null,
        name text,
        icon_color ${bigint},
        icon_emoji_id text,
        closed ${bigint},
        hidden ${bigint},
        gone_at ${bigint},
        last_message_at ${bigint} not null,
        primary key (bot_id, chat_id, thread_id)
      )`,
      `insert into topics (bot_id, chat_id, thread_id, name, last_message_at)
       select bot_id, chat_id, id, ${name}, date * 1000 from messages
       where extra like '%"content":"forum_topic_created"%'`,
      `alter table messages add column thread_id ${bigint}`,
      `update messages set thread_id = ${threadId} where extra like '%"thread_id":%'
         and exists (select 1 from topics t where t.bot_id = messages.bot_id
           and t.chat_id = messages.chat_id and t.thread_id = ${threadId})`,
      `create index messages_topic on messages (bot_id, chat_id, thread_id, date, id)
       where thread_id is not null`,
      `update topics set last_message_at = 1000 * (select max(date) from messages m
         where m.bot_id = topics.bot_id and m.chat_id = topics.chat_id
           and m.thread_id = topics.thread_id)
       where exists (select 1 from messages m where m.bot_id = topics.bot_id
         and m.chat_id = topics.chat_id and m.thread_id = topics.thread_id)`,
    ];
  },
};

/** Reads the JSON of a message. */
const stored: Record<DialectName, { name: string; threadId: string }> = {
  sqlite: {
    name: `extra ->> '$.about.text'`,
    threadId: `cast(messages.extra ->> '$.thread_id' as integer)`,
  },
  postgres: {
    name: `extra::json #>> '{about,text}'`,
    // Not read as JSON: PostgreSQL refuses to, if any text in it, such as that of a button, has NUL.
    threadId: `substring(messages.extra from '"thread_id":([0-9]{1,18})')::bigint`,
  },
};
