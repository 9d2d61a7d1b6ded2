import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ChatKey } from '../../../api/chats.ts';
import { threadQuery } from '../../../api/messages.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { ErrorBox } from '../../../shared/error-box.tsx';
import { SidePanel } from '../../../ui/side-panel.tsx';
import { MessageLine } from './message-line.tsx';
import css from '../person.module.css';

/** The chain of replies that contains a message; each links to its position in the history. */
export function ThreadPanel(props: {
  chatKey: ChatKey;
  messageId: number;
  onGo: (messageId: number) => void;
  onClose: () => void;
}) {
  const { messageId, chatKey } = props;
  const t = useT();
  const query = useQuery(threadQuery(chatKey, messageId));
  const messages = query.data ?? [];
  return (
    <SidePanel label={t.chatInfo.thread} closeLabel={t.chatInfo.hideThread} onClose={props.onClose}>
      <h2 className={css.threadTitle}>{t.chatInfo.thread}</h2>
      <p className={css.small}>
        {messages.length === 1
          ? t.chatInfo.threadAlone
          : messages.length > 1
            ? t.chatInfo.threadCount(messages.length)
            : ''}
      </p>
      {query.isPending ? <Skeleton height={160} radius={12} /> : null}
      {query.isError ? <ErrorBox error={query.error} onRetry={() => void query.refetch()} /> : null}
      <ol className={css.lines}>
        {messages.map((message) => (
          <li key={message.id}>
            <MessageLine message={message} current={message.id === messageId} onGo={props.onGo} />
          </li>
        ))}
      </ol>
    </SidePanel>
  );
}
