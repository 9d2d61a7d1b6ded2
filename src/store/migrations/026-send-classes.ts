import { dialectWords } from './dialect-words.ts';
import type { Migration } from './migration.ts';

/** Messages, edits and drafts have limits of their own. What was counted is of the last seconds, and is not kept. */
export const sendClasses: Migration = {
  id: 26,
  name: 'send-classes',
  up(dialect) {
    const { bigint } = dialectWords(dialect);
    return [
      'drop table send_limits',
      `create table send_limits (
        bot_id ${bigint} not null references bots (id) on delete cascade,
        chat_id ${bigint} not null,
        class text not null default 'message',
        empty_at double precision not null default 0,
        blocked_until double precision not null default 0,
        slowdown double precision not null default 1,
        slowed_at double precision not null default 0,
        updated_at double precision not null default 0,
        primary key (bot_id, chat_id, class)
      )`,
    ];
  },
};
