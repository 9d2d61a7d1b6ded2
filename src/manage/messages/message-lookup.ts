import { reason } from '../../core/reasons/reason.ts';
import type { Clock } from '../../clock.ts';
import type { Caller } from '../../core/access/access.ts';
import { readableChats } from '../../core/access/chat-limits.ts';
import { highestBusinessId } from '../../core/messages/business-messages.ts';
import {
  mediaGram,
  readWordQuery,
  userGram,
  type WordQuery,
} from '../../core/search/search-grams.ts';
import { invalidField, RelayError } from '../../errors.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import type { ChatRecord } from '../../store/people/chat-record.ts';
import type { MessageEdit } from '../../store/messages/message-history.ts';
import type { SearchCursor, SearchHit } from '../../store/messages/message-search.ts';
import {
  type DetailedMessage,
  type MessageRow,
  toDetailedMessage,
} from '../../store/messages/messages.ts';
import type { Store } from '../../store/store.ts';
import { requireManaged } from '../bots/managed-bot.ts';
import { makeSnippet, type Snippet } from './snippet.ts';

export interface SearchQuery {
  bot_id: number;
  q: string;
  chat_id?: number;
  /** 1 for General. */
  message_thread_id?: number;
  user_id?: number;
  media_type?: string;
  from?: number;
  to?: number;
  limit: number;
  cursor?: string;
}

export interface FoundMessage extends DetailedMessage {
  /** '' if not known. */
  chat_title: string;
  snippet: Snippet;
}

export interface SearchAnswer {
  messages: FoundMessage[];
  /** The cursor of the next page; '' if there is none. */
  next: string;
}

export interface ContextMessage extends DetailedMessage {
  /** Missing if only Telegram can tell. */
  can_delete?: boolean;
  /** Unix seconds, if Telegram's limit of 48 hours applies. */
  delete_until?: number;
}

export interface MessageKeyQuery {
  bot_id: number;
  chat_id: number;
  id: number;
}

export interface MessageLookup {
  /** Newest first. */
  search(caller: Caller, query: SearchQuery): Promise<SearchAnswer>;
  /** Oldest first, including the message itself. */
  context(
    caller: Caller,
    query: MessageKeyQuery & { before: number; after: number; message_thread_id?: number },
  ): Promise<ContextMessage[]>;
  /** The messages that it replies to, up to the first one, and its replies; oldest first. */
  thread(caller: Caller, query: MessageKeyQuery & { limit: number }): Promise<DetailedMessage[]>;
  /** Newest first. */
  pinned(
    caller: Caller,
    query: { bot_id: number; chat_id: number; limit: number },
  ): Promise<DetailedMessage[]>;
  /** The versions of its text, oldest first; the last is the current one. */
  edits(caller: Caller, query: MessageKeyQuery): Promise<{ text: string; date: number }[]>;
}

const deletableSeconds = 48 * 3_600;
/** Candidates that do not match are replaced by others, in at most this many rounds. */
const maxRounds = 8;

