import { type InfiniteData, keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { type Chat, chatsOf } from '../../api/chats.ts';
import { onLiveEvent } from '../../api/live.ts';

const pageSize = 50;
const gatherMs = 500;

/** Where each bot that has more goes on; '' is its beginning. */
type Cursors = Record<string, string>;
interface ChatPage {
  chats: Chat[];
  next: Cursors;
}
type Pages = InfiniteData<ChatPage, Cursors>;

/** The chats of several bots as one list, the latest first, growing at its end. */
export function useChats(botIds: number[], q: string) {
  const client = useQueryClient();
  const ids = botIds.join();
  const queryKey = useMemo(() => ['chats', 'list', ids, q], [ids, q]);
  const query = useInfiniteQuery({
    queryKey,
    enabled: botIds.length > 0,
    initialPageParam: Object.fromEntries(botIds.map((id) => [id, ''])) as Cursors,
    queryFn: ({ pageParam, signal }) => readPage(pageParam, q, signal),
    getNextPageParam: ({ next }) => (Object.keys(next).length === 0 ? undefined : next),
    placeholderData: keepPreviousData,
  });

  useEffect(() => {
    const touched = new Set<number>();
    let timer: number | undefined;
    async function refresh(): Promise<void> {
      const bots = [...touched].filter((id) => ids.split(',').includes(String(id)));
      touched.clear();
      const newest = await Promise.all(bots.map((bot_id) => chatsOf({ bot_id, q, limit: 20 })));
      client.setQueryData<Pages>(queryKey, (pages) => (pages ? merged(pages, newest) : pages));
    }
    const stop = onLiveEvent(({ type, data }) => {
      if (type !== 'message') return;
      touched.add(data.bot_id);
      timer ??= window.setTimeout(() => {
        timer = undefined;
        void refresh().catch(() => undefined);
      }, gatherMs);
    });
    return () => {
      stop();
      window.clearTimeout(timer);
    };
  }, [client, ids, q, queryKey]);

  const chats = useMemo(() => inOrder(query.data?.pages ?? []), [query.data]);
  return { query, chats };
}

async function readPage(from: Cursors, q: string, signal: AbortSignal): Promise<ChatPage> {
  const next: Cursors = {};
  const lists = await Promise.all(
    Object.entries(from).map(async ([id, before]) => {
      const query = { bot_id: Number(id), q, limit: pageSize };
      const chats = await chatsOf(before === '' ? query : { ...query, before }, signal);
      const last = chats.at(-1);
      if (last && chats.length === pageSize) next[id] = last.cursor;
      return chats;
    }),
  );
  return { chats: lists.flat(), next };
}

/** What may still be preceded by a chat that is not loaded yet waits until that one is. */
function inOrder(pages: ChatPage[]): Chat[] {
  const limit = Math.max(0, ...Object.values(pages.at(-1)?.next ?? {}).map(timeOf));
  return pages
    .flatMap((page) => page.chats)
    .filter((chat) => timeOf(chat.cursor) >= limit)
    .toSorted((left, right) => timeOf(right.cursor) - timeOf(left.cursor));
}

function timeOf(cursor: string): number {
  return Number(cursor.split(':')[0]);
}

function merged(data: Pages, newest: Chat[][]): Pages {
  const fresh = new Map(newest.flat().map((chat) => [keyOf(chat), chat]));
  const [first, ...rest] = data.pages.map((page) => ({
    ...page,
    chats: page.chats.filter((chat) => !fresh.has(keyOf(chat))),
  }));
  if (!first) return data;
  return { ...data, pages: [{ ...first, chats: [...fresh.values(), ...first.chats] }, ...rest] };
}

export function keyOf(chat: Pick<Chat, 'bot_id' | 'chat_id'>): string {
  return `${chat.bot_id}:${chat.chat_id}`;
}
