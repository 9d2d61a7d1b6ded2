import type { Engine } from './engine.ts';

export interface ChatStore {
  /** Whether any of these bots was ever in the chat. */
  holdsAnyOf(chatId: number, botIds: readonly number[]): Promise<boolean>;
}

export function createChatStore(engine: Engine): ChatStore {
  const { sql } = engine;
  return {
    async holdsAnyOf(chatId, botIds) {
      if (botIds.length === 0) return false;
      const row = await engine.readOne(
        sql
          .selectFrom('chats')
          .select('bot_id')
          .where('chat_id', '=', chatId)
          .where('bot_id', 'in', [...botIds])
          .limit(1),
      );
      return row !== undefined;
    },
  };
}
