import { dialectWords } from './dialect-words.ts';
import type { Migration } from './migration.ts';

/*
 * Counting and searching are for managed bots only; store/message-followers.ts fills the queue as
 * messages are stored.
 */
export const chats: Migration = {
  id: 7,
  name: 'chats',
  up(dialect) {
    const { id, bigint, withoutRowid } = dialectWords(dialect);
    return [
      // -1: never asked. photo_file_id is that of the large photo; own_rights is JSON, '' for unknown.
      'alter table chats add column member_count integer not null default -1',
      "alter table chats add column description text not null default ''",
      "alter table chats add column photo_file_id text not null default ''",
      "alter table chats add column own_rights text not null default ''",
      `alter table chats add column refreshed_at ${bigint} not null default 0`,
      `alter table chats add column message_count ${bigint} not null default 0`,
      // The supergroup that a group became; 0 for none.
      `alter table chats add column migrated_to ${bigint} not null default 0`,
      'create index chats_migrated on chats (migrated_to) where migrated_to <> 0',

      // What a message said before each of its edits.
      `create table message_edits (
        id ${id},
        bot_id ${bigint} not null references bots (id) on delete cascade,
        chat_id ${bigint} not null,
        message_id ${bigint} not null,
        text text not null,
        written_at ${bigint} not null,
        replaced_at ${bigint} not null
      )`,
      'create index message_edits_message on message_edits (bot_id, chat_id, message_id)',
      `create index messages_replies on messages (bot_id, chat_id, reply_to_message_id)
       where reply_to_message_id is not null`,

      // Messages that the search index has not seen in their present form.
      `create table search_queue (
        id ${dialect === 'sqlite' ? 'integer primary key' : id},
        bot_id ${bigint} not null,
        chat_id ${bigint} not null,
        message_id ${bigint} not null
      )`,
      // Bots whose stored messages are being indexed, and how far that has come.
      `create table search_backfills (
        bot_id ${bigint} primary key references bots (id) on delete cascade,
        chat_id ${bigint} not null,
        message_id ${bigint} not null
      ) ${withoutRowid}`,
      `insert into search_backfills (bot_id, chat_id, message_id)
       select id, ${before}, ${before} from bots where manage_enabled = 1`,
      recount('bot_id in (select id from bots where manage_enabled = 1)'),
      ...(dialect === 'sqlite' ? onSqlite : onPostgres),
    ];
  },
};

// Below every id.
const before = '-9007199254740991';

function recount(where: string): string {
  return `update chats set message_count = (
      select count(*) from messages m
      where m.bot_id = chats.bot_id and m.chat_id = chats.chat_id
    ) where ${where}`;
}

/*
 * The index holds grams as words (see core/search-grams.ts) and no texts; its rows are numbered as
 * those of messages, which is the order in which they were stored: newest first is then a walk that
 * ends with the page. A message's rowid changes only by VACUUM, which nothing here runs.
 */
const onSqlite = [
  `create virtual table message_search using fts5(
    grams, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii'
  )`,
  `create trigger messages_removed after delete on messages begin
    delete from message_search where rowid = old.rowid;
  end`,
  `create trigger bots_managed after update of manage_enabled on bots
    when new.manage_enabled = 1 and old.manage_enabled = 0 begin
    insert or replace into search_backfills values (new.id, ${before}, ${before});
    ${recount('bot_id = new.id')};
  end`,
];

/*
 * Plain arrays of numbered grams: no extension, and no locale, decides what a letter is. Sorting by
 * date lets common words be found by walking back from the newest.
 */
const onPostgres = [
  `create table message_search (
    bot_id bigint not null,
    chat_id bigint not null,
    message_id bigint not null,
    date bigint not null,
    grams integer[] not null,
    primary key (bot_id, chat_id, message_id),
    foreign key (bot_id, chat_id, message_id) references messages (bot_id, chat_id, id)
      on delete cascade
  )`,
  'create index message_search_newest on message_search (bot_id, date, chat_id, message_id)',
  'create index message_search_chat on message_search (bot_id, chat_id, date, message_id)',
  // What waits to be merged into it is read by every search, so not much may wait.
  `create index message_search_grams on message_search using gin (grams)
    with (gin_pending_list_limit = 256)`,
  triggerFunction(
    'bots_managed',
    `insert into search_backfills values (new.id, ${before}, ${before})
       on conflict (bot_id) do update
       set chat_id = excluded.chat_id, message_id = excluded.message_id;
     ${recount('bot_id = new.id')};`,
  ),
  `create trigger bots_managed after update of manage_enabled on bots for each row
    when (new.manage_enabled = 1 and old.manage_enabled = 0) execute function bots_managed()`,
];

function triggerFunction(name: string, body: string): string {
  return `create function ${name}() returns trigger language plpgsql as $body$
    begin ${body} return null; end $body$`;
}
