import { queryOptions } from '@tanstack/react-query';
import { rangeStart } from './activity.ts';
import { topicKey } from './chats.ts';
import { get } from './client/client.ts';

/** Statistics of this many days; chat and topic 0 mean all. */
export const statsQuery = (of: { botId: number; chatId: number; topic: number; days: number }) =>
  queryOptions({
    queryKey: ['stats', of],
    queryFn: ({ signal }) =>
      get(
        '/api/stats',
        {
          ...(of.chatId === 0 ? { bot_id: of.botId } : topicKey(of.botId, of.chatId, of.topic)),
          from: new Date(rangeStart(of.days, Date.now())).toISOString(),
        },
        signal,
      ),
    refetchInterval: 60_000,
  });
