import { type Engine, raw } from '../engine.ts';
import { forgetSome } from '../messages/forget-chat.ts';
import { predecessor } from '../messages/messages.ts';
import { settlePins } from '../messages/pins.ts';
import { wordsOf } from '../sql/dialect.ts';
import { filter, ofBots } from '../sql/filter.ts';
import { type ChatLists, createChatLists, hasTopics } from './chat-lists.ts';
import type { ChatDetails, ChatRecord } from './chat-record.ts';
import { topicsAsChats } from './topic-conversations.ts';

export interface ChatRepository extends ChatLists {
  /** True if any of these bots, or any bot at all with null, was ever in the chat. */
  holdsAnyOf(chatId: number, botIds: readonly number[] | null): Promise<boolean>;
  /** Returns which of these bots were ever in the chat. */
  holders(chatId: number, botIds: readonly number[]): Promise<number[]>;
  get(botId: number, chatId: number, threadId?: number): Promise<ChatRecord | undefined>;
  /** Returns titles by chat; '' if a chat has none. */
  titles(botId: number, chatIds: readonly number[]): Promise<Map<number, string>>;
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
  return {
    ...createChatLists(engine),
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
