import { type Engine, raw } from '../engine.ts';
import { forgetSome } from '../messages/forget-chat.ts';
import { type MessageRow, messageColumns, predecessor } from '../messages/messages.ts';
import { settlePins } from '../messages/pins.ts';
import { wordsOf } from '../sql/dialect.ts';
import { filter, ofBots } from '../sql/filter.ts';

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
}

/** A cursor in the list of chats, which begins with the latest. */
export interface ChatCursor {
  last_message_at: number;
  chat_id: number;
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

export interface ChatRepository {
  /** True if any of these bots, or any bot at all with null, was ever in the chat. */
  holdsAnyOf(chatId: number, botIds: readonly number[] | null): Promise<boolean>;
  /** Returns which of these bots were ever in the chat. */
  holders(chatId: number, botIds: readonly number[]): Promise<number[]>;
  get(botId: number, chatId: number): Promise<ChatRecord | undefined>;
  /** Returns titles by chat; '' if a chat has none. */
  titles(botId: number, chatIds: readonly number[]): Promise<Map<number, string>>;
  /** Lists chats by last message, the latest first. */
  list(botId: number, after: ChatCursor | undefined, limit: number): Promise<ChatRecord[]>;
  /** Returns the newest message of each chat that has one, by chat. */
  lastMessages(botId: number, chatIds: readonly number[]): Promise<Map<number, MessageRow>>;
  setDetails(botId: number, chatId: number, details: ChatDetails, nowMs: number): Promise<void>;
  /** Returns the group that became this supergroup. */
  predecessorOf(botId: number, chatId: number): Promise<number | undefined>;
  /**
   * Removes a portion of what is stored about the chat, and with the last portion the chat; true if
   * it is gone.
   */
  forget(botId: number, chatId: number, portion: number): Promise<boolean>;
}

export function createChatRepository(engine: Engine): ChatRepository {
  const { isIn, list } = wordsOf[engine.dialect];
  const ofBot = `select c.*, case when exists (select 1 from topics t
      where t.bot_id = c.bot_id and t.chat_id = c.chat_id) then 1 else 0 end as has_topics
    from chats c where c.bot_id = $1`;
  const newestOfChat = `from messages m where m.bot_id = $1 and m.chat_id = c.chat_id
    order by m.date desc, m.id desc limit 1`;

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
      const sql = `${ofBot} and c.chat_id = $2`;
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
    list: (botId, after, limit) =>
      engine.readHeavy(
        `${ofBot} and (c.last_message_at, c.chat_id) < ($2, $3)
         order by last_message_at desc, chat_id desc limit $4`,
        [
          botId,
          after?.last_message_at ?? Number.MAX_SAFE_INTEGER,
          after?.chat_id ?? Number.MAX_SAFE_INTEGER,
          limit,
        ],
      ),
    async lastMessages(botId, chatIds) {
      if (chatIds.length === 0) return new Map();
      const rows = await engine.readRaw<MessageRow>(
        engine.dialect === 'sqlite'
          ? `select ${messageColumns('newest')} from messages newest where newest.doc in (
               select (select m.doc ${newestOfChat})
               from (select value as chat_id from json_each($2)) c)`
          : `select ${messageColumns('newest')} from unnest($2::bigint[]) as c (chat_id)
             cross join lateral (select m.* ${newestOfChat}) newest`,
        [botId, list(chatIds)],
      );
      return new Map(rows.map((row) => [row.chat_id, row]));
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
