import { queryOptions } from '@tanstack/react-query';
import { get, post } from './client.ts';
import type { Message } from './types.ts';

export const messagesOf = (
  query: { bot_id: number; chat_id: number; limit?: number; before_id?: number },
  signal?: AbortSignal,
) => get<Message[]>('/api/messages', query, signal);

/** The end of a chat, for its line in the list. */
export const lastMessagesQuery = (botId: number, chatId: number) =>
  queryOptions({
    queryKey: ['chats', 'last', botId, chatId],
    queryFn: ({ signal }) => messagesOf({ bot_id: botId, chat_id: chatId, limit: 10 }, signal),
  });

export const sendMessage = (
  body: { bot_id: number; chat_id: number; text: string; reply_to_message_id?: number },
  idempotencyKey: string,
) => post<Message>('/api/messages/send', { body, headers: { 'idempotency-key': idempotencyKey } });
