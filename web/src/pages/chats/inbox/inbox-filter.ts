import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { ChatsQuery } from '../../../api/chats.ts';
import { type ChatSearch, type ListSearch, readChatSearch } from '../chat-search.ts';

export const inboxViews = ['waiting', 'mine'] as const;

/** What the list of chats shows; it is in the URL. */
export type InboxFilter = Omit<ListSearch, 'q'>;

export function useInboxFilter() {
  const navigate = useNavigate();
  const search = readChatSearch(useSearch({ strict: false }));
  const { assignee, bot, in_topic, inbox, tag } = search;
  const filter: InboxFilter = useMemo(
    () => ({ assignee, bot, in_topic, inbox, tag }),
    [assignee, bot, in_topic, inbox, tag],
  );
  function choose(change: InboxFilter): void {
    void navigate({
      to: '.',
      search: (before: ChatSearch) => ({ ...before, ...change }),
      replace: true,
      resetScroll: false,
    });
  }
  return { filter, choose };
}

/** What limits lists and counts alike. */
export function limitsOf({ bot, in_topic, tag }: InboxFilter) {
  return {
    ...(bot === undefined ? {} : { bot_id: bot }),
    ...(tag === undefined ? {} : { tag }),
    ...(in_topic === undefined ? {} : { message_thread_id: in_topic }),
  };
}

/** The request of a list of conversations; undefined for the list of all chats. */
export function queryOf(filter: InboxFilter): ChatsQuery | undefined {
  const { assignee, in_topic, inbox, tag } = filter;
  const about = limitsOf(filter);
  const whose = assignee === undefined ? {} : { assignee };
  if (inbox === 'waiting') return { ...about, ...whose, state: 'waiting', order: 'waiting' };
  if (inbox === 'mine') return { ...about, assignee: 'me', state: 'unfinished', order: 'waiting' };
  return (tag ?? assignee ?? in_topic) ? { ...about, ...whose } : undefined;
}
