import { ActionIcon } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import {
  phoneHistoryQuery,
  type SandboxPerson,
  type SandboxWorld,
  type ShownMessage,
} from '../../api/sandbox.ts';
import { useT } from '../../i18n/use-t.tsx';
import { Avatar } from '../../ui/avatar.tsx';
import { Icon } from '../../ui/icon.tsx';
import { PhoneChatMenu } from './phone-chat-menu.tsx';
import { PhoneComposer } from './phone-composer.tsx';
import { type Picture, PictureViewer } from './phone-media.tsx';
import { PhoneMessage } from './phone-message.tsx';
import { chatTitle } from './phone-words.ts';
import css from './phones.module.css';
import { lookAgainMs } from './use-world-events.ts';

export function PhoneChat(props: {
  person: SandboxPerson;
  world: SandboxWorld;
  chatId: number;
  onBack: () => void;
}) {
  const { chatId, person, world } = props;
  const t = useT();
  const [replyTo, setReplyTo] = useState<ShownMessage>();
  const [editing, setEditing] = useState<ShownMessage>();
  const [viewed, setViewed] = useState<Picture>();
  const history = useQuery({
    ...phoneHistoryQuery(person.id, chatId),
    refetchInterval: lookAgainMs,
    retry: false,
  });
  const messages = history.data ?? [];
  const group = world.chats.find((chat) => chat.id === chatId);
  const bot = world.bots.find((one) => one.id === chatId);
  const title = group ? chatTitle(group) : (bot?.first_name ?? String(chatId));
  const screen = useStickToEnd(messages.at(-1)?.message.message_id ?? 0);
  return (
    <>
      <header className={css.bar}>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t.sandbox.back}
          onClick={props.onBack}
        >
          <Icon name="left" />
        </ActionIcon>
        <Avatar id={chatId} name={title} size={34} />
        <div className={css.barText}>
          <div className={css.barName}>{title}</div>
          <div className={css.barSub}>
            {group ? t.sandbox.members(group.members.length) : t.sandbox.botWord}
          </div>
        </div>
        <PhoneChatMenu
          person={person}
          world={world}
          chatId={chatId}
          group={group}
          title={title}
          onLeft={props.onBack}
        />
      </header>
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
        userId={person.id}
        chatId={chatId}
        isNew={bot !== undefined && messages.length === 0}
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
