import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ChatPlace } from '../../api/chats.ts';
import { threadQuery } from '../../api/messages.ts';
import { useFormat } from '../../i18n/use-format.ts';
import { useT } from '../../i18n/use-t.tsx';
import { ErrorBox } from '../../ui/error-box.tsx';
import { SidePanel } from '../../ui/side-panel.tsx';
import { speakerName } from './history-items.ts';
import { shortOf } from './message-words.ts';
import css from './person.module.css';

/** The chain of replies a message stands in; each leads to its place in the history. */
export function ThreadPanel(props: {
  place: ChatPlace;
  messageId: number;
  onGo: (messageId: number) => void;
  onClose: () => void;
}) {
  const { messageId, place } = props;
  const t = useT();
  const format = useFormat();
  const query = useQuery(threadQuery(place, messageId));
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
      <ol className={css.thread}>
        {messages.map((message) => (
          <li key={message.id}>
            <button
              type="button"
              className={css.threadMessage}
              aria-current={message.id === messageId || undefined}
              onClick={() => props.onGo(message.id)}
            >
              <span className={css.threadHead}>
                <strong>{speakerName(message) || t.chats.unknownPerson}</strong>
                <time title={format.dateTime(message.date * 1_000)}>
                  {format.time(message.date * 1_000)}
                </time>
              </span>
              {shortOf(message, t)}
              {message.deleted_at === undefined ? null : (
                <span className={css.small}> {t.chats.deleted}</span>
              )}
            </button>
          </li>
        ))}
      </ol>
    </SidePanel>
  );
}
