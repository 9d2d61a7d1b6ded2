import { dialectWords } from './dialect-words.ts';
import type { Migration } from './migration.ts';

/** Entries of the audit log younger than this cannot be removed by anyone. */
const auditYearSeconds = 365 * 86_400;

export const people: Migration = {
  id: 8,
  name: 'people',
  up(dialect) {
    const { id, bigint, withoutRowid } = dialectWords(dialect);
    const botId = `bot_id ${bigint} not null references bots (id) on delete cascade`;
    const seq = dialect === 'sqlite' ? 'integer primary key' : id;
    return [
      // What the platform last said of a member: the end of a ban or mute, title, rights as JSON.
      `alter table members add column until_at ${bigint} not null default 0`,
      "alter table members add column title text not null default ''",
      "alter table members add column rights text not null default ''",
      'create index members_user on members (bot_id, user_id)',

      `create table people_names (
        id ${id},
        user_id ${bigint} not null,
        username text not null,
        first_name text not null,
        last_name text not null,
        seen_at ${bigint} not null
      )`,
      'create index people_names_user on people_names (user_id, id)',
      `insert into people_names (user_id, username, first_name, last_name, seen_at)
       select user_id, username, first_name, last_name, seen_at from people`,

      `create table warnings (
        id ${id},
        ${botId},
        chat_id ${bigint} not null,
        user_id ${bigint} not null,
        reason text not null,
        warned_by text not null,
        created_at ${bigint} not null,
        expires_at ${bigint},
        cleared_at ${bigint}
      )`,
      'create index warnings_user on warnings (bot_id, user_id, chat_id, id)',
      `create table warn_settings (
        ${botId},
        chat_id ${bigint} not null,
        threshold integer not null,
        action text not null,
        action_seconds ${bigint} not null,
        expire_seconds ${bigint} not null,
        primary key (bot_id, chat_id)
      )`,
      `create table notes (
        id ${id},
        ${botId},
        user_id ${bigint} not null,
        text text not null,
        author text not null,
        created_at ${bigint} not null
      )`,
      'create index notes_user on notes (bot_id, user_id, id)',

      // No reference to bots: what was done to a bot stays known when the bot is gone.
      `create table audit (
        id ${id},
        at ${bigint} not null,
        actor_kind text not null,
        actor_id ${bigint} not null,
        actor_name text not null,
        action text not null,
        bot_id ${bigint} not null,
        chat_id ${bigint} not null,
        user_id ${bigint} not null,
        input text not null,
        before text not null,
        after text not null,
        address text not null,
        request_id text not null
      )`,
      'create index audit_bot on audit (bot_id, id)',
      'create index audit_age on audit (at)',

      // Messages not yet counted; the aggregates below are made of them, and then they go.
      `create table stats_pending (
        seq ${seq},
        bot_id ${bigint} not null,
        chat_id ${bigint} not null,
        user_id ${bigint} not null,
        date ${bigint} not null,
        is_media integer not null,
        is_own integer not null
      )`,
      // chat_id 0 is the whole bot in all of these.
      `create table stats_hours (
        ${botId},
        chat_id ${bigint} not null,
        hour ${bigint} not null,
        received ${bigint} not null,
        sent ${bigint} not null,
        media ${bigint} not null,
        primary key (bot_id, chat_id, hour)
      ) ${withoutRowid}`,
      // grain 0: bucket is a day, 1: a month, 2: everything, 3: a year. A long range is made of some.
      `create table stats_people (
        ${botId},
        chat_id ${bigint} not null,
        grain integer not null,
        bucket ${bigint} not null,
        user_id ${bigint} not null,
        messages ${bigint} not null,
        primary key (bot_id, chat_id, grain, bucket, user_id)
      ) ${withoutRowid}`,
      'create index stats_people_user on stats_people (bot_id, user_id) where grain = 2',
      // How long people waited for the bot: a histogram for each day.
      `create table stats_responses (
        ${botId},
        chat_id ${bigint} not null,
        day ${bigint} not null,
        bucket integer not null,
        answers ${bigint} not null,
        primary key (bot_id, chat_id, day, bucket)
      ) ${withoutRowid}`,
      // Since when a chat waits for the bot's next message.
      `create table stats_waiting (
        ${botId},
        chat_id ${bigint} not null,
        since ${bigint} not null,
        primary key (bot_id, chat_id)
      ) ${withoutRowid}`,
      `create table stats_deliveries (
        ${botId},
        hour ${bigint} not null,
        delivered ${bigint} not null,
        failed ${bigint} not null,
        duration_ms ${bigint} not null,
        primary key (bot_id, hour)
      ) ${withoutRowid}`,
      // Bots whose stored messages are yet to be counted, and the last message that was.
      `create table stats_backfills (
        bot_id ${bigint} primary key references bots (id) on delete cascade,
        chat_id ${bigint} not null,
        message_id ${bigint} not null
      ) ${withoutRowid}`,
      `insert into stats_backfills select id, ${belowAll}, ${belowAll} from bots
       where manage_enabled = 1`,
      ...(dialect === 'sqlite' ? sqliteTriggers() : postgresTriggers()),
    ];
  },
};

