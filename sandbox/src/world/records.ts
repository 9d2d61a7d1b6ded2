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
  /** Only for administrators. */
  rights?: ChatAdministratorRights;
  customTitle?: string;
  promotedBy?: number;
  /** Only for restricted members. */
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

/** The content of a message, without the envelope that depends on its reader. */
export type MessageContent = Partial<Omit<Message, Envelope>>;

/** Marks a message that only one person and one bot see. */
export interface EphemeralMark {
  /** An ID separate from those of the chat's messages. */
  id: number;
  botId: number;
  userId: number;
  /** The message that it replaces for this person. */
  replaces?: number;
}

export interface MessageRecord {
  id: number;
  date: number;
  /** The topic it is in; none for General, and for chats without topics. */
  topicId?: number;
  fromId?: number;
  senderChatId?: number;
  /** The real author of a channel post. */
  authorId?: number;
  authorSignature?: string;
  editDate?: number;
  replyTo?: number;
  forwardOrigin?: MessageOrigin;
  viaBotId?: number;
  inlineMessageId?: string;
  pollId?: string;
  gameShortName?: string;
  /** What has to be paid, for an invoice. */
  bill?: BillRecord;
  pinnedId?: number;
  content: MessageContent;
  inlineKeyboard?: InlineKeyboardMarkup;
  /** A reply keyboard, its removal or a forced reply: seen by users only. */
  replyKeyboard?: object;
  /** Reactions by user or bot ID. */
  reactions?: Record<string, ReactionType[]>;
  isService?: boolean;
  /** The ID of the same message in the other person's account, which has its own IDs. */
  twinId?: number;
  /** The bot that wrote it on behalf of a business account. */
  businessBotId?: number;
  ephemeral?: EphemeralMark;
}

interface RoomBase {
  key: string;
  messages: Map<number, MessageRecord>;
  pinned: number[];
  /** Topics by ID, also those that were deleted. */
  topics?: Map<number, TopicRecord>;
}

export interface DraftRecord {
  id: number;
  /** Content in the form of a message; empty while the bot thinks. */
  content: MessageContent;
  canStop: boolean;
  keepOnStop: boolean;
}

/** A topic of a forum, or of a private chat with a bot that has topics. */
export interface TopicRecord {
  /** The ID of the message that created it; 1 for General, which only forums have. */
  id: number;
  name: string;
  iconColor: number;
  iconEmojiId?: string;
  creatorId: number;
  isClosed?: boolean;
  /** Only General can be hidden. */
  isHidden?: boolean;
  /** Its first message was pruned: people can write there, bots cannot. */
  isPruned?: boolean;
  /** Bots that have not noticed a deletion get another error for a while. */
  deleted?: { at: number; byId: number };
  /** The message that the bot is writing there at the moment. */
  draft?: DraftRecord;
}

export interface DialogRecord extends RoomBase {
  type: 'private';
  /** The person that a bot sees there. */
  userId: number;
  /** The person that a user sees there; a chat between people has the same person in both. */
  botId: number;
  /** The owner of the account that a chat between people belongs to; the account numbers its messages. */
  ownerId?: number;
  /** The user wrote to the bot at least once, so the bot may write back. */
  started: boolean;
  blocked: boolean;
  /** The user does not want topics, although the bot has them. */
  topicsOff?: boolean;
  /** The message that the bot is writing at the moment, outside of topics. */
  draft?: DraftRecord;
}

export interface ChatRecord extends RoomBase {
  type: 'group' | 'supergroup' | 'channel';
  id: number;
  title: string;
  /** A supergroup with topics. */
  isForum?: boolean;
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
  /** The bot that decides about join requests. */
  guardBotId?: number;
  migratedTo?: number;
  migratedFrom?: number;
  /** Ephemeral messages by their own IDs. */
  ephemeral?: Map<number, MessageRecord>;
  lastEphemeralId?: number;
  /** The bot that wrote last, which gets the commands without a bot name. */
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
  /** Bots that requested it with getFile and may download it. */
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
  /** The location of the button; without a message if others cannot see it. */
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

/** The connection of a bot that answers on behalf of a person's account. */
export interface BusinessConnectionRecord {
  id: string;
  botId: number;
  userId: number;
  date: number;
  isEnabled: boolean;
  rights: BusinessBotRights;
}

/** The state that survives a restart. */
export interface WorldState {
  version: 1;
  random: number;
  /** How far the world's time is ahead. */
  aheadMs?: number;
  /** Set when the world was closed: nothing happened after this was written. */
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
  /** The gifts that bots can give, stored once somebody requested them. */
  gifts?: Gift[];
  polls: Map<string, PollRecord>;
  callbacks: Map<string, CallbackRecord>;
  inlineQueries: Map<string, InlineQueryRecord>;
  /** The message of each inline_message_id. */
  inlineMessages: Map<string, { roomKey: string; messageId: number; botId: number }>;
  /** Connections by ID; missing in worlds saved before they existed. */
  connections?: Map<string, BusinessConnectionRecord>;
  /** Queries by ID; missing in worlds saved before they existed. */
  joinQueries?: Map<string, JoinQueryRecord>;
  payments?: Map<string, PaymentRecord>;
  /** Invoices by their link. */
  invoiceLinks?: Map<string, BillRecord>;
}
