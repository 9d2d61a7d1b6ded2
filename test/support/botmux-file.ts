import { DatabaseSync } from 'node:sqlite';

type Row = Record<string, string | number | bigint>;

/** The tables of botmux with the columns that matter, and their defaults. */
const tables = `
  create table bots (id integer primary key autoincrement, name text not null default '',
    token text not null default '', bot_username text not null default '',
    manage_enabled integer not null default 0, proxy_enabled integer not null default 0,
    backend_url text not null default '', secret_token text not null default '',
    polling_timeout integer not null default 30, offset_id integer not null default 0,
    source text not null default 'web', long_poll_enabled integer not null default 0,
    description text not null default '', disabled integer not null default 0);
  create table chats (bot_id integer not null default 0, id integer not null,
    type text not null default '', title text not null default '', username text not null default '',
    member_count integer not null default 0, description text not null default '',
    is_admin integer not null default 0, updated_at text not null default '',
    primary key (bot_id, id));
  create table messages (id integer not null, bot_id integer not null default 0,
    chat_id integer not null, from_user text not null default '', from_id integer not null default 0,
    text text not null default '', date integer not null default 0,
    reply_to_id integer not null default 0, deleted integer not null default 0,
    media_type text not null default '', file_id text not null default '',
    from_is_bot integer not null default 0, sender_tag text not null default '',
    primary key (bot_id, chat_id, id));
  create table known_users (chat_id integer not null, user_id integer not null,
    username text not null default '', first_seen text not null default '',
    primary key (chat_id, user_id));
  create table user_tags (id integer primary key autoincrement, chat_id integer not null,
    user_id integer not null, username text not null default '', tag text not null default '',
    color text not null default '#6c5ce7');
  create table routes (id integer primary key autoincrement, source_bot_id integer not null,
    target_bot_id integer not null, condition_type text not null default 'text',
    condition_value text not null default '', action text not null default 'forward',
    target_chat_id integer not null default 0, enabled integer not null default 1,
    description text not null default '', created_at text not null default '',
    source_chat_id integer not null default 0);
  create table route_mappings (id integer primary key autoincrement, route_id integer not null,
    source_bot_id integer not null, source_chat_id integer not null,
    source_msg_id integer not null, target_bot_id integer not null,
    target_chat_id integer not null, target_msg_id integer not null,
    created_at text not null default '');
  create table llm_config (id integer primary key autoincrement, api_url text not null default '',
    api_key text not null default '', model text not null default '',
    system_prompt text not null default '', enabled integer not null default 0);
  create table auth_users (id integer primary key autoincrement, username text not null unique,
    password_hash text not null, display_name text not null default '',
    role text not null default 'user');
  create table user_bots (user_id integer not null, bot_id integer not null,
    primary key (user_id, bot_id));
  create table bridges (id integer primary key autoincrement, name text not null);
`;

/** A database as botmux would leave it. */
export function writeBotmuxFile(file: string, content: Record<string, readonly Row[]>): void {
  const db = new DatabaseSync(file);
  db.exec('pragma journal_mode = wal');
  db.exec(tables);
  for (const [table, rows] of Object.entries(content)) {
    for (const row of rows) {
      const names = Object.keys(row);
      const marks = names.map(() => '?').join(', ');
      db.prepare(`insert into ${table} (${names.join(', ')}) values (${marks})`).run(
        ...Object.values(row),
      );
    }
  }
  db.close();
}
