import { queryOptions, useQueries, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { botsQuery } from '../api/bots.ts';
import { chatsOf } from '../api/chats.ts';
import { peopleOf } from '../api/people.ts';

/** One page of results: the latest ones, which the page most likely shows. */
const known = 200;
/** Each bot is queried separately, and a page may show a thousand bots. */
const maxBots = 20;

export const knownChatsQuery = (botId: number, q = '') =>
  queryOptions({
    queryKey: ['chat-names', botId, q],
    queryFn: ({ signal }) => chatsOf({ bot_id: botId, q, limit: known }, signal),
    staleTime: 60_000,
    retry: false,
  });

type Names = Record<string, string>;

/** Names of chats and of people seen in them; a chat's title wins. */
const namesQuery = (botId: number) =>
  queryOptions({
    queryKey: ['chat-names', botId, 'all'],
    queryFn: async ({ signal }): Promise<Names> => {
      const query = { bot_id: botId, q: '', limit: known };
      const [people, chats] = await Promise.all([peopleOf(query, signal), chatsOf(query, signal)]);
      return Object.fromEntries([
        ...people.map((one) => [one.user_id, `${one.first_name} ${one.last_name}`.trim()]),
        ...chats.filter((chat) => chat.title !== '').map((chat) => [chat.chat_id, chat.title]),
      ]) as Names;
    },
    staleTime: 60_000,
    retry: false,
  });

/**
 * Returns the name of a chat or a person; undefined if the first of these bots do not know it. IDs
 * of chats and people are the same for all bots.
 */
export function useChatNames(botIds: readonly number[]): (id: number) => string | undefined {
  const bots = useQuery(botsQuery).data ?? [];
  const managed = new Set(bots.filter((bot) => bot.manage_enabled).map((bot) => bot.id));
  const asked = [...new Set(botIds)].filter((id) => managed.has(id)).slice(0, maxBots);
  const names = useQueries({
    queries: asked.map((id) => namesQuery(id)),
    combine: together,
  });
  return (id) => names[String(id)] || undefined;
}

function together(results: UseQueryResult<Names>[]): Names {
  return Object.assign({}, ...results.map((result) => result.data)) as Names;
}
