import { dialectWords } from './dialect-words.ts';
import type { Migration } from './migration.ts';

/** Adds the chats of keys, as JSON lists, and the changes that a key may make and made in a day. */
export const keyLimits: Migration = {
  id: 46,
  name: 'key limits',
  up(dialect) {
    const { bigint } = dialectWords(dialect);
    return [
      'alter table api_keys add column read_chats text',
      'alter table api_keys add column write_chats text',
      'alter table api_keys add column daily_writes integer not null default 0',
      `create table key_writes (
        key_id ${bigint} not null primary key references api_keys (id) on delete cascade,
        day integer not null,
        writes integer not null
      )`,
    ];
  },
};
