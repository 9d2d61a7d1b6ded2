import { isoTime } from '../../core/iso-time.ts';
import { reason } from '../../core/reasons/reason.ts';
import type { Clock } from '../../clock.ts';
import type { Caller } from '../../core/access/access.ts';
import { readableChats } from '../../core/access/chat-limits.ts';
import { emptyFacts } from '../../core/messages/message-facts.ts';
import type { EventBus } from '../../core/ports.ts';
import { fold } from '../../core/search/words.ts';
import { invalidField, RelayError } from '../../errors.ts';
import { chatKey } from '../../store/people/chat-key.ts';
import {
  type ChatCursor,
  type ChatFilter,
  type ChatRecord,
  byPlace,
  type NamedChat,
  rankOf,
} from '../../store/people/chat-record.ts';
import type {
  ChatOrder,
  ConversationState,
  ListedState,
} from '../../core/people/conversation-states.ts';
import { storedPressedText } from '../../core/messages/message-buttons.ts';
import { type MessageContent, storedContent } from '../../core/messages/message-content.ts';
import type { MessageRow } from '../../store/messages/messages.ts';
import type { SeenMessage } from '../../store/people/conversations.ts';
import type { Store } from '../../store/store.ts';
import type { TelegramClient } from '../../telegram/client.ts';
import { requireManaged } from '../bots/managed-bot.ts';
import { type Assignee, assigneeKey, botsOf, readAssignee } from './assignees.ts';
import { fetchChat } from './fetch-chat.ts';

export interface LastMessage {
  id: number;
  text: string;
  date: number;
  user_id: number;
  username: string;
  first_name: string;
  last_name: string;
  media_type?: string;
  content?: MessageContent;
  /** The label of the pressed button, if known. */
  button_text?: string;
}

/** A chat in the API's form. */
export interface ChatView {
  bot_id: number;
  chat_id: number;
  /** Set for a topic that is a conversation. */
  message_thread_id?: number;
  /** Set for a topic; '' if the name is not known. */
  topic_name?: string;
  type: string;
  title: string;
  username: string;
  description: string;
  photo_file_id: string;
  /** Missing until the chat is refreshed. */
  member_count?: number;
  /** The status of the bot itself. */
  status: string;
  rights: Record<string, boolean>;
  message_count: number;
  /** True for forums, and for private chats with topics. */
  has_topics: boolean;
  last_message_at: string;
  last_message?: LastMessage;
  migrated_to: number;
  /** Missing for chats that are no conversations. */
  state?: ConversationState;
  /** '' if nobody waits. */
  unanswered_since: string;
  snoozed_until: string;
  /** True if somebody waits and the calling user did not see the last message. Missing for keys. */
  unread?: boolean;
  assignee?: Assignee;
  refreshed_at: string;
  /** The value of `before` that returns the chats after this one. */
  cursor: string;
}

export interface ChatQuery {
  /** Left out for all bots of the caller. */
  bot_id?: number;
  q?: string;
  state?: ListedState;
  /** `me`, `none`, `user:3` or `person:5001`. */
  assignee?: string;
  tag?: string;
  message_thread_id?: number;
  order?: ChatOrder;
  limit: number;
  before?: string;
}

export interface ChatService {
  list(caller: Caller, query: ChatQuery, signal?: AbortSignal): Promise<ChatView[]>;
  /** Of a chat, or with a topic other than 0 of a topic that is a conversation. */
  get(caller: Caller, botId: number, chatId: number, threadId?: number): Promise<ChatView>;
  /** Asks Telegram. */
  refresh(caller: Caller, botId: number, chatId: number): Promise<ChatView>;
  /** Removes the stored data of the chat here, nothing in Telegram; returns the chat as it was. */
  forget(caller: Caller, botId: number, chatId: number): Promise<ChatView>;
}

/** The number of chats read at a time while searching for a name. */
const searchedAtOnce = 1_000;
const forgottenAtOnce = 500;

