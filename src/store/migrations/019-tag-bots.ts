import { dialectWords } from './dialect-words.ts';
import type { Migration } from './migration.ts';

export const tagBots: Migration = {
  id: 19,
  name: 'tag bots',
  up(dialect) {
    const { bigint, withoutRowid } = dialectWords(dialect);
    return [
      // The bots a tag was added for; 0 stands for every bot in the chat. No reference to bots: tags
      // outlive them.
      `create table tag_bots (
        tag_id ${bigint} not null references tags (id) on delete cascade,
        bot_id ${bigint} not null,
        primary key (tag_id, bot_id)
      ) ${withoutRowid}`,
      'insert into tag_bots (tag_id, bot_id) select id, 0 from tags',
      // By the hash of an address or a user name: what people type there may be a password.
      `create table sign_in_attempts (
        name_hash text primary key,
        clear_at ${bigint} not null,
        blocked_until ${bigint} not null
      ) ${withoutRowid}`,
      'create index sign_in_attempts_clear on sign_in_attempts (clear_at)',
    ];
  },
};
