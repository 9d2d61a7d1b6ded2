import type { Generated } from 'kysely';

interface PeopleNamesTable {
  id: Generated<number>;
  user_id: number;
  username: string;
  first_name: string;
  last_name: string;
  seen_at: number;
}

interface WarningsTable {
  id: Generated<number>;
  bot_id: number;
  chat_id: number;
  user_id: number;
  reason: string;
  warned_by: string;
  created_at: number;
  expires_at: number | null;
  cleared_at: number | null;
}

interface WarnSettingsTable {
  bot_id: number;
  chat_id: number;
  threshold: number;
  action: string;
  action_seconds: number;
  expire_seconds: number;
}

interface NotesTable {
  id: Generated<number>;
  bot_id: number;
  user_id: number;
  text: string;
  author: string;
  created_at: number;
}

interface AuditTable {
  id: Generated<number>;
  at: number;
  actor_kind: string;
  actor_id: number;
  actor_name: string;
  action: string;
  /** 0 if the entry is about no bot, chat or person. */
  bot_id: number;
  chat_id: number;
  user_id: number;
  /** These three are JSON, '' if there is nothing to record. */
  input: string;
  before: string;
  after: string;
  address: string;
  request_id: string;
}

export interface PeopleTables {
  people_names: PeopleNamesTable;
  warnings: WarningsTable;
  warn_settings: WarnSettingsTable;
  notes: NotesTable;
  audit: AuditTable;
}
