import { useQuery } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { botsQuery } from '../../api/bots.ts';
import { useT } from '../../i18n/use-t.tsx';
import { EmptyState } from '../../ui/lists/empty-state.tsx';
import { Loaded } from '../../shared/loaded.tsx';
import { useWindowTitle } from '../../ui/page.tsx';
import { PageSkeleton } from '../../ui/page-skeleton.tsx';
import { ChatList } from './chat-list.tsx';
import css from './chats.module.css';
import { Talk } from './history/talk.tsx';

/** Shows a messenger: the list of chats, one chat, and a side panel. */
export function ChatsPage() {
  const t = useT();
  const params = useParams({ strict: false });
  const search = useSearch({ strict: false });
  const query = useQuery(botsQuery);
  const [hasChats, setHasChats] = useState(false);
  useWindowTitle(t.chats.title);
  const chatId = Number(params.chatId ?? 0);
  return (
    <Loaded query={query} skeleton={<PageSkeleton />}>
      {(bots) => {
        const bot = bots.find((one) => one.id === Number(params.botId ?? 0));
        const opened = bot !== undefined && chatId !== 0;
        return (
          <div className={css.frame} data-open={opened || undefined}>
            <ChatList bots={bots} onListed={setHasChats} />
            {opened ? (
              <Talk
                key={`${bot.id}:${chatId}:${search.topic}`}
                bot={bot}
                chatId={chatId}
                topic={search.topic}
                anchor={search.message}
              />
            ) : (
              <div className={css.talk}>
                {hasChats ? (
                  <EmptyState icon="chats" title={t.chats.choose} hint={t.chats.chooseHint} />
                ) : null}
              </div>
            )}
          </div>
        );
      }}
    </Loaded>
  );
}
