import type { Generated } from 'kysely';

interface LogTable {
  bot_id: number;
  position: number;
  update_id: number;
  kind: string;
  queue: string;
  received_at: number;
  raw: string;
  /** The app that claimed it; 0 if none did. */
  claimed_by: Generated<number>;
}

interface SeenRangesTable {
  bot_id: number;
  first_id: number;
  last_id: number;
  begun_at: number;
  seen_at: number;
}

interface ReadersTable {
  bot_id: number;
  name: string;
  position: number;
  state: Generated<string>;
  generation: Generated<number>;
  opened: Generated<number>;
  created_at: number;
  updated_at: number;
}

export interface DeadLettersTable {
  id: Generated<number>;
  bot_id: number;
  reader: string;
  position: number;
  update_id: number;
  kind: string;
  queue: string;
  raw: string;
  reason: string;
  attempts: number;
  received_at: number;
  died_at: number;
  /** When its replay was requested; 0 while it waits for a person. */
  replayed_at: Generated<number>;
}

export interface DeliveryAttemptsTable {
  id: Generated<number>;
  bot_id: number;
  reader: Generated<string>;
  position: number;
  update_id: number;
  queue: string;
  started_at: number;
  duration_ms: number;
  /** The HTTP status; 0 if there was no answer. */
  status: number;
  /** '' for a delivery. */
  error: string;
  answer: string;
  replay: Generated<number>;
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
  /** The node that is sending it. */
  node: Generated<string>;
  not_before: Generated<number>;
  attempts: Generated<number>;
  error: Generated<string>;
  message_id: number | null;
  /** The message that it carries, as JSON; '' if there is none. */
  context: Generated<string>;
  /** The app that makes the call; 0 for the bot itself. */
  app_id: Generated<number>;
  created_at: number;
  updated_at: number;
}

/** An application connected to a bot. */
export interface AppsTable {
  id: Generated<number>;
  bot_id: number;
  name: string;
  /** Null if it has no token. */
  token_hash: string | null;
  mode: Generated<string>;
  /** Sealed, like its secret. */
  backend_url: Generated<string>;
  secret_sealed: Generated<string>;
  /** JSON. */
  filter: Generated<string>;
  exclusive: Generated<number>;
  priority: Generated<number>;
  own_replies: Generated<number>;
  /** JSON. */
  methods: Generated<string>;
  disabled: Generated<number>;
  created_at: number;
  updated_at: number;
}

/** A separate table, because `apps` is read often and rarely written. */
interface AppActivityTable {
  app_id: number;
  last_seen_at: Generated<number>;
  sent: Generated<number>;
  /**
   * Calls that Telegram answered with 429; `lately` counts those without a pause of minutes before
   * the last one.
   */
  rate_limited: Generated<number>;
  rate_limited_lately: Generated<number>;
  rate_limited_at: Generated<number>;
  /** The chat of all these; 0 if there are several, or it is unknown. */
  rate_limited_chat: Generated<number>;
  /** The wait in seconds that Telegram asked for last. */
  retry_after: Generated<number>;
}

/** The messages that an app sent, so that replies find it. */
interface AppMessagesTable {
  bot_id: number;
  chat_id: number;
  message_id: number;
  app_id: number;
  sent_at: number;
}

/** The sends of an app whose messages have no IDs yet. */
interface AppSendsTable {
  id: string;
  bot_id: number;
  app_id: number;
  /** 0 if unknown. */
  chat_id: number;
  begun_at: number;
}

/** When a pattern of an app or of a route was last left undecided; the other ID is 0. */
interface UndecidedPatternsTable {
  bot_id: number;
  app_id: number;
  route_id: number;
  at: number;
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
  /** The rights of an administrator as JSON; '' if unknown. */
  rights: Generated<string>;
  updated_at: number;
}

export interface RelayTables {
  log: LogTable;
  seen_ranges: SeenRangesTable;
  readers: ReadersTable;
  dead_letters: DeadLettersTable;
  delivery_attempts: DeliveryAttemptsTable;
  outbox: OutboxTable;
  apps: AppsTable;
  app_activity: AppActivityTable;
  app_messages: AppMessagesTable;
  app_sends: AppSendsTable;
  undecided_patterns: UndecidedPatternsTable;
  leases: LeasesTable;
  members: MembersTable;
}
