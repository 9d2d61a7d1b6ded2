/* What each kind of entry in a configuration file provides. The table is config-kinds.ts. */
import type { Config } from '../../config.ts';
import type { Caller } from '../../core/access/access.ts';
import type { Passwords } from '../../core/access/passwords.ts';
import type { AppRecord } from '../../core/apps/app.ts';
import type {
  Change,
  ConfigDocument,
  EntryKind,
  EntryOf,
  FileEntry,
  Section,
} from '../../core/config-file/document.ts';
import type { Desk } from '../../core/desks/desk.ts';
import type { SelfSetWebhook } from '../../core/config-file/self-set.ts';
import type { AlertChannel } from '../../core/alerts/alert-channel.ts';
import type { StoredApiKey } from '../../store/access/api-keys.ts';
import type { StoredUser } from '../../store/access/users.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import type { StoredWebhook } from '../../store/delivery/webhooks.ts';
import type { Step } from '../../store/engine.ts';
import type { SavedReplyRecord } from '../../store/messages/saved-replies.ts';
import type { RouteRecord } from '../../store/routing/routes.ts';
import type { Store } from '../../store/store.ts';
import type { TelegramClient } from '../../telegram/client.ts';
import type { LlmConfigService } from '../routing/llm-config.ts';

/** The records behind the entries. */
export interface Stored {
  bot: BotRecord & { webhook: StoredWebhook | undefined };
  app: AppRecord & { webhook: StoredWebhook | undefined };
  route: RouteRecord;
  desk: Desk;
  reply: SavedReplyRecord;
  model: { id: 0 };
  user: StoredUser;
  key: StoredApiKey;
  channel: AlertChannel;
}

/** The configuration of a service. */
export interface CurrentConfig {
  document: ConfigDocument;
  entries: readonly FileEntry[];
  /** Records by the name of their entry. */
  stored: { readonly [Kind in EntryKind]: ReadonlyMap<string, Stored[Kind]> };
  /** Webhooks by the key of their entry. */
  selfSet: ReadonlyMap<string, SelfSetWebhook>;
}

export interface Reading {
  store: Store;
  llmConfig: Pick<LlmConfigService, 'own'>;
  /** Bots by platform ID. */
  bots: readonly Stored['bot'][];
  /** Apps without the default ones, in the order of their bots. */
  apps: readonly Stored['app'][];
  platformIdOf(botId: number): number;
  /** Sorted, without deleted bots. */
  platformIdsOf(botIds: readonly number[]): number[];
}

/** The dependencies of checking and writing. */
export interface ConfigDeps {
  store: Store;
  telegram: TelegramClient;
  config: Pick<Config, 'publicUrl' | 'backends'>;
  llmConfig: Pick<LlmConfigService, 'own' | 'prepare'>;
  passwords: Passwords;
}

/** `id` is the ID of the entry on this service; 0 for an added entry, and for the model. */
export type AppliedChange = Change & { id: number };

/** An added or updated entry of the file. */
export type Changed<Kind extends EntryKind> = EntryOf<Kind> & { change: Change };

export interface Preparing extends ConfigDeps {
  caller: Caller;
  /** The configuration without the entries that the file deletes. */
  current: CurrentConfig;
}

/** State within the transaction: the bots by platform ID, including those that it added. */
export interface Writing {
  botIds: Map<number, number>;
  nowMs: number;
}

/** A part of the transaction that applies a file. */
export type Job = (writing: Writing) => Step<void>;

export interface Prepared {
  write: Job;
  /** Runs before the transaction. */
  before?: () => Promise<void>;
  /** Readers whose queue goes to another receiver: their deliveries in flight finish first. */
  drains?: readonly { botId: number; reader: string }[];
}

export interface Plan {
  wanted: readonly FileEntry[];
  changes: AppliedChange[];
  current: CurrentConfig;
  /** The current configuration without the entries that the file deletes. */
  staying: CurrentConfig;
  /** The result: the wanted entries, then those that stay as they are. */
  entries: readonly FileEntry[];
  nowMs: number;
}

export type ConfigKind<Kind extends EntryKind> = KindOfEntry<EntryOf<Kind>, Stored[Kind]>;

export interface KindOfEntry<Entry extends FileEntry, Row> {
  /**
   * Reads the section of the document, undefined if another kind provides it, and the records in
   * its order.
   */
  read(reading: Reading): Promise<{
    part: ConfigDocument[Section] | undefined;
    records: readonly Row[];
  }>;
  /** Translates a wanted entry for comparison with the service; a field that is undefined keeps its value. */
  compare(entry: Entry, current: CurrentConfig, store: Pick<Store, 'apps'>): Entry | Promise<Entry>;
  /** Checks an added or updated entry, and returns the job that writes it. */
  prepare(entry: Entry & { change: Change }, preparing: Preparing): Prepared | Promise<Prepared>;
  /** Null if a file never deletes such entries. */
  remove: ((store: Store, id: number, nowMs: number) => Step<unknown>) | null;
  /** Platform IDs of the bots that an entry names, by field. */
  bots(entry: Entry): Readonly<Record<string, readonly number[]>>;
  /** The fields whose bot, when deleted, takes the entry with it. */
  boundBy: readonly string[];
  /** True if a change affects how the bots that it names run. */
  changesBots: boolean;
  /** Refuses a plan before anything is written. Kinds with the same check are checked once. */
  check?: (plan: Plan) => void;
  /** Refuses the result at the end of the transaction; runs once for kinds that share it. */
  verify?: (store: Store, current: CurrentConfig, nowMs: number) => Step<void>;
}
