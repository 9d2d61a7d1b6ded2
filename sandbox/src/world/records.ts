import type {
  BusinessBotRights,
  ChatAdministratorRights,
  ChatPermissions,
  Gift,
  InlineKeyboardMarkup,
  Message,
  MessageEntity,
  MessageOrigin,
  PollOption,
  ReactionType,
} from '@grammyjs/types';
import type { BotRecord } from './bot-records.ts';
import type { JoinQueryRecord, JoinRequestRecord } from './chats/join-records.ts';
import type { BillRecord, PaymentRecord } from './payments/payment-records.ts';

export interface UserRecord {
  id: number;
  first_name: string;
  last_name?: string;
  username?: string;
  language_code?: string;
  is_premium?: true;
  bio?: string;
  /** File keys, newest first. */
  photos: string[];
  deactivated?: boolean;
  /** Chats with other people share one numbering per account, as on Telegram. */
  lastMessageId?: number;
}

export type MemberStatus =
  | 'creator'
  | 'administrator'
  | 'member'
  | 'restricted'
  | 'left'
  | 'kicked';

export interface MemberRecord {
  status: MemberStatus;
  /** Of administrators. */
  rights?: ChatAdministratorRights;
  customTitle?: string;
  promotedBy?: number;
  /** Of restricted members. */
  permissions?: Required<ChatPermissions>;
  isMember?: boolean;
  /** Unix time; 0 means forever. */
  untilDate?: number;
}

export interface InviteLinkRecord {
  link: string;
  creatorId: number;
  name?: string;
  expireDate?: number;
  memberLimit?: number;
  createsJoinRequest: boolean;
  isPrimary: boolean;
  isRevoked: boolean;
  joinedIds: number[];
}

type Envelope =
  | 'message_id'
  | 'from'
  | 'sender_chat'
  | 'date'
  | 'chat'
  | 'edit_date'
  | 'reply_to_message'
  | 'forward_origin'
  | 'via_bot'
  | 'reply_markup'
  | 'pinned_message'
  | 'author_signature'
  | 'business_connection_id'
  | 'sender_business_bot'
  | 'poll';

/** What a message says, without the envelope that depends on who reads it. */
export type MessageContent = Partial<Omit<Message, Envelope>>;

/** Seen by one person and one bot only. */
export interface EphemeralMark {
  /** Numbered apart from the messages of the chat. */
  id: number;
  botId: number;
  userId: number;
  /** The message that it replaces for this person. */
  replaces?: number;
}

export interface MessageRecord {
  id: number;
  date: number;
  fromId?: number;
  senderChatId?: number;
  /** Who really wrote a channel post. */
  authorId?: number;
  authorSignature?: string;
  editDate?: number;
  replyTo?: number;
  forwardOrigin?: MessageOrigin;
  viaBotId?: number;
  inlineMessageId?: string;
  pollId?: string;
  gameShortName?: string;
  /** Of an invoice: what is to be paid. */
  bill?: BillRecord;
  pinnedId?: number;
  content: MessageContent;
  inlineKeyboard?: InlineKeyboardMarkup;
  /** A reply keyboard, its removal or a forced reply: seen by users only. */
  replyKeyboard?: object;
  /** By user or bot id. */
  reactions?: Record<string, ReactionType[]>;
  isService?: boolean;
  /** The same message in the chat of the other person, who numbers apart. */
  twinId?: number;
  /** The bot that wrote it on behalf of a business account. */
  businessBotId?: number;
  ephemeral?: EphemeralMark;
}

interface RoomBase {
  key: string;
  messages: Map<number, MessageRecord>;
  pinned: number[];
}

export interface DraftRecord {
  id: number;
  /** As a message would show it; empty while the bot thinks. */
  content: MessageContent;
  canStop: boolean;
  keepOnStop: boolean;
}