// Below every id.
const belowAll = '-9007199254740991';
const countedTables = ['pending', 'hours', 'people', 'responses', 'waiting'];

/** Management was switched on: everything is counted anew from what is stored. */
function recount(): string {
  const deletes = countedTables.map((name) => `delete from stats_${name} where bot_id = new.id;`);
  return `${deletes.join(' ')}
    insert into stats_backfills values (new.id, ${belowAll}, ${belowAll})
      on conflict (bot_id) do update
      set chat_id = excluded.chat_id, message_id = excluded.message_id;`;
}

/** Warnings follow a group that became a supergroup. */
const followMove = `
  update warnings set chat_id = new.migrated_to
    where bot_id = new.bot_id and chat_id = new.chat_id;
  insert into warn_settings
    select bot_id, new.migrated_to, threshold, action, action_seconds, expire_seconds
    from warn_settings where bot_id = new.bot_id and chat_id = new.chat_id
    on conflict (bot_id, chat_id) do nothing;`;

/*
 * Triggers, because every way in which a name is stored passes them. Messages have none: see
 * store/message-followers.ts for what is counted as they are stored.
 */
function sqliteTriggers(): string[] {
  const name = '(user_id, username, first_name, last_name, seen_at)';
  const newName = '(new.user_id, new.username, new.first_name, new.last_name, new.seen_at)';
  return [
    `create trigger bots_counted after update of manage_enabled on bots
     when new.manage_enabled = 1 and old.manage_enabled = 0 begin ${recount()} end`,
    `create trigger chats_moved after update of migrated_to on chats
     when new.migrated_to <> 0 and old.migrated_to <> new.migrated_to begin ${followMove} end`,
    `create trigger people_named after insert on people begin
       insert into people_names ${name} values ${newName};
     end`,
    `create trigger people_renamed after update on people
     when old.username <> new.username or old.first_name <> new.first_name
       or old.last_name <> new.last_name begin
       insert into people_names ${name} values ${newName};
     end`,
    `create trigger audit_kept_as_written before update on audit begin
       select raise(abort, 'the audit log is append-only');
     end`,
    `create trigger audit_kept before delete on audit
     when old.at > (unixepoch() - ${auditYearSeconds}) * 1000 begin
       select raise(abort, 'the audit log is append-only');
     end`,
  ];
}

function postgresTriggers(): string[] {
  return [
    `create function recount_messages() returns trigger language plpgsql as $body$ begin
       ${recount()}
       return null;
     end $body$`,
    `create trigger bots_counted after update of manage_enabled on bots for each row
     when (new.manage_enabled = 1 and old.manage_enabled = 0)
     execute function recount_messages()`,
    `create function follow_move() returns trigger language plpgsql as $body$ begin
       ${followMove}
       return null;
     end $body$`,
    `create trigger chats_moved after update of migrated_to on chats for each row
     when (new.migrated_to <> 0 and old.migrated_to <> new.migrated_to)
     execute function follow_move()`,
    `create function note_name() returns trigger language plpgsql as $body$ begin
       insert into people_names (user_id, username, first_name, last_name, seen_at)
       values (new.user_id, new.username, new.first_name, new.last_name, new.seen_at);
       return null;
     end $body$`,
    `create trigger people_named after insert on people
     for each row execute function note_name()`,
    `create trigger people_renamed after update on people for each row
     when (old.username <> new.username or old.first_name <> new.first_name
       or old.last_name <> new.last_name) execute function note_name()`,
    `create function keep_audit() returns trigger language plpgsql as $body$ begin
       if tg_op = 'DELETE'
         and old.at <= (extract(epoch from now()) - ${auditYearSeconds}) * 1000 then
         return old;
       end if;
       raise exception 'the audit log is append-only';
     end $body$`,
    `create trigger audit_kept before update or delete on audit
     for each row execute function keep_audit()`,
    `create trigger audit_not_emptied before truncate on audit
     for each statement execute function keep_audit()`,
  ];
}
