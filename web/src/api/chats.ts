import { queryOptions } from '@tanstack/react-query';
import { get } from './client.ts';

export interface Chat {
  bot_id: number;
  chat_id: number;
  type: string;
  title: string;
  username: string;
  last_message_at: string;
}

export const chatsQuery = (botId: number) =>
  queryOptions({
    queryKey: ['chats', botId],
    queryFn: ({ signal }) => get<Chat[]>('/api/chats', { bot_id: botId }, signal),
    retry: false,
  });