export interface DialogRecord extends RoomBase {
  type: 'private';
  /** Whom a bot sees there. */
  userId: number;
  /** Whom a user sees there; a chat between people has the same person in both. */
  botId: number;
  /** Of a chat between people: whose account it belongs to and is numbered by. */
  ownerId?: number;
  /** The user wrote to the bot at least once, so the bot may write back. */
  started: boolean;
  blocked: boolean;
  /** What the bot is writing just now. */
  draft?: DraftRecord;
}

export interface ChatRecord extends RoomBase {
  type: 'group' | 'supergroup' | 'channel';
  id: number;
  title: string;
  username?: string;
  description?: string;
  photo?: string;
  permissions: Required<ChatPermissions>;
  members: Map<number, MemberRecord>;
  lastMessageId: number;
  inviteLinks: InviteLinkRecord[];
  joinRequests: Map<number, JoinRequestRecord>;
  /** Joining without an invite link needs a join request. */
  joinByRequest: boolean;
  /** The bot that decides who comes in. */
  guardBotId?: number;
  migratedTo?: number;
  migratedFrom?: number;
  /** What single people see, by the numbers of such messages. */
  ephemeral?: Map<number, MessageRecord>;
  lastEphemeralId?: number;
  /** The bot that wrote last gets the commands without a bot name. */
  lastBotId?: number;
}

export type Room = DialogRecord | ChatRecord;

export interface FileRecord {
  key: string;
  bytes: Buffer;
  name?: string;
  mimeType?: string;
  /** The folder in `file_path`: photos, documents, … */
  folder: string;
  /** What messages show of it (`{photo: […]}`, `{audio: {…}}`), so that it can be sent again. */
  media?: MessageContent;
  /** Bots that asked for it with getFile and may download it. */
  fetchedBy?: number[];
}

export interface PollRecord {
  id: string;
  roomKey: string;
  messageId: number;
  botId?: number;
  question: string;
  questionEntities?: MessageEntity[];
  options: PollOption[];
  isClosed: boolean;
  isAnonymous: boolean;
  type: 'regular' | 'quiz';
  allowsMultipleAnswers: boolean;
  allowsRevoting: boolean;
  correctOptionIds?: number[];
  explanation?: string;
  explanationEntities?: MessageEntity[];
  openPeriod?: number;
  closeDate?: number;
  /** Option indexes by user id. */
  votes: Record<string, number[]>;
}

export interface CallbackRecord {
  id: string;
  botId: number;
  userId: number;
  createdAt: number;
  /** Where the button was; no message where others do not see it. */
  roomKey?: string;
  messageId?: number;
  answered?: { text?: string; showAlert: boolean; url?: string };
}

export interface InlineQueryRecord {
  id: string;
  botId: number;
  userId: number;
  roomKey: string;
  createdAt: number;
  results?: unknown[];
}

/** A bot that a person let answer in the name of their account. */
export interface BusinessConnectionRecord {
  id: string;
  botId: number;
  userId: number;
  date: number;
  isEnabled: boolean;
  rights: BusinessBotRights;
}

/** Everything that survives a restart. */
export interface WorldState {
  version: 1;
  random: number;
  /** How far the world's time was moved. */
  aheadMs?: number;
  /** Nothing happened after this was written. */
  closed?: true;
  counters: {
    user: number;
    bot: number;
    group: number;
    channel: number;
    file: number;
    misc: number;
  };
  users: Map<number, UserRecord>;
  bots: Map<number, BotRecord>;
  rooms: Map<string, Room>;
  files: Map<string, FileRecord>;
  /** What bots can give, once somebody asked. */
  gifts?: Gift[];
  polls: Map<string, PollRecord>;
  callbacks: Map<string, CallbackRecord>;
  inlineQueries: Map<string, InlineQueryRecord>;
  /** inline_message_id → where it is. */
  inlineMessages: Map<string, { roomKey: string; messageId: number; botId: number }>;
  /** By id; absent in worlds saved before there were any. */
  connections?: Map<string, BusinessConnectionRecord>;
  /** By id; absent in worlds saved before there were any. */
  joinQueries?: Map<string, JoinQueryRecord>;
  payments?: Map<string, PaymentRecord>;
  /** By the link. */
  invoiceLinks?: Map<string, BillRecord>;
}
