import { queryOptions } from '@tanstack/react-query';
import { rangeStart } from './activity.ts';
import { get } from './client/client.ts';

/** Statistics of this many days; chat 0 means all chats. */
export const statsQuery = (botId: number, chatId: number, days: number) =>
  queryOptions({
    queryKey: ['stats', botId, chatId, days],
    queryFn: ({ signal }) =>
      get(
        '/api/stats',
        {
          bot_id: botId,
          ...(chatId === 0 ? {} : { chat_id: chatId }),
          from: new Date(rangeStart(days, Date.now())).toISOString(),
        },
        signal,
      ),
    refetchInterval: 60_000,
  });
