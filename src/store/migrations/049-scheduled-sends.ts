import { dialectWords } from './dialect-words.ts';
import type { Migration } from './migration.ts';

/** Adds the time at which a send is due and the request it came from, and the files of such sends. */
export const scheduledSends: Migration = {
  id: 49,
  name: 'scheduled sends',
  up(dialect) {
    const { bigint, bytes } = dialectWords(dialect);
    return [
      `alter table outbox add column send_at ${bigint} not null default 0`,
      `alter table outbox add column request text not null default ''`,
      `create index outbox_scheduled on outbox (send_at) where state = 'scheduled'`,
      `create table kept_files (
        id text not null,
        part integer not null,
        bot_id ${bigint} not null references bots (id) on delete cascade,
        send_id ${bigint} references outbox (id) on delete cascade,
        bytes ${bytes} not null,
        created_at ${bigint} not null,
        primary key (id, part)
      )`,
      'create index kept_files_bot on kept_files (bot_id)',
      'create index kept_files_send on kept_files (send_id)',
    ];
  },
};
