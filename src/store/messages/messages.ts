import type { ArchiveEntry } from '../../core/messages/archive-facts.ts';
import { type Author, readAuthor } from '../../core/messages/author.ts';
import { archive } from './archive.ts';
import { highestBusinessId } from '../../core/messages/business-messages.ts';
import {
  buttonsMark,
  type MessageButton,
  storedButtons,
  storedPressedText,
} from '../../core/messages/message-buttons.ts';
import {
  entitiesMark,
  type ShownEntity,
  storedEntities,
} from '../../core/messages/message-entities.ts';
import { type MessageContent, storedContent } from '../../core/messages/message-content.ts';
import type { Engine } from '../engine.ts';
import { wordsOf } from '../sql/dialect.ts';
import { createStampedCache } from '../sql/stamped-cache.ts';

/** A stored message as the API shows it; absent values are left out. */
export interface StoredMessage {
  id: number;
  chat_id: number;
  bot_id: number;
  user_id: number;
  username: string;
  first_name: string;
  last_name: string;
  text: string;
  date: number;
  media_type?: string;
  file_id?: string;
  reply_to_message_id?: number;
  /** Its topic, 1 for General. */
  message_thread_id?: number;
  /** Unix seconds. */
  edited_at?: number;
  deleted_at?: number;
  /** Present if the message is pinned. */
  pinned?: true;
  /** Describes the message if it has neither text nor a file. */
  content?: MessageContent;
  /** The formatting of the text. */
  entities?: ShownEntity[];
  /** The rows of buttons under the message. */
  buttons?: MessageButton[][];
  /** The label of the pressed button, if known. */
  button_text?: string;
  /** The connection of the business account that the message belongs to. */
  business_connection_id?: string;
  /** Who or what sent it through the bot, if known. */
  author?: Author;
}

/** Adds fields that the API's contract does not name. */
export interface DetailedMessage extends StoredMessage {
  /** One of received, sent, routed or gateway. */
  origin: string;
  media_group_id?: string;
  /** Entities, file name, buttons and similar data, in the platform's words. */
  extra?: Record<string, unknown>;
}

export interface MessagePage {
  botId: number;
  chatId: number;
  /** Only messages of this topic. */
  threadId?: number | undefined;
  limit: number;
  offset: number;
}

interface ArchiveKey {
  botId: number;
  chatId: number;
  id: number;
}

export interface MessageRepository {
  get(botId: number, chatId: number, id: number): Promise<StoredMessage | undefined>;
  /**
   * Lists messages newest first, by date and then by ID. Returns the same list until something
   * changes.
   */
  list(page: MessagePage): Promise<readonly StoredMessage[]>;
  /** Does the same, starting after the given message; undefined if that is not stored. */
  listBefore(
    page: MessagePage & { beforeId: number },
  ): Promise<readonly StoredMessage[] | undefined>;
  /**
   * Lists messages of a chat that the bot is not a member of, in the same order; undefined if
   * `beforeId` is not stored.
   */
  listGuest(
    page: MessagePage & { beforeId?: number | undefined },
  ): Promise<readonly StoredMessage[] | undefined>;
  /**
   * Returns the beginnings of the texts of messages, in the order of the keys; undefined for one
   * that is not stored.
   */
  beginnings(keys: readonly ArchiveKey[], length: number): Promise<(string | undefined)[]>;
  /** Stores messages with their chats and people, in its own transaction. */
  archive(entries: readonly ArchiveEntry[], nowMs: number): Promise<void>;
}

type OptionalField =
  | 'media_type'
  | 'file_id'
  | 'reply_to_message_id'
  | 'message_thread_id'
  | 'edited_at'
  | 'deleted_at'
  | 'pinned'
  | 'content'
  | 'buttons'
  | 'button_text'
  | 'business_connection_id'
  | 'author';

interface Row extends Omit<StoredMessage, OptionalField> {
  media_type: string | null;
  file_id: string | null;
  reply_to_message_id: number | null;
  thread_id: number | null;
  edited_at: number | null;
  /** Milliseconds, like all times that the relay sets itself. */
  deleted_at: number | null;
  pinned_at: number | null;
  /** JSON. */
  author: string | null;
  /** JSON; lists of messages read it only if they show something of it. */
  extra: string | null;
}

/** A message with everything that is stored about it. */
export interface MessageRow extends Row {
  origin: string;
  media_group_id: string | null;
}

