import { ActionIcon, Tooltip } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { botName } from '../../../api/bots.ts';
import { type Chat, topicKey } from '../../../api/chats.ts';
import type { Bot } from '../../../api/client/types.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { Avatar } from '../../../ui/avatar.tsx';
import { Icon, type IconName } from '../../../ui/icon.tsx';
import { type ChatSearch, listSearchOf } from '../chat-search.ts';
import css from '../chats.module.css';
import { ConversationMenu } from '../conversation/conversation-menu.tsx';
import { ChatActs } from '../inbox/chat-acts.tsx';
import type { useSide } from '../use-side.ts';
import { TalkMenu } from './talk-menu.tsx';

/** The name of a chat with the buttons for its side panel and its menus. */
export function TalkHead(props: {
  bot: Bot;
  chatId: number;
  /** The open topic; 0 for all, undefined if none was chosen. */
  topic: number | undefined;
  title: string;
  /** The stored chat, if there is one. */
  known: Chat | undefined;
  /** The other person of a private chat. */
  person: number | undefined;
  side: ReturnType<typeof useSide>;
  searching: boolean;
  onSearch: (searching: boolean) => void;
}) {
  const { bot, chatId, topic, title, known, person, side, searching, onSearch } = props;
  const t = useT();
  const personId = typeof side.about === 'number' ? side.about : undefined;
  return (
    <header className={css.talkHead}>
      <ActionIcon
        renderRoot={(look) => (
          <Link {...look} to="/chats" search={(before: ChatSearch) => listSearchOf(before)} />
        )}
        className={css.back}
        variant="subtle"
        color="gray"
        aria-label={t.chats.backToList}
      >
        <Icon name="left" />
      </ActionIcon>
      <Avatar id={chatId} name={title} size={38} />
      <div className={css.talkName}>
        <h2 className={css.talkTitle} tabIndex={-1}>
          <bdi>{title}</bdi>
        </h2>
        <Under bot={bot} isPrivate={chatId > 0} count={known?.message_count} />
      </div>
      <div className={css.talkTools}>
        {known?.state ? (
          <>
            <ChatActs chat={known} />
            <ConversationMenu chat={known} />
          </>
        ) : null}
        {bot.manage_enabled ? (
          <HeadButton
            icon="search"
            label={t.chats.searchHere}
            pressed={searching}
            onClick={() => onSearch(!searching)}
          />
        ) : null}
        {person ? (
          <HeadButton
            icon="user"
            label={t.chats.showPerson}
            pressed={personId !== undefined}
            onClick={() => side.show(personId ? {} : { about: person })}
          />
        ) : null}
        {bot.manage_enabled ? (
          <>
            <HeadButton
              icon="info"
              label={t.chatInfo.show}
              pressed={side.about === 'chat'}
              onClick={() => side.show(side.about === 'chat' ? {} : { about: 'chat' })}
            />
            <TalkMenu
              chatKey={topicKey(bot.id, chatId, topic)}
              title={title}
              count={topic ? undefined : known?.message_count}
            />
          </>
        ) : null}
      </div>
    </header>
  );
}

function HeadButton(props: {
  icon: IconName;
  label: string;
  pressed: boolean;
  onClick: () => void;
}) {
  return (
    <Tooltip label={props.label}>
      <ActionIcon
        variant={props.pressed ? 'light' : 'subtle'}
        color={props.pressed ? 'petrol' : 'gray'}
        aria-label={props.label}
        aria-pressed={props.pressed}
        onClick={props.onClick}
      >
        <Icon name={props.icon} />
      </ActionIcon>
    </Tooltip>
  );
}

function Under(props: { bot: Bot; isPrivate: boolean; count: number | undefined }) {
  const { count } = props;
  const t = useT();
  const kind = props.isPrivate ? t.chats.private : t.chats.group;
  return (
    <div className={css.under}>
      <span>
        {kind} · <bdi>{botName(props.bot)}</bdi>
      </span>
      {count === undefined ? null : <span> · {t.chats.stored(count)}</span>}
    </div>
  );
}
