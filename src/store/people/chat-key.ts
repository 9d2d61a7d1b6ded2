export const keyColumns = { bot_id: 'bigint', chat_id: 'bigint' } as const;
export const topicKeyColumns = { ...keyColumns, thread_id: 'bigint' } as const;

/** An entry in a list of chats: a chat, or with `thread_id` a topic that is a conversation. */
export interface ListedKey {
  bot_id: number;
  chat_id: number;
  thread_id?: number;
}

export function chatKey({ bot_id, chat_id, thread_id = 0 }: ListedKey): string {
  return thread_id === 0 ? `${bot_id} ${chat_id}` : `${bot_id} ${chat_id} ${thread_id}`;
}

/** The same as values of `keyColumns`, and for topics of `topicKeyColumns`. */
export function keysOf(entries: readonly ListedKey[]) {
  const chats = entries.filter(({ thread_id = 0 }) => thread_id === 0);
  const topics = entries.filter(({ thread_id = 0 }) => thread_id !== 0);
  return {
    chats: chats.map(({ bot_id, chat_id }) => [bot_id, chat_id] as const),
    topics: topics.map(({ bot_id, chat_id, thread_id }) => [bot_id, chat_id, thread_id] as const),
  };
}
