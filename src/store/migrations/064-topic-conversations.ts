import { dialectWords } from './dialect-words.ts';
import type { Migration } from './migration.ts';

/**
 * Gives topics the state that chats have: a topic of a private chat is a conversation if its bot has
 * `per_topic`. What users have read of topics gets a table, and the bots an index that holds only
 * those with the setting.
 */
export const topicConversations: Migration = {
  id: 64,
  name: 'topic conversations',
  up(dialect) {
    const { bigint } = dialectWords(dialect);
    const number = `${bigint} not null default`;
    return [
      `alter table topics add column unanswered_since ${number} 0`,
      `alter table topics add column is_done integer not null default 1`,
      `alter table topics add column needs_person integer not null default 0`,
      `alter table topics add column snoozed_until ${number} 0`,
      `alter table topics add column assignee text not null default ''`,
      `alter table topics add column assignee_name text not null default ''`,
      'create index topics_waiting on topics (unanswered_since) where unanswered_since > 0',
      'create index topics_open on topics (bot_id) where is_done = 0',
      `create index topics_assigned on topics (assignee) where assignee <> ''`,
      'create index bots_per_topic on bots (id) where per_topic = 1 and manage_enabled = 1',
      `create table topic_reads (
        bot_id ${bigint} not null references bots (id) on delete cascade,
        chat_id ${bigint} not null,
        thread_id ${bigint} not null,
        user_id ${bigint} not null references users (id) on delete cascade,
        message_date ${bigint} not null,
        message_id ${bigint} not null,
        primary key (bot_id, chat_id, thread_id, user_id)
      )`,
      'create index topic_reads_user on topic_reads (user_id)',
    ];
  },
};
