export const keyColumns = { bot_id: 'bigint', chat_id: 'bigint' } as const;

export function chatKey({ bot_id, chat_id }: { bot_id: number; chat_id: number }): string {
  return `${bot_id} ${chat_id}`;
}
