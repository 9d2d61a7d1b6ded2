import { queryOptions, useQueries, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { botsQuery } from '../api/bots.ts';
import { type Chat, chatsOf } from '../api/chats.ts';

/** As many as one page gives: the latest ones, which is who the page speaks of. */
const known = 200;

export const knownChatsQuery = (botId: number, q = '') =>
  queryOptions({
    queryKey: ['chat-names', botId, q],
    queryFn: ({ signal }) => chatsOf({ bot_id: botId, q, limit: known }, signal),
    staleTime: 60_000,
    retry: false,
  });

/**
 * What a chat is called, or a person by their private chat; undefined when these bots know none.
 * The platform numbers chats and people for all bots alike.
 */
export function useChatNames(botIds: readonly number[]): (chatId: number) => string | undefined {
  const bots = useQuery(botsQuery).data ?? [];
  const managed = bots.filter((bot) => bot.manage_enabled && botIds.includes(bot.id));
  const titles = useQueries({
    queries: managed.map((bot) => knownChatsQuery(bot.id)),
    combine: titlesOf,
  });
  return (chatId) => titles[String(chatId)] || undefined;
}

function titlesOf(results: UseQueryResult<Chat[]>[]): Record<string, string> {
  const chats = results.flatMap((result) => result.data ?? []);
  return Object.fromEntries(chats.map((chat) => [String(chat.chat_id), chat.title]));
}
