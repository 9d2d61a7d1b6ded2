import {
  type InfiniteData,
  type QueryClient,
  useInfiniteQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useCallback, useEffect, useMemo } from 'react';
import { onLiveEvent, onLiveOpen } from '../../api/live.ts';
import { contextOf, messagesOf } from '../../api/messages.ts';
import type { Message } from '../../api/types.ts';

const pageSize = 60;
const around = 30;

/** Which part of a chat: its end, or what is older or newer than a message, or around one. */
type Part = { end: true } | { before: number } | { after: number } | { around: number };

/** Newest first, as the service gives it; the first page is the newest one. */
interface HistoryPage {
  messages: Message[];
  hasOlder: boolean;
  hasNewer: boolean;
}
type Pages = InfiniteData<HistoryPage, Part>;

interface Place {
  bot_id: number;
  chat_id: number;
}

/** The stored messages of one chat, oldest first, growing at both ends, begun at one or at the end. */
export function useHistory(botId: number, chatId: number, anchor: number | undefined) {
  const client = useQueryClient();
  const place = useMemo(() => ({ bot_id: botId, chat_id: chatId }), [botId, chatId]);
  const queryKey = useMemo(() => ['messages', botId, chatId, anchor ?? 0], [botId, chatId, anchor]);
  const query = useInfiniteQuery({
    queryKey,
    initialPageParam: (anchor === undefined ? { end: true } : { around: anchor }) as Part,
    queryFn: ({ pageParam, signal }) => readPart(place, pageParam, signal),
    getNextPageParam: (page) => partFrom(page.hasOlder, page.messages.at(-1), 'before'),
    getPreviousPageParam: (page) => partFrom(page.hasNewer, page.messages[0], 'after'),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });

  /** Reads the newest page again and merges it, without touching what is already loaded. */
  const refresh = useCallback(async () => {
    const newest = await messagesOf({ ...place, limit: pageSize });
    client.setQueryData<Pages>(queryKey, (pages) => (pages ? merged(pages, newest) : pages));
  }, [client, place, queryKey]);

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
    // What was kept from an earlier visit knows nothing of what came since.
    if (client.getQueryData(queryKey)) soon();
    return () => {
      stopEvents();
      stopOpen();
      window.clearTimeout(timer);
    };
  }, [client, queryKey, botId, chatId, refresh]);

  const messages = useMemo(
    () => (query.data?.pages ?? []).flatMap((page) => page.messages).toReversed(),
    [query.data],
  );
  const replace = useCallback(
    (message: Message) =>
      client.setQueryData<Pages>(queryKey, (pages) => (pages ? replaced(pages, message) : pages)),
    [client, queryKey],
  );
  return { query, messages, refresh, replace };
}

async function readPart(place: Place, part: Part, signal: AbortSignal): Promise<HistoryPage> {
  if ('after' in part) {
    const id = part.after;
    const found = await contextOf({ ...place, id, before: 0, after: pageSize }, signal);
    const messages = found.filter((message) => message.id !== id).toReversed();
    return { messages, hasOlder: true, hasNewer: messages.length === pageSize };
  }
  if ('around' in part) {
    const id = part.around;
    const found = await contextOf({ ...place, id, before: around, after: around }, signal);
    const at = found.findIndex((message) => message.id === id);
    return {
      messages: found.toReversed(),
      hasOlder: at === around,
      hasNewer: found.length - 1 - at === around,
    };
  }
  const older = 'before' in part ? { before_id: part.before } : {};
  const messages = await messagesOf({ ...place, limit: pageSize, ...older }, signal);
  return { messages, hasOlder: messages.length === pageSize, hasNewer: false };
}

function partFrom(
  more: boolean,
  edge: Message | undefined,
  side: 'before' | 'after',
): Part | undefined {
  if (!more || !edge) return undefined;
  return side === 'before' ? { before: edge.id } : { after: edge.id };
}

/** New ones go in front once the end is loaded; changed ones replace what was there. */
function merged(data: Pages, newest: Message[]): Pages {
  const fresh = new Map(newest.map((message) => [message.id, message]));
  const pages = data.pages.map((page) => ({
    ...page,
    messages: page.messages.map((message) => {
      const changed = fresh.get(message.id);
      fresh.delete(message.id);
      return changed ?? message;
    }),
  }));
  const [first, ...rest] = pages;
  if (!first || first.hasNewer) return { ...data, pages };
  const newestKnown = first.messages[0];
  const added = newest.filter(
    (message) =>
      fresh.has(message.id) && (newestKnown === undefined || message.date >= newestKnown.date),
  );
  return { ...data, pages: [{ ...first, messages: [...added, ...first.messages] }, ...rest] };
}

/** Nothing loaded of a chat is pinned any more. */
export function forgetPins(client: QueryClient, place: Place): void {
  client.setQueriesData<Pages>(
    { queryKey: ['messages', place.bot_id, place.chat_id] },
    (data) =>
      data && {
        ...data,
        pages: data.pages.map((page) => ({
          ...page,
          messages: page.messages.map((message) =>
            message.pinned ? { ...message, pinned: false } : message,
          ),
        })),
      },
  );
}

function replaced(data: Pages, message: Message): Pages {
  const pages = data.pages.map((page) => ({
    ...page,
    messages: page.messages.map((one) => (one.id === message.id ? { ...one, ...message } : one)),
  }));
  return { ...data, pages };
}
