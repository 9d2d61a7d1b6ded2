import type { Generated } from 'kysely';

interface LogHeadsTable {
  bot_id: number;
  last_position: number;
  trimmed_to: number;
  bytes: number;
}

interface LogTable {
  bot_id: number;
  position: number;
  update_id: number;
  kind: string;
  queue: string;
  received_at: number;
  raw: string;
}

interface SeenUpdatesTable {
  bot_id: number;
  update_id: number;
  seen_at: number;
}

interface ReadersTable {
  bot_id: number;
  name: string;
  position: number;
  state: Generated<string>;
  era: Generated<number>;
  created_at: number;
  updated_at: number;
}

interface ParkedQueuesTable {
  bot_id: number;
  queue: string;
  attempts: number;
  first_failed_at: number;
  next_attempt_at: number;
  last_error: string;
}

interface ParkedPositionsTable {
  bot_id: number;
  position: number;
  queue: string;
}

interface DeadLettersTable {
  id: Generated<number>;
  bot_id: number;
  position: number;
  update_id: number;
  kind: string;
  queue: string;
  raw: string;
  reason: string;
  attempts: number;
  received_at: number;
  died_at: number;
}

interface DeliveryAttemptsTable {
  id: Generated<number>;
  bot_id: number;
  position: number;
  update_id: number;
  queue: string;
  started_at: number;
  duration_ms: number;
  /** The HTTP status, 0 when there was no answer. */
  status: number;
  error: string;
  answer: string;
}

interface OutboxTable {
  id: Generated<number>;
  bot_id: number;
  chat_id: number;
  method: string;
  params: string;
  origin: string;
  intent_key: string | null;
  priority: number;
  state: string;
  /** Which node is sending it. */
  node: Generated<string>;
  not_before: Generated<number>;
  attempts: Generated<number>;
  error: Generated<string>;
  message_id: number | null;
  /** Whose message it carries, as JSON; '' for none. */
  context: Generated<string>;
  created_at: number;
  updated_at: number;
}

interface BotRuntimeTable {
  bot_id: number;
  state: Generated<string>;
  last_error: Generated<string>;
  last_error_at: Generated<number>;
  last_activity: Generated<number>;
  hook_secret_sealed: Generated<string>;
  previous_webhook: Generated<string>;
  updated_at: Generated<number>;
}

interface LeasesTable {
  bot_id: number;
  owner: string;
  epoch: number;
  expires_at: number;
}

interface MembersTable {
  bot_id: number;
  chat_id: number;
  user_id: number;
  status: string;
  /** When a ban or mute ends; 0 means never. */
  until_at: Generated<number>;
  title: Generated<string>;
  /** The rights of an administrator as JSON, '' when not known. */
  rights: Generated<string>;
  updated_at: number;
}

interface WebhooksTable {
  bot_id: number;
  max_connections: number;
  allowed_updates: Generated<string>;
  since: Generated<number>;
  earlier: Generated<string>;
  set_at: number;
}

export interface RelayTables {
  log_heads: LogHeadsTable;
  log: LogTable;
  seen_updates: SeenUpdatesTable;
  readers: ReadersTable;
  parked_queues: ParkedQueuesTable;
  parked_positions: ParkedPositionsTable;
  dead_letters: DeadLettersTable;
  delivery_attempts: DeliveryAttemptsTable;
  outbox: OutboxTable;
  bot_runtime: BotRuntimeTable;
  leases: LeasesTable;
  members: MembersTable;
  webhooks: WebhooksTable;
}
