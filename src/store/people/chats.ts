import { type Engine, raw } from '../engine.ts';
import { forgetSome } from '../messages/forget-chat.ts';
import { type MessageRow, messageColumns, predecessor } from '../messages/messages.ts';
import { settlePins } from '../messages/pins.ts';
import { wordsOf } from '../sql/dialect.ts';
import { type Filter, filter, ofBots, ofChats } from '../sql/filter.ts';
import type { ChatOrder, ListedState } from '../../core/people/conversation-states.ts';
import { chatKey, keyColumns } from './chat-key.ts';
import { inState, ofManaged } from './conversations.ts';
import { everyBot } from './tags.ts';

export interface ChatRecord {
  bot_id: number;
  chat_id: number;
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
  /** The bots whose tags the caller may see; null for all. */
  tagBots?: readonly number[] | null;
  order: ChatOrder;
  now: number;
  after?: ChatCursor | undefined;
}

/** What a search by name compares and sorts. */
export type NamedChat = Pick<
  ChatRecord,
  'bot_id' | 'chat_id' | 'title' | 'username' | 'last_message_at' | 'unanswered_since'
>;
type ChatOfBot = Pick<ChatRecord, 'bot_id' | 'chat_id'>;

/** A cursor in a list of chats: the number by which it is sorted, and the chat. */
export interface ChatCursor {
  at: number;
  chatId: number;
  botId: number;
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

export interface ChatRepository {
  /** True if any of these bots, or any bot at all with null, was ever in the chat. */
  holdsAnyOf(chatId: number, botIds: readonly number[] | null): Promise<boolean>;
  /** Returns which of these bots were ever in the chat. */
  holders(chatId: number, botIds: readonly number[]): Promise<number[]>;
  get(botId: number, chatId: number): Promise<ChatRecord | undefined>;
  /** Returns titles by chat; '' if a chat has none. */
  titles(botId: number, chatIds: readonly number[]): Promise<Map<number, string>>;
  list(filter: ChatFilter & { limit: number }): Promise<ChatRecord[]>;
  /** Returns a portion of the chats that match, by bot and ID, after this one. */
  named(filter: ChatFilter, after: ChatOfBot | undefined, portion: number): Promise<NamedChat[]>;
  /** Returns these chats in the same order. */
  getAll(chats: readonly ChatOfBot[]): Promise<ChatRecord[]>;
  /** Returns the newest message of each chat that has one, by `chatKey`. */
  lastMessages(chats: readonly ChatOfBot[]): Promise<Map<string, MessageRow>>;
  setDetails(botId: number, chatId: number, details: ChatDetails, nowMs: number): Promise<void>;
  /** Returns the group that became this supergroup. */
  predecessorOf(botId: number, chatId: number): Promise<number | undefined>;
  /**
   * Removes a portion of what is stored about the chat, and with the last portion the chat; true if
   * it is gone.
   */
  forget(botId: number, chatId: number, portion: number): Promise<boolean>;
}

/** Sorts chats in which nobody waits after the others: later than any time of a message. */
const waitingEnd = 900_000_000_000_000;

const sortedBy = {
  last_message: { column: 'last_message_at', comparison: '<', direction: 'desc' },
  // Those that wait come first, the longest first; the others follow, the latest first.
  waiting: {
    column: `case when unanswered_since > 0 then unanswered_since
      else ${waitingEnd} - last_message_at end`,
    comparison: '>',
    direction: '',
  },
} as const;

export function createChatRepository(engine: Engine): ChatRepository {
  const hasTopics = `case when exists (select 1 from topics t
      where t.bot_id = chats.bot_id and t.chat_id = chats.chat_id) then 1 else 0 end as has_topics`;
  const { isIn, list, rowParameters, rows: given } = wordsOf[engine.dialect];
  const newestOfChat = `from messages m where m.bot_id = k.bot_id and m.chat_id = k.chat_id
    order by m.date desc, m.id desc limit 1`;

  function tagged(tag: string, botIds: readonly number[] | null): Filter {
    const visible =
      botIds === null
        ? ''
        : `and t.id in (select tag_id from tag_bots b where ${isIn('b.bot_id', '?')})`;
    const text = `exists (select 1 from tags t where t.chat_id = chats.chat_id and t.tag = ? ${visible})`;
    return botIds === null ? [text, tag] : [text, tag, list([everyBot, ...botIds])];
  }

  function conditionsOf(wanted: ChatFilter): Parameters<typeof filter>[0] {
    const { after, assignee, botIds, chatIds, now, order, state, tag, tagBots = null } = wanted;
    const { column, comparison } = sortedBy[order];
    return [
      ofBots(engine.dialect, botIds),
      ofChats(engine.dialect, chatIds),
      [ofManaged],
      state && inState(state, now),
      assignee !== undefined && ['assignee = ? and chat_id > 0', assignee],
      tag !== undefined && tagged(tag, tagBots),
      after && [
        `(${column}, chat_id, bot_id) ${comparison} (?, ?, ?)`,
        after.at,
        after.chatId,
        after.botId,
      ],
    ];
  }

  return {
    async holdsAnyOf(chatId, botIds) {
      if (botIds?.length === 0) return false;
      const { where, parameters } = filter([
        ['chat_id = ?', chatId],
        ofBots(engine.dialect, botIds),
      ]);
      const found = await engine.readRaw(`select bot_id from chats ${where} limit 1`, parameters);
      return found.length > 0;
    },
    async holders(chatId, botIds) {
      if (botIds.length === 0) return [];
      const rows = await engine.readRaw<{ bot_id: number }>(
        `select bot_id from chats where chat_id = $1 and ${isIn('bot_id', '$2')}`,
        [chatId, list(botIds)],
      );
      return rows.map((row) => row.bot_id);
    },
    async get(botId, chatId) {
      const sql = `select chats.*, ${hasTopics} from chats where bot_id = $1 and chat_id = $2`;
      return (await engine.readRaw<ChatRecord>(sql, [botId, chatId]))[0];
    },
    async titles(botId, chatIds) {
      if (chatIds.length === 0) return new Map();
      const rows = await engine.readRaw<{ chat_id: number; title: string }>(
        `select chat_id, title from chats where bot_id = $1 and ${isIn('chat_id', '$2')}`,
        [botId, list(chatIds)],
      );
      return new Map(rows.map((row) => [row.chat_id, row.title]));
    },
    // The list is sorted on request: an index by last message would slow down every stored message.
    async list({ limit, ...wanted }) {
      if (wanted.botIds?.length === 0) return [];
      const { column, direction } = sortedBy[wanted.order];
      const { where, parameters } = filter(conditionsOf(wanted));
      return engine.readHeavy(
        `select chats.*, ${hasTopics} from chats ${where}
         order by ${column} ${direction}, chat_id ${direction}, bot_id ${direction}
         limit $${parameters.push(limit)}`,
        parameters,
      );
    },
    async named(wanted, last, portion) {
      if (wanted.botIds?.length === 0) return [];
      const { where, parameters } = filter([
        ...conditionsOf(wanted),
        last && ['(bot_id, chat_id) > (?, ?)', last.bot_id, last.chat_id],
      ]);
      return engine.readHeavy(
        `select bot_id, chat_id, title, username, last_message_at, unanswered_since
         from chats ${where} order by bot_id, chat_id limit $${parameters.push(portion)}`,
        parameters,
      );
    },
    async getAll(chats) {
      if (chats.length === 0) return [];
      const rows = await engine.readRaw<ChatRecord>(
        `select chats.*, ${hasTopics} from (${given(keyColumns, 1)}) k
         join chats on chats.bot_id = k.bot_id and chats.chat_id = k.chat_id`,
        rowParameters(
          keyColumns,
          chats.map(({ bot_id, chat_id }) => [bot_id, chat_id]),
        ),
      );
      const found = new Map(rows.map((row) => [chatKey(row), row]));
      return chats.flatMap((chat) => found.get(chatKey(chat)) ?? []);
    },
    async lastMessages(chats) {
      if (chats.length === 0) return new Map();
      const keys = given(keyColumns, 1);
      const rows = await engine.readRaw<MessageRow>(
        engine.dialect === 'sqlite'
          ? `select ${messageColumns('newest')} from messages newest where newest.doc in (
               select (select m.doc ${newestOfChat}) from (${keys}) k)`
          : `select ${messageColumns('newest')} from (${keys}) k
             cross join lateral (select m.* ${newestOfChat}) newest`,
        rowParameters(
          keyColumns,
          chats.map(({ bot_id, chat_id }) => [bot_id, chat_id]),
        ),
      );
      return new Map(rows.map((row) => [chatKey(row), row]));
    },
    async setDetails(botId, chatId, details, nowMs) {
      await engine.write(function* () {
        yield* raw(
          `update chats set member_count = $3, description = $4, photo_file_id = $5,
             own_rights = $6, refreshed_at = $7, updated_at = $7,
             member_status = case when $8 = '' then member_status else $8 end
           where bot_id = $1 and chat_id = $2`,
          [
            botId,
            chatId,
            details.memberCount,
            details.description,
            details.photoFileId,
            details.ownRights,
            nowMs,
            details.ownStatus,
          ],
        );
        yield* settlePins(botId, chatId, details.pinned, nowMs);
      });
    },
    async predecessorOf(botId, chatId) {
      const [old] = await engine.readRaw<{ chat_id: number }>(predecessor, [botId, chatId]);
      return old?.chat_id;
    },
    forget: (botId, chatId, portion) =>
      engine.write(() => forgetSome(engine.dialect, botId, chatId, portion)),
  };
}
