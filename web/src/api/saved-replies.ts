import { queryOptions } from '@tanstack/react-query';
import type { RepliesAddRequest, SavedReply } from '../../../src/api-types.ts';
import { get, post } from './client/client.ts';

export type { SavedReply };
export type NewReply = RepliesAddRequest;

export const savedRepliesKey = ['replies'];

/** The replies that a bot may use. */
export const savedRepliesQuery = (botId: number) =>
  queryOptions({
    queryKey: [...savedRepliesKey, botId],
    queryFn: ({ signal }) => get('/api/replies', { bot_id: botId }, signal),
  });

export const addReply = (body: NewReply) => post('/api/replies/add', { body });

export const updateReply = (body: NewReply & { id: number }) =>
  post('/api/replies/update', { body });

export const deleteReply = ({ id }: SavedReply) => post('/api/replies/delete', { query: { id } });

export const countReply = (id: number) => post('/api/replies/used', { query: { id } });
