import type { ChatOrder, ListedState } from '../../core/people/conversation-states.ts';
import type { conversationTables } from '../conversations/topic-states.ts';
import type { ListedKey } from './chat-key.ts';

/** A chat, or a topic of one that is a conversation. */
export interface ChatRecord extends ListedKey {
  type: string;
  title: string;
  username: string;
  member_status: string;
  last_message_at: number;
  updated_at: number;
  /** -1 if the platform was never asked. */
  member_count: number;
  description: string;
  photo_file_id: string;
  /** JSON; '' if the platform was never asked. */
  own_rights: string;
  refreshed_at: number;
  message_count: number;
  /** The supergroup that the group became; 0 if it did not. */
  migrated_to: number;
  /** 1 if a topic of it is known. */
  has_topics: number;
  /** Milliseconds; 0 if nobody waits for an answer. */
  unanswered_since: number;
  is_done: number;
  snoozed_until: number;
  /** `user:3` or `person:5001`; '' for nobody. */
  assignee: string;
  assignee_name: string;
  /** Set for topics; '' if the name is not known. */
  topic_name?: string;
}

/** Only values that are set limit the list. */
export interface ChatFilter {
  /** Null for those of all bots. Bots that are not managed never count. */
  botIds: readonly number[] | null;
  /** Null for all chats. */
  chatIds: readonly number[] | null;
  state?: ListedState | undefined;
  /** '' for those that nobody has. */
  assignee?: string | undefined;
  tag?: string | undefined;
  /** Only topics with this number. */
  threadId?: number | undefined;
  /** The bots whose tags the caller may see; null for all. */
  tagBots?: readonly number[] | null;
  order: ChatOrder;
  now: number;
  after?: ChatCursor | undefined;
}

/** What a search by name compares and sorts. */
export type NamedChat = Pick<
  ChatRecord,
  keyof ListedKey | 'title' | 'username' | 'last_message_at' | 'unanswered_since' | 'topic_name'
>;
/** Where entries of a list are stored. */
export type ListPart = (typeof conversationTables)[number];

/** A cursor in a list of chats: the number by which it is sorted, and the chat. */
export interface ChatCursor {
  at: number;
  chatId: number;
  botId: number;
  /** 0 for a chat. */
  threadId: number;
}

/** The platform's answer about a chat. */
export interface ChatDetails {
  memberCount: number;
  description: string;
  photoFileId: string;
  ownStatus: string;
  /** JSON. */
  ownRights: string;
  /** The pinned message that was sent last. */
  pinned: { id: number; date: number } | undefined;
}

/** The number by which a chat has its place in a list: descending by message, ascending by waiting. */
export function rankOf(chat: NamedChat, order: ChatOrder): number {
  if (order === 'last_message') return chat.last_message_at;
  return chat.unanswered_since || waitingEnd - chat.last_message_at;
}

/** Compares by the place in a list. */
export function byPlace(order: ChatOrder): (a: NamedChat, b: NamedChat) => number {
  const sign = order === 'waiting' ? 1 : -1;
  return (a, b) =>
    sign *
    (rankOf(a, order) - rankOf(b, order) ||
      a.chat_id - b.chat_id ||
      a.bot_id - b.bot_id ||
      (a.thread_id ?? 0) - (b.thread_id ?? 0));
}

/** Sorts chats in which nobody waits after the others: later than any time of a message. */
export const waitingEnd = 900_000_000_000_000;
