import { dialectWords } from './dialect-words.ts';
import type { Migration } from './migration.ts';

/** Adds a table for chats that Telegram makes wait for more than a minute, with the app that used them most. */
export const floodWaits: Migration = {
  id: 42,
  name: 'flood waits',
  up(dialect) {
    const { bigint } = dialectWords(dialect);
    return [
      `create table flood_waits (
        bot_id ${bigint} not null references bots (id) on delete cascade,
        chat_id ${bigint} not null,
        since ${bigint} not null,
        until ${bigint} not null,
        app text not null,
        primary key (bot_id, chat_id)
      )`,
    ];
  },
};
