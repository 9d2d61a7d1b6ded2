import { isoTime } from '../../core/iso-time.ts';
import { reason } from '../../core/reasons/reason.ts';
import type { Clock } from '../../clock.ts';
import type { Caller } from '../../core/access/access.ts';
import { chatFact, emptyFacts } from '../../core/messages/message-facts.ts';
import { integer, object, text, type Wire } from '../../core/log/wire.ts';
import type { EventBus } from '../../core/ports.ts';
import { fold } from '../../core/search/words.ts';
import { RelayError } from '../../errors.ts';
import type { BotRecord } from '../../store/bots/bots.ts';
import type { ChatDetails, ChatCursor, ChatRecord } from '../../store/people/chats.ts';
import { storedPressedText } from '../../core/messages/message-buttons.ts';
import { type MessageContent, storedContent } from '../../core/messages/message-content.ts';
import type { MessageRow } from '../../store/messages/messages.ts';
import type { Store } from '../../store/store.ts';
import type { TelegramClient } from '../../telegram/client.ts';
import { toRelayError } from '../../telegram/errors.ts';
import { requireManaged } from '../bots/managed-bot.ts';

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
  refreshed_at: string;
  /** The value of `before` that returns the chats after this one. */
  cursor: string;
}

export interface ChatService {
  list(
    caller: Caller,
    query: { bot_id: number; q?: string; limit: number; before?: string },
  ): Promise<ChatView[]>;
  get(caller: Caller, botId: number, chatId: number): Promise<ChatView>;
  /** Asks Telegram. */
  refresh(caller: Caller, botId: number, chatId: number): Promise<ChatView>;
  /** Removes the stored data of the chat here, nothing in Telegram; returns the chat as it was. */
  forget(caller: Caller, botId: number, chatId: number): Promise<ChatView>;
}

/** The number of chats read at a time while searching for a name. */
const searchedAtOnce = 500;
const forgottenAtOnce = 500;

export function createChatService(options: {
  store: Store;
  telegram: TelegramClient;
  clock: Clock;
  events: EventBus;
}): ChatService {
  const { store, telegram, clock, events } = options;

  async function existing(botId: number, chatId: number): Promise<ChatRecord> {
    const chat = await store.chats.get(botId, chatId);
    if (chat) return chat;
    throw new RelayError(
      'chat_not_found',
      reason('unknown_chat', { bot_id: botId, chat_id: chatId }),
      { details: [{ field: 'chat_id', problem: reason('names_no_chat') }] },
    );
  }

  async function viewAll(chats: readonly ChatRecord[]): Promise<ChatView[]> {
    const [first] = chats;
    if (!first) return [];
    const ids = chats.map((chat) => chat.chat_id);
    const newest = await store.chats.lastMessages(first.bot_id, ids);
    return chats.map((chat) => view(chat, newest.get(chat.chat_id)));
  }

  async function viewOf(botId: number, chatId: number): Promise<ChatView> {
    const [one] = await viewAll([await existing(botId, chatId)]);
    return one as ChatView;
  }

  async function ask(bot: BotRecord, method: string, params: Wire): Promise<unknown> {
    try {
      return await telegram.call(bot.token, method, params);
    } catch (error) {
      throw toRelayError(error);
    }
  }

  async function detailsOf(bot: BotRecord, chatId: number, chat: Wire): Promise<ChatDetails> {
    const isPrivate = chat['type'] === 'private';
    const [count, self] = isPrivate
      ? [2, undefined]
      : await Promise.all([
          ask(bot, 'getChatMemberCount', { chat_id: chatId }),
          ask(bot, 'getChatMember', { chat_id: chatId, user_id: bot.platform_id }).then(object),
        ]);
    return {
      memberCount: integer(count) ?? -1,
      description: text(chat['description']) || text(chat['bio']),
      photoFileId: text(object(chat['photo'])?.['big_file_id']),
      ownStatus: text(self?.['status']),
      ownRights: self ? JSON.stringify(rightsOf(self)) : '',
      pinned: pinnedIn(chat),
    };
  }

  return {
    async list(caller, { bot_id, q = '', limit, before }) {
      await requireManaged(store, caller, bot_id);
      let cursor = before === undefined ? undefined : readCursor(before);
      const wanted = fold(q.trim());
      if (wanted === '') return viewAll(await store.chats.list(bot_id, cursor, limit));
      const found: ChatRecord[] = [];
      for (;;) {
        const page = await store.chats.list(bot_id, cursor, searchedAtOnce);
        found.push(...page.filter((chat) => isNamed(chat, wanted)));
        cursor = page.at(-1);
        if (found.length >= limit || page.length < searchedAtOnce) break;
      }
      return viewAll(found.slice(0, limit));
    },

    async get(caller, botId, chatId) {
      await requireManaged(store, caller, botId);
      return viewOf(botId, chatId);
    },

    async refresh(caller, botId, chatId) {
      const bot = await requireManaged(store, caller, botId);
      const answer = object(await ask(bot, 'getChat', { chat_id: chatId })) ?? {};
      const details = await detailsOf(bot, chatId, answer);
      const fact = chatFact(answer);
      const facts = { ...emptyFacts(), chats: fact ? [fact] : [] };
      const entry = { botId, facts, origin: 'received', position: 0 } as const;
      await store.messages.archive([entry], clock.now());
      await store.chats.setDetails(botId, chatId, details, clock.now());
      events.publish('chat', botId, { chat_id: chatId, change: 'refreshed' });
      return viewOf(botId, chatId);
    },

    async forget(caller, botId, chatId) {
      await requireManaged(store, caller, botId);
      const chat = await viewOf(botId, chatId);
      // Messages from before the group became a supergroup are shown with it, so they are deleted
      // with it.
      const old = await store.chats.predecessorOf(botId, chatId);
      for (const id of old === undefined ? [chatId] : [old, chatId]) {
        while (!(await store.chats.forget(botId, id, forgottenAtOnce)));
      }
      events.publish('chat', botId, { chat_id: chatId, change: 'forgotten' });
      return chat;
    },
  };
}

function isNamed(chat: ChatRecord, wanted: string): boolean {
  if (String(chat.chat_id) === wanted) return true;
  const name = wanted.startsWith('@') ? wanted.slice(1) : wanted;
  return fold(chat.title).includes(wanted) || fold(chat.username).includes(name);
}

function view(chat: ChatRecord, newest: MessageRow | undefined): ChatView {
  return {
    bot_id: chat.bot_id,
    chat_id: chat.chat_id,
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
    refreshed_at: isoTime(chat.refreshed_at),
    cursor: `${chat.last_message_at}:${chat.chat_id}`,
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

function pinnedIn(chat: Wire): ChatDetails['pinned'] {
  const pinned = object(chat['pinned_message']);
  const id = integer(pinned?.['message_id']);
  return id === undefined ? undefined : { id, date: integer(pinned?.['date']) ?? 0 };
}

/** The bot's rights according to Telegram: the fields that are true or false. */
function rightsOf(member: Wire): Record<string, boolean> {
  return Object.fromEntries(
    Object.entries(member).filter(
      (entry): entry is [string, boolean] =>
        typeof entry[1] === 'boolean' && entry[0].startsWith('can_'),
    ),
  );
}

function readCursor(cursor: string): ChatCursor {
  const [at, chatId] = cursor.split(':');
  return { last_message_at: Number(at), chat_id: Number(chatId) };
}