const contractColumns = [
  'id',
  'chat_id',
  'bot_id',
  'user_id',
  'username',
  'first_name',
  'last_name',
  'text',
  'date',
  'media_type',
  'file_id',
  'reply_to_message_id',
  'thread_id',
  'edited_at',
  'deleted_at',
  'pinned_at',
  'author',
];

/** All columns of a MessageRow, for the table of that name in a query. */
export function messageColumns(table: string): string {
  return [...contractColumns, 'origin', 'media_group_id', 'extra']
    .map((column) => `${table}.${column}`)
    .join(', ');
}

const shown = [
  ...contractColumns,
  `case when (text = '' and media_type is null) or media_type = 'callback'
    or id <= ${highestBusinessId} or extra like '%${buttonsMark}%' or extra like '%${entitiesMark}%'
    then extra end as extra`,
].join(', ');
const ofChat = `select ${shown} from messages where bot_id = $1 and chat_id = $2`;
const one = `${ofChat} and id = $3`;
// This is one backward range scan of the index messages_newest, whatever the number of messages.
const newest = `${ofChat} order by date desc, id desc limit $3 offset $4`;
const before = `${ofChat} and (date, id) < ($3, $4) order by date desc, id desc limit $5 offset $6`;
// The same for the index messages_topic.
const newestInTopic = newest.replace('order by', 'and thread_id = $5 order by');
const beforeInTopic = before.replace('order by', 'and thread_id = $7 order by');

const ofGuest = `select ${shown} from
  (select g.*, null as thread_id, null as deleted_at, null as pinned_at, null as author
    from guest_messages g) as guest
  where bot_id = $1 and chat_id = $2`;
const newestOfGuest = newest.replace(ofChat, ofGuest);
const beforeOfGuest = before.replace(ofChat, ofGuest);
const dateOfGuest = `select date from guest_messages where bot_id = $1 and chat_id = $2 and id = $3
  order by date desc limit 1`;

const keyColumns = { place: 'bigint', bot_id: 'bigint', chat_id: 'bigint', id: 'bigint' } as const;

/*
 * A group that became a supergroup continues under a new ID, and its message IDs start again. Its
 * old messages stay under their own chat, because their IDs will be used again; the history of the
 * new chat continues into that of the old one.
 */
const largestSupergroup = -1_000_000_000_000;
export const predecessor =
  'select chat_id from chats where bot_id = $1 and migrated_to = $2 and migrated_to <> 0 limit 1';
const stored = 'select count(*) as count from messages where bot_id = $1 and chat_id = $2';

/** In characters; pages that people view repeatedly come from this cache. */
const cachedCharacters = 8_000_000;

