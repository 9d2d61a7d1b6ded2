import {
  type InfiniteData,
  type QueryClient,
  useInfiniteQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { changeData } from '../../api/client/change-data.ts';
import { type Chat, chatsOf, type TopicKey } from '../../api/chats.ts';
import { gather } from '../../api/client/gather.ts';
import { refreshOn } from '../../api/client/refresh-on.ts';
import { onLiveEvent } from '../../api/client/live.ts';

const pageSize = 50;
const gatherMs = 500;
/** The most and the fewest chats per request. */
const most = 200;
const fewest = 20;

/** The cursor of the next page for each bot that has more; '' is the first page. */
type Cursors = Record<string, string>;
interface ChatPage {
  chats: Chat[];
  next: Cursors;
}
type Pages = InfiniteData<ChatPage, Cursors>;

/** Loads the chats of several bots as one list, the latest first, growing at its end. */
export function useChats(botIds: number[], q: string) {
  const client = useQueryClient();
  const ids = botIds.join();
  const queryKey = useMemo(() => ['chats', 'list', ids, q], [ids, q]);
  const query = useInfiniteQuery({
    queryKey,
    meta: refreshOn(['chat']),
    enabled: botIds.length > 0,
    initialPageParam: Object.fromEntries(botIds.map((id) => [id, ''])) as Cursors,
    queryFn: ({ pageParam, signal }) => readPage(pageParam, q, signal),
    getNextPageParam: ({ next }) => (Object.keys(next).length === 0 ? undefined : next),
    // Nothing is loaded for no bots, so nothing would replace the chats of others.
    placeholderData: (before: Pages | undefined) => (botIds.length > 0 ? before : undefined),
  });

  useEffect(() => {
    // The changed chats by bot.
    const touched = new Map<number, Set<unknown>>();
    const reads = gather(async () => {
      const bots = [...touched];
      touched.clear();
      const newest = await Promise.all(
        bots.map(([bot_id, chats]) => chatsOf({ bot_id, q, limit: limitFor(chats.size) })),
      );
      changeData<Pages>(client, queryKey, (pages) => merged(pages, newest));
    }, gatherMs);
    const listed = new Set(ids.split(',').map(Number));
    const stop = onLiveEvent(({ type, data }) => {
      if (type !== 'message' || !listed.has(data.bot_id)) return;
      const chats = touched.get(data.bot_id) ?? new Set();
      const { chat_id, message_thread_id: topic } = data;
      touched.set(data.bot_id, chats.add(chat_id).add(`${chat_id} ${topic ?? ''}`));
      reads.ask();
    });
    return () => {
      stop();
      reads.stop();
    };
  }, [client, ids, q, queryKey]);

  const chats = useMemo(() => inOrder(query.data?.pages ?? []), [query.data]);
  return { query, chats };
}

/** Puts the new state of a chat into all lists that show it. */
export function changeListed(client: QueryClient, changed: Chat): void {
  const key = keyOf(changed);
  client.setQueriesData<InfiniteData<{ chats: Chat[] }>>({ queryKey: ['chats', 'list'] }, (data) =>
    data === undefined
      ? data
      : {
          ...data,
          pages: data.pages.map((page) => ({
            ...page,
            // The place in this list stays as it is.
            chats: page.chats.map((chat) =>
              keyOf(chat) === key ? { ...changed, cursor: chat.cursor } : chat,
            ),
          })),
        },
  );
}

/** Changed chats are the newest ones, so as many are read as have changed. */
function limitFor(changed: number): number {
  return Math.min(most, Math.max(fewest, changed));
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

/** Sorts chats. A chat is held back while one that is not loaded yet could come before it. */
function inOrder(pages: ChatPage[]): Chat[] {
  const limit = Math.max(0, ...Object.values(pages.at(-1)?.next ?? {}).map(timeOf));
  return pages
    .flatMap((page) => page.chats)
    .filter((chat) => timeOf(chat.cursor) >= limit)
    .toSorted((left, right) => timeOf(right.cursor) - timeOf(left.cursor));
}

/** Returns when the last message of the chat was sent. */
export function timeOf(cursor: string): number {
  return Number(cursor.split(':')[0]);
}

/** Merges chats: the loaded state of a chat may be newer than the fetched one. */
function merged(data: Pages, newest: Chat[][]): Pages {
  const fresh = new Map(newest.flat().map((chat) => [keyOf(chat), chat]));
  for (const chat of data.pages.flatMap((page) => page.chats)) {
    const read = fresh.get(keyOf(chat));
    if (read && timeOf(chat.cursor) > timeOf(read.cursor)) fresh.set(keyOf(chat), chat);
  }
  const [first, ...rest] = data.pages.map((page) => ({
    ...page,
    chats: page.chats.filter((chat) => !fresh.has(keyOf(chat))),
  }));
  if (!first) return data;
  return { ...data, pages: [{ ...first, chats: [...fresh.values(), ...first.chats] }, ...rest] };
}

export function keyOf({ bot_id, chat_id, message_thread_id }: TopicKey): string {
  const key = `${bot_id}:${chat_id}`;
  return message_thread_id === undefined ? key : `${key}:${message_thread_id}`;
}
