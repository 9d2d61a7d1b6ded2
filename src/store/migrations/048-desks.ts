import { dialectWords } from './dialect-words.ts';
import type { Migration } from './migration.ts';

/** Adds support desks: their bots, a topic for each customer, and what waits to be sent into it. */
export const desks: Migration = {
  id: 48,
  name: 'desks',
  up(dialect) {
    const { bigint, id } = dialectWords(dialect);
    const number = `${bigint} not null default 0`;
    return [
      `create table desks (
        id ${id},
        name text not null,
        desk_bot_id ${bigint} not null references bots (id) on delete cascade,
        chat_id ${bigint} not null unique,
        settings text not null default '{}',
        created_at ${bigint} not null,
        updated_at ${bigint} not null
      )`,
      'create index desks_bot on desks (desk_bot_id)',
      `create table desk_bots (
        bot_id ${bigint} primary key references bots (id) on delete cascade,
        desk_id ${bigint} not null references desks (id) on delete cascade
      )`,
      'create index desk_bots_desk on desk_bots (desk_id)',
      `create table desk_topics (
        id ${id},
        desk_id ${bigint} not null references desks (id) on delete cascade,
        bot_id ${bigint} not null references bots (id) on delete cascade,
        chat_id ${bigint} not null,
        connection text not null default '',
        from_thread_id ${number},
        name text not null,
        thread_id ${bigint},
        generation ${bigint} not null default 1,
        closed ${number},
        doing text not null default '',
        problem text not null default '',
        retry_at ${number},
        created_at ${bigint} not null,
        unique (bot_id, chat_id),
        unique (desk_id, thread_id)
      )`,
      `create table desk_items (
        id ${id},
        topic_id ${bigint} not null references desk_topics (id) on delete cascade,
        rank ${number},
        key text not null unique,
        call text not null,
        repeated ${number}
      )`,
      'create index desk_items_next on desk_items (topic_id, rank, id)',
    ];
  },
};
