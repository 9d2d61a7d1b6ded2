import { dialectWords } from './dialect-words.ts';
import type { Migration } from './migration.ts';

/** Sends of apps that answer for the replies to them, while it is not known which messages they made. */
export const appSends: Migration = {
  id: 30,
  name: 'app-sends',
  up(dialect) {
    const { bigint } = dialectWords(dialect);
    return [
      `create table app_sends (
        id text primary key,
        bot_id ${bigint} not null references bots (id) on delete cascade,
        app_id ${bigint} not null,
        chat_id ${bigint} not null,
        begun_at ${bigint} not null
      )`,
      'create index app_sends_bot on app_sends (bot_id)',
    ];
  },
};
