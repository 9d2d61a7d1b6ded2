import { isoTime } from '../../core/iso-time.ts';
import { reason } from '../../core/reasons/reason.ts';
import type { Caller } from '../../core/access/access.ts';
import { generalTopic } from '../../core/messages/topics.ts';
import { fold } from '../../core/search/words.ts';
import { RelayError } from '../../errors.ts';
import type { MessageRow } from '../../store/messages/messages.ts';
import type { TopicRecord } from '../../store/messages/save-topics.ts';
import type { TopicCursor } from '../../store/messages/topics.ts';
import type { Store } from '../../store/store.ts';
import { requireManaged } from '../bots/managed-bot.ts';
import { type LastMessage, lastMessage } from './chats.ts';

/** A topic in the API's form. */
export interface TopicView {
  bot_id: number;
  chat_id: number;
  message_thread_id: number;
  /** '' if not known. */
  name: string;
  icon_color: number;
  icon_custom_emoji_id: string;
  closed: boolean;
  hidden: boolean;
  /** True if Telegram refuses what the bot sends there. */
  gone: boolean;
  last_message_at: string;
  last_message?: LastMessage;
  /** The value of `before` that returns the topics after this one. */
  cursor: string;
}

export interface TopicService {
  list(
    caller: Caller,
    query: { bot_id: number; chat_id: number; q?: string; limit: number; before?: string },
  ): Promise<TopicView[]>;
}

/** The number of topics read at a time while searching for a name. */
const searchedAtOnce = 500;

export function createTopicService({ store }: { store: Store }): TopicService {
  return {
    async list(caller, { bot_id, chat_id, q = '', limit, before }) {
      await requireManaged(store, caller, bot_id);
      const wanted = fold(q.trim());
      const found: TopicRecord[] = [];
      let cursor = before === undefined ? undefined : readCursor(before);
      for (const most = wanted === '' ? limit : searchedAtOnce; ; ) {
        const page = await store.topics.list(bot_id, chat_id, cursor, most);
        found.push(...page.filter((topic) => isNamed(topic, wanted)));
        cursor = page.at(-1);
        if (found.length >= limit || page.length < most) break;
      }
      if (found.length === 0 && !(await store.chats.get(bot_id, chat_id))) {
        throw new RelayError('chat_not_found', reason('unknown_chat', { bot_id, chat_id }), {
          details: [{ field: 'chat_id', problem: reason('names_no_chat') }],
        });
      }
      const shown = found.slice(0, limit);
      const ids = shown.map(({ thread_id }) => thread_id);
      const newest = await store.topics.lastMessages(bot_id, chat_id, ids);
      return shown.map((topic) => view(topic, newest.get(topic.thread_id)));
    },
  };
}

function isNamed(topic: TopicRecord, wanted: string): boolean {
  return String(topic.thread_id) === wanted || fold(nameOf(topic)).includes(wanted);
}

export function nameOf({ name, thread_id }: Pick<TopicRecord, 'name' | 'thread_id'>): string {
  return name ?? (thread_id === generalTopic ? 'General' : '');
}

function view(topic: TopicRecord, newest: MessageRow | undefined): TopicView {
  return {
    bot_id: topic.bot_id,
    chat_id: topic.chat_id,
    message_thread_id: topic.thread_id,
    name: nameOf(topic),
    icon_color: topic.icon_color ?? 0,
    icon_custom_emoji_id: topic.icon_emoji_id ?? '',
    closed: topic.closed === 1,
    hidden: topic.hidden === 1,
    gone: (topic.gone_at ?? 0) !== 0,
    last_message_at: isoTime(topic.last_message_at),
    ...(newest ? { last_message: lastMessage(newest) } : {}),
    cursor: `${topic.last_message_at}:${topic.thread_id}`,
  };
}

function readCursor(cursor: string): TopicCursor {
  const [at, threadId] = cursor.split(':').map(Number);
  return { last_message_at: at ?? 0, thread_id: threadId ?? 0 };
}
