import type { Generated } from 'kysely';
import type { BotSwitch, PlainBotSetting, SealedBotColumn } from '../../core/bots/bot-settings.ts';
import type { PeopleTables } from './people-tables.ts';
import type { RelayTables } from './relay-tables.ts';

/** Booleans are 0 and 1, times are milliseconds since the epoch, on both engines. */
type Flag = number;

interface SettingsTable {
  name: string;
  value: string;
}

/** One column per setting. */
export type BotSettingColumns = {
  [Name in PlainBotSetting]: Name extends BotSwitch ? Flag : string;
} & Record<SealedBotColumn, string>;

export interface BotsTable extends BotSettingColumns {
  id: Generated<number>;
  platform_id: number;
  token_hash: string;
  token_sealed: string;
  username: string;
  source: string;
  disabled: Flag;
  created_at: number;
  updated_at: number;
}

export interface RoutesTable {
  id: Generated<number>;
  source_bot_id: number;
  target_bot_id: number;
  condition_type: string;
  condition_value: string;
  action: string;
  target_chat_id: number;
  enabled: Flag;
  description: string;
  priority: number;
  source_chat_id: number;
  return_mode: Generated<string>;
  created_at: number;
  updated_at: number;
}

export interface MessagesTable {
  bot_id: number;
  chat_id: number;
  id: number;
  user_id: number;
  username: string;
  first_name: string;
  last_name: string;
  text: string;
  /** Unix seconds, as the platform gives it. */
  date: number;
  media_type: string | null;
  file_id: string | null;
  reply_to_message_id: number | null;
  origin: string;
  edited_at: number | null;
  deleted_at: number | null;
  media_group_id: string | null;
  extra: string | null;
  pinned_at: Generated<number | null>;
  unpinned_at: Generated<number | null>;
}

export interface ChatsTable {
  bot_id: number;
  chat_id: number;
  type: string;
  title: string;
  username: string;
  member_status: string;
  last_message_at: number;
  updated_at: number;
  /** -1 if the platform was never asked. */
  member_count: Generated<number>;
  description: Generated<string>;
  photo_file_id: Generated<string>;
  /** JSON; '' if the platform was never asked. */
  own_rights: Generated<string>;
  refreshed_at: Generated<number>;
  message_count: Generated<number>;
  /** The supergroup that the group became; 0 if it did not. */
  migrated_to: Generated<number>;
}

export interface PeopleTable {
  user_id: number;
  username: string;
  first_name: string;
  last_name: string;
  is_bot: Flag;
  language_code: string;
  seen_at: number;
}

export interface TagsTable {
  id: Generated<number>;
  chat_id: number;
  user_id: number;
  username: string;
  tag: string;
  color: string;
  created_at: number;
}

interface TagBotsTable {
  tag_id: number;
  bot_id: number;
}

export interface SignInAttemptsTable {
  name_hash: string;
  clear_at: number;
  blocked_until: number;
}

export interface ApiKeysTable {
  id: Generated<number>;
  name: string;
  key_hash: string;
  hint: string;
  scope: string;
  bot_ids: string | null;
  expires_at: number | null;
  disabled: Flag;
  created_by: string;
  created_at: number;
  last_used_at: number | null;
}

export interface UsersTable {
  id: Generated<number>;
  username: string;
  password_hash: string;
  role: string;
  bot_ids: string | null;
  disabled: Flag;
  created_at: number;
  last_sign_in_at: number | null;
}

export interface SessionsTable {
  token_hash: string;
  user_id: number;
  csrf_token: string;
  created_at: number;
  expires_at: number;
  last_used_at: number;
}

interface IdempotencyTable {
  scope: string;
  idempotency_key: string;
  request_hash: string;
  response: string | null;
  created_at: number;
}

/** The tables for which queries are built. Rows of other tables are described next to their SQL. */
export interface Tables extends PeopleTables, RelayTables {
  settings: SettingsTable;
  bots: BotsTable;
  routes: RoutesTable;
  messages: MessagesTable;
  chats: ChatsTable;
  people: PeopleTable;
  tags: TagsTable;
  tag_bots: TagBotsTable;
  sign_in_attempts: SignInAttemptsTable;
  api_keys: ApiKeysTable;
  users: UsersTable;
  sessions: SessionsTable;
  idempotency: IdempotencyTable;
}

export type TableName =
  | keyof Tables
  | 'backend_health'
  | 'bot_runtime'
  | 'log_heads'
  | 'retry_positions'
  | 'retry_queues';
