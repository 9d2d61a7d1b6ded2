import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { ChatsQuery } from '../../../api/chats.ts';
import type { ChatSearch } from '../chat-search.ts';

export const inboxViews = ['waiting', 'mine'] as const;

/** What the list of chats shows; kept in the URL. */
export type InboxFilter = Pick<ChatSearch, 'inbox' | 'bot' | 'tag' | 'assignee'>;

export const filterOf = ({ assignee, bot, inbox, tag }: ChatSearch): InboxFilter => ({
  ...(inbox ? { inbox } : {}),
  ...(bot === undefined ? {} : { bot }),
  ...(tag === undefined ? {} : { tag }),
  ...(assignee === undefined ? {} : { assignee }),
});

/** Links to chats leave the filter out, so the list keeps it itself until another one is chosen. */
export function useInboxFilter() {
  const navigate = useNavigate();
  const search = useSearch({ strict: false }) as ChatSearch;
  const [filter, setFilter] = useState(() => filterOf(search));
  function choose(change: { [Name in keyof InboxFilter]: InboxFilter[Name] | undefined }): void {
    const next = filterOf({ ...filter, ...change } as ChatSearch);
    setFilter(next);
    void navigate({
      to: '.',
      search: (before: ChatSearch) => withFilter(before, next),
      replace: true,
      resetScroll: false,
    });
  }
  return { filter, choose };
}

export function withFilter(search: ChatSearch, filter: InboxFilter): ChatSearch {
  const { assignee: _, bot: __, inbox: ___, tag: ____, ...rest } = search;
  return { ...rest, ...filter };
}

/** The request of a list of conversations; undefined for the list of all chats. */
export function queryOf({ assignee, bot, inbox, tag }: InboxFilter): ChatsQuery | undefined {
  const about = { ...(bot === undefined ? {} : { bot_id: bot }), ...(tag ? { tag } : {}) };
  const whose = assignee ? { assignee } : {};
  if (inbox === 'waiting') return { ...about, ...whose, state: 'waiting', order: 'waiting' };
  if (inbox === 'mine') return { ...about, assignee: 'me', state: 'unfinished', order: 'waiting' };
  return tag || assignee ? { ...about, ...whose } : undefined;
}
