import { dialectWords } from './dialect-words.ts';
import type { Migration } from './migration.ts';

/** Messages that keep their numbers, pins, and statistics that are quicker and move along. */
export const management: Migration = {
  id: 12,
  name: 'management',
  up(dialect) {
    const { bigint, withoutRowid } = dialectWords(dialect);
    return [
      ...(dialect === 'sqlite' ? onSqlite : onPostgres),
      'create index messages_pinned on messages (bot_id, chat_id) where pinned_at is not null',

      // Groups that became supergroups and whose counters are yet to be added to those of the new chat.
      `create table stats_moves (
        bot_id ${bigint} not null references bots (id) on delete cascade,
        chat_id ${bigint} not null,
        to_chat_id ${bigint} not null,
        primary key (bot_id, chat_id)
      ) ${withoutRowid}`,
      `insert into stats_moves select bot_id, chat_id, migrated_to from chats
       where migrated_to <> 0`,

      // Hours added up. grain 0: bucket is a day, 1: an hour of the day in a month (month * 24 + hour).
      `create table stats_sums (
        bot_id ${bigint} not null references bots (id) on delete cascade,
        chat_id ${bigint} not null,
        grain integer not null,
        bucket ${bigint} not null,
        received ${bigint} not null,
        sent ${bigint} not null,
        media ${bigint} not null,
        primary key (bot_id, chat_id, grain, bucket)
      ) ${withoutRowid}`,
      ...[
        [0, 'hour / 24'],
        [1, `${monthOf[dialect]('hour * 3600')} * 24 + hour % 24`],
      ].map(
        ([grain, bucket]) => `insert into stats_sums
          select bot_id, chat_id, ${grain}, ${bucket}, sum(received), sum(sent), sum(media)
          from stats_hours group by bot_id, chat_id, ${bucket}`,
      ),
      // grain 4 of people: ten days of a month, the last ones the rest.
      `insert into stats_people
       select bot_id, chat_id, 4, ${thirdOf[dialect]('bucket * 86400')}, user_id, sum(messages)
       from stats_people where grain = 0
       group by bot_id, chat_id, ${thirdOf[dialect]('bucket * 86400')}, user_id`,
      // grain 5: a quarter of a year.
      `insert into stats_people
       select bot_id, chat_id, 5, bucket / 3, user_id, sum(messages)
       from stats_people where grain = 1 group by bot_id, chat_id, bucket / 3, user_id`,
      ...(dialect === 'sqlite' ? recountOnSqlite : recountOnPostgres),
    ];
  },
};

/** Months since the year 0, of Unix seconds. */
const monthOf = {
  sqlite: (at: string) =>
    `(cast(strftime('%Y', ${at}, 'unixepoch') as integer) * 12
      + cast(strftime('%m', ${at}, 'unixepoch') as integer) - 1)`,
  postgres: (at: string) =>
    `(extract(year from to_timestamp(${at}) at time zone 'UTC')::bigint * 12
      + extract(month from to_timestamp(${at}) at time zone 'UTC')::bigint - 1)`,
};
const thirdOf = {
  sqlite: (at: string) =>
    `(${monthOf.sqlite(at)} * 3
      + min(2, (cast(strftime('%d', ${at}, 'unixepoch') as integer) - 1) / 10))`,
  postgres: (at: string) =>
    `(${monthOf.postgres(at)} * 3
      + least(2, (extract(day from to_timestamp(${at}) at time zone 'UTC')::bigint - 1) / 10))`,
};

const columns = `bot_id, chat_id, id, user_id, username, first_name, last_name, text, date, media_type,
  file_id, reply_to_message_id, origin, edited_at, deleted_at, media_group_id, extra`;

/*
 * The search index numbers its rows as those of messages. A number of its own (`doc`) is kept for
 * ever; the hidden one that SQLite had given them until now is made anew by VACUUM.
 */
const onSqlite = [
  `create table numbered_messages (
    doc integer primary key,
    bot_id integer not null references bots (id) on delete cascade,
    chat_id integer not null,
    id integer not null,
    user_id integer not null default 0,
    username text not null default '',
    first_name text not null default '',
    last_name text not null default '',
    text text not null default '',
    date integer not null,
    media_type text,
    file_id text,
    reply_to_message_id integer,
    origin text not null,
    edited_at integer,
    deleted_at integer,
    media_group_id text,
    extra text,
    pinned_at integer,
    unique (bot_id, chat_id, id)
  )`,
  `insert into numbered_messages (doc, ${columns}) select rowid, ${columns} from messages order by rowid`,
  'drop table messages',
  // Triggers that name the table are left as they are.
  'pragma legacy_alter_table = on',
  'alter table numbered_messages rename to messages',
  'pragma legacy_alter_table = off',
  'create index messages_newest on messages (bot_id, chat_id, date, id)',
  `create index messages_replies on messages (bot_id, chat_id, reply_to_message_id)
   where reply_to_message_id is not null`,
  `create trigger messages_removed after delete on messages begin
    delete from message_search where rowid = old.doc;
  end`,
];

const onPostgres = ['alter table messages add column pinned_at bigint'];

const recountOnSqlite = [
  `create trigger bots_summed after update of manage_enabled on bots
   when new.manage_enabled = 1 and old.manage_enabled = 0 begin
     delete from stats_sums where bot_id = new.id;
   end`,
];

/*
 * What is being appended is waited for, so that it is either counted by itself or found by the
 * backfill; and what is being counted (the number is that lock's), so that it goes with the rest.
 */
const recountOnPostgres = [
  `create function begin_recount() returns trigger language plpgsql as $body$ begin
     insert into log_heads (bot_id) values (new.id) on conflict do nothing;
     perform 1 from log_heads where bot_id = new.id for update;
     perform pg_advisory_xact_lock(724178234);
     delete from stats_sums where bot_id = new.id;
     return new;
   end $body$`,
  `create trigger bots_summed before update of manage_enabled on bots for each row
   when (new.manage_enabled = 1 and old.manage_enabled = 0) execute function begin_recount()`,
];
