import { keepPreviousData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { chatsOf, type ChatsQuery } from '../../../api/chats.ts';
import { gather } from '../../../api/client/gather.ts';
import { onLiveEvent } from '../../../api/client/live.ts';
import { refreshOn } from '../../../api/client/refresh-on.ts';

const pageSize = 100;
/**
 * Messages may start and end the waiting of any chat, so the list is read again after them: on
 * average one page in this time, however many are loaded and however many messages arrive.
 */
const msPerPage = 1_000;

/** Loads the conversations of a filter as one list over all bots; without a filter, nothing. */
export function useInbox(filter: ChatsQuery | undefined, q: string) {
  const client = useQueryClient();
  const queryKey = useMemo(() => ['chats', 'list', filter, q], [filter, q]);
  const isOn = filter !== undefined;
  const botId = filter?.bot_id;
  const hasState = filter?.state !== undefined;
  const query = useInfiniteQuery({
    queryKey,
    meta: refreshOn(['chat']),
    enabled: isOn,
    initialPageParam: '',
    async queryFn({ pageParam, signal }) {
      const page = { ...filter, q, limit: pageSize };
      const before = pageParam === '' ? {} : { before: pageParam };
      return { chats: await chatsOf({ ...page, ...before }, signal) };
    },
    getNextPageParam: ({ chats }) => (chats.length < pageSize ? undefined : chats.at(-1)?.cursor),
    placeholderData: keepPreviousData,
  });
  useEffect(() => {
    if (!isOn) return undefined;
    const reads = gather(async () => {
      await client.invalidateQueries({ queryKey, exact: true });
      const pages = client.getQueryData<{ pages: unknown[] }>(queryKey)?.pages.length ?? 1;
      await new Promise((resolve) => setTimeout(resolve, (pages - 1) * msPerPage));
    }, msPerPage);
    const stop = onLiveEvent(({ type, data }) => {
      if (type !== 'message' || (botId !== undefined && data.bot_id !== botId)) return;
      // Groups are no conversations.
      if (data.chat_id > 0 || !hasState) reads.ask();
    });
    return () => {
      stop();
      reads.stop();
    };
  }, [botId, client, hasState, isOn, queryKey]);
  const chats = useMemo(() => query.data?.pages.flatMap((page) => page.chats) ?? [], [query.data]);
  return { query, chats };
}