export function createChatService(options: {
  store: Store;
  telegram: TelegramClient;
  clock: Clock;
  events: EventBus;
}): ChatService {
  const { store, telegram, clock, events } = options;

  async function existing(botId: number, chatId: number, threadId = 0): Promise<ChatRecord> {
    const chat = await store.chats.get(botId, chatId, threadId);
    if (chat) return chat;
    if (threadId !== 0) {
      throw new RelayError(
        'chat_not_found',
        reason('unknown_topic', { chat_id: chatId, message_thread_id: threadId }),
        { details: [{ field: 'message_thread_id', problem: reason('names_no_topic') }] },
      );
    }
    throw new RelayError(
      'chat_not_found',
      reason('unknown_chat', { bot_id: botId, chat_id: chatId }),
      { details: [{ field: 'chat_id', problem: reason('names_no_chat') }] },
    );
  }

  async function viewAll(
    caller: Caller,
    chats: readonly ChatRecord[],
    order: ChatOrder = 'last_message',
  ): Promise<ChatView[]> {
    const waiting = chats.filter(({ unanswered_since }) => unanswered_since > 0);
    const isUser = caller.kind === 'user';
    const [newest, seen] = await Promise.all([
      store.chats.lastMessages(chats),
      isUser ? store.conversations.seen(caller.id, waiting) : undefined,
    ]);
    return chats.map((chat) => {
      const key = chatKey(chat);
      const last = newest.get(key);
      const shown = view(chat, last, order, clock.now());
      if (!seen || chat.chat_id < 0) return shown;
      return { ...shown, unread: chat.unanswered_since > 0 && isNewer(last, seen.get(key)) };
    });
  }

  /**
   * Returns the first entries with this name. Names are folded here and not in SQL, so all entries
   * are read once, in the order of a key, and only the best ones are sorted.
   */
  async function searched(
    filter: ChatFilter,
    wanted: string,
    limit: number,
    signal: AbortSignal | undefined,
  ): Promise<NamedChat[]> {
    let best: NamedChat[] = [];
    for (const part of await store.chats.partsOf(filter)) {
      for (let last: NamedChat | undefined; ; ) {
        if (signal?.aborted) return [];
        const page = await store.chats.named(part, filter, last, searchedAtOnce);
        const found = page.filter((chat) => isNamed(chat, wanted));
        if (found.length > 0) {
          best = [...best, ...found].sort(byPlace(filter.order)).slice(0, limit);
        }
        last = page.at(-1);
        if (page.length < searchedAtOnce) break;
      }
    }
    return best;
  }

  async function assigneeOf(caller: Caller, named: string | undefined) {
    if (named === undefined) return undefined;
    return assigneeKey(caller, named, await store.users.list());
  }

  async function viewOf(
    caller: Caller,
    botId: number,
    chatId: number,
    threadId = 0,
  ): Promise<ChatView> {
    const [one] = await viewAll(caller, [await existing(botId, chatId, threadId)]);
    return one as ChatView;
  }

  return {
    async list(caller, query, signal) {
      const { bot_id, q = '', limit, before, order = 'last_message', state, tag } = query;
      if (bot_id !== undefined) await requireManaged(store, caller, bot_id);
      const after = before === undefined ? undefined : readCursor(before, bot_id);
      const filter = {
        botIds: botsOf(caller, bot_id),
        chatIds: readableChats(caller),
        state,
        assignee: await assigneeOf(caller, query.assignee),
        tag,
        threadId: query.message_thread_id,
        tagBots: caller.botIds,
        order,
        now: clock.now(),
      };
      const wanted = fold(q.trim());
      if (wanted === '')
        return viewAll(caller, await store.chats.list({ ...filter, after, limit }), order);
      const found = await searched({ ...filter, after }, wanted, limit, signal);
      return viewAll(caller, await store.chats.getAll(found), order);
    },

    async get(caller, botId, chatId, threadId = 0) {
      const bot = await requireManaged(store, caller, botId);
      if (threadId !== 0 && (!bot.per_topic || chatId < 0)) {
        throw invalidField('message_thread_id', reason('no_topic_conversation'));
      }
      return viewOf(caller, botId, chatId, threadId);
    },

    async refresh(caller, botId, chatId) {
      const bot = await requireManaged(store, caller, botId);
      const { fact, details } = await fetchChat(telegram, bot, chatId);
      const facts = { ...emptyFacts(), chats: fact ? [fact] : [] };
      const entry = { botId, facts, origin: 'received', position: 0 } as const;
      await store.messages.archive([entry], clock.now());
      await store.chats.setDetails(botId, chatId, details, clock.now());
      events.publish('chat', botId, { chat_id: chatId, change: 'refreshed' });
      return viewOf(caller, botId, chatId);
    },

    async forget(caller, botId, chatId) {
      await requireManaged(store, caller, botId);
      const chat = await viewOf(caller, botId, chatId);
      // Messages from before the group became a supergroup are shown with it, so they are deleted
      // with it.
      const old = await store.chats.predecessorOf(botId, chatId);
      for (const id of old === undefined ? [chatId] : [old, chatId]) {
        await store.questions.forgetChat(botId, id, clock.now());
        while (!(await store.chats.forget(botId, id, forgottenAtOnce)));
      }
      events.publish('chat', botId, { chat_id: chatId, change: 'forgotten' });
      return chat;
    },
  };
}

