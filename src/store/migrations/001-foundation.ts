import type { Migration } from './migration.ts';
import { dialectWords } from './dialect-words.ts';

export const foundation: Migration = {
  id: 1,
  name: 'foundation',
  up(dialect) {
    const { id, bigint, withoutRowid } = dialectWords(dialect);
    return [
      `create table settings (
        name text primary key,
        value text not null
      ) ${withoutRowid}`,

      `create table bots (
        id ${id},
        platform_id ${bigint} not null,
        token_hash text not null unique,
        token_sealed text not null,
        name text not null,
        username text not null default '',
        source text not null,
        manage_enabled integer not null default 0,
        proxy_enabled integer not null default 0,
        backend_url text not null default '',
        secret_sealed text not null default '',
        long_poll_enabled integer not null default 0,
        description text not null default '',
        webhook_mode integer not null default 0,
        disabled integer not null default 0,
        llm_routing_enabled integer not null default 0,
        created_at ${bigint} not null,
        updated_at ${bigint} not null
      )`,
      'create index bots_platform_id on bots (platform_id)',

      `create table routes (
        id ${id},
        source_bot_id ${bigint} not null references bots (id) on delete cascade,
        target_bot_id ${bigint} not null references bots (id) on delete cascade,
        condition_type text not null,
        condition_value text not null default '',
        action text not null,
        target_chat_id ${bigint} not null default 0,
        enabled integer not null default 1,
        description text not null default '',
        priority integer not null default 0,
        source_chat_id ${bigint} not null default 0,
        created_at ${bigint} not null,
        updated_at ${bigint} not null
      )`,
      'create index routes_source on routes (source_bot_id, priority, id)',
      'create index routes_target on routes (target_bot_id)',

      // A message is unique per bot, chat and platform id. origin: received, sent, routed, gateway.
      `create table messages (
        bot_id ${bigint} not null references bots (id) on delete cascade,
        chat_id ${bigint} not null,
        id ${bigint} not null,
        user_id ${bigint} not null default 0,
        username text not null default '',
        first_name text not null default '',
        last_name text not null default '',
        text text not null default '',
        date ${bigint} not null,
        media_type text,
        file_id text,
        reply_to_message_id ${bigint},
        origin text not null,
        edited_at ${bigint},
        deleted_at ${bigint},
        media_group_id text,
        extra text,
        primary key (bot_id, chat_id, id)
      )`,
      'create index messages_newest on messages (bot_id, chat_id, date, id)',

      `create table chats (
        bot_id ${bigint} not null references bots (id) on delete cascade,
        chat_id ${bigint} not null,
        type text not null,
        title text not null default '',
        username text not null default '',
        member_status text not null default '',
        last_message_at ${bigint} not null default 0,
        updated_at ${bigint} not null,
        primary key (bot_id, chat_id)
      )`,
      'create index chats_chat on chats (chat_id)',

      `create table people (
        user_id ${bigint} primary key,
        username text not null default '',
        first_name text not null default '',
        last_name text not null default '',
        is_bot integer not null default 0,
        language_code text not null default '',
        seen_at ${bigint} not null
      )`,

      `create table tags (
        id ${id},
        chat_id ${bigint} not null,
        user_id ${bigint} not null,
        username text not null default '',
        tag text not null,
        color text not null,
        created_at ${bigint} not null,
        unique (chat_id, user_id, tag)
      )`,

      `create table api_keys (
        id ${id},
        name text not null,
        key_hash text not null unique,
        hint text not null,
        scope text not null,
        bot_ids text,
        expires_at ${bigint},
        disabled integer not null default 0,
        created_by text not null default '',
        created_at ${bigint} not null,
        last_used_at ${bigint}
      )`,

      `create table users (
        id ${id},
        username text not null unique,
        password_hash text not null,
        role text not null,
        bot_ids text,
        disabled integer not null default 0,
        created_at ${bigint} not null,
        last_sign_in_at ${bigint}
      )`,

      `create table sessions (
        token_hash text primary key,
        user_id ${bigint} not null references users (id) on delete cascade,
        csrf_token text not null,
        created_at ${bigint} not null,
        expires_at ${bigint} not null,
        last_used_at ${bigint} not null
      )`,
      'create index sessions_user on sessions (user_id)',

      `create table idempotency (
        scope text not null,
        idempotency_key text not null,
        request_hash text not null,
        response text,
        created_at ${bigint} not null,
        primary key (scope, idempotency_key)
      )`,
    ];
  },
};
