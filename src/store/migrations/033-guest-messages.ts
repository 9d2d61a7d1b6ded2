import { dialectWords } from './dialect-words.ts';
import type { Migration } from './migration.ts';

/**
 * Adds a table for messages of chats that a bot is not a member of, by the position of their update
 * in its log.
 */
export const guestMessages: Migration = {
  id: 33,
  name: 'guest messages',
  up(dialect) {
    const { bigint } = dialectWords(dialect);
    return [
      `create table guest_messages (
        bot_id ${bigint} not null references bots (id) on delete cascade,
        position ${bigint} not null,
        chat_id ${bigint} not null,
        id ${bigint} not null,
        user_id ${bigint} not null,
        username text not null,
        first_name text not null,
        last_name text not null,
        text text not null,
        date ${bigint} not null,
        media_type text,
        file_id text,
        reply_to_message_id ${bigint},
        edited_at ${bigint},
        media_group_id text,
        extra text,
        primary key (bot_id, position)
      )`,
      'create index guest_messages_newest on guest_messages (bot_id, chat_id, date, id)',
    ];
  },
};
