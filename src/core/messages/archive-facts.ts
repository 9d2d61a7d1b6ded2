/** What the archive keeps of an update or of an answer of the platform. */

export interface MessageFact {
  chatId: number;
  /** 'callback' rows get theirs from the log position, so it is not known yet. */
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
  /** What the page shows beyond the contract's fields, as JSON. */
  extra: string | null;
}

/** A message that the bot sent, where Telegram's answer has only its id. */
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
  /** Whether it is the bot itself whose membership changed. */
  isSelf: boolean;
}

/** A message that was pinned or unpinned; `newest` is the pinned one that was sent last. */
export interface PinFact {
  chatId: number;
  messageId: number | 'newest' | 'all';
  isPinned: boolean;
  /** Unix seconds at which the platform says that it was pinned; the answer to a call says nothing. */
  announcedAt?: number;
  /** What was pinned, where the platform still shows it. */
  message?: MessageFact;
}

/** By the numbers of the archive. */
export interface DeletionFact {
  chatId: number;
  messageIds: number[];
}

export interface ArchiveFacts {
  messages: MessageFact[];
  /** Of a chat that the bot is no member of, whose number may be that of a chat of the bot; left out by most. */
  guest?: MessageFact;
  chats: ChatFact[];
  people: PersonFact[];
  memberships: MembershipFact[];
  /** A group that became a supergroup: what was stored under the old id moves to the new one. */
  migration: { fromChatId: number; toChatId: number } | null;
  /** Left out by most. */
  pin?: PinFact;
  /** Messages that are gone, as far as the platform tells; left out by most. */
  deleted?: DeletionFact;
}
