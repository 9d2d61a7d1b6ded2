import type { Engine } from '../engine.ts';
import { type MessageRow, messageColumns } from '../messages/messages.ts';
import { wordsOf } from '../sql/dialect.ts';
import { type Filter, filter } from '../sql/filter.ts';
import { entriesOf } from './chat-filter.ts';
import { chatKey, keyColumns, keysOf, type ListedKey, topicKeyColumns } from './chat-key.ts';
import {
  byPlace,
  type ChatFilter,
  type ChatRecord,
  type ListPart,
  type NamedChat,
  waitingEnd,
} from './chat-record.ts';
import { hasTopicBots, listParts, ofTopicBots, topicsAsChats } from './topic-conversations.ts';

/** Lists of conversations: chats, and topics of bots with `per_topic`. */
export interface ChatLists {
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
}

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

/** Selects whether a topic of a chat is known. */
export const hasTopics = `case when exists (select 1 from topics t
  where t.bot_id = chats.bot_id and t.chat_id = chats.chat_id) then 1 else 0 end as has_topics`;

export function createChatLists(engine: Engine): ChatLists {
  const { rowParameters, rows: given } = wordsOf[engine.dialect];

  function conditionsOf(part: ListPart, wanted: ChatFilter): readonly Filter[] {
    const { after, order } = wanted;
    const { column, comparison } = sortedBy[order];
    return [
      ...entriesOf(engine.dialect, part, wanted),
      after && [
        `(${column}, chat_id, bot_id, ${part === 'topics' ? 'thread_id' : 'cast(0 as bigint)'})
         ${comparison} (?, ?, ?, ?)`,
        after.at,
        after.chatId,
        after.botId,
        after.threadId,
      ],
    ];
  }

  const partsOf = ({ threadId }: ChatFilter) => listParts(engine, threadId);

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
    // Where topics are conversations, all messages of a chat may have to be read for one outside of them.
    const hasTopicChats = columns === keyColumns && (await hasTopicBots(engine));
    const read = hasTopicChats ? engine.readHeavy : engine.readRaw;
    const wanted = given(columns, 1);
    const newest = `from messages m
      where ${Object.keys(columns)
        .map((name) => `m.${name} = k.${name}`)
        .join(' and ')}
        ${hasTopicChats ? `and (m.thread_id is null or not (${ofTopicBots('k.')}))` : ''}
      order by m.date desc, m.id desc limit 1`;
    return read<MessageRow>(
      engine.dialect === 'sqlite'
        ? `select ${messageColumns('newest')} from messages newest where newest.doc in (
             select (select m.doc ${newest}) from (${wanted}) k)`
        : `select ${messageColumns('newest')} from (${wanted}) k
           cross join lateral (select m.* ${newest}) newest`,
      rowParameters(columns, keys),
    );
  }

  return {
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
  };
}
