import { dialectWords } from './dialect-words.ts';
import type { Migration } from './index.ts';

/*
 * What chat management needs of the archive is kept by triggers, so that every way in which
 * messages are stored, changed or removed is covered without a word from the code that does it.
 * Counting and searching are for managed bots only; the others pay one look-up per message.
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

const enqueue = 'insert into search_queue (bot_id, chat_id, message_id)';
const keepEdit =
  'insert into message_edits (bot_id, chat_id, message_id, text, written_at, replaced_at)';
const edited = `${keepEdit} values (old.bot_id, old.chat_id, old.id, old.text,
  coalesce(old.edited_at, old.date), coalesce(new.edited_at, new.date))`;
const managed = 'exists (select 1 from bots where id = new.bot_id and manage_enabled = 1)';

/*
 * The index holds grams as words (see core/search-grams.ts) and no texts; its rows are numbered as
 * those of messages, which is the order in which they were stored: newest first is then a walk that
 * ends with the page. A message's rowid changes only by VACUUM, which nothing here runs.
 */
const onSqlite = [
  `create virtual table message_search using fts5(
    grams, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii'
  )`,
  `create trigger messages_stored after insert on messages when ${managed} begin
    ${enqueue} values (new.bot_id, new.chat_id, new.id);
    update chats set message_count = message_count + 1
      where bot_id = new.bot_id and chat_id = new.chat_id;
  end`,
  `create trigger messages_edited after update of text on messages when old.text <> new.text begin
    ${edited};
    ${enqueue} select new.bot_id, new.chat_id, new.id where ${managed};
  end`,
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
  'create index message_search_grams on message_search using gin (grams)',
  // A message stored before any update or send waits for one lock only: its chat's, taken already.
  triggerFunction(
    'messages_stored',
    `${enqueue} select a.bot_id, a.chat_id, a.id from added a
       join bots b on b.id = a.bot_id where b.manage_enabled = 1;
     update chats c set message_count = c.message_count + n.added
       from (select a.bot_id, a.chat_id, count(*) as added from added a
         join bots b on b.id = a.bot_id where b.manage_enabled = 1 group by 1, 2) n
       where c.bot_id = n.bot_id and c.chat_id = n.chat_id;`,
  ),
  `create trigger messages_stored after insert on messages referencing new table as added
    for each statement execute function messages_stored()`,
  triggerFunction(
    'messages_edited',
    `${edited};
     ${enqueue} select new.bot_id, new.chat_id, new.id where ${managed};`,
  ),
  `create trigger messages_edited after update of text on messages for each row
    when (old.text <> new.text) execute function messages_edited()`,
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
