import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { conversationTopic, topicsQuery } from '../../../api/chats.ts';
import type { Bot } from '../../../api/client/types.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { Icon } from '../../../ui/icon.tsx';
import type { ChatSearch } from '../chat-search.ts';
import css from '../chats.module.css';
import { everyTopic, TopicLink, topicName } from './topic-link.tsx';

/** Names the open topic, and leads back to the list of topics. */
export function TopicBar(props: { bot: Bot; chatId: number; topic: number }) {
  const { bot, chatId, topic: id } = props;
  const t = useT();
  const search: ChatSearch = useSearch({ strict: false });
  const found = useQuery(topicsQuery(bot.id, chatId, String(id))).data;
  const topic = found?.find(({ message_thread_id }) => message_thread_id === id);
  const name = id === everyTopic ? t.topics.all : topicName(topic ?? noName(id), t);
  return (
    <div className={css.topicBar}>
      <TopicLink topic={undefined} className={css.topicBack}>
        <Icon name="left" size={16} />
        {t.topics.back}
      </TopicLink>
      <h3 dir="auto">{name}</h3>
      {conversationTopic(bot, chatId, id) === 0 || search.in_topic === id ? null : (
        <Link
          from="/chats/$botId/$chatId"
          to="."
          search={(before: ChatSearch) => ({ ...before, bot: bot.id, in_topic: id })}
          className={css.topicBack}
        >
          {t.inbox.onlyTopic}
        </Link>
      )}
      {topic?.gone ? <span className={css.topicGone}>{t.topics.gone}</span> : null}
      {topic?.closed && !topic.gone ? <span className={css.chatSub}>{t.topics.closed}</span> : null}
    </div>
  );
}

const noName = (id: number) => ({ message_thread_id: id, name: '' });
