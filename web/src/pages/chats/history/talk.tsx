import { ActionIcon, Tooltip } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState } from 'react';
import { botName } from '../../../api/bots.ts';
import { chatQuery } from '../../../api/chats.ts';
import type { Bot, Message } from '../../../api/client/types.ts';
import { useT } from '../../../i18n/use-t.tsx';
import { Avatar } from '../../../ui/avatar.tsx';
import { Icon, type IconName } from '../../../ui/icon.tsx';
import { toast } from '../../../ui/feedback/toast.tsx';
import { ChatPanel } from '../chat-panel.tsx';
import css from '../chats.module.css';
import { ConversationMenu } from '../conversation/conversation-menu.tsx';
import { Composer } from '../composer/composer.tsx';
import { History } from './history.tsx';
import { accountsIn, speakerName } from './history-items.ts';
import { EnableManagement } from '../admin/management-off.tsx';
import { MediaViewer } from './media-viewer.tsx';
import { PersonPanel } from '../person/person-panel.tsx';
import { TopicBar } from '../topics/topic-bar.tsx';
import { TopicList } from '../topics/topic-list.tsx';
import { TalkMenu } from './talk-menu.tsx';
import { TalkSearch } from './talk-search.tsx';
import { ThreadPanel } from './thread-panel.tsx';
import { useHistory } from './use-history.ts';
import { useSide } from '../use-side.ts';

export function Talk(props: {
  bot: Bot;
  chatId: number;
  /** The open topic; 0 for all, undefined if none was chosen. */
  topic: number | undefined;
  anchor: number | undefined;
}) {
  const { bot, chatId, topic } = props;
  const anchor = bot.manage_enabled ? props.anchor : undefined;
  const t = useT();
  const navigate = useNavigate();
  const known = useQuery({ ...chatQuery(bot.id, chatId), enabled: bot.manage_enabled }).data;
  const history = useHistory(bot.id, chatId, anchor, topic);
  const listsTopics = known?.has_topics === true && topic === undefined && anchor === undefined;
  const [replyTo, setReplyTo] = useState<Message>();
  const [editing, setEditing] = useState<Message>();
  const [sent, setSent] = useState(0);
  const [sending, setSending] = useState<{ text: string; after: number | undefined }>();
  const [visit, setVisit] = useState(0);
  const side = useSide();
  const focusRef = useFocusFromList();
  const [viewed, setViewed] = useState<Message>();
  const [searching, setSearching] = useState(false);
  const isPrivate = chatId > 0;
  const other = history.messages.findLast((message) => message.user_id === chatId);
  const accounts = useMemo(() => accountsIn(history.messages), [history.messages]);
  const latest = history.messages.findLast((message) => message.media_type !== 'callback');
  const title = known?.title || (isPrivate && other ? speakerName(other) : '') || String(chatId);
  const refresh = () => void history.refresh().catch(() => undefined);
  const personId = typeof side.about === 'number' ? side.about : undefined;

  function goTo(messageId: number | undefined): void {
    if (messageId !== undefined && !bot.manage_enabled) {
      toast(t.people.managementOff, { tone: 'bad' });
      return;
    }
    // The URL already starts at this message and the user has scrolled away, so start there again.
    if (messageId === anchor) setVisit((count) => count + 1);
    const { about, thread } = side;
    // If the side panel covers the messages, it closes to show the message.
    const panelParams = {
      ...(topic === undefined ? {} : { topic }),
      ...(about && isWide() ? { about } : {}),
      ...(thread && isWide() ? { thread } : {}),
    };
    void navigate({
      to: '/chats/$botId/$chatId',
      params: { botId: String(bot.id), chatId: String(chatId) },
      search: messageId === undefined ? panelParams : { ...panelParams, message: messageId },
    });
  }
  return (
    <>
      <div className={css.talk} ref={focusRef}>
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
            <h2 className={css.talkTitle} tabIndex={-1}>
              <bdi>{title}</bdi>
            </h2>
            <Under bot={bot} isPrivate={isPrivate} count={known?.message_count} />
          </div>
          {known?.state ? <ConversationMenu chat={known} /> : null}
          {bot.manage_enabled ? (
            <HeadButton
              icon="search"
              label={t.chats.searchHere}
              pressed={searching}
              onClick={() => setSearching(!searching)}
            />
          ) : null}
          {isPrivate && other ? (
            <HeadButton
              icon="user"
              label={t.chats.showPerson}
              pressed={personId !== undefined}
              onClick={() => side.show(personId ? {} : { about: other.user_id })}
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
              <TalkMenu botId={bot.id} chatId={chatId} title={title} count={known?.message_count} />
            </>
          ) : null}
        </header>
        {bot.manage_enabled ? null : (
          <div className={css.notice}>
            <span>{t.people.managementOff}</span>
            <EnableManagement bot={bot} />
          </div>
        )}
        {topic === undefined ? null : <TopicBar bot={bot} chatId={chatId} topic={topic} />}
        {searching ? (
          <TalkSearch botId={bot.id} chatId={chatId} onClose={() => setSearching(false)} />
        ) : listsTopics ? (
          <TopicList bot={bot} chatId={chatId} title={title} />
        ) : (
          <History
            key={`from-${anchor ?? 'end'}-${visit}`}
            bot={bot}
            title={title}
            history={history}
            anchor={anchor}
            sent={sent}
            sending={sending && !isIn(history.messages, sending) ? sending.text : undefined}
            actions={{
              onReply: (message) => {
                setEditing(undefined);
                setReplyTo(message);
              },
              onEdit: (message) => {
                setReplyTo(undefined);
                setEditing(message);
              },
              onPerson: (message) => side.show({ about: message.user_id }),
              onView: setViewed,
              onChanged: history.replace,
            }}
            onFar={goTo}
          />
        )}
        {listsTopics ? null : (
          <Composer
            key={`edit-${editing?.id ?? 'none'}`}
            bot={bot}
            chatId={chatId}
            topic={topic ?? 0}
            replyTo={replyTo}
            editing={editing}
            accounts={accounts}
            latestTarget={latest?.business_connection_id ?? ''}
            onSending={(text) =>
              setSending(
                text === undefined ? undefined : { text, after: history.messages.at(-1)?.id },
              )
            }
            onSent={(message, answered) => {
              history.add(message);
              setSending(undefined);
              setSent((count) => count + 1);
              setReplyTo((now) => (now === answered ? undefined : now));
              refresh();
            }}
            onEdited={(message) => {
              history.replace(message);
              setEditing((now) => (now?.id === message.id ? undefined : now));
              refresh();
            }}
            onCancel={() => {
              setReplyTo(undefined);
              setEditing(undefined);
            }}
          />
        )}
      </div>
      <Side
        bot={bot}
        chatId={chatId}
        title={title}
        messages={history.messages}
        side={side}
        onGo={goTo}
      />
      {viewed ? (
        <MediaViewer
          messages={history.messages}
          start={viewed}
          onClose={() => setViewed(undefined)}
        />
      ) : null}
    </>
  );
}

