import { ActionIcon, Tooltip } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { botName } from '../../api/bots.ts';
import type { Bot, Message } from '../../api/types.ts';
import { useT } from '../../i18n/use-t.tsx';
import { Avatar } from '../../ui/avatar.tsx';
import { Icon } from '../../ui/icon.tsx';
import css from './chats.module.css';
import { Composer } from './composer.tsx';
import { History } from './history.tsx';
import { speakerName } from './history-items.ts';
import { useKnownChats } from './known-chats.ts';
import { PersonPanel } from './person-panel.tsx';
import { useHistory } from './use-history.ts';

export function Talk(props: { bot: Bot; chatId: number }) {
  const { bot, chatId } = props;
  const known = useKnownChats([bot]).chats.find((chat) => chat.chatId === chatId);
  const t = useT();
  const history = useHistory(bot.id, chatId);
  const [replyTo, setReplyTo] = useState<Message>();
  const [person, setPerson] = useState<Message>();
  const other = history.messages.findLast((message) => message.user_id !== bot.platform_id);
  const isPrivate = chatId > 0;
  const title = known?.title || (isPrivate && other ? speakerName(other) : '') || String(chatId);
  return (
    <>
      <div className={css.talk}>
        <header className={css.talkHead}>
          <ActionIcon
            component={Link}
            to="/chats"
            className={css.back}
            variant="subtle"
            color="gray"
            aria-label={t.chats.backToList}
          >
            <Icon name="left" />
          </ActionIcon>
          <Avatar id={chatId} name={title} size={38} />
          <div style={{ flex: 1, minWidth: 0 }}>
            <h2 className={css.talkTitle}>{title}</h2>
            <div className={css.chatSub}>
              {isPrivate ? t.chats.private : t.chats.group} · {botName(bot)}
            </div>
          </div>
          {other ? (
            <Tooltip label={t.chats.showPerson}>
              <ActionIcon
                variant={person ? 'light' : 'subtle'}
                color={person ? 'petrol' : 'gray'}
                aria-label={t.chats.showPerson}
                aria-pressed={person !== undefined}
                onClick={() => setPerson(person ? undefined : other)}
              >
                <Icon name="user" />
              </ActionIcon>
            </Tooltip>
          ) : null}
        </header>
        <History
          bot={bot}
          title={title}
          history={history}
          onReply={setReplyTo}
          onPerson={setPerson}
        />
        <Composer
          bot={bot}
          chatId={chatId}
          replyTo={replyTo}
          onDone={() => {
            setReplyTo(undefined);
            void history.refresh();
          }}
        />
      </div>
      {person ? (
        <PersonPanel
          key={person.user_id}
          bot={bot}
          chatId={chatId}
          known={person}
          count={history.messages.filter((one) => one.user_id === person.user_id).length}
          onClose={() => setPerson(undefined)}
        />
      ) : null}
    </>
  );
}
