import { queryOptions } from '@tanstack/react-query';
import type { MessageMark, MessageTimeline } from '../../../src/api-types.ts';
import { get, post } from './client/client.ts';
import { refreshOn } from './client/refresh-on.ts';

export type Mark = MessageMark['mark'];
export type Step = MessageTimeline['steps'][number];
export type StepAction = NonNullable<Step['action']>;

interface ChatKey {
  bot_id: number;
  chat_id: number;
}

/** What a backend or an app does makes no event, nor does a retry of what failed. */
const lookEveryMs: Partial<Record<Mark, number>> = { waiting: 4_000, failed: 20_000 };

export const timelineQuery = ({ bot_id, chat_id }: ChatKey, message_id: number) =>
  queryOptions({
    queryKey: ['timeline', bot_id, chat_id, message_id],
    meta: refreshOn(['received', 'sent', 'delivery', 'route'], bot_id),
    queryFn: ({ signal }) => get('/api/messages/timeline', { bot_id, chat_id, message_id }, signal),
    refetchInterval: ({ state }) => (state.data && lookEveryMs[state.data.mark]) ?? false,
    retry: false,
  });

export const marksPerRequest = 100;

/** A message of any chat. */
export interface MessageKey extends ChatKey {
  id: number;
}

/** The key in the form of the request. */
export const markKey = ({ bot_id, chat_id, id }: MessageKey) => `${bot_id}:${chat_id}:${id}`;

export const marksOf = (keys: readonly string[], signal?: AbortSignal) =>
  get('/api/messages/marks', { messages: keys.join() }, signal);

export const retryQueue = (bot_id: number, app: string, queue: string) =>
  post('/api/deliveries/retry-now', { query: { bot_id, app, queue } });