/** True if the message was received, possibly before the service responded to the send. */
function isIn(messages: Message[], sending: { text: string; after: number | undefined }): boolean {
  const since = messages.slice(messages.findIndex(({ id }) => id === sending.after) + 1);
  const text = sending.text.trim();
  return since.some((one) => one.user_id !== one.chat_id && one.text.trim() === text);
}

function Side(props: {
  bot: Bot;
  chatId: number;
  title: string;
  messages: Message[];
  side: ReturnType<typeof useSide>;
  onGo: (messageId: number) => void;
}) {
  const { bot, chatId, side } = props;
  const { about, thread } = side;
  const close = () => side.show({});
  if (thread !== undefined) {
    return (
      <ThreadPanel
        key={`thread-${thread}`}
        chatKey={{ bot_id: bot.id, chat_id: chatId }}
        messageId={thread}
        onGo={props.onGo}
        onClose={close}
      />
    );
  }
  if (about === 'chat') {
    return (
      <ChatPanel bot={bot} chatId={chatId} title={props.title} onGo={props.onGo} onClose={close} />
    );
  }
  if (about === undefined) return null;
  return (
    <PersonPanel
      key={about}
      bot={bot}
      chatId={chatId}
      userId={about}
      known={props.messages.findLast((message) => message.user_id === about)}
      onClose={close}
    />
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

/**
 * Moves the focus after a chat is opened from the list: to the composer, or on a touch screen to
 * the chat's name, because its keyboard would cover the messages.
 */
function useFocusFromList() {
  const focusRef = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const isFromList = document.activeElement?.closest('[data-chat-list]');
    if (!isFromList) return;
    const field = focusRef.current?.querySelector<HTMLElement>('form textarea');
    const target = window.matchMedia('(hover: hover)').matches ? field : undefined;
    (target ?? focusRef.current?.querySelector<HTMLElement>('h2'))?.focus();
  }, []);
  return focusRef;
}

/** Returns true if the side panel fits beside the messages. */
function isWide(): boolean {
  return window.matchMedia('(min-width: 1101px)').matches;
}

function Under(props: { bot: Bot; isPrivate: boolean; count: number | undefined }) {
  const { count } = props;
  const t = useT();
  const kind = props.isPrivate ? t.chats.private : t.chats.group;
  return (
    <div className={css.chatSub}>
      {kind} · <bdi>{botName(props.bot)}</bdi>
      {count === undefined ? null : <span className={css.stored}> · {t.chats.stored(count)}</span>}
    </div>
  );
}
