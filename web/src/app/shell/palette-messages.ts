import { useQueries, useQuery } from '@tanstack/react-query';
import { botsQuery } from '../../api/bots.ts';
import { type Found, hitsPerBot, searchMessages, withoutCopies } from '../../api/messages.ts';
import { useT } from '../../i18n/use-t.tsx';
import { chatLink, type Entry, fewestLetters, mostBots, shortLived } from './palette-entries.ts';

const maxShown = 5;

/** Finds messages by their words, newest first; the last entry leads to all of them. */
export function usePaletteMessages(typed: string): Entry[] {
  const t = useT();
  const bots = (useQuery(botsQuery).data ?? []).filter((bot) => bot.manage_enabled);
  const answers = useQueries({
    queries: (typed.length < fewestLetters ? [] : bots.slice(0, mostBots)).map((bot) => ({
      queryKey: ['palette', 'messages', bot.id, typed],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        searchMessages({ bot_id: bot.id, q: typed, limit: hitsPerBot }, signal),
      ...shortLived,
    })),
  });
  const found = withoutCopies(answers.flatMap(({ data }) => data?.messages ?? []));
  if (found.length === 0) return [];
  // Bots that were not asked, or did not answer, may have more.
  const hasMore = bots.length > mostBots || answers.some(({ data }) => data?.next !== '');
  const section = t.palette.messages;
  return [
    ...found.slice(0, maxShown).map((hit) => ({
      id: `message-${hit.bot_id}-${hit.chat_id}-${hit.id}`,
      section,
      label: wordsOf(hit),
      note: hit.chat_title || String(hit.chat_id),
      icon: 'chats' as const,
      message: { bot_id: hit.bot_id, chat_id: hit.chat_id, id: hit.id },
      act: chatLink(hit.bot_id, hit.chat_id, { message: hit.id }),
    })),
    {
      id: 'all-messages',
      section,
      label: t.palette.allMessages(found.length, hasMore),
      icon: 'search' as const,
      act: { to: '/chats', search: { q: typed } },
    },
  ];
}

const wordsOf = ({ snippet }: Found) => snippet.text.replaceAll(/\s+/g, ' ');
