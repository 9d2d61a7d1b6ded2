import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Topic } from '../../../api/chats.ts';
import type { Messages } from '../../../i18n/messages.ts';

/** Stands for the messages of all topics in the URL. */
export const everyTopic = 0;

/** Opens a topic of the chat; undefined leads to the list of topics. */
export function TopicLink(props: {
  topic: number | undefined;
  className?: string | undefined;
  children: ReactNode;
}) {
  const { topic } = props;
  return (
    <Link
      from="/chats/$botId/$chatId"
      to="."
      search={topic === undefined ? {} : { topic }}
      className={props.className ?? ''}
    >
      {props.children}
    </Link>
  );
}

export function topicName(topic: Pick<Topic, 'message_thread_id' | 'name'>, t: Messages): string {
  return topic.name || t.topics.unnamed(topic.message_thread_id);
}
