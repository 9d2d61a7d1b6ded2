import { dialectWords } from './dialect-words.ts';
import type { Migration } from './migration.ts';

/** Adds the state of conversations; those that exist are done. */
export const conversations: Migration = {
  id: 40,
  name: 'conversations',
  up(dialect) {
    const { bigint } = dialectWords(dialect);
    const number = `${bigint} not null default`;
    return [
      `alter table chats add column unanswered_since ${number} 0`,
      `alter table chats add column is_done integer not null default 1`,
      `alter table chats add column needs_person integer not null default 0`,
      `alter table chats add column snoozed_until ${number} 0`,
      `alter table chats add column assignee text not null default ''`,
      `alter table chats add column assignee_name text not null default ''`,
      'create index chats_waiting on chats (unanswered_since) where unanswered_since > 0',
      'create index chats_open on chats (bot_id) where is_done = 0',
      `create index chats_assigned on chats (assignee) where assignee <> ''`,
      `alter table bots add column automatic_answers text not null default 'count'`,
      `alter table bots add column handoff text not null default '[]'`,
      `alter table users add column telegram_user_id ${number} 0`,
      'create unique index users_telegram on users (telegram_user_id) where telegram_user_id <> 0',
    ];
  },
};
