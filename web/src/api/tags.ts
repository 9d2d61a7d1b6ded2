import { queryOptions } from '@tanstack/react-query';
import { get, post } from './client/client.ts';
import type { Tag } from './client/types.ts';

export const chatTagsQuery = (chatId: number) =>
  queryOptions({
    queryKey: ['tags', chatId],
    queryFn: ({ signal }) => get<Tag[]>('/api/tags', { chat_id: chatId }, signal),
  });

export const addTag = (body: {
  chat_id: number;
  user_id: number;
  bot_id: number;
  tag: string;
  color: string;
}) => post<Tag>('/api/tags/add', { body });

export const removeTag = (id: number) => post<Tag>('/api/tags/remove', { query: { id } });
