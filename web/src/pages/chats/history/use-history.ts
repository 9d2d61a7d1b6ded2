import { type QueryClient, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo } from 'react';
import { changeData } from '../../../api/client/change-data.ts';
import { gather } from '../../../api/client/gather.ts';
import { onLiveEvent, onLiveOpen } from '../../../api/client/live.ts';
import { chatQuery, type TopicKey, topicKey } from '../../../api/chats.ts';
import { contextOf, messagesOf, pinnedQuery } from '../../../api/messages.ts';
import type { Message } from '../../../api/client/types.ts';
import {
  changed,
  endOf,
  type HistoryPage,
  merged,
  type Pages,
  type Part,
  shortened,
  unpinned,
} from './history-pages.ts';

const pageSize = 60;
const around = 30;
const gatherMs = 60;
/** If more pages were missed, the loaded messages are dropped instead. */
const maxMissedPages = 10;

/** The stored messages of one chat, or of one of its topics, oldest first, growing at both ends; starts at a message or at the end. */
export function useHistory(botId: number, chatId: number, anchor: number | undefined, topic = 0) {
  const client = useQueryClient();
  const chatKey = useMemo(() => topicKey(botId, chatId, topic), [botId, chatId, topic]);
  const queryKey = useMemo(
    () => ['messages', botId, chatId, anchor ?? 0, topic],
    [botId, chatId, anchor, topic],
  );
  const query = useInfiniteQuery({
    queryKey,
    initialPageParam: (anchor === undefined ? { end: true } : { around: anchor }) as Part,
    queryFn: ({ pageParam, signal }) => readPart(chatKey, pageParam, signal),
    getNextPageParam: (page) => partFrom(page.hasOlder, page.messages.at(-1), 'before'),
    getPreviousPageParam: (page) => partFrom(page.hasNewer, page.messages[0], 'after'),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const change = useCallback(
    (how: (pages: Pages) => Pages) => changeData<Pages>(client, queryKey, how),
    [client, queryKey],
  );

  /** Refetches the end and merges it into the loaded messages. */
  const refresh = useCallback(async () => {
    // A pending first response may be older than this event. Or the service was unreachable, and
    // the request must be repeated.
    if (!client.getQueryData(queryKey)) await client.refetchQueries({ queryKey, exact: true });
    const known = client.getQueryData<Pages>(queryKey);
    if (!known) return;
    const end = await readEnd(chatKey, known);
    change((pages) => (end.isJoined ? merged(pages, end.messages) : endOf(end.messages, true)));
  }, [change, client, chatKey, queryKey]);

  useEffect(() => {
    const touched = new Set<number>();
    const reads = gather(async () => {
      const ids = [...touched];
      touched.clear();
      // Refetch other data as well: the number of messages, and the pinned ones.
      void client.invalidateQueries({ queryKey: chatQuery(botId, chatId).queryKey, exact: true });
      void client.invalidateQueries({ queryKey: pinnedQuery(chatKey).queryKey });
      await refresh();
      const older = await readSingle(chatKey, ids, client.getQueryData<Pages>(queryKey));
      if (older.length > 0) change((pages) => changed(pages, older));
    }, gatherMs);
    const stopEvents = onLiveEvent(({ type, data }) => {
      if (type !== 'message' || data.bot_id !== botId || data.chat_id !== chatId) return;
      touched.add(Number(data['id']));
      reads.ask();
    });
    const stopOpen = onLiveOpen(reads.ask);
    // Cached messages of an earlier visit lack newer ones.
    if (client.getQueryData(queryKey)) reads.ask();
    return () => {
      stopEvents();
      stopOpen();
      reads.stop();
    };
  }, [botId, change, chatId, client, chatKey, queryKey, refresh]);

  const messages = useMemo(
    () => (query.data?.pages ?? []).flatMap((page) => page.messages).toReversed(),
    [query.data],
  );
  const replace = useCallback(
    (message: Message) => change((pages) => changed(pages, [message])),
    [change],
  );
  /** Shows a message that was just sent. */
  const add = useCallback(
    (message: Message) => change((pages) => merged(pages, [message])),
    [change],
  );
  /** Drops the oldest loaded messages while the user is at the end. */
  const shorten = useCallback(() => {
    const known = client.getQueryData<Pages>(queryKey);
    const short = known && shortened(known);
    if (short !== known) client.setQueryData(queryKey, short);
  }, [client, queryKey]);
  return { query, messages, refresh, add, replace, shorten };
}

async function readPart(chatKey: TopicKey, part: Part, signal: AbortSignal): Promise<HistoryPage> {
  if ('after' in part) {
    const id = part.after;
    const found = await contextOf({ ...chatKey, id, before: 0, after: pageSize }, signal);
    const messages = found.filter((message) => message.id !== id).toReversed();
    return { messages, hasOlder: true, hasNewer: messages.length === pageSize };
  }
  if ('around' in part) {
    const id = part.around;
    const found = await contextOf({ ...chatKey, id, before: around, after: around }, signal);
    const at = found.findIndex((message) => message.id === id);
    return {
      messages: found.toReversed(),
      hasOlder: at === around,
      hasNewer: found.length - 1 - at === around,
    };
  }
  const older = 'before' in part ? { before_id: part.before } : {};
  const messages = await messagesOf({ ...chatKey, limit: pageSize, ...older }, signal);
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

/** Reads the end of a chat back to the loaded messages, even if that is more than one page. */
async function readEnd(
  chatKey: TopicKey,
  known: Pages,
): Promise<{ messages: Message[]; isJoined: boolean }> {
  const [first] = known.pages;
  const isAtEnd = first !== undefined && !first.hasNewer;
  const loaded = new Set(known.pages.flatMap((page) => page.messages.map(({ id }) => id)));
  const messages: Message[] = [];
  for (let page = 0; page < maxMissedPages; page++) {
    const last = messages.at(-1);
    const older = last ? { before_id: last.id } : {};
    const part = await messagesOf({ ...chatKey, limit: pageSize, ...older });
    messages.push(...part);
    const isAll = part.length < pageSize || part.some(({ id }) => loaded.has(id));
    if (isAll || !isAtEnd) return { messages, isJoined: true };
  }
  return { messages, isJoined: false };
}

/** Reads changed messages that are further up than the refetched end. */
async function readSingle(
  chatKey: TopicKey,
  ids: number[],
  known: Pages | undefined,
): Promise<Message[]> {
  const loaded = (known?.pages ?? []).flatMap((page) => page.messages);
  const further = new Set(loaded.slice(pageSize).map(({ id }) => id));
  const found = await Promise.all(
    ids
      .filter((id) => further.has(id))
      .map((id) => contextOf({ ...chatKey, id, before: 0, after: 0 })),
  );
  return found.flat();
}

/** Unpins all loaded messages of a chat. */
export function forgetPins(client: QueryClient, chatKey: TopicKey): void {
  const queryKey = ['messages', chatKey.bot_id, chatKey.chat_id];
  for (const query of client.getQueryCache().findAll({ queryKey })) {
    changeData<Pages>(client, query.queryKey, unpinned);
  }
}
