/** The facts that the archive stores of an update or of a response from Telegram. */
import type { TopicFact } from './topics.ts';
import type { AnswerBy, Author } from './author.ts';

export interface MessageFact {
  chatId: number;
  /** The ID of a 'callback' row is made from its log position, which is not known yet. */
  id: number | 'from-position';
  userId: number;
  username: string;
  firstName: string;
  lastName: string;
  text: string;
  /** Unix seconds. */
  date: number;
  mediaType: string | null;
  fileId: string | null;
  replyToMessageId: number | null;
  mediaGroupId: string | null;
  /** Unix seconds; null when it was never edited. */
  editedAt: number | null;
  /** Its topic, 1 for General; null outside of topics. */
  threadId: number | null;
  /** What the web UI shows beyond the contract's fields, as JSON. */
  extra: string | null;
}

/** A message that the bot sent, for methods whose response has only the message ID. */
export function messageOfBot(
  bot: { platform_id: number; username: string; name: string },
  message: Pick<MessageFact, 'chatId' | 'id' | 'text' | 'date' | 'mediaType'> &
    Partial<MessageFact>,
): MessageFact {
  return {
    userId: bot.platform_id,
    username: bot.username,
    firstName: bot.name,
    lastName: '',
    fileId: null,
    replyToMessageId: null,
    mediaGroupId: null,
    editedAt: null,
    threadId: null,
    extra: null,
    ...message,
  };
}

export interface ChatFact {
  chatId: number;
  type: string;
  title: string;
  username: string;
}

export interface PersonFact {
  userId: number;
  username: string;
  firstName: string;
  lastName: string;
  isBot: boolean;
  languageCode: string;
}

export interface MembershipFact {
  chatId: number;
  userId: number;
  status: string;
  /** True if the membership of the bot itself changed. */
  isSelf: boolean;
}

/** A message that was pinned or unpinned; `newest` is the pinned message that was sent last. */
export interface PinFact {
  chatId: number;
  messageId: number | 'newest' | 'all';
  isPinned: boolean;
  /**
   * Unix seconds at which Telegram says that it was pinned; missing for responses to calls, which
   * do not say.
   */
  announcedAt?: number;
  /** The pinned message, if Telegram still shows it. */
  message?: MessageFact;
}

/** IDs as the archive has them. */
export interface DeletionFact {
  chatId: number;
  messageIds: number[];
  /** The business account; left out in the bot's own chats. */
  connection?: string;
}

/** The turn of a person in a conversation, as an update tells it. */
export interface TurnFact {
  chatId: number;
  /** Null outside of topics. */
  threadId: number | null;
  /** Milliseconds. */
  at: number;
  /** `answers` is the owner of a business account, who writes by hand. */
  does: 'asks' | 'starts' | 'answers';
  /** What was said, which is compared with the bot's `handoff` list. */
  words: readonly string[];
}

export interface ArchiveFacts {
  messages: MessageFact[];
  /**
   * A message of a chat that the bot is no member of, whose ID may equal that of one of the bot's
   * chats. Rarely set.
   */
  guest?: MessageFact;
  chats: ChatFact[];
  people: PersonFact[];
  memberships: MembershipFact[];
  /** Set when a group became a supergroup: everything stored under the old ID moves to the new one. */
  migration: { fromChatId: number; toChatId: number } | null;
  /** Rarely set. */
  pin?: PinFact;
  /** Rarely set. */
  topics?: TopicFact[];
  /** The turn that the update is in a conversation; missing if it is none. */
  turn?: TurnFact;
  /** Deleted messages, as far as Telegram reports them. Rarely set. */
  deleted?: DeletionFact;
}

/** The way by which a stored message arrived. */
export type MessageOrigin = 'received' | 'sent' | 'routed' | 'gateway';

export interface ArchiveEntry {
  botId: number;
  facts: ArchiveFacts;
  origin: MessageOrigin;
  /** The log position of a received update, which numbers callback rows. */
  position: number;
  /** Who or what sent the messages; left out for those that were received. */
  author?: Author | undefined;
  /** Set if this answers the person of the conversation. */
  answeredBy?: AnswerBy | undefined;
}
