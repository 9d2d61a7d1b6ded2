import { queryOptions } from '@tanstack/react-query';
import type { Static } from 'typebox';
import type { Chat as ChatSchema } from '../../../src/http/schemas/chat.ts';
import { get } from './client.ts';

export type Chat = Static<typeof ChatSchema>;

export const chatsOf = (
  query: { bot_id: number; q: string; before?: string; limit: number },
  signal?: AbortSignal,
) => get<Chat[]>('/api/chats', { ...query }, signal);

export const chatQuery = (botId: number, chatId: number) =>
  queryOptions({
    queryKey: ['chats', botId, chatId],
    queryFn: ({ signal }) =>
      get<Chat>('/api/chats/get', { bot_id: botId, chat_id: chatId }, signal),
    retry: false,
  });
