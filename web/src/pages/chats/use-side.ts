import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ChatSearch } from './chat-search.ts';

/** What stands beside the chat; it is part of the address, so it can be linked and gone back from. */
export function useSide() {
  const search = useSearch({ strict: false }) as ChatSearch;
  const navigate = useNavigate({ from: '/chats/$botId/$chatId' });
  function show(side: Pick<ChatSearch, 'about' | 'thread'>, message = search.message): void {
    void navigate({
      search: { ...(message === undefined ? {} : { message }), ...side },
      resetScroll: false,
    });
  }
  return { about: search.about, thread: search.thread, show };
}
