import { dialectWords } from './dialect-words.ts';
import type { Migration } from './migration.ts';

export const seenRanges: Migration = {
  id: 14,
  name: 'seen ranges',
  up(dialect) {
    const { bigint, withoutRowid } = dialectWords(dialect);
    return [
      // The numbers of updates that came, both ends included; those of one bot never overlap. No
      // index by age: a range changes with every update.
      `create table seen_ranges (
        bot_id ${bigint} not null references bots (id) on delete cascade,
        first_id ${bigint} not null,
        last_id ${bigint} not null,
        begun_at ${bigint} not null,
        seen_at ${bigint} not null,
        primary key (bot_id, first_id)
      ) ${withoutRowid}`,
      // Numbers that follow each other differ by as much as their places in the order.
      `insert into seen_ranges (bot_id, first_id, last_id, begun_at, seen_at)
       select bot_id, min(update_id), max(update_id), min(seen_at), max(seen_at)
       from (
         select bot_id, update_id, seen_at,
           update_id - row_number() over (partition by bot_id order by update_id) as run
         from seen_updates
       ) numbered
       group by bot_id, run`,
      'drop table seen_updates',
    ];
  },
};
