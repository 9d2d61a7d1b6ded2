import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo } from 'react';
import { onLiveEvent, onLiveOpen } from '../../api/live.ts';
import { messagesOf } from '../../api/messages.ts';
import type { Message } from '../../api/types.ts';

const pageSize = 60;
type Pages = InfiniteData<Message[], number | undefined>;

/** The stored messages of one chat, oldest first, growing at both ends. */
export function useHistory(botId: number, chatId: number) {
  const client = useQueryClient();
  const queryKey = useMemo(() => ['messages', botId, chatId], [botId, chatId]);
  const query = useInfiniteQuery({
    queryKey,
    initialPageParam: undefined as number | undefined,
    queryFn: ({ pageParam, signal }) =>
      messagesOf(
        {
          bot_id: botId,
          chat_id: chatId,
          limit: pageSize,
          ...(pageParam === undefined ? {} : { before_id: pageParam }),
        },
        signal,
      ),
    getNextPageParam: (page) => (page.length < pageSize ? undefined : page.at(-1)?.id),
    staleTime: Number.POSITIVE_INFINITY,
  });

  /** Reads the newest page again and merges it, without touching what is already loaded. */
  const refresh = useCallback(async () => {
    const newest = await messagesOf({ bot_id: botId, chat_id: chatId, limit: pageSize });
    client.setQueryData<Pages>(queryKey, (pages) => (pages ? merged(pages, newest) : pages));
  }, [botId, chatId, client, queryKey]);

  useEffect(() => {
    let timer: number | undefined;
    const soon = () => {
      timer ??= window.setTimeout(() => {
        timer = undefined;
        void refresh().catch(() => undefined);
      }, 60);
    };
    const stopEvents = onLiveEvent(({ type, data }) => {
      if (type === 'message' && data.bot_id === botId && data['chat_id'] === chatId) soon();
    });
    const stopOpen = onLiveOpen(soon);
    return () => {
      stopEvents();
      stopOpen();
      window.clearTimeout(timer);
    };
  }, [botId, chatId, refresh]);

  const messages = useMemo(() => (query.data?.pages ?? []).flat().toReversed(), [query.data]);
  return { query, messages, refresh };
}

/** New ones go in front, changed ones replace what was there. */
function merged(pages: Pages, newest: Message[]): Pages {
  const fresh = new Map(newest.map((message) => [message.id, message]));
  const updated = pages.pages.map((page) =>
    page.map((message) => {
      const changed = fresh.get(message.id);
      fresh.delete(message.id);
      return changed ?? message;
    }),
  );
  const [first = [], ...rest] = updated;
  const oldestKnown = pages.pages[0]?.[0];
  const added = newest.filter(
    (message) =>
      fresh.has(message.id) && (oldestKnown === undefined || message.date >= oldestKnown.date),
  );
  return { ...pages, pages: [[...added, ...first], ...rest] };
}
