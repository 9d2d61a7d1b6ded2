import { type ArchiveEntry, archive } from './archive.ts';
import type { Engine } from './engine.ts';
import { createStampedCache } from './stamped-cache.ts';

/** A stored message as the API shows it: what is absent is left out. */
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
}

export interface MessagePage {
  botId: number;
  chatId: number;
  limit: number;
  offset: number;
}

export interface MessageStore {
  get(botId: number, chatId: number, id: number): Promise<StoredMessage | undefined>;
  /** Newest first, by date and then by id. The same list again while nothing has changed. */
  list(page: MessagePage): Promise<readonly StoredMessage[]>;
  /** The same, starting after the given message; undefined when that is not stored. */
  listBefore(
    page: MessagePage & { beforeId: number },
  ): Promise<readonly StoredMessage[] | undefined>;
  /** Stores messages with their chats and people, in a transaction of its own. */
  archive(entries: readonly ArchiveEntry[], nowMs: number): Promise<void>;
}

interface Row extends Omit<StoredMessage, 'media_type' | 'file_id' | 'reply_to_message_id'> {
  media_type: string | null;
  file_id: string | null;
  reply_to_message_id: number | null;
}

const shown =
  'id, chat_id, bot_id, user_id, username, first_name, last_name, text, date, media_type, file_id, reply_to_message_id';
const ofChat = `select ${shown} from messages where bot_id = $1 and chat_id = $2`;
const one = `${ofChat} and id = $3`;
// One backward range scan of the index messages_newest, whatever the number of messages.
const newest = `${ofChat} order by date desc, id desc limit $3 offset $4`;
const before = `${ofChat} and (date, id) < ($3, $4) order by date desc, id desc limit $5 offset $6`;

/** Characters; pages that people look at again and again come from here. */
const keptCharacters = 8_000_000;

export function createMessageStore(engine: Engine): MessageStore {
  const pages = createStampedCache<readonly StoredMessage[]>({
    engine,
    table: 'messages',
    weigh: (messages) => messages.reduce((sum, { text }) => sum + text.length + 300, 100),
    capacity: keptCharacters,
  });

  async function get(botId: number, chatId: number, id: number) {
    const [row] = await engine.readRaw<Row>(one, [botId, chatId, id]);
    return row ? toMessage(row) : undefined;
  }

  return {
    get,
    list: ({ botId, chatId, limit, offset }) =>
      pages.get(`${botId} ${chatId} ${limit} ${offset}`, async () => {
        const rows = await engine.readRaw<Row>(newest, [botId, chatId, limit, offset]);
        return rows.map(toMessage);
      }),
    async listBefore({ botId, chatId, limit, offset, beforeId }) {
      const anchor = await get(botId, chatId, beforeId);
      if (!anchor) return undefined;
      const rows = await engine.readRaw<Row>(before, [
        botId,
        chatId,
        anchor.date,
        anchor.id,
        limit,
        offset,
      ]);
      return rows.map(toMessage);
    },
    archive: (entries, nowMs) => engine.write(() => archive(engine.dialect, entries, nowMs)),
  };
}

// Most messages are plain text: those pass with their fields in one literal, the fastest way.
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
  return message;
}
