import { useQuery } from '@tanstack/react-query';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import {
  phoneHistoryQuery,
  type SandboxPerson,
  type SandboxWorld,
  type ShownMessage,
  type ShownTopic,
} from '../../api/sandbox.ts';
import { useT } from '../../i18n/use-t.tsx';
import { Avatar } from '../../ui/avatar.tsx';
import { PhoneBar } from './phone-bar.tsx';
import { PhoneChatMenu } from './phone-chat-menu.tsx';
import { PhoneComposer } from './phone-composer.tsx';
import { type Picture, PictureViewer } from './phone-media.tsx';
import { PhoneMessage } from './phone-message.tsx';
import { TopicIcon } from './phone-topic-icon.tsx';
import { PhoneTopicMenu } from './phone-topic-menu.tsx';
import { chatIn } from './phone-words.ts';
import css from './phones.module.css';
import { lookAgainMs } from './use-world-events.ts';

export function PhoneChat(props: {
  person: SandboxPerson;
  world: SandboxWorld;
  chatId: number;
  /** One topic of the chat; none for a whole chat. */
  topic?: ShownTopic | undefined;
  onBack: () => void;
}) {
  const { chatId, person, topic, world } = props;
  const t = useT();
  const [replyTo, setReplyTo] = useState<ShownMessage>();
  const [editing, setEditing] = useState<ShownMessage>();
  const [viewed, setViewed] = useState<Picture>();
  const place = {
    user: person.id,
    chat: chatId,
    ...(topic && { message_thread_id: topic.message_thread_id }),
  };
  const history = useQuery({
    ...phoneHistoryQuery(place),
    refetchInterval: lookAgainMs,
    retry: false,
  });
  const messages = history.data ?? [];
  const { bot, group, title: chatName } = chatIn(world, chatId);
  const title = topic?.name ?? chatName;
  const screen = useStickToEnd(messages.at(-1)?.message.message_id ?? 0);
  return (
    <>
      <PhoneBar
        icon={
          topic ? <TopicIcon topic={topic} /> : <Avatar id={chatId} name={chatName} size={34} />
        }
        title={title}
        about={
          topic ? chatName : group ? t.sandbox.members(group.members.length) : t.sandbox.botWord
        }
        back={topic ? t.sandbox.backToTopics : t.sandbox.back}
        onBack={props.onBack}
      >
        {topic ? (
          <PhoneTopicMenu
            userId={person.id}
            chatId={chatId}
            topic={topic}
            inForum={group !== undefined}
            onDeleted={props.onBack}
          />
        ) : (
          <PhoneChatMenu person={person} world={world} chatId={chatId} onLeft={props.onBack} />
        )}
      </PhoneBar>
      <div className={css.screen} ref={screen} tabIndex={0} role="log" aria-label={title}>
        <div className={css.messages}>
          {messages.map((shown) => (
            <PhoneMessage
              key={shown.message.message_id}
              shown={shown}
              userId={person.id}
              chatId={chatId}
              withAuthor={group !== undefined}
              onReply={() => {
                setEditing(undefined);
                setReplyTo(shown);
              }}
              onEdit={() => {
                setReplyTo(undefined);
                setEditing(shown);
              }}
              onView={setViewed}
            />
          ))}
        </div>
      </div>
      <PhoneComposer
        key={`edit-${editing?.message.message_id ?? 0}`}
        place={place}
        isNew={!topic && bot !== undefined && messages.length === 0}
        keyboard={messages.findLast((shown) => shown.keyboard)?.keyboard}
        replyTo={replyTo}
        editing={editing}
        onDone={(about) => {
          setReplyTo((now) => (now === about ? undefined : now));
          setEditing((now) => (now === about ? undefined : now));
        }}
      />
      {viewed ? <PictureViewer picture={viewed} onClose={() => setViewed(undefined)} /> : null}
    </>
  );
}

const nearEnd = 40;

/** Scrolls to each new message, and stays there while pictures load. */
function useStickToEnd(newest: number) {
  const screen = useRef<HTMLDivElement>(null);
  const stick = useRef(true);
  useLayoutEffect(() => {
    stick.current = true;
    screen.current?.scrollTo({ top: screen.current.scrollHeight });
  }, [newest]);
  useEffect(() => {
    const box = screen.current;
    if (!box) return undefined;
    const watch = new ResizeObserver(() => {
      if (stick.current) box.scrollTo({ top: box.scrollHeight });
    });
    for (const part of [box, ...box.children]) watch.observe(part);
    function onScroll(): void {
      if (box) stick.current = box.scrollHeight - box.clientHeight - box.scrollTop < nearEnd;
    }
    box.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      watch.disconnect();
      box.removeEventListener('scroll', onScroll);
    };
  }, []);
  return screen;
}