export function createMessageLookup(options: { store: Store; clock: Clock }): MessageLookup {
  const { store, clock } = options;
  const { messageHistory: history, messageSearch: search } = store;

  async function chatsOf(botId: number, chatId: number): Promise<number[]> {
    const old = await store.chats.predecessorOf(botId, chatId);
    return old === undefined ? [chatId] : [chatId, old];
  }

  /** Finds a message of the chat or of the group that it was before, whose IDs remain in use. */
  async function existing({ bot_id, chat_id, id }: MessageKeyQuery): Promise<MessageRow> {
    for (const chatId of await chatsOf(bot_id, chat_id)) {
      const row = await history.get({ botId: bot_id, chatId, id });
      if (row) return row;
    }
    throw new RelayError(
      'message_not_found',
      reason('no_such_message', { chat_id, message_id: id }),
      {
        details: [{ field: 'id', problem: reason('names_no_message') }],
      },
    );
  }

  async function ancestorsOf(message: MessageRow, limit: number): Promise<MessageRow[]> {
    const chain: MessageRow[] = [];
    let above = message;
    while (above.reply_to_message_id !== null && chain.length < limit) {
      const { bot_id: botId, chat_id: chatId, reply_to_message_id: id } = above;
      const next = await history.get({ botId, chatId, id });
      // A reply is newer than the message it replies to; anything else could be a cycle.
      if (!next || (next.id >= above.id && above.id > 0)) break;
      chain.unshift(next);
      above = next;
    }
    return chain;
  }

  async function repliesBelow(message: MessageRow, limit: number): Promise<MessageRow[]> {
    const found = new Map<number, MessageRow>();
    let level = [message.id];
    while (level.length > 0 && found.size < limit) {
      const { bot_id, chat_id } = message;
      const replies = await history.repliesTo(bot_id, chat_id, level, limit - found.size);
      const fresh = replies.filter((reply) => reply.id !== message.id && !found.has(reply.id));
      for (const reply of fresh) found.set(reply.id, reply);
      level = fresh.map((reply) => reply.id);
    }
    return [...found.values()].sort((a, b) => a.date - b.date || a.id - b.id);
  }

  return {
    async search(caller, query) {
      await requireManaged(store, caller, query.bot_id);
      const words = readWordQuery(query.q);
      if (!words) throw invalidField('q', reason('letter_or_digit_needed'));
      const asked = query.chat_id === undefined ? readableChats(caller) : [query.chat_id];
      const chats =
        asked && (await Promise.all(asked.map((id) => chatsOf(query.bot_id, id)))).flat();
      const found: SearchHit[] = [];
      let after = query.cursor === undefined ? undefined : readCursor(query.cursor);
      let isEnd = false;
      for (let round = 0; !isEnd && found.length < query.limit && round < maxRounds; round++) {
        // Fetch more than requested: a single candidate that does not match would cost a second
        // round.
        const wanted = query.limit + Math.ceil(query.limit / 5);
        const candidates = await search.find({
          botId: query.bot_id,
          grams: [...gramsOf(query), ...words.grams],
          chatIds: chats ?? undefined,
          from: query.from,
          to: query.to,
          limit: wanted,
          after,
        });
        isEnd = candidates.length < wanted;
        after = candidates.at(-1)?.cursor ?? after;
        found.push(...candidates.filter(({ row }) => fits(row, query, words, chats)));
      }
      const shown = found.slice(0, query.limit);
      if (found.length > query.limit) {
        isEnd = false;
        after = shown.at(-1)?.cursor;
      }
      const chatIds = new Set(shown.map(({ row }) => row.chat_id));
      const titles = await store.chats.titles(query.bot_id, [...chatIds]);
      return {
        messages: shown.map(({ row }) => ({
          ...toDetailedMessage(row),
          chat_title: titles.get(row.chat_id) ?? '',
          snippet: makeSnippet(row.text, words.highlights(row.text)),
        })),
        next: isEnd || !after ? '' : after.join('_'),
      };
    },

    async context(caller, query) {
      const bot = await requireManaged(store, caller, query.bot_id);
      const message = await existing(query);
      const chat = await store.chats.get(bot.id, message.chat_id);
      const rows = await history.around(
        message,
        query.before,
        query.after,
        query.message_thread_id,
      );
      const nowSeconds = Math.floor(clock.now() / 1000);
      return rows.map((row) => ({
        ...toDetailedMessage(row),
        ...deletability(row, bot, chat, nowSeconds),
      }));
    },

    async thread(caller, query) {
      await requireManaged(store, caller, query.bot_id);
      const message = await existing(query);
      const above = await ancestorsOf(message, query.limit);
      const below = await repliesBelow(message, query.limit);
      return [...above, message, ...below].map(toDetailedMessage);
    },

    async pinned(caller, { bot_id: botId, chat_id: chatId, limit }) {
      await requireManaged(store, caller, botId);
      return (await history.pinned({ botId, chatId }, limit)).map(toDetailedMessage);
    },

    async edits(caller, query) {
      await requireManaged(store, caller, query.bot_id);
      const message = await existing(query);
      const { bot_id: botId, chat_id: chatId, id } = message;
      const earlier: MessageEdit[] = await history.edits({ botId, chatId, id });
      return [
        ...earlier.map(({ text, written_at }) => ({ text, date: written_at })),
        { text: message.text, date: message.edited_at ?? message.date },
      ];
    },
  };
}

function gramsOf({ user_id, media_type }: SearchQuery): number[] {
  return [
    ...(user_id === undefined ? [] : [userGram(user_id)]),
    ...(media_type === undefined ? [] : [mediaGram(media_type)]),
  ];
}

/** Checks a candidate of the index, because different words may share a number. */
function fits(
  row: MessageRow,
  { user_id, media_type, message_thread_id: topic }: SearchQuery,
  words: WordQuery,
  chats: readonly number[] | null,
): boolean {
  if (chats && !chats.includes(row.chat_id)) return false;
  if (topic !== undefined && row.thread_id !== topic) return false;
  if (user_id !== undefined && row.user_id !== user_id) return false;
  if (media_type !== undefined && (row.media_type ?? 'text') !== media_type) return false;
  return words.fits(row.text);
}

function readCursor(cursor: string): SearchCursor {
  return cursor.split('_').map(Number);
}

/** Predicts whether the bot may delete a message by Telegram's rules; Telegram decides. */
function deletability(
  row: MessageRow,
  bot: BotRecord,
  chat: ChatRecord | undefined,
  nowSeconds: number,
): Pick<ContextMessage, 'can_delete' | 'delete_until'> {
  if (row.deleted_at !== null) return { can_delete: false };
  // The owner of a business account decides that.
  if (row.id <= highestBusinessId) return {};
  // Button presses are no messages.
  if (row.id <= 0) return { can_delete: false };
  const until = row.date + deletableSeconds;
  const withinTime = { can_delete: nowSeconds < until, delete_until: until };
  if (row.chat_id > 0) return withinTime;
  const rights = chat?.own_rights ?? '';
  if (rights.includes('"can_delete_messages":true')) return { can_delete: true };
  if (row.user_id === bot.platform_id) return withinTime;
  return rights === '' ? {} : { can_delete: false };
}
