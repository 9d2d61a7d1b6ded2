import { queryOptions } from '@tanstack/react-query';
import type { ScheduledMessage } from '../../../src/api-types.ts';
import { get, post } from './client/client.ts';

export type Scheduled = ScheduledMessage;

/** The scheduled messages of a chat, or of a bot, the next one first. */
export const scheduledQuery = (bot_id: number, chat_id?: number) =>
  queryOptions({
    queryKey: ['scheduled', bot_id, ...(chat_id === undefined ? [] : [chat_id])],
    queryFn: ({ signal }) =>
      get(
        '/api/messages/scheduled',
        { bot_id, limit: 200, ...(chat_id === undefined ? {} : { chat_id }) },
        signal,
      ),
  });

export const updateScheduled = (body: { scheduled_id: number; send_at?: number; text?: string }) =>
  post('/api/messages/scheduled/update', { body });

export const cancelScheduled = (scheduled_id: number) =>
  post('/api/messages/scheduled/cancel', { body: { scheduled_id } });
