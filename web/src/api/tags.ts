import { queryOptions } from '@tanstack/react-query';
import { get, post } from './client/client.ts';

export const chatTagsQuery = (chatId: number) =>
  queryOptions({
    queryKey: ['tags', chatId],
    queryFn: ({ signal }) => get('/api/tags', { chat_id: chatId }, signal),
  });

export const addTag = (body: {
  chat_id: number;
  user_id: number;
  bot_id: number;
  tag: string;
  color: string;
}) => post('/api/tags/add', { body });

export const removeTag = (id: number) => post('/api/tags/remove', { query: { id } });
