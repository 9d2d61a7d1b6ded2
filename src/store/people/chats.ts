import { type Engine, raw } from '../engine.ts';
import { forgetSome } from '../messages/forget-chat.ts';
import { type MessageRow, messageColumns, predecessor } from '../messages/messages.ts';
import { settlePins } from '../messages/pins.ts';
import { wordsOf } from '../sql/dialect.ts';
import { type Filter, filter, ofBots, ofChats } from '../sql/filter.ts';
import type { ChatOrder, ListedState } from '../../core/people/conversation-states.ts';
import { chatKey, keyColumns, keysOf, type ListedKey, topicKeyColumns } from './chat-key.ts';
import { inState, ofManaged } from './conversations.ts';
import { everyBot } from './tags.ts';
import { hasTopicBots, ofTopicBots, topicsAsChats } from './topic-conversations.ts';
import { conversationTables } from '../conversations/topic-states.ts';

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

export interface ChatRepository {
  /** True if any of these bots, or any bot at all with null, was ever in the chat. */
  holdsAnyOf(chatId: number, botIds: readonly number[] | null): Promise<boolean>;
  /** Returns which of these bots were ever in the chat. */
  holders(chatId: number, botIds: readonly number[]): Promise<number[]>;
  get(botId: number, chatId: number, threadId?: number): Promise<ChatRecord | undefined>;
  /** Returns titles by chat; '' if a chat has none. */
  titles(botId: number, chatIds: readonly number[]): Promise<Map<number, string>>;
  list(filter: ChatFilter & { limit: number }): Promise<ChatRecord[]>;
  /** Returns where the entries of a list are stored. */
  partsOf(filter: ChatFilter): Promise<readonly ListPart[]>;
  /** Returns a portion of the entries that match, by bot and ID, after this one. */
  named(
    part: ListPart,
    filter: ChatFilter,
    after: ListedKey | undefined,
    portion: number,
  ): Promise<NamedChat[]>;
  /** Returns these entries in the same order. */
  getAll(entries: readonly ListedKey[]): Promise<ChatRecord[]>;
  /** Returns the newest message of each entry that has one, by `chatKey`. */
  lastMessages(entries: readonly ListedKey[]): Promise<Map<string, MessageRow>>;
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
  function tagged(part: ListPart, tag: string, botIds: readonly number[] | null): Filter {
    const visible =
      botIds === null
        ? ''
        : `and t.id in (select tag_id from tag_bots b where ${isIn('b.bot_id', '?')})`;
    const text = `exists (select 1 from tags t where t.chat_id = ${part}.chat_id and t.tag = ? ${visible})`;
    return botIds === null ? [text, tag] : [text, tag, list([everyBot, ...botIds])];
  }

  function conditionsOf(part: ListPart, wanted: ChatFilter): Parameters<typeof filter>[0] {
    const { after, assignee, botIds, chatIds, now, order, state, tag, tagBots = null } = wanted;
    const { column, comparison } = sortedBy[order];
    const isOfTopics = part === 'topics';
    return [
      ofBots(engine.dialect, botIds),
      ofChats(engine.dialect, chatIds),
      [isOfTopics ? ofTopicBots : ofManaged],
      wanted.threadId !== undefined && ['thread_id = ?', wanted.threadId],
      state && inState(state, now),
      assignee !== undefined && ['assignee = ? and chat_id > 0', assignee],
      tag !== undefined && tagged(part, tag, tagBots),
      after && [
        `(${column}, chat_id, bot_id, ${isOfTopics ? 'thread_id' : 'cast(0 as bigint)'})
         ${comparison} (?, ?, ?, ?)`,
        after.at,
        after.chatId,
        after.botId,
        after.threadId,
      ],
    ];
  }

  async function partsOf({ threadId }: ChatFilter): Promise<readonly ListPart[]> {
    if (threadId !== undefined) return ['topics'];
    return (await hasTopicBots(engine)) ? conversationTables : ['chats'];
  }

  // The list is sorted on request: an index by last message would slow down every stored message.
  function listed(part: ListPart, wanted: ChatFilter, limit: number): Promise<ChatRecord[]> {
    const { column, direction } = sortedBy[wanted.order];
    const { where, parameters } = filter(conditionsOf(part, wanted));
    const places = [column, 'chat_id', 'bot_id', ...(part === 'topics' ? ['thread_id'] : [])];
    const sorted = `${where} order by ${places.map((place) => `${place} ${direction}`).join(', ')}
      limit $${parameters.push(limit)}`;
    return engine.readHeavy(
      part === 'chats'
        ? `select chats.*, ${hasTopics} from chats ${sorted}`
        : topicsAsChats(`(select * from topics ${sorted}) t`),
      parameters,
    );
  }