function isNamed(chat: NamedChat, wanted: string): boolean {
  if (String(chat.chat_id) === wanted) return true;
  const name = wanted.startsWith('@') ? wanted.slice(1) : wanted;
  return (
    [chat.title, chat.topic_name ?? ''].some((one) => fold(one).includes(wanted)) ||
    fold(chat.username).includes(name)
  );
}

function isNewer(last: MessageRow | undefined, seen: SeenMessage | undefined): boolean {
  if (!last || !seen) return last !== undefined;
  return last.date > seen.date || (last.date === seen.date && last.id > seen.id);
}

function stateOf({ unanswered_since, is_done }: ChatRecord): ConversationState {
  if (unanswered_since > 0) return 'waiting';
  return is_done === 1 ? 'done' : 'open';
}

function cursorOf(chat: NamedChat, order: ChatOrder): string {
  const { chat_id, bot_id, thread_id } = chat;
  const place = [rankOf(chat, order), chat_id, bot_id];
  return [...place, ...(thread_id === undefined ? [] : [thread_id])].join(':');
}

function view(
  chat: ChatRecord,
  newest: MessageRow | undefined,
  order: ChatOrder,
  nowMs: number,
): ChatView {
  const { thread_id, topic_name = '' } = chat;
  return {
    bot_id: chat.bot_id,
    chat_id: chat.chat_id,
    ...(thread_id === undefined ? {} : { message_thread_id: thread_id, topic_name }),
    type: chat.type,
    title: chat.title,
    username: chat.username,
    description: chat.description,
    photo_file_id: chat.photo_file_id,
    ...(chat.member_count < 0 ? {} : { member_count: chat.member_count }),
    status: chat.member_status,
    rights: chat.own_rights === '' ? {} : (JSON.parse(chat.own_rights) as Record<string, boolean>),
    message_count: chat.message_count,
    has_topics: chat.has_topics === 1,
    last_message_at: isoTime(chat.last_message_at),
    ...(newest ? { last_message: lastMessage(newest) } : {}),
    migrated_to: chat.migrated_to,
    ...(chat.chat_id > 0 ? { state: stateOf(chat) } : {}),
    unanswered_since: isoTime(chat.unanswered_since),
    snoozed_until: chat.snoozed_until > nowMs ? isoTime(chat.snoozed_until) : '',
    ...(chat.assignee === '' ? {} : { assignee: readAssignee(chat.assignee, chat.assignee_name) }),
    refreshed_at: isoTime(chat.refreshed_at),
    cursor: cursorOf(chat, order),
  };
}

/** Shows the last message of a list entry. */
export function lastMessage(row: MessageRow): LastMessage {
  const { id, text: shownText, date, user_id, username, first_name, last_name, media_type } = row;
  const content = shownText === '' && media_type === null ? storedContent(row.extra) : undefined;
  const label = media_type === 'callback' ? storedPressedText(row.extra) : undefined;
  return {
    id,
    text: shownText,
    date,
    user_id,
    username,
    first_name,
    last_name,
    ...(media_type === null ? {} : { media_type }),
    ...(content ? { content } : {}),
    ...(label === undefined ? {} : { button_text: label }),
  };
}

/** Earlier versions gave cursors without the bot, for lists of one bot. */
function readCursor(cursor: string, ofBot = 0): ChatCursor {
  const [at, chatId, botId = ofBot, threadId = 0] = cursor.split(':').map(Number);
  return { at: at ?? 0, chatId: chatId ?? 0, botId, threadId };
}
