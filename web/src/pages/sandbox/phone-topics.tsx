import { ActionIcon, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { post } from '../../api/client/client.ts';
import {
  phoneTopicsQuery,
  type SandboxPerson,
  type SandboxWorld,
  type ShownTopic,
} from '../../api/sandbox.ts';
import { useT } from '../../i18n/use-t.tsx';
import { useAction } from '../../shared/use-action.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { withoutReload } from '../../ui/forms/without-reload.ts';
import { Icon } from '../../ui/icon.tsx';
import { PhoneBar } from './phone-bar.tsx';
import { PhoneChat } from './phone-chat.tsx';
import { PhoneChatMenu } from './phone-chat-menu.tsx';
import { TopicIcon } from './phone-topic-icon.tsx';
import { chatIn, previewOf } from './phone-words.ts';
import css from './phones.module.css';
import { lookAgainMs } from './use-world-events.ts';

interface ForumProps {
  person: SandboxPerson;
  world: SandboxWorld;
  chatId: number;
  onBack: () => void;
}

/** A chat with topics: a list of them, or one topic. */
export function PhoneForum(props: ForumProps) {
  const { chatId, person } = props;
  const topics = useQuery({
    ...phoneTopicsQuery(person.id, chatId),
    refetchInterval: lookAgainMs,
    retry: false,
  });
  const [opened, setOpened] = useState<number | 'all'>();
  const topic = topics.data?.find((one) => one.message_thread_id === opened);
  if (!topic && opened !== 'all') {
    return <Topics {...props} topics={topics.data ?? []} onTopic={setOpened} />;
  }
  return <PhoneChat {...props} key={opened} topic={topic} onBack={() => setOpened(undefined)} />;
}

function Topics(
  props: ForumProps & { topics: ShownTopic[]; onTopic: (topic: number | 'all') => void },
) {
  const { chatId, person, topics, world } = props;
  const t = useT();
  const { group, title } = chatIn(world, chatId);
  return (
    <>
      <PhoneBar
        icon={<Avatar id={chatId} name={title} size={34} />}
        title={title}
        about={t.sandbox.topics(topics.length)}
        back={t.sandbox.back}
        onBack={props.onBack}
      >
        <PhoneChatMenu person={person} world={world} chatId={chatId} onLeft={props.onBack} />
      </PhoneBar>
      <div className={css.screen}>
        <ul className={css.chats}>
          {group ? null : (
            <li>
              <button type="button" className={css.chat} onClick={() => props.onTopic('all')}>
                <Icon name="chats" style={{ margin: '0 7px' }} />
                <span className={css.barName}>{t.sandbox.allMessages}</span>
              </button>
            </li>
          )}
          {topics.map((topic) => (
            <li key={topic.message_thread_id}>
              <button
                type="button"
                className={css.chat}
                onClick={() => props.onTopic(topic.message_thread_id)}
              >
                <TopicIcon topic={topic} />
                <span className={css.barText}>
                  <span className={css.barName} style={{ display: 'block' }}>
                    {topic.name}
                  </span>
                  <span className={css.preview} dir="auto">
                    {topic.isHidden
                      ? t.sandbox.topicHidden
                      : topic.isClosed
                        ? t.sandbox.topicClosed
                        : topic.lastMessage && previewOf(topic.lastMessage.message, t)}
                  </span>
                </span>
              </button>
            </li>
          ))}
        </ul>
      </div>
      <NewTopic userId={person.id} chatId={chatId} onMade={props.onTopic} />
    </>
  );
}

function NewTopic(props: { userId: number; chatId: number; onMade: (topic: number) => void }) {
  const t = useT();
  const [name, setName] = useState('');
  const create = useAction({
    run: () =>
      post('/api/sandbox/topics/create', {
        body: { user: props.userId, chat: props.chatId, name: name.trim() },
      }),
    refreshes: [['sandbox']],
    done: (made) => {
      setName('');
      props.onMade(made.message_thread_id);
    },
  });
  return (
    <form
      className={css.composer}
      style={{ alignItems: 'center' }}
      onSubmit={withoutReload(() => {
        if (name.trim() !== '') create.mutate(undefined);
      })}
    >
      <Icon name="plus" />
      <TextInput
        aria-label={t.sandbox.newTopic}
        placeholder={t.sandbox.newTopic}
        maxLength={128}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <ActionIcon
        type="submit"
        size="lg"
        aria-label={t.sandbox.createTopic}
        loading={create.isPending}
      >
        <Icon name="check" />
      </ActionIcon>
    </form>
  );
}
