import { dialectWords } from './dialect-words.ts';
import type { Migration } from './migration.ts';

/** Adds what users have read of conversations: the last message that they saw. */
export const chatReads: Migration = {
  id: 47,
  name: 'chat reads',
  up(dialect) {
    const { bigint } = dialectWords(dialect);
    return [
      `create table chat_reads (
        bot_id ${bigint} not null references bots (id) on delete cascade,
        chat_id ${bigint} not null,
        user_id ${bigint} not null references users (id) on delete cascade,
        message_date ${bigint} not null,
        message_id ${bigint} not null,
        primary key (bot_id, chat_id, user_id)
      )`,
      'create index chat_reads_user on chat_reads (user_id)',
    ];
  },
};