export function createMessageRepository(engine: Engine): MessageRepository {
  const pages = createStampedCache<readonly StoredMessage[]>({
    engine,
    tables: ['messages'],
    weigh: (messages) =>
      messages.reduce(
        (sum, { author, buttons, text }) =>
          sum + text.length + (author ? 500 : 300) + (buttons ? JSON.stringify(buttons).length : 0),
        100,
      ),
    capacity: cachedCharacters,
  });

  async function get(botId: number, chatId: number, id: number) {
    const [row] = await engine.readRaw<Row>(one, [botId, chatId, id]);
    return row ? toMessage(row) : undefined;
  }

  async function predecessorOf(botId: number, chatId: number): Promise<number | undefined> {
    if (chatId > largestSupergroup) return undefined;
    const [old] = await engine.readRaw<{ chat_id: number }>(predecessor, [botId, chatId]);
    return old?.chat_id;
  }

  /** Fills the rest of a page from the chat that this one was before. */
  async function continued({ botId, chatId, limit, offset }: MessagePage, rows: Row[]) {
    if (rows.length >= limit) return rows;
    const old = await predecessorOf(botId, chatId);
    if (old === undefined) return rows;
    const [own] =
      rows.length > 0 || offset === 0
        ? []
        : await engine.readRaw<{ count: number }>(stored, [botId, chatId]);
    const skipped = Math.max(0, own ? offset - own.count : 0);
    const more = [botId, old, limit - rows.length, skipped];
    return [...rows, ...(await engine.readRaw<Row>(newest, more))];
  }

  return {
    get,
    list: (page) =>
      pages.get(
        [page.botId, page.chatId, page.limit, page.offset, page.threadId].join(' '),
        async () => {
          const { botId, chatId, limit, offset, threadId } = page;
          const parameters = [botId, chatId, limit, offset];
          if (threadId !== undefined) {
            const rows = await engine.readRaw<Row>(newestInTopic, [...parameters, threadId]);
            return rows.map(toMessage);
          }
          const rows = await engine.readRaw<Row>(newest, parameters);
          return (await continued(page, rows)).map(toMessage);
        },
      ),
    async listBefore({ beforeId, ...page }) {
      const { botId, chatId, limit, offset, threadId } = page;
      let anchor = await get(botId, chatId, beforeId);
      if (!anchor) {
        const old = await predecessorOf(botId, chatId);
        anchor = old === undefined ? undefined : await get(botId, old, beforeId);
      }
      if (!anchor) return undefined;
      const parameters = [botId, anchor.chat_id, anchor.date, anchor.id, limit, offset];
      if (threadId !== undefined) {
        const rows = await engine.readRaw<Row>(beforeInTopic, [...parameters, threadId]);
        return rows.map(toMessage);
      }
      const rows = await engine.readRaw<Row>(before, parameters);
      const isOld = anchor.chat_id !== chatId;
      return (isOld ? rows : await continued({ ...page, offset: 0 }, rows)).map(toMessage);
    },
    async listGuest({ botId, chatId, limit, offset, beforeId }) {
      const page = [limit, offset];
      if (beforeId === undefined) {
        return (await engine.readRaw<Row>(newestOfGuest, [botId, chatId, ...page])).map(toMessage);
      }
      const [anchor] = await engine.readRaw<Row>(dateOfGuest, [botId, chatId, beforeId]);
      if (!anchor) return undefined;
      const from = [botId, chatId, anchor.date, beforeId];
      return (await engine.readRaw<Row>(beforeOfGuest, [...from, ...page])).map(toMessage);
    },
    async beginnings(keys, length) {
      if (keys.length === 0) return [];
      const { rows: wanted, rowParameters } = wordsOf[engine.dialect];
      const rows = await engine.readRaw<{ text: string | null }>(
        `select substr(m.text, 1, ${length}) as text from (${wanted(keyColumns, 1)}) k
         left join messages m on m.bot_id = k.bot_id and m.chat_id = k.chat_id and m.id = k.id order by k.place`,
        rowParameters(
          keyColumns,
          keys.map(({ botId, chatId, id }, place) => [place, botId, chatId, id]),
        ),
      );
      return rows.map(({ text }) => text ?? undefined);
    },
    archive: (entries, nowMs) => engine.write(() => archive(engine.dialect, entries, nowMs)),
  };
}

// Most messages are plain text: they take the fastest way, one literal with all fields.
function toMessage(row: Row): StoredMessage {
  const message: StoredMessage = {
    id: row.id,
    chat_id: row.chat_id,
    bot_id: row.bot_id,
    user_id: row.user_id,
    username: row.username,
    first_name: row.first_name,
    last_name: row.last_name,
    text: row.text,
    date: row.date,
  };
  if (row.media_type !== null) message.media_type = row.media_type;
  if (row.file_id !== null) message.file_id = row.file_id;
  if (row.reply_to_message_id !== null) message.reply_to_message_id = row.reply_to_message_id;
  if (row.thread_id !== null) message.message_thread_id = row.thread_id;
  if (row.edited_at !== null) message.edited_at = row.edited_at;
  if (row.deleted_at !== null) message.deleted_at = Math.floor(row.deleted_at / 1000);
  if (row.pinned_at !== null) message.pinned = true;
  const author = readAuthor(row.author);
  if (author) message.author = author;
  if (row.text === '' && row.media_type === null) {
    const content = storedContent(row.extra);
    if (content) message.content = content;
  }
  if (row.media_type === 'callback') {
    const label = storedPressedText(row.extra);
    if (label !== undefined) message.button_text = label;
  } else if (row.extra !== null) {
    const entities = storedEntities(row.extra);
    if (entities) message.entities = entities;
    const buttons = storedButtons(row.extra);
    if (buttons) message.buttons = buttons;
  }
  if (row.id <= highestBusinessId) {
    const connection = connectionInExtra(row.extra);
    if (connection !== '') message.business_connection_id = connection;
  }
  return message;
}

function connectionInExtra(extra: string | null): string {
  const { business_connection_id: connection } = JSON.parse(extra ?? '{}') as Record<
    string,
    unknown
  >;
  return typeof connection === 'string' ? connection : '';
}

export function toDetailedMessage(row: MessageRow): DetailedMessage {
  const message: DetailedMessage = { ...toMessage(row), origin: row.origin };
  if (row.media_group_id !== null) message.media_group_id = row.media_group_id;
  if (row.extra !== null) message.extra = JSON.parse(row.extra) as Record<string, unknown>;
  return message;
}