  /** Reads the newest message of each of these that has one. */
  async function newestOf(
    columns: typeof keyColumns | typeof topicKeyColumns,
    keys: readonly (readonly unknown[])[],
  ): Promise<MessageRow[]> {
    if (keys.length === 0) return [];
    const wanted = given(columns, 1);
    const newest = `from messages m
      where ${Object.keys(columns)
        .map((name) => `m.${name} = k.${name}`)
        .join(' and ')}
      order by m.date desc, m.id desc limit 1`;
    return engine.readRaw<MessageRow>(
      engine.dialect === 'sqlite'
        ? `select ${messageColumns('newest')} from messages newest where newest.doc in (
             select (select m.doc ${newest}) from (${wanted}) k)`
        : `select ${messageColumns('newest')} from (${wanted}) k
           cross join lateral (select m.* ${newest}) newest`,
      rowParameters(columns, keys),
    );
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
    async get(botId, chatId, threadId = 0) {
      if (threadId !== 0) {
        const topic =
          '(select * from topics where bot_id = $1 and chat_id = $2 and thread_id = $3) t';
        const ids = [botId, chatId, threadId];
        return (await engine.readRaw<ChatRecord>(topicsAsChats(topic), ids))[0];
      }
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
    async list({ limit, ...wanted }) {
      if (wanted.botIds?.length === 0) return [];
      const parts = await partsOf(wanted);
      const found = await Promise.all(parts.map((part) => listed(part, wanted, limit)));
      return found.flat().sort(byPlace(wanted.order)).slice(0, limit);
    },
    partsOf,
    async named(part, wanted, last, portion) {
      if (wanted.botIds?.length === 0) return [];
      const names = Object.keys(part === 'topics' ? topicKeyColumns : keyColumns);
      const keys = names.join(', ');
      const { where, parameters } = filter([
        ...conditionsOf(part, wanted),
        last && [
          `(${keys}) > (${names.map(() => '?').join(', ')})`,
          last.bot_id,
          last.chat_id,
          ...(part === 'topics' ? [last.thread_id] : []),
        ],
      ]);
      const sorted = `${where} order by ${keys} limit $${parameters.push(portion)}`;
      return engine.readHeavy(
        part === 'chats'
          ? `select bot_id, chat_id, title, username, last_message_at, unanswered_since
             from chats ${sorted}`
          : `${topicsAsChats(`(select * from topics ${sorted}) t`)}
             order by t.bot_id, t.chat_id, t.thread_id`,
        parameters,
      );
    },
    async getAll(entries) {
      const { chats, topics } = keysOf(entries);
      const [ofChats, ofTopics] = await Promise.all([
        chats.length === 0
          ? []
          : engine.readRaw<ChatRecord>(
              `select chats.*, ${hasTopics} from (${given(keyColumns, 1)}) k
               join chats on chats.bot_id = k.bot_id and chats.chat_id = k.chat_id`,
              rowParameters(keyColumns, chats),
            ),
        topics.length === 0
          ? []
          : engine.readRaw<ChatRecord>(
              topicsAsChats(`(${given(topicKeyColumns, 1)}) k join topics t on t.bot_id = k.bot_id
                and t.chat_id = k.chat_id and t.thread_id = k.thread_id`),
              rowParameters(topicKeyColumns, topics),
            ),
      ]);
      const found = new Map([...ofChats, ...ofTopics].map((row) => [chatKey(row), row]));
      return entries.flatMap((entry) => found.get(chatKey(entry)) ?? []);
    },
    async lastMessages(entries) {
      const { chats, topics } = keysOf(entries);
      const [ofChats, ofTopics] = await Promise.all([
        newestOf(keyColumns, chats),
        newestOf(topicKeyColumns, topics),
      ]);
      return new Map([
        ...ofChats.map((row) => [chatKey({ ...row, thread_id: 0 }), row] as const),
        ...ofTopics.map(
          (row) => [chatKey({ ...row, thread_id: row.thread_id ?? 0 }), row] as const,
        ),
      ]);
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
