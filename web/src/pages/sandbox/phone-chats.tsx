import { Button, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { post } from '../../api/client/client.ts';
import {
  phoneChatsQuery,
  type SandboxPerson,
  type SandboxWorld,
  type ShownChat,
} from '../../api/sandbox.ts';
import { useT } from '../../i18n/use-t.tsx';
import { Avatar } from '../../ui/avatar.tsx';
import { useAction } from '../../shared/use-action.ts';
import { chatTitle, previewOf } from './phone-words.ts';
import css from './phones.module.css';
import { lookAgainMs } from './use-world-events.ts';

export function PhoneChats(props: {
  person: SandboxPerson;
  world: SandboxWorld;
  onChat: (chatId: number) => void;
}) {
  const { person, world } = props;
  const t = useT();
  const chats = useQuery({ ...phoneChatsQuery(person.id), refetchInterval: lookAgainMs * 2 });
  const join = useAction({
    run: (chat: number) => post('/api/sandbox/chats/join', { body: { user: person.id, chat } }),
    refreshes: [['sandbox']],
  });
  const others = world.chats.filter(
    (chat) => !chat.members.some((member) => member.user.id === person.id),
  );
  return (
    <div className={css.screen}>
      {chats.data === undefined ? (
        <div style={{ padding: 14 }}>
          <Skeleton height={42} radius={12} mb={8} />
          <Skeleton height={42} radius={12} />
        </div>
      ) : null}
      {chats.data?.length === 0 && others.length === 0 ? (
        <div className={css.hint}>
          <strong>{t.sandbox.noChats}</strong>
          <br />
          {t.sandbox.noChatsHint}
        </div>
      ) : null}
      <ul className={css.chats}>
        {chats.data?.map((chat) => (
          <li key={chat.key}>
            <ChatLine chat={chat} onOpen={() => props.onChat(chat.chat.id)} />
          </li>
        ))}
        {others.map((chat) => (
          <li key={chat.id} className={css.chat} style={{ cursor: 'default' }}>
            <Avatar id={chat.id} name={chatTitle(chat)} size={40} />
            <span className={css.barText}>
              <span className={css.barName}>{chatTitle(chat)}</span>
              <span className={css.preview}>{t.sandbox.members(chat.members.length)}</span>
            </span>
            <Button size="compact-sm" variant="light" onClick={() => join.mutate(chat.id)}>
              {t.sandbox.join}
            </Button>
          </li>
        ))}
      </ul>
    </div>
  );
}

function ChatLine(props: { chat: ShownChat; onOpen: () => void }) {
  const t = useT();
  const { chat, lastMessage } = props.chat;
  return (
    <button type="button" className={css.chat} onClick={props.onOpen}>
      <Avatar id={chat.id} name={chatTitle(chat)} size={40} />
      <span className={css.barText}>
        <span className={css.barName} style={{ display: 'block' }}>
          {chatTitle(chat)}
        </span>
        <span className={css.preview} dir="auto">
          {lastMessage ? previewOf(lastMessage.message, t) : t.sandbox.start}
        </span>
      </span>
    </button>
  );
}
