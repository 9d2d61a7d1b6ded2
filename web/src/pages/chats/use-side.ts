import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ChatSearch } from './chat-search.ts';

/**
 * The content of the side panel. It is part of the URL, so that it can be linked, and the back
 * button works.
 */
export function useSide() {
  const search = useSearch({ strict: false }) as ChatSearch;
  const navigate = useNavigate({ from: '/chats/$botId/$chatId' });
  function show(
    side: Pick<ChatSearch, 'about' | 'thread' | 'timeline'>,
    message = search.message,
  ): void {
    void navigate({
      search: ({ topic }: ChatSearch) => ({
        ...(topic === undefined ? {} : { topic }),
        ...(message === undefined ? {} : { message }),
        ...side,
      }),
      resetScroll: false,
    });
  }
  const { about, ban, thread, timeline } = search;
  return { about, ban, thread, timeline, show };
}
