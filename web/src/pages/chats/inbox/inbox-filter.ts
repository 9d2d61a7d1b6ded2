import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { ChatsQuery } from '../../../api/chats.ts';
import type { ChatSearch } from '../chat-search.ts';

export const inboxViews = ['waiting', 'mine'] as const;

/** What the list of chats shows; kept in the URL. */
export type InboxFilter = Pick<ChatSearch, 'inbox' | 'bot' | 'tag' | 'assignee' | 'topic'>;

export const filterOf = ({ assignee, bot, inbox, tag }: ChatSearch): InboxFilter => ({
  ...(inbox ? { inbox } : {}),
  ...(bot === undefined ? {} : { bot }),
  ...(tag === undefined ? {} : { tag }),
  ...(assignee === undefined ? {} : { assignee }),
});

/** The topic in the URL filters the list; while a chat is open, it is the open topic. */
const topicOf = ({ topic = 0 }: InboxFilter) => (topic === 0 ? {} : { topic });

/**
 * Links to chats leave the filter out, so the list keeps it itself until another one is chosen or
 * an address names another one.
 */
export function useInboxFilter() {
  const navigate = useNavigate();
  const search = useSearch({ strict: false }) as ChatSearch;
  const { chatId } = useParams({ strict: false });
  const isOpen = chatId !== undefined;
  const named: InboxFilter = { ...filterOf(search), ...(isOpen ? {} : topicOf(search)) };
  const [filter, setFilter] = useState(named);
  const address = JSON.stringify(named);
  const [seen, setSeen] = useState(address);
  if (address !== seen) {
    setSeen(address);
    // An address without a filter is one of a chat.
    if (Object.keys(named).length > 0) setFilter(isOpen ? { ...named, ...topicOf(filter) } : named);
  }
  function choose(change: { [Name in keyof InboxFilter]: InboxFilter[Name] | undefined }): void {
    const chosen = { ...filter, ...change } as ChatSearch;
    const next: InboxFilter = { ...filterOf(chosen), ...topicOf(chosen) };
    setFilter(next);
    void navigate({
      to: '.',
      search: ({ topic, ...before }: ChatSearch) => {
        const open = topic === undefined ? {} : { topic };
        return withFilter({ ...before, ...(isOpen ? open : topicOf(next)) }, next);
      },
      replace: true,
      resetScroll: false,
    });
  }
  return { filter, choose };
}

export function withFilter(search: ChatSearch, filter: InboxFilter): ChatSearch {
  const { assignee: _, bot: __, inbox: ___, tag: ____, ...rest } = search;
  return { ...rest, ...filterOf(filter) };
}

/** The request of a list of conversations; undefined for the list of all chats. */
export function queryOf(filter: InboxFilter): ChatsQuery | undefined {
  const { assignee, bot, inbox, tag, topic } = filter;
  const about = {
    ...(bot === undefined ? {} : { bot_id: bot }),
    ...(tag ? { tag } : {}),
    ...(topic === undefined ? {} : { message_thread_id: topic }),
  };
  const whose = assignee ? { assignee } : {};
  if (inbox === 'waiting') return { ...about, ...whose, state: 'waiting', order: 'waiting' };
  if (inbox === 'mine') return { ...about, assignee: 'me', state: 'unfinished', order: 'waiting' };
  return tag || assignee || topic ? { ...about, ...whose } : undefined;
}
