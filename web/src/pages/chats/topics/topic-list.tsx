import { TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Topic, topicsQuery } from '../../../api/chats.ts';
import type { Bot } from '../../../api/client/types.ts';
import { useFormat } from '../../../i18n/use-format.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { Loaded } from '../../../shared/loaded.tsx';
import { Avatar } from '../../../ui/avatar.tsx';
import { Said } from '../../../ui/feedback/said.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { RowsSkeleton } from '../../../ui/page-skeleton.tsx';
import css from '../chats.module.css';
import { speakerName } from '../history/history-items.ts';
import { eventWords, shortOf } from '../history/message-words.ts';
import { everyTopic, TopicLink, topicName } from './topic-link.tsx';

const dayMs = 86_400_000;

/** The topics of a chat, the latest first; each leads to its messages. */
export function TopicList(props: { bot: Bot; chatId: number; title: string }) {
  const { bot, chatId } = props;
  const { topics } = useT();
  const [text, setText] = useState('');
  const query = useQuery(topicsQuery(bot.id, chatId, text.trim()));
  return (
    <nav className={css.topics} aria-label={topics.list(props.title)}>
      <TextInput
        aria-label={topics.search}
        placeholder={topics.search}
        leftSection={<Icon name="search" size={16} />}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Loaded query={query} skeleton={<RowsSkeleton rows={5} />}>
        {(found) => (
          <>
            {text === '' ? (
              <TopicLink topic={everyTopic} className={css.chat}>
                <span className={css.topicIcon}>
                  <Icon name="chats" />
                </span>
                <span className={css.chatText}>
                  <span className={css.chatName}>{topics.all}</span>
                  <span className={css.chatLast}>{topics.allHint}</span>
                </span>
              </TopicLink>
            ) : null}
            {found.length === 0 ? <p className={css.chatSub}>{topics.none}</p> : null}
            {found.map((topic) => (
              <TopicRow key={topic.message_thread_id} topic={topic} isPrivate={chatId > 0} />
            ))}
          </>
        )}
      </Loaded>
    </nav>
  );
}

function TopicRow(props: { topic: Topic; isPrivate: boolean }) {
  const { topic } = props;
  const t = useT();
  const format = useFormat();
  const name = topicName(topic, t);
  const last = topic.last_message;
  const when = (at: number) => (Date.now() - at > dayMs ? format.shortDay(at) : format.time(at));
  const who = last && !props.isPrivate && !eventWords(last, t) ? speakerName(last) : '';
  return (
    <TopicLink topic={topic.message_thread_id} className={css.chat}>
      <Avatar id={topic.message_thread_id} name={name} size={38} />
      <span className={css.chatText}>
        <span className={css.chatLine}>
          <span className={css.chatName} dir="auto">
            {name}
          </span>
          {last ? <span className={css.when}>{when(last.date * 1_000)}</span> : null}
        </span>
        <span className={css.chatLast}>
          <Said who={who} words={last ? shortOf(last, t) : t.chats.noMessages} />
          <span className={css.chatBot}>{topicStates(topic, t.topics).join(', ')}</span>
        </span>
      </span>
    </TopicLink>
  );
}

function topicStates(topic: Topic, words: { closed: string; hidden: string }): string[] {
  return [...(topic.closed ? [words.closed] : []), ...(topic.hidden ? [words.hidden] : [])];
}
