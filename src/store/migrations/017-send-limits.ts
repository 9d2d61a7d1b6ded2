import { dialectWords } from './dialect-words.ts';
import type { Migration } from './migration.ts';

export const sendLimits: Migration = {
  id: 17,
  name: 'send limits',
  up(dialect) {
    const { bigint } = dialectWords(dialect);
    return [
      // How far a bot (chat 0) and its chats have used the platform's sending limits. Times are
      // milliseconds of the database's clock.
      `create table send_limits (
        bot_id ${bigint} not null references bots (id) on delete cascade,
        chat_id ${bigint} not null,
        empty_at double precision not null default 0,
        blocked_until double precision not null default 0,
        slowdown double precision not null default 1,
        slowed_at double precision not null default 0,
        updated_at double precision not null default 0,
        primary key (bot_id, chat_id)
      )`,
    ];
  },
};
