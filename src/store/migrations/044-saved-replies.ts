import { dialectWords } from './dialect-words.ts';
import type { Migration } from './migration.ts';

/** Adds texts that a team answers with; a reply without a bot is for all bots. */
export const savedReplies: Migration = {
  id: 44,
  name: 'saved replies',
  up(dialect) {
    const { bigint, id } = dialectWords(dialect);
    return [
      `create table saved_replies (
        id ${id},
        bot_id ${bigint} references bots (id) on delete cascade,
        name text not null,
        text text not null,
        uses ${bigint} not null default 0,
        last_used_at ${bigint} not null default 0,
        created_at ${bigint} not null,
        updated_at ${bigint} not null
      )`,
      'create unique index saved_replies_name on saved_replies (coalesce(bot_id, 0), name)',
      'create index saved_replies_bot on saved_replies (bot_id)',
    ];
  },
};
