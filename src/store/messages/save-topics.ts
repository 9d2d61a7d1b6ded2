/*
 * Stores the topics of chats: what messages and answers say about them. A topic is known from its
 * first message on, its name as soon as one of them says it.
 */
import type { ArchiveEntry } from '../../core/messages/archive-facts.ts';
import type { TopicFact } from '../../core/messages/topics.ts';
import { bulkInsert } from '../sql/bulk-insert.ts';
import { type DialectName, raw, type Step } from '../engine.ts';

/** Null stands for what is not known. */
export interface TopicRecord {
  bot_id: number;
  chat_id: number;
  thread_id: number;
  name: string | null;
  icon_color: number | null;
  icon_emoji_id: string | null;
  closed: number | null;
  hidden: number | null;
  /** When Telegram said that the bot cannot write into it; 0 or null if it can. */
  gone_at: number | null;
  last_message_at: number;
}

const columns = {
  bot_id: 'bigint',
  chat_id: 'bigint',
  thread_id: 'bigint',
  name: 'text',
  icon_color: 'bigint',
  icon_emoji_id: 'text',
  closed: 'bigint',
  hidden: 'bigint',
  gone_at: 'bigint',
  last_message_at: 'bigint',
} as const;
const said = ['name', 'icon_color', 'icon_emoji_id', 'closed', 'hidden'] as const;
const always = `gone_at = coalesce(excluded.gone_at, topics.gone_at),
  last_message_at = case when excluded.last_message_at > topics.last_message_at
    then excluded.last_message_at else topics.last_message_at end`;

const writing = (choose: (column: string) => string) =>
  bulkInsert<TopicRecord>({
    table: 'topics',
    columns,
    onConflict: `(bot_id, chat_id, thread_id) do update set
      ${said.map((column) => `${column} = ${choose(column)}`).join(', ')}, ${always}`,
  });
const addMissing = writing((column) => `coalesce(topics.${column}, excluded.${column})`);
const change = writing((column) => `coalesce(excluded.${column}, topics.${column})`);

/** Updates the topics in which there are messages or changes; most entries have neither. */
export function* saveTopics(
  dialect: DialectName,
  entries: readonly ArchiveEntry[],
  nowMs: number,
): Step<void> {
  const seen = new Map<string, TopicRecord>();
  const changed = new Map<string, TopicRecord>();
  const gone = new Map<string, TopicRecord>();
  for (const { botId, facts, origin } of entries) {
    for (const { chatId, threadId, date } of facts.messages) {
      if (threadId === null) continue;
      const row = rowIn(seen, botId, { chatId, threadId });
      row.last_message_at = Math.max(row.last_message_at, date * 1000);
      // People may still write into an old topic into which bots no longer can.
      if (origin === 'received') continue;
      row.gone_at = 0;
      gone.delete(keyOf(botId, chatId, threadId));
    }
    for (const fact of facts.topics ?? []) {
      if (fact.isGone) {
        rowIn(gone, botId, fact);
        continue;
      }
      const row = rowIn(fact.isFirst ? seen : changed, botId, fact);
      if (fact.name !== undefined) row.name = fact.name;
      if (fact.iconColor !== undefined) row.icon_color = fact.iconColor;
      if (fact.iconEmojiId !== undefined) row.icon_emoji_id = fact.iconEmojiId;
      if (fact.isClosed !== undefined) row.closed = Number(fact.isClosed);
      if (fact.isHidden !== undefined) row.hidden = Number(fact.isHidden);
    }
  }
  if (seen.size > 0) yield* addMissing(dialect, inOrder(seen));
  if (changed.size > 0) yield* change(dialect, inOrder(changed));
  for (const { bot_id: botId, chat_id: chatId, thread_id: threadId } of inOrder(gone)) {
    yield* markTopicGone({ botId, chatId, threadId }, nowMs);
  }
}

export interface TopicOfBot {
  botId: number;
  chatId: number;
  threadId: number;
}

/**
 * Stores that the bot cannot write into a topic. Unknown ones stay unknown: nothing says that there
 * ever was such a topic.
 */
export function* markTopicGone({ botId, chatId, threadId }: TopicOfBot, nowMs: number): Step<void> {
  yield* raw(
    'update topics set gone_at = $1 where bot_id = $2 and chat_id = $3 and thread_id = $4',
    [nowMs, botId, chatId, threadId],
  );
}

const keyOf = (...ids: readonly number[]) => ids.join(' ');

function rowIn(
  rows: Map<string, TopicRecord>,
  botId: number,
  { chatId, threadId }: Pick<TopicFact, 'chatId' | 'threadId'>,
): TopicRecord {
  const key = keyOf(botId, chatId, threadId);
  const row = rows.get(key) ?? {
    bot_id: botId,
    chat_id: chatId,
    thread_id: threadId,
    name: null,
    icon_color: null,
    icon_emoji_id: null,
    closed: null,
    hidden: null,
    gone_at: null,
    last_message_at: 0,
  };
  rows.set(key, row);
  return row;
}

/** Returns the rows in the order that every node uses, so that two transactions cannot deadlock. */
function inOrder(rows: ReadonlyMap<string, TopicRecord>): TopicRecord[] {
  return [...rows.values()].sort(
    (a, b) => a.bot_id - b.bot_id || a.chat_id - b.chat_id || a.thread_id - b.thread_id,
  );
}
