import type {
  BotCommand,
  ChatAdministratorRights,
  MenuButton,
  PhotoSize,
  StarTransaction,
  Update,
} from '@grammyjs/types';

export type UpdateKind = Exclude<keyof Update, 'update_id'>;

export interface QueuedUpdate {
  id: number;
  kind: UpdateKind;
  /** The update's fields as JSON, without the id and the outer braces. */
  body: string;
  expiresAt: number;
  /** The key of the queue that keeps the order of deliveries: the chat, or the user for callbacks. */
  queue: string;
}

export interface WebhookRecord {
  url: string;
  secretToken?: string;
  maxConnections: number;
  ipAddress?: string;
  hasCustomCertificate: boolean;
  lastErrorDate?: number;
  lastErrorMessage?: string;
}

/** A game that a bot offers, as set up with @BotFather. */
export interface GameRecord {
  shortName: string;
  title: string;
  description: string;
  photo: PhotoSize[];
  /** Points by user ID, by the chat it is played in. */
  scores: Record<string, Record<string, number>>;
}

export interface BotRecord {
  id: number;
  token: string;
  username: string;
  first_name: string;
  names: Record<string, string>;
  descriptions: Record<string, string>;
  shortDescriptions: Record<string, string>;
  commands: Record<string, BotCommand[]>;
  menuButtons: Record<string, MenuButton>;
  defaultRights: { groups?: ChatAdministratorRights; channels?: ChatAdministratorRights };
  privacyMode: boolean;
  canJoinGroups: boolean;
  inlineMode: boolean;
  /** True if the bot receives an update with the chosen inline result. */
  inlineFeedback: boolean;
  /** True if its private chats have topics. */
  hasTopics?: boolean;
  /** True if people can create, edit and delete them. */
  usersManageTopics?: boolean;
  /** True if it can be the guard bot of a chat. */
  joinRequestQueries?: boolean;
  photos: string[];
  games?: GameRecord[];
  /** Its balance of Telegram Stars. */
  stars?: number;
  /** Newest first. */
  starTransactions?: StarTransaction[];
  /** Private chats share one numbering per bot, as on Telegram. */
  lastMessageId: number;
  loggedOutUntil?: number;
  /** Updates by ID, oldest first. */
  updates: Map<number, QueuedUpdate>;
  /** If set, the next new ID is a lower one, as after a quiet week. */
  jumpPending?: boolean;
  nextUpdateId: number;
  lastUpdateAt: number;
  allowedUpdates?: UpdateKind[];
  webhook?: WebhookRecord;
}
