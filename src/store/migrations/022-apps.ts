import { dialectWords } from './dialect-words.ts';
import type { Migration } from './migration.ts';

/**
 * Applications connected to a bot. Each bot has the app `default`, which its own settings describe; each named
 * long-poll consumer is an app without a token.
 */
export const apps: Migration = {
  id: 22,
  name: 'apps',
  up(dialect) {
    const { id, bigint, withoutRowid } = dialectWords(dialect);
    const botId = `bot_id ${bigint} not null references bots (id) on delete cascade`;
    const appId = `app_id ${bigint} not null`;
    const columns = 'bot_id, name, created_at, updated_at';
    return [
      `create table apps (
        id ${id},
        ${botId},
        name text not null,
        token_hash text,
        mode text not null default 'poll',
        backend_url text not null default '',
        secret_sealed text not null default '',
        filter text not null default '{}',
        exclusive integer not null default 0,
        priority integer not null default 0,
        own_replies integer not null default 0,
        methods text not null default '[]',
        disabled integer not null default 0,
        created_at ${bigint} not null,
        updated_at ${bigint} not null,
        unique (bot_id, name)
      )`,
      'create unique index apps_token on apps (token_hash)',
      `insert into apps (${columns}) select id, 'default', created_at, created_at from bots order by id`,
      // A consumer called default belongs to the app of that name.
      `insert into apps (${columns})
       select bot_id, substr(name, 6), created_at, created_at from readers
       where name like 'pull:_%' and name <> 'pull:default' order by bot_id, name`,
      `create table app_activity (
        app_id ${bigint} primary key references apps (id) on delete cascade,
        last_seen_at ${bigint} not null default 0,
        sent ${bigint} not null default 0
      )`,
      // No reference to the app: the row of one that is gone is found no more, and goes by its age.
      `create table app_messages (
        ${botId},
        chat_id ${bigint} not null,
        message_id ${bigint} not null,
        ${appId},
        sent_at ${bigint} not null,
        primary key (bot_id, chat_id, message_id)
      ) ${withoutRowid}`,
      'create index app_messages_age on app_messages (sent_at)',
      `alter table log add column claimed_by ${bigint} not null default 0`,
      `alter table log_heads add column apps_version ${bigint} not null default 0`,
      `alter table outbox add column app_id ${bigint} not null default 0`,
    ];
  },
};
